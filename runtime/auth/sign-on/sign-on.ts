/** Starts logins at identity providers and finishes them at the callback, independent of HTTP. */
import type { ProviderConfig } from '../../config/providers.js';
import { ApiError, apiError } from '../../../contract/errors.js';
import type { Database } from '../../databases/contract.js';
import type { Account, RecordChange } from '../accounts.js';
import type { Attempts } from '../attempts.js';
import { createAllowList, type AllowList } from '../allow-list.js';
import type { Tokens } from '../tokens.js';
import { findOrRegister } from './provider-accounts.js';
import {
  createProvider,
  ProviderRefusal,
  type AuthorizationChecks,
  type Claims,
  type Provider,
} from './provider.js';
import { addReason, resolveRedirect } from './redirect.js';

/** Logins at the configured providers. */
export interface SignOn {
  readonly providers: readonly ProviderConfig[];
  /** Returns the configuration of a provider. @throws ROUTE_NOT_FOUND when there is none of this name */
  find(name: string): ProviderConfig;
  /**
   * Starts a login.
   * @param redirect URL of the page to return to after the login
   * @throws ROUTE_NOT_FOUND; INVALID_QUERY when the page is not allowed; SERVICE_UNAVAILABLE without a page
   */
  begin(name: string, redirect?: string): Promise<StartedLogin | FailedStart>;
  /**
   * Returns the login that was started with this state.
   * @throws ROUTE_NOT_FOUND; INVALID_CREDENTIALS when the token is invalid or belongs to another state; INVALID_QUERY when
   * the page is no longer allowed
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
  /** The page of the provider. */
  readonly url: string;
  /** The provider returns it in the query of the callback. */
  readonly state: string;
  /** Signed token for a cookie of the browser. */
  readonly token: string;
}

/** A login that could not be started, because the provider is not available. */
interface FailedStart {
  /** The page to return to, with the reason. */
  readonly url: string;
  readonly state: null;
}

/** A login that was started and waits for its callback. */
export interface PendingLogin {
  readonly provider: Provider;
  readonly checks: AuthorizationChecks;
  readonly isExpired: boolean;
  /** URL of the page to return to; `null`: the callback responds with 200 and, by mode, tokens or cookies. */
  readonly redirect: string | null;
}

interface CallbackInput {
  /** Query string as sent. */
  readonly query: string;
  readonly recordChange: RecordChange;
}

/** Settings of the providers, and services that logins use. */
export interface SignOnOptions {
  readonly configs: readonly ProviderConfig[];
  readonly tokens: Pick<Tokens, 'sign' | 'read'>;
  readonly attempts: Pick<Attempts, 'claim'>;
  readonly database: Database;
  /** Returns the public URL of the server. */
  readonly url: () => string;
  /** Logs why a login was refused. */
  readonly warn: (message: string) => void;
}

/** Milliseconds until a started login expires: people may have to reset a password or fetch a code at the provider. */
const loginTtl = 15 * 60_000;

/** Milliseconds for which the page is known to return to, with the reason, from a login that has expired. */
export const stateTtl = 60 * 60_000;

/** Creates the logins at the configured providers. Its methods throw ROUTE_NOT_FOUND for others. */
export const createSignOn = (options: SignOnOptions): SignOn => {
  const entries = new Map(options.configs.map((config) => [config.name, createEntry(config, options)]));

  const findEntry = (name: string): Entry => {
    const entry = entries.get(name);
    if (entry === undefined) throw apiError('ROUTE_NOT_FOUND', { path: `/auth/login/${name}` });
    return entry;
  };

  return {
    providers: options.configs,
    find: (name) => findEntry(name).provider.config,
    begin: async (name, redirect) => begin(findEntry(name), redirect, options),
    resume: async (name, state, token) => resume(findEntry(name), { state, token }, options),
    async finish(login, { query, recordChange }) {
      const { config } = login.provider;
      if (login.isExpired) throw apiError('INVALID_CREDENTIALS', {}, 'the login has expired; start again');
      try {
        const claims = await identify(login, query, options);
        return await findOrRegister(options.database, { claims, config, recordChange });
      } catch (error) {
        return refuse(config.name, error, options);
      }
    },
  };
};

/** A provider and the pages of other origins that a login there may return to. */
interface Entry {
  readonly provider: Provider;
  readonly pages: AllowList;
}

const createEntry = (config: ProviderConfig, { url, warn }: SignOnOptions): Entry => {
  const callback = (): string => `${url()}/auth/login/${config.name}/callback`;
  return { provider: createProvider(config, { callback, warn }), pages: createAllowList(config.redirects) };
};

const begin = async (
  entry: Entry,
  redirect: string | undefined,
  { tokens, url }: SignOnOptions,
): Promise<StartedLogin | FailedStart> => {
  const { provider } = entry;
  const page = redirect === undefined ? null : resolveRedirect(redirect, entry, url());
  const started = await (page === null ? provider.begin() : provider.begin().catch(addReason(page)));
  if (typeof started === 'string') return { url: started, state: null };
  const { url: authorizationUrl, checks } = started;
  const until = Date.now() + loginTtl;
  const payload = { ...checks, provider: provider.config.name, redirect: page, until };
  const token = await tokens.sign('state', payload, stateTtl);
  return { url: authorizationUrl.href, state: checks.state, token };
};

const resume = async (
  entry: Entry,
  { state, token }: { readonly state: string; readonly token: string | undefined },
  { tokens, url }: SignOnOptions,
): Promise<PendingLogin> => {
  const { provider } = entry;
  const stored = await tokens.read('state', token ?? '').catch(() => null);
  if (stored === null || stored['provider'] !== provider.config.name || stored['state'] !== state) {
    throw apiError(
      'INVALID_CREDENTIALS',
      {},
      'the login was started in another browser or has expired; start again',
    );
  }
  const { verifier, nonce, redirect, until } = stored;
  return {
    provider,
    isExpired: Date.now() > Number(until),
    checks: { state, verifier: String(verifier), nonce: String(nonce) },
    redirect: typeof redirect === 'string' ? resolveRedirect(redirect, entry, url()) : null,
  };
};

const identify = async (
  { provider, checks }: PendingLogin,
  query: string,
  { attempts }: SignOnOptions,
): Promise<Claims> => {
  // some providers accept a code twice, so the state is what can be used only once
  if (!(await attempts.claim(`state ${checks.state}`, loginTtl)))
    throw new ProviderRefusal('the callback was used before');
  return provider.identify(query, checks);
};

/** Throws the error for the caller, and logs the reason of a refusal. */
const refuse = (name: string, error: unknown, { warn }: SignOnOptions): never => {
  const isRefusal = error instanceof ProviderRefusal;
  if (isRefusal || error instanceof ApiError) warn(`sign-on with "${name}" refused: ${error.message}`);
  throw isRefusal ? apiError('INVALID_CREDENTIALS', {}) : error;
};
