/** Resolves a request to its principal; caches principals until the access rows change. */
import { LRUCache } from 'lru-cache';
import { setImmediate } from 'node:timers/promises';
import { apiError, forbidden } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';
import { readAddressList, requireAddress } from './addresses.js';
import { toSessionError, anonymousKey, headerKey, readCredential, type Credential } from './credentials.js';
import {
  createPolicyIndex,
  type AccessRecords,
  type AccessRows,
  type PolicyIndex,
  type PolicySet,
  type User,
} from './policies.js';

/** The caller of a request, as of `version`. */
export interface Principal {
  /** `null` for an anonymous caller, to whom only public policies apply. */
  readonly user: User | null;
  readonly policies: PolicySet;
  /** Whether a policy requires a second factor that the user has not set up; nothing is permitted until then. */
  readonly needsSecondFactor: boolean;
  /** The user's role and its ancestors. */
  readonly roles: readonly string[];
  /** Id of the login session; `null` for static tokens and anonymous callers. */
  readonly session: string | null;
  /** `Holder.credentialDigest`; empty for an anonymous caller. */
  readonly credentialDigest: string;
  readonly records: AccessRecords;
  /** Access version at which the policies were read. */
  readonly version: string;
}

/** The user to whom a token belongs. */
export interface Holder {
  readonly user: User;
  readonly session: string | null;
  /** Digest of the credential: a static token itself, otherwise the password hash with which the session began. */
  readonly credentialDigest: string;
  /** Unix time in milliseconds at which the token expires; `Infinity` for a static token. */
  readonly expires: number;
}

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
   * Checks that the access rows have not changed since the principal was identified, as of a moment after this
   * call. If they have, the caches are dropped and the caller has to identify again.
   */
  confirm(principal: Principal): Promise<boolean>;
}

/** Milliseconds after which rows are read again, so that changes made without a new version take effect. */
const maxAge = 4_000;
const maxTokens = 10_000;

/** The principal of a token, or, if it depends on the client address, the function that determines it. */
interface CachedPrincipal {
  readonly credential: Credential | null;
  /** `null` if it depends on the client address. */
  readonly principal: Principal | null;
  readonly resolve: (address: () => string) => Principal;
  /** Unix time in milliseconds. */
  readonly expires: number;
}

