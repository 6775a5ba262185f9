/** Implements single sign-on, independent of HTTP: starts a login at a provider and finishes it at the callback. */
import type { ProviderConfig } from '../../config/providers.js';
import { ApiError, apiError, invalidQuery } from '../../../contract/errors.js';
import type { RecordChange } from '../accounts.js';
import type { Attempts } from '../attempts.js';
import { createAllowList } from '../allow-list.js';
import type { Account } from '../sessions.js';
import type { Tokens } from '../tokens.js';
import type { ProviderAccounts } from './provider-accounts.js';
import {
  createProvider,
  ProviderRefusal,
  type AuthorizationChecks,
  type Claims,
  type Provider,
} from './provider.js';

export interface SignOn {
  readonly providers: readonly ProviderConfig[];
  /** Returns the configuration of a provider. @throws ROUTE_NOT_FOUND when there is none of this name */
  find(name: string): ProviderConfig;
  /**
   * Starts a login.
   * @param redirect URL of the page to return to after the login
   * @throws ROUTE_NOT_FOUND; INVALID_QUERY when the page is not allowed; SERVICE_UNAVAILABLE
   */
  begin(name: string, redirect?: string): Promise<StartedLogin>;
  /**
   * Returns the login that was started with this state.
   * @throws ROUTE_NOT_FOUND; INVALID_CREDENTIALS when the token is invalid or belongs to another state
   */
  resume(name: string, state: string, token: string | undefined): Promise<PendingLogin>;
  /**
   * Identifies the user and returns their account. Failures are not counted: state, code and verifier are random, so
   * there is nothing to guess.
   * @throws INVALID_CREDENTIALS for every refusal; SERVICE_UNAVAILABLE
   */
  finish(login: PendingLogin, callback: CallbackInput): Promise<Account>;
}

interface StartedLogin {
  readonly url: string;
  /** The provider returns it in the query of the callback. */
  readonly state: string;
  /** Signed token for a cookie of the browser. */
  readonly token: string;
}

export interface PendingLogin {
  readonly provider: Provider;
  readonly checks: AuthorizationChecks;
  /** URL of the page to return to; `null`: the callback's response contains the tokens. */
  readonly redirect: string | null;
}

interface CallbackInput {
  /** Query string as sent. */
  readonly query: string;
  readonly record: RecordChange;
}

export interface SignOnOptions {
  readonly configs: readonly ProviderConfig[];
  readonly tokens: Tokens;
  readonly attempts: Attempts;
  readonly accounts: ProviderAccounts;
  /** Returns the public URL of the server. */
  readonly url: () => string;
  readonly warn: (message: string) => void;
}

/** Milliseconds until a started login expires. */
export const stateTtl = 5 * 60_000;

/** Characters; the URL is part of a cookie, and browsers drop cookies over 4 kB. */
const maxPageLength = 2000;

export const createSignOn = (options: SignOnOptions): SignOn => {
  const { configs, tokens, attempts, accounts, url, warn } = options;
  const entries = new Map(
    configs.map((config) => {
      const callback = (): string => `${url()}/auth/login/${config.name}/callback`;
      return [
        config.name,
        { provider: createProvider(config, { callback }), pages: createAllowList(config.redirects) },
      ];
    }),
  );

  const entryOf = (name: string) => {
    const entry = entries.get(name);
    if (entry === undefined) throw apiError('ROUTE_NOT_FOUND', { path: `/auth/login/${name}` });
    return entry;
  };

  /** Returns the absolute URL of an allowed page. @throws INVALID_QUERY */
  const checkRedirect = (name: string, redirect: string): string => {
    const { provider, pages } = entryOf(name);
    const page = resolvePage(redirect, url());
    if (page === null || !(page.origin === new URL(url()).origin || pages.has(page.href)))
      throw invalidQuery(
        `"redirect" is neither a page of this server nor in the REDIRECT_ALLOW_LIST of "${name}"`,
      );
    if (page.href.length > maxPageLength)
      throw invalidQuery(
        `"redirect" is longer than ${maxPageLength} characters when percent-encoded (é is %C3%A9)`,
      );
    if (provider.config.mode === 'json')
      throw invalidQuery(`"redirect" is not supported: "${name}" returns the tokens in the body (mode json)`);
    return page.href;
  };

  const refuse = (name: string, error: unknown): never => {
    const isRefusal = error instanceof ProviderRefusal;
    if (isRefusal || error instanceof ApiError) warn(`sign-on with "${name}" refused: ${error.message}`);
    throw isRefusal ? apiError('INVALID_CREDENTIALS', {}) : error;
  };

  const identify = async ({ provider, checks }: PendingLogin, query: string): Promise<Claims> => {
    // some providers accept a code twice, so the state is what can be used only once
    if (!(await attempts.claim(`state ${checks.state}`, stateTtl)))
      throw new ProviderRefusal('the callback was used before');
    return provider.identify(query, checks);
  };

  return {
    providers: configs,
    find: (name) => entryOf(name).provider.config,
    async begin(name, redirect) {
      const { provider } = entryOf(name);
      const page = redirect === undefined ? null : checkRedirect(name, redirect);
      const { url: authorizationUrl, checks } = await provider.begin();
      const token = await tokens.sign('state', { ...checks, provider: name, redirect: page }, stateTtl);
      return { url: authorizationUrl.href, state: checks.state, token };
    },
    async resume(name, state, token) {
      const { provider } = entryOf(name);
      const stored = await tokens.read('state', token ?? '').catch(() => null);
      if (stored === null || stored['provider'] !== name || stored['state'] !== state) {
        throw apiError(
          'INVALID_CREDENTIALS',
          {},
          'the login was started in another browser or has expired; start again',
        );
      }
      const checks = {
        state,
        verifier: String(stored['verifier']),
        nonce: String(stored['nonce']),
      };
      const redirect = typeof stored['redirect'] === 'string' ? stored['redirect'] : null;
      return {
        provider,
        checks,
        redirect: redirect === null ? null : checkRedirect(name, redirect),
      };
    },
    async finish(login, { query, record }) {
      const { config } = login.provider;
      try {
        return await accounts.findOrRegister(await identify(login, query), config, record);
      } catch (error) {
        return refuse(config.name, error);
      }
    },
  };
};

/**
 * Resolves a page relative to the server; null if it is not a URL. Rejects backslashes, white space and control
 * characters, because browsers read `\` as `/` and drop line breaks.
 */
const resolvePage = (text: string, server: string): URL | null => {
  if (/[\\\s\p{Cc}]/u.test(text) || text.startsWith('//')) return null;
  if (text.startsWith('/')) return URL.canParse(text, server) ? new URL(text, server) : null;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return null;
  const page = new URL(text);
  return page.username === '' && page.password === '' ? page : null;
};

/** Adds `?reason=<error code>` of a failed login to the URL of a page. */
export const withReason = (redirect: string, error: ApiError): string => {
  const page = new URL(redirect);
  page.searchParams.set('reason', error.code);
  return page.href;
};
