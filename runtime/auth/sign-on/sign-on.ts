/** Single sign-on, free of HTTP: sends users to a provider, and recognizes them when they come back. */
import type { ProviderConfig } from '../../config/providers.js';
import { ApiError, apiError, invalidQuery } from '../../../contract/errors.js';
import type { RecordChange } from '../accounts.js';
import type { Attempts } from '../attempts.js';
import { createAllowList } from '../allow-list.js';
import type { Account } from '../sessions.js';
import type { Tokens } from '../tokens.js';
import type { ProviderAccounts } from './provider-accounts.js';
import { createProvider, ProviderRefusal, type Claims, type Proof, type Provider } from './provider.js';

export interface SignOn {
  readonly providers: readonly ProviderConfig[];
  /** @throws ROUTE_NOT_FOUND */
  find(name: string): ProviderConfig;
  /**
   * @param redirect page that is shown in the end
   * @throws ROUTE_NOT_FOUND; INVALID_QUERY for a page that is not allowed; SERVICE_UNAVAILABLE
   */
  begin(name: string, redirect?: string): Promise<Begun>;
  /**
   * What was begun with this state.
   * @throws ROUTE_NOT_FOUND; INVALID_CREDENTIALS for a token that is none of ours, or of another state
   */
  resume(name: string, state: string, token: string | undefined): Promise<Resumed>;
  /**
   * Failures are not counted: nothing can be guessed, as state, code and verifier are random.
   * @throws INVALID_CREDENTIALS, whatever was wrong; SERVICE_UNAVAILABLE
   */
  finish(resumed: Resumed, callback: Callback): Promise<Account>;
}

interface Begun {
  readonly url: string;
  /** Comes back in the query. */
  readonly state: string;
  /** Signed; comes back in a cookie. */
  readonly token: string;
}

export interface Resumed {
  readonly provider: Provider;
  readonly proof: Proof;
  /** `null`: the answer goes to whoever asked. */
  readonly redirect: string | null;
}

interface Callback {
  /** As sent. */
  readonly query: string;
  readonly record: RecordChange;
}

export interface SignOnOptions {
  readonly configs: readonly ProviderConfig[];
  readonly tokens: Tokens;
  readonly attempts: Attempts;
  readonly accounts: ProviderAccounts;
  /** Address of the server as clients know it. */
  readonly url: () => string;
  readonly warn: (message: string) => void;
}

/** Milliseconds that a login at a provider may take. */
export const stateTtl = 5 * 60_000;

/** Characters; browsers keep no cookie beyond 4 kB. */
const longestPage = 2000;

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

  /** @throws INVALID_QUERY */
  const checkRedirect = (name: string, redirect: string): string => {
    const { provider, pages } = entryOf(name);
    const page = resolvePage(redirect, url());
    if (page === null || !(page.origin === new URL(url()).origin || pages.has(page.href)))
      throw invalidQuery(
        `"redirect" is neither a page of this server nor among the REDIRECT_ALLOW_LIST of "${name}"`,
      );
    if (page.href.length > longestPage)
      throw invalidQuery(
        `"redirect" is longer than ${longestPage} characters, as a URL is written (é is %C3%A9 there)`,
      );
    if (provider.config.mode === 'json')
      throw invalidQuery(`"redirect" is of no use: "${name}" answers with the tokens (mode json)`);
    return page.href;
  };

  const refuse = (name: string, error: unknown): never => {
    const isRefusal = error instanceof ProviderRefusal;
    if (isRefusal || error instanceof ApiError) warn(`sign-on with "${name}" refused: ${error.message}`);
    throw isRefusal ? apiError('INVALID_CREDENTIALS', {}) : error;
  };

  const identify = async ({ provider, proof }: Resumed, query: string): Promise<Claims> => {
    // some providers take a code twice: then the state is what comes once
    if (!(await attempts.once(`state ${proof.state}`, stateTtl)))
      throw new ProviderRefusal('the answer of the provider was used before');
    return provider.identify(query, proof);
  };

  return {
    providers: configs,
    find: (name) => entryOf(name).provider.config,
    async begin(name, redirect) {
      const { provider } = entryOf(name);
      const page = redirect === undefined ? null : checkRedirect(name, redirect);
      const { url: there, proof } = await provider.begin();
      const token = await tokens.sign('state', { ...proof, provider: name, redirect: page }, stateTtl);
      return { url: there.href, state: proof.state, token };
    },
    async resume(name, state, token) {
      const { provider } = entryOf(name);
      const stored = await tokens.read('state', token ?? '').catch(() => null);
      if (stored === null || stored['provider'] !== name || stored['state'] !== state) {
        throw apiError('INVALID_CREDENTIALS', {}, 'the login was begun elsewhere or long ago; begin again');
      }
      const proof = {
        state,
        verifier: String(stored['verifier']),
        nonce: String(stored['nonce']),
      };
      const redirect = typeof stored['redirect'] === 'string' ? stored['redirect'] : null;
      return {
        provider,
        proof,
        redirect: redirect === null ? null : checkRedirect(name, redirect),
      };
    },
    async finish(resumed, { query, record }) {
      const { config } = resumed.provider;
      try {
        return await accounts.enter(await identify(resumed, query), config, record);
      } catch (error) {
        return refuse(config.name, error);
      }
    },
  };
};

/** Relative to the server; `null`: no page at all. Browsers drop line breaks and take `\` for `/`: neither is taken. */
const resolvePage = (text: string, server: string): URL | null => {
  if (/[\\\s\p{Cc}]/u.test(text) || text.startsWith('//')) return null;
  if (text.startsWith('/')) return URL.canParse(text, server) ? new URL(text, server) : null;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return null;
  const page = new URL(text);
  return page.username === '' && page.password === '' ? page : null;
};

/** What a page is told in `?reason=` of a login that failed. */
export const withReason = (redirect: string, error: ApiError): string => {
  const page = new URL(redirect);
  page.searchParams.set('reason', error.code);
  return page.href;
};