export const createAccess = (source: AccessSource): Access => {
  let policyIndex: Promise<PolicyIndex> | null = null;
  let indexExpires = 0;
  const principals = new LRUCache<string, CachedPrincipal>({ max: maxTokens });
  let fingerprint = '';

  const readVersion = shareReads(() => source.readVersion());

  const loadPolicyIndex = async (previous: Promise<PolicyIndex> | null): Promise<PolicyIndex> => {
    const rows = await source.loadRows();
    const text = JSON.stringify(rows);
    if (previous !== null && text === fingerprint) return previous;
    fingerprint = text;
    principals.clear();
    return createPolicyIndex(rows);
  };

  const currentPolicyIndex = (): Promise<PolicyIndex> => {
    if (policyIndex === null || Date.now() >= indexExpires) {
      indexExpires = Date.now() + maxAge;
      const loading = loadPolicyIndex(policyIndex);
      loading.catch(() => {
        if (policyIndex === loading) policyIndex = null;
      });
      policyIndex = loading;
    }
    return policyIndex;
  };

  const identifyHolder = async (credential: Credential | null): Promise<CachedPrincipal> => {
    const loading = currentPolicyIndex();
    const expires = indexExpires;
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
  const dropOutdated = async (): Promise<void> => {
    const [loaded, current] = await Promise.all([policyIndex?.catch(() => null), readVersion()]);
    if (loaded?.version === current) return;
    policyIndex = null;
    principals.clear();
  };

  /** Returns the cached principal of a key, or null if there is none or it has expired. */
  const findCached = (key: string): CachedPrincipal | null => {
    const entry = principals.get(key);
    return entry !== undefined && Date.now() < entry.expires ? entry : null;
  };

  const resolvePrincipal = (entry: CachedPrincipal, request: ApiRequest): Principal | Promise<Principal> => {
    try {
      return toPrincipal(entry, request);
    } catch {
      return resolveFresh(entry, request);
    }
  };

  /** Resolves a principal again from current rows, because cached rows must not reject an address. */
  const resolveFresh = async ({ credential }: CachedPrincipal, request: ApiRequest): Promise<Principal> => {
    await dropOutdated();
    return toPrincipal(await identifyHolder(credential), request);
  };

  return {
    identify(request) {
      const cached = findCached(headerKey(request));
      if (cached !== null) return resolvePrincipal(cached, request);
      const credential = readCredential(request);
      const entry = findCached(credential?.key ?? anonymousKey);
      const found =
        entry === null
          ? identifyHolder(credential).then((identified) => resolvePrincipal(identified, request))
          : resolvePrincipal(entry, request);
      return credential?.cookie === true && found instanceof Promise ? found.catch(toSessionError) : found;
    },
    async admit(user, request) {
      if (user === null) throw apiError('INVALID_CREDENTIALS', {});
      const resolve = async (): Promise<Principal> =>
        toPrincipal(resolvePolicies(toHolder(user), await currentPolicyIndex()), request);
      try {
        return await resolve();
      } catch {
        // cached rows must not reject an address
        await dropOutdated();
        return resolve();
      }
    },
    async confirm({ version }) {
      const current = await readVersion();
      if (current === version) return true;
      const loaded = await policyIndex?.catch(() => null);
      if (loaded?.version !== current) policyIndex = null;
      principals.clear();
      return false;
    },
  };
};

const toHolder = (user: User): Holder => ({
  user,
  session: null,
  credentialDigest: '',
  expires: Number.POSITIVE_INFINITY,
});

type ResolvedPolicies = Pick<CachedPrincipal, 'principal' | 'resolve'>;

const toPrincipal = ({ principal, resolve }: ResolvedPolicies, request: ApiRequest): Principal =>
  principal ?? resolve(() => request.address());

const resolvePolicies = (holder: Holder | null, policyIndex: PolicyIndex): ResolvedPolicies => {
  const user = holder?.user ?? null;
  const list = readAddressList(user?.columns.ip_access);
  const common = {
    user,
    session: holder?.session ?? null,
    credentialDigest: holder?.credentialDigest ?? '',
    roles: policyIndex.rolesOf(user),
    records: policyIndex.records,
    version: policyIndex.version,
  };
  const resolve = (address: () => string): Principal => {
    if (list !== null) requireAddress(list, address());
    const policies = policyIndex.policiesOf(user, address);
    const needsSecondFactor = policies.requiresSecondFactor && user !== null && user.secondFactor !== true;
    return { ...common, needsSecondFactor, policies: needsSecondFactor ? policyIndex.emptySet : policies };
  };
  const isAnyAddress = list === null && !policyIndex.dependsOnAddress(user);
  return { resolve, principal: isAnyAddress ? resolve(() => '') : null };
};

/** Rejects a caller who has to set up a second factor first. @throws FORBIDDEN */
export const requireSecondFactor = ({ needsSecondFactor }: Principal): void => {
  if (needsSecondFactor) throw forbidden('set up one-time passwords first, with POST /users/me/tfa/generate');
};

/** Thrown inside a write to roll it back when the access rows have changed since the principal was identified. */
export class StalePrincipal extends Error {}

/** Returns SERVICE_UNAVAILABLE, for a request whose principal kept changing or changed too late to retry. */
export const accessUnavailable = (): Error =>
  apiError('SERVICE_UNAVAILABLE', { service: 'access' }, 'permissions are changing; try again');

/**
 * Runs a request again, up to five times, while `run` returns null or throws `StalePrincipal`, because access
 * changed meanwhile. @throws SERVICE_UNAVAILABLE
 */
export const untilConfirmed = async <Result>(run: () => Promise<Result | null>): Promise<Result> => {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const result = await run().catch(nullIfStale);
    if (result !== null) return result;
  }
  throw accessUnavailable();
};

const nullIfStale = (error: unknown): null => {
  if (error instanceof StalePrincipal) return null;
  throw error;
};

/** Identifies the caller and confirms the result, for requests without work to overlap with the confirmation. */
export const identifyNow = (request: ApiRequest, access: Access): Promise<Principal> =>
  findConfirmed(access, async () => access.identify(request));

/** Admits a user and confirms the result. */
export const admitNow = (user: User | null, request: ApiRequest, access: Access): Promise<Principal> =>
  findConfirmed(access, () => access.admit(user, request));

const findConfirmed = (access: Access, find: () => Promise<Principal>): Promise<Principal> =>
  untilConfirmed(async () => {
    const principal = await find();
    return (await access.confirm(principal)) ? principal : null;
  });

/**
 * Shares reads between callers: calls made during a read share the next one, so every result was read after its
 * call and a busy process reads once for many requests. Adding the same read to every statement instead makes the
 * smallest statements a third more expensive for the database (measured).
 */
export const shareReads = <Result>(read: () => Promise<Result>): (() => Promise<Result>) => {
  let next: Promise<Result> | null = null;
  let running: Promise<unknown> = Promise.resolve();
  const begin = async (): Promise<Result> => {
    // calls that have arrived by now still share this read
    await setImmediate();
    next = null;
    return read();
  };
  return () => {
    if (next !== null) return next;
    next = running.then(begin);
    running = next.catch(() => undefined);
    return next;
  };
};
