/** A provider of identities: where people are sent to log in, and who it says they are when they come back. */
import type { Configuration } from 'openid-client';
import { isLocal } from '../../config/formats.js';
import type { OAuth2Config, ProviderConfig } from '../../config/providers.js';
import { apiError, type ApiError } from '../../../contract/errors.js';
import { lazy } from '../../concurrency/lazy.js';

export interface Provider {
  readonly config: ProviderConfig;
  /** Begins a login. `url`: where the browser goes; `proof`: what has to be known when it returns. */
  begin(): Promise<{ readonly url: URL; readonly proof: Proof }>;
  /**
   * @param query of the callback
   * @throws SERVICE_UNAVAILABLE where the provider does not answer; ProviderRefusal for everything else
   */
  identify(query: string, proof: Proof): Promise<Claims>;
}

export interface Proof {
  readonly state: string;
  /** PKCE: the provider was told its hash. */
  readonly verifier: string;
  /** In the ID token again. */
  readonly nonce: string;
}

export type Claims = Readonly<Record<string, unknown>>;

/** Nobody has been identified. The message is for the log, and says nothing that came from outside. */
export class ProviderRefusal extends Error {}

interface ProviderOptions {
  /** Where browsers come back to. */
  readonly callback: () => string;
}

export const createProvider = (config: ProviderConfig, { callback }: ProviderOptions): Provider => {
  const load = lazy(() => discover(config), rest);

  const unavailable = (): ApiError =>
    apiError(
      'SERVICE_UNAVAILABLE',
      { service: config.name },
      `the provider "${config.name}" does not answer`,
    );

  /** What fails on the way there is the provider's, not the caller's. */
  const reach = (): ReturnType<typeof discover> =>
    load().catch(() => {
      throw unavailable();
    });

  return {
    config,
    async begin() {
      const { library, client } = await reach();
      const proof = {
        state: library.randomState(),
        verifier: library.randomPKCECodeVerifier(),
        nonce: library.randomNonce(),
      };
      const url = library.buildAuthorizationUrl(client, {
        redirect_uri: callback(),
        scope: config.scope,
        state: proof.state,
        code_challenge: await library.calculatePKCECodeChallenge(proof.verifier),
        code_challenge_method: 'S256',
        ...(config.driver === 'openid' && { nonce: proof.nonce }),
      });
      return { url, proof };
    },
    async identify(query, { state, verifier, nonce }) {
      const { library, client } = await reach();
      const isOpenId = config.driver === 'openid';
      try {
        const given = await library.authorizationCodeGrant(
          client,
          callbackOf(config, `${callback()}?${query}`),
          {
            expectedState: state,
            pkceCodeVerifier: verifier,
            ...(isOpenId && { expectedNonce: nonce, idTokenExpected: true }),
          },
        );
        if (config.driver === 'oauth2') return await readProfile(config, given.access_token);
        const claims = given.claims() ?? { sub: '' };
        if (client.serverMetadata().userinfo_endpoint === undefined) return claims;
        return { ...(await library.fetchUserInfo(client, given.access_token, claims.sub)), ...claims };
      } catch (error) {
        throw isOutage(error) ? unavailable() : new ProviderRefusal(reasonOf(error));
      }
    },
  };
};

/** OAuth 2 alone names no issuer that could be compared: each provider has a callback of its own instead. */
const callbackOf = ({ driver }: ProviderConfig, called: string): URL => {
  const url = new URL(called);
  if (driver === 'oauth2') url.searchParams.delete('iss');
  return url;
};

/** Seconds that the provider may take. */
const patience = 10;
/** Milliseconds that one which does not answer is left alone, however many strangers begin a login. */
const rest = 5_000;

/** An OpenID provider describes itself; of the others the configuration knows what there is to know. */
const discover = async (config: ProviderConfig) => {
  const library = await import('openid-client');
  const { clientId, clientSecret } = config;
  const method = clientSecret === null ? library.None() : library.ClientSecretPost(clientSecret);
  if (config.driver === 'oauth2') {
    const server = {
      issuer: new URL(config.authorizeUrl).origin,
      authorization_endpoint: config.authorizeUrl,
      token_endpoint: config.accessUrl,
    };
    const client = new library.Configuration(server, clientId, {}, method);
    if (isLocal(new URL(config.accessUrl))) library.allowInsecureRequests(client);
    client.timeout = patience;
    return { library, client };
  }
  const issuer = new URL(config.issuerUrl);
  const client = await library.discovery(issuer, clientId, {}, method, {
    timeout: patience,
    execute: [
      library.enableNonRepudiationChecks,
      ...(isLocal(issuer) ? [library.allowInsecureRequests] : []),
    ] as ((client: Configuration) => void)[],
  });
  return { library, client };
};

const readProfile = async ({ profileUrl }: OAuth2Config, token: string): Promise<Claims> => {
  const answer = await fetch(profileUrl, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(patience * 1_000),
  });
  const profile: unknown = answer.ok ? await answer.json() : null;
  if (typeof profile !== 'object' || profile === null)
    throw new ProviderRefusal('no profile was given', { cause: answer });
  return profile as Claims;
};

/** Whether the provider said nothing: the library keeps what happened below errors of its own. */
const isOutage = (error: unknown): boolean => {
  if (error instanceof Response) return error.status >= 500;
  if (!(error instanceof Error)) return false;
  // `fetch` has no codes
  const isBroken = error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message);
  return isBroken || error.name === 'TimeoutError' || isOutage(error.cause);
};

/** Codes of the library and of the protocol; texts may hold what a stranger wrote. */
const reasonOf = (error: unknown): string => {
  if (error instanceof ProviderRefusal) return error.message;
  const { code, error: said } = error as { readonly code?: unknown; readonly error?: unknown };
  const words = [code, said].filter(
    (word): word is string => typeof word === 'string' && /^\w{1,64}$/.test(word),
  );
  return words.length === 0 ? 'the answer of the provider does not hold' : words.join(' ');
};
