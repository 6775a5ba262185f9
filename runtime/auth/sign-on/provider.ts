/** Talks to an identity provider: OpenID Connect, or OAuth 2.0 with a profile URL, both with PKCE (RFC 7636). */
import type * as OpenIdClient from 'openid-client';
import type { ClientAuth, Configuration } from 'openid-client';
import { isLocal } from '../../config/formats.js';
import type { OAuth2Config, ProviderConfig } from '../../config/providers.js';
import { apiError, type ApiError } from '../../../contract/errors.js';
import { lazy } from '../../concurrency/lazy.js';

/** An identity provider, and the two steps of a login there. */
export interface Provider {
  readonly config: ProviderConfig;
  /**
   * Starts a login: `url` is the authorization URL, `checks` are needed to verify the callback.
   * @throws SERVICE_UNAVAILABLE when discovery fails
   */
  begin(): Promise<{ readonly url: URL; readonly checks: AuthorizationChecks }>;
  /**
   * Exchanges the authorization code for the user's claims.
   * @param query query string of the callback
   * @throws SERVICE_UNAVAILABLE when the provider does not respond; ProviderRefusal for every other failure
   */
  identify(query: string, checks: AuthorizationChecks): Promise<Claims>;
}

/** Random values of one login that its callback is checked against. */
export interface AuthorizationChecks {
  readonly state: string;
  /** PKCE code verifier; the authorization URL contains its hash. */
  readonly verifier: string;
  /** The ID token must contain it. */
  readonly nonce: string;
}

/** Claims of the ID token and of the userinfo endpoint; with OAuth 2.0 the members of the profile. */
export type Claims = Readonly<Record<string, unknown>>;

/** Thrown when no user was identified. The message is for the log and contains no text from outside. */
export class ProviderRefusal extends Error {}

interface ProviderOptions {
  /** Returns the callback URL. */
  readonly callback: () => string;
  /** Called once for each discovery that fails, with its cause. */
  readonly warn: (message: string) => void;
}

/** Creates a provider without a request; discovery runs at the first login. */
export const createProvider = (config: ProviderConfig, { callback, warn }: ProviderOptions): Provider => {
  const { name } = config;
  const loadClient = lazy(
    () =>
      discover(config).catch((error: unknown) => {
        const causes = [...new Set(causesOf(error))].join(', ') || 'unknown cause';
        warn(`discovery at the provider "${name}" failed (${causes}); check its ISSUER_URL`);
        throw unavailable(name, 'could not be reached, or its discovery document is invalid');
      }),
    retryDelay,
  );
  return {
    config,
    begin: async () => begin(await loadClient(), { config, callback: callback() }),
    identify: async (query, checks) =>
      identify(await loadClient(), { config, callback: `${callback()}?${query}` }, checks).catch(
        (error: unknown) => {
          throw isOutage(error) ? unavailable(name, 'does not answer') : new ProviderRefusal(reasonOf(error));
        },
      ),
  };
};

type LoadedClient = Awaited<ReturnType<typeof discover>>;

interface Exchange {
  readonly config: ProviderConfig;
  /** The callback URL; for `identify`, with the query string of the callback. */
  readonly callback: string;
}

const unavailable = (name: string, reason: string): ApiError =>
  apiError('SERVICE_UNAVAILABLE', { service: name }, `the provider "${name}" ${reason}`);

const begin = async (
  { library, client }: LoadedClient,
  { config, callback }: Exchange,
): ReturnType<Provider['begin']> => {
  const checks = {
    state: library.randomState(),
    verifier: library.randomPKCECodeVerifier(),
    nonce: library.randomNonce(),
  };
  const url = library.buildAuthorizationUrl(client, {
    redirect_uri: callback,
    scope: config.scope,
    state: checks.state,
    code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: 'S256',
    ...(config.driver === 'openid' && { nonce: checks.nonce }),
  });
  return { url, checks };
};

const identify = async (
  { library, client }: LoadedClient,
  { config, callback }: Exchange,
  { state, verifier, nonce }: AuthorizationChecks,
): Promise<Claims> => {
  const tokenSet = await library.authorizationCodeGrant(client, callbackOf(config, callback), {
    expectedState: state,
    pkceCodeVerifier: verifier,
    ...(config.driver === 'openid' && { expectedNonce: nonce, idTokenExpected: true }),
  });
  if (config.driver === 'oauth2') return readProfile(config, tokenSet.access_token);
  const claims = tokenSet.claims() ?? { sub: '' };
  if (client.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await library.fetchUserInfo(client, tokenSet.access_token, claims.sub)), ...claims };
};

