/** Resolves a request to its principal; caches principals until the access rows change. */
import { LRUCache } from 'lru-cache';
import { apiError } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';
import { createLease, type Lease } from './lease.js';
import { toSessionError, anonymousKey, headerKey, readCredential, type Credential } from './credentials.js';
import type { AccessRows, User } from './policies.js';
import { createPolicyCache, type PolicyCache } from './policy-cache.js';
import {
  resolvePolicies,
  toPrincipal,
  type Holder,
  type Principal,
  type ResolvedPolicies,
} from './principal.js';

/** Claims of an access token whose signature has been verified. */
export interface TokenClaims {
  readonly user: string;
  readonly session: string;
  /** Number of renewals of the session when a session cookie was issued; `null` for other tokens. */
  readonly generation: number | null;
  /** Unix time in milliseconds. */
  readonly expires: number;
}

/** Reads the access rows and token holders; `execute/access-source` implements it with fixed statements. */
export interface AccessSource {
  loadRows(): Promise<AccessRows>;
  /**
   * Returns the holder of a token, or null if the token is unknown.
   * @throws INVALID_TOKEN (signature), TOKEN_EXPIRED, USER_SUSPENDED for tokens issued by a login
   */
  findHolder(token: string): Promise<Holder | null>;
  readVersion(): Promise<string>;
}

export interface Access {
  /**
   * Returns the principal of a request.
   * @throws INVALID_CREDENTIALS (unknown token, user not active), INVALID_TOKEN, TOKEN_EXPIRED, USER_SUSPENDED;
   *   INVALID_PAYLOAD for two tokens; FORBIDDEN for a session cookie on a cross-site write
   */
  identify(request: ApiRequest): Promise<Principal> | Principal;
  /**
   * Returns the principal of a user who is authenticated by something other than a token; null is rejected.
   * @throws INVALID_CREDENTIALS, INVALID_IP
   */
  admit(user: User | null, request: ApiRequest): Promise<Principal>;
  /**
   * Checks that the access rows have not changed since the principal was identified, as of a moment within the lease
   * or after this call. If they have, the caches are dropped and the caller has to identify again.
   */
  confirm(principal: Principal): true | Promise<boolean>;
}

const maxTokens = 10_000;

/** The principal of a token, or, if it depends on the client address, the function that determines it. */
interface CachedPrincipal extends ResolvedPolicies {
  readonly credential: Credential | null;
  /** Unix time in milliseconds. */
  readonly expires: number;
}

/** Caches of principals. */
interface AccessCache {
  readonly source: AccessSource;
  readonly policies: PolicyCache;
  /** Keys are those of credentials. */
  readonly principals: LRUCache<string, CachedPrincipal>;
  readonly lease: Lease;
}

/**
 * Creates the resolution of requests to principals, with empty caches.
 * @param lease milliseconds for which an access version that was read is relied on; 0: it is read for each request
 */
export const createAccess = (source: AccessSource, lease = 0): Access => {
  const principals = new LRUCache<string, CachedPrincipal>({ max: maxTokens });
  const policies = createPolicyCache(source, () => principals.clear());
  const cache: AccessCache = {
    source,
    policies,
    principals,
    lease: createLease({ readVersion: source.readVersion, duration: lease }),
  };
  return {
    identify: (request) => identify(request, cache),
    admit: (user, request) => admit(user, request, cache),
    confirm: ({ version }) => cache.lease.held() === version || confirmNow(version, cache),
  };
};

const confirmNow = async (
  version: string,
  { lease, policies, principals }: AccessCache,
): Promise<boolean> => {
  const current = await lease.look();
  if (current === version) return true;
  await policies.dropUnless(current);
  principals.clear();
  return false;
};

const identify = (request: ApiRequest, cache: AccessCache): Promise<Principal> | Principal => {
  const cached = findCached(headerKey(request), cache);
  if (cached !== null) return resolvePrincipal(cached, request, cache);
  const credential = readCredential(request);
  const entry = findCached(credential?.key ?? anonymousKey, cache);
  const found =
    entry === null
      ? identifyHolder(credential, cache).then((identified) => resolvePrincipal(identified, request, cache))
      : resolvePrincipal(entry, request, cache);
  return credential?.cookie === true && found instanceof Promise ? found.catch(toSessionError) : found;
};

const admit = async (user: User | null, request: ApiRequest, cache: AccessCache): Promise<Principal> => {
  if (user === null) throw apiError('INVALID_CREDENTIALS', {});
  const resolve = async (): Promise<Principal> =>
    toPrincipal(resolvePolicies(toHolder(user), await cache.policies.load()), request);
  try {
    return await resolve();
  } catch {
    // cached rows must not reject an address
    await dropOutdated(cache);
    return resolve();
  }
};

const toHolder = (user: User): Holder => ({
  user,
  session: null,
  credentialDigest: '',
  expires: Number.POSITIVE_INFINITY,
});

/** Returns the cached principal of a key, or null if there is none or it has expired. */
const findCached = (key: string, { principals }: AccessCache): CachedPrincipal | null => {
  const entry = principals.get(key);
  return entry !== undefined && Date.now() < entry.expires ? entry : null;
};

const resolvePrincipal = (
  entry: CachedPrincipal,
  request: ApiRequest,
  cache: AccessCache,
): Principal | Promise<Principal> => {
  try {
    return toPrincipal(entry, request);
  } catch {
    return resolveFresh(entry, request, cache);
  }
};

/** Resolves a principal again from current rows, because cached rows must not reject an address. */
const resolveFresh = async (
  { credential }: CachedPrincipal,
  request: ApiRequest,
  cache: AccessCache,
): Promise<Principal> => {
  await dropOutdated(cache);
  return toPrincipal(await identifyHolder(credential, cache), request);
};

const identifyHolder = async (
  credential: Credential | null,
  { source, policies, principals }: AccessCache,
): Promise<CachedPrincipal> => {
  const loading = policies.load();
  const expires = policies.expires();
  const index = await loading;
  const holder = credential === null ? null : await source.findHolder(credential.token);
  if (credential !== null && holder?.user.status !== 'active') throw apiError('INVALID_CREDENTIALS', {});
  const entry = {
    ...resolvePolicies(holder, index),
    credential,
    // neither the policies nor the token may be used longer than they are valid
    expires: Math.min(expires, holder?.expires ?? expires),
  };
  principals.set(credential?.key ?? anonymousKey, entry);
  return entry;
};

/** Drops the caches if the access version has changed. */
const dropOutdated = async ({ policies, principals, lease }: AccessCache): Promise<void> => {
  if (await policies.dropUnless(await lease.look())) principals.clear();
};