/**
 * Builds the callback URL for the library. Plain OAuth 2.0 has no known issuer to compare `iss` (RFC 9207) with; a
 * separate callback path per provider prevents mix-up attacks instead.
 */
const callbackOf = ({ driver }: ProviderConfig, text: string): URL => {
  const url = new URL(text);
  if (driver === 'oauth2') url.searchParams.delete('iss');
  return url;
};

/** Seconds until a request to the provider fails. */
const timeout = 10;
/** Milliseconds until discovery is tried again after a failure, however many logins start. */
const retryDelay = 5_000;

/** Configures the client: by OpenID Connect Discovery, or from the configuration for OAuth 2.0. */
const discover = async (config: ProviderConfig) => {
  const library = await import('openid-client');
  const { clientId, clientSecret, clientAuth } = config;
  const method =
    clientSecret === null ? library.None() : authenticateClient(library, { clientSecret, clientAuth });
  if (config.driver === 'oauth2') {
    const server = {
      issuer: new URL(config.authorizeUrl).origin,
      authorization_endpoint: config.authorizeUrl,
      token_endpoint: config.accessUrl,
    };
    const client = new library.Configuration(server, clientId, {}, method);
    if (isLocal(new URL(config.accessUrl))) library.allowInsecureRequests(client);
    client.timeout = timeout;
    return { library, client };
  }
  const issuer = new URL(config.issuerUrl);
  const client = await library.discovery(issuer, clientId, {}, method, {
    timeout,
    execute: [
      library.enableNonRepudiationChecks,
      ...(isLocal(issuer) ? [library.allowInsecureRequests] : []),
    ] as ((client: Configuration) => void)[],
  });
  return { library, client };
};

/**
 * Sends the secret of the client as configured, else in the body. A provider whose discovery document does not list that
 * method gets it in the header, as every provider must accept it (RFC 6749 §2.3.1).
 */
const authenticateClient = (
  library: Pick<typeof OpenIdClient, 'ClientSecretPost' | 'ClientSecretBasic'>,
  { clientSecret, clientAuth }: { readonly clientSecret: string } & Pick<ProviderConfig, 'clientAuth'>,
): ClientAuth => {
  const methods = {
    client_secret_post: library.ClientSecretPost(clientSecret),
    client_secret_basic: library.ClientSecretBasic(clientSecret),
  };
  if (clientAuth !== null) return methods[clientAuth];
  return (server, ...request) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_post'];
    const name = supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
    methods[name](server, ...request);
  };
};

const readProfile = async ({ profileUrl }: OAuth2Config, token: string): Promise<Claims> => {
  const response = await fetch(profileUrl, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeout * 1_000),
  });
  const profile: unknown = response.ok ? await response.json() : null;
  if (typeof profile !== 'object' || profile === null)
    throw new ProviderRefusal('the provider returned no profile', { cause: response });
  return profile as Claims;
};

/** Error codes by which a provider reports a failure of its own (RFC 6749 §4.1.2.1). */
const outageCodes: ReadonlySet<unknown> = new Set(['server_error', 'temporarily_unavailable']);

/** Returns true if the provider did not respond or failed; the library wraps the original error as the cause. */
const isOutage = (error: unknown): boolean => {
  if (error instanceof Response) return error.status >= 500;
  if (!(error instanceof Error)) return false;
  if ('error' in error && outageCodes.has(error.error)) return true;
  // errors of `fetch` have no code
  const isBroken = error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message);
  return isBroken || error.name === 'TimeoutError' || isOutage(error.cause);
};

/** Returns the reason of a refusal for the log. */
const reasonOf = (error: unknown): string => {
  if (error instanceof ProviderRefusal) return error.message;
  return codesOf(error).join(' ') || 'the response of the provider is invalid';
};

/** Returns the codes of an error and of its causes, for the log. */
const causesOf = (error: unknown): readonly string[] => {
  if (error instanceof Response) return [`HTTP ${error.status}`];
  if (!(error instanceof Error)) return [];
  const own = error.name === 'TimeoutError' ? ['timeout'] : codesOf(error);
  return [...own, ...causesOf(error.cause)];
};

/** Returns the codes of the library and the protocol; messages may contain text from outside. */
const codesOf = (error: unknown): readonly string[] => {
  const { code, error: protocolCode } = error as { readonly code?: unknown; readonly error?: unknown };
  return [code, protocolCode].filter(
    (each): each is string => typeof each === 'string' && /^\w{1,64}$/.test(each),
  );
};
