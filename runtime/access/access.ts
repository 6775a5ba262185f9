/** Resolves a request to its principal, with caches that are dropped when access changes. */
import { LRUCache } from 'lru-cache';
import { setImmediate } from 'node:timers/promises';
import { apiError, forbidden } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';
import { readAddressList, requireAddress } from './addresses.js';
import { toSessionError, nobodysKey, peekKey, readCredential, type Credential } from './credentials.js';
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
  /** A second factor is asked for and not there: nothing is permitted until it is. */
  readonly pending: boolean;
  /** The user's role and its ancestors. */
  readonly roles: readonly string[];
  /** The session of whoever logged in; `null` for static tokens and for nobody. */
  readonly session: string | null;
  /** Of the holder; empty for nobody. */
  readonly proof: string;
  readonly records: AccessRecords;
  /** Access version these were read at. */
  readonly version: string;
}

/** The user a token belongs to. */
export interface Holder {
  readonly user: User;
  readonly session: string | null;
  /** Digest of what the token rests on: of itself where it is static, else of the password that its session began with. */
  readonly proof: string;
  /** When the token ends, in milliseconds since 1970; `Infinity` for static ones. */
  readonly until: number;
}

/** What an access token says, once its signature has been checked. */
export interface TokenClaims {
  readonly user: string;
  readonly session: string;
  /** Of a session cookie: how often the session had been renewed. */
  readonly generation: number | null;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Where access reads from: fixed statements, in `execute`. */
export interface AccessSource {
  loadRows(): Promise<AccessRows>;
  /**
   * @returns `null` for a token that stands for nobody
   * @throws INVALID_TOKEN (signature), TOKEN_EXPIRED, USER_SUSPENDED: for tokens that a login gave
   */
  findHolder(token: string): Promise<Holder | null>;
  readVersion(): Promise<string>;
}

export interface Access {
  /**
   * @throws INVALID_CREDENTIALS (unknown token, user not active), INVALID_TOKEN, TOKEN_EXPIRED, USER_SUSPENDED;
   *   INVALID_PAYLOAD for two tokens at once; FORBIDDEN for a cookie that the page of somebody else made use of
   */
  identify(request: ApiRequest): Promise<Principal> | Principal;
  /**
   * The same for whom something else than a token stands for; `null`: it stands for nobody.
   * @throws INVALID_CREDENTIALS, INVALID_IP
   */
  admit(user: User | null, request: ApiRequest): Promise<Principal>;
  /**
   * Whether the principal still holds, as of a moment after this call. If not, what was read before is dropped:
   * identify again.
   */
  confirm(principal: Principal): Promise<boolean>;
}

/** Rows changed by hand, without a new version, are noticed within this time. */
const maxAge = 4_000;
const maxTokens = 10_000;

/** Who holds a token, as long as nothing changes. */
interface Entry {
  readonly credential: Credential | null;
  /** `null`: it depends on the address. */
  readonly principal: Principal | null;
  readonly at: (address: () => string) => Principal;
  readonly until: number;
}

export const createAccess = (source: AccessSource): Access => {
  let policyIndex: Promise<PolicyIndex> | null = null;
  let bookUntil = 0;
  const principals = new LRUCache<string, Entry>({ max: maxTokens });
  let fingerprint = '';

  const readVersion = shareReads(() => source.readVersion());

  const loadBook = async (previous: Promise<PolicyIndex> | null): Promise<PolicyIndex> => {
    const rows = await source.loadRows();
    const found = JSON.stringify(rows);
    if (previous !== null && found === fingerprint) return previous;
    fingerprint = found;
    principals.clear();
    return createPolicyIndex(rows);
  };

  const currentBook = (): Promise<PolicyIndex> => {
    if (policyIndex === null || Date.now() >= bookUntil) {
      bookUntil = Date.now() + maxAge;
      const loading = loadBook(policyIndex);
      loading.catch(() => {
        if (policyIndex === loading) policyIndex = null;
      });
      policyIndex = loading;
    }
    return policyIndex;
  };

  const identifyHolder = async (credential: Credential | null): Promise<Entry> => {
    const loading = currentBook();
    const until = bookUntil;
    const policyBook = await loading;
    const holder = credential === null ? null : await source.findHolder(credential.token);
    if (credential !== null && holder?.user.status !== 'active') throw apiError('INVALID_CREDENTIALS', {});
    const entry = {
      ...createEntry(holder, policyBook),
      credential,
      // no longer than the rules it was made of, nor than the token
      until: Math.min(until, holder?.until ?? until),
    };
    principals.set(credential?.key ?? nobodysKey, entry);
    return entry;
  };

  /** What was read before is dropped where it no longer holds. */
  const catchUp = async (): Promise<void> => {
    const [loaded, current] = await Promise.all([policyIndex?.catch(() => null), readVersion()]);
    if (loaded?.version === current) return;
    policyIndex = null;
    principals.clear();
  };

  /** What is known under the key and has not grown too old. */
  const recall = (key: string): Entry | null => {
    const entry = principals.get(key);
    return entry !== undefined && Date.now() < entry.until ? entry : null;
  };

  const settle = (entry: Entry, request: ApiRequest): Principal | Promise<Principal> => {
    try {
      return principalAt(entry, request);
    } catch {
      return settleNow(entry, request);
    }
  };

  /** An address is refused by what holds now, not by what was read a while ago. */
  const settleNow = async ({ credential }: Entry, request: ApiRequest): Promise<Principal> => {
    await catchUp();
    return principalAt(await identifyHolder(credential), request);
  };

  return {
    identify(request) {
      const peeked = recall(peekKey(request));
      if (peeked !== null) return settle(peeked, request);
      const credential = readCredential(request);
      const entry = recall(credential?.key ?? nobodysKey);
      const found =
        entry === null
          ? identifyHolder(credential).then((identified) => settle(identified, request))
          : settle(entry, request);
      return credential?.cookie === true && found instanceof Promise ? found.catch(toSessionError) : found;
    },
    async admit(user, request) {
      if (user === null) throw apiError('INVALID_CREDENTIALS', {});
      const principalNow = async (): Promise<Principal> =>
        principalAt(createEntry(toHolder(user), await currentBook()), request);
      try {
        return await principalNow();
      } catch {
        // refused by what holds now, not by what was read a while ago
        await catchUp();
        return principalNow();
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
  proof: '',
  until: Number.POSITIVE_INFINITY,
});

const principalAt = ({ principal, at }: Pick<Entry, 'principal' | 'at'>, request: ApiRequest): Principal =>
  principal ?? at(() => request.address());

const createEntry = (holder: Holder | null, policyIndex: PolicyIndex): Pick<Entry, 'principal' | 'at'> => {
  const user = holder?.user ?? null;
  const list = readAddressList(user?.columns.ip_access);
  const common = {
    user,
    session: holder?.session ?? null,
    proof: holder?.proof ?? '',
    roles: policyIndex.rolesOf(user),
    records: policyIndex.records,
    version: policyIndex.version,
  };
  const at = (address: () => string): Principal => {
    if (list !== null) requireAddress(list, address());
    const policies = policyIndex.policiesOf(user, address);
    const pending = policies.secondFactor && user !== null && user.secondFactor !== true;
    return { ...common, pending, policies: pending ? policyIndex.none : policies };
  };
  return { at, principal: list !== null || policyIndex.isAddressed(user) ? null : at(() => '') };
};

/** Says why nothing is permitted, where that is so. @throws FORBIDDEN */
export const requireSecondFactor = ({ pending }: Principal): void => {
  if (pending) throw forbidden('one-time passwords have to be turned on first, by /users/me/tfa/generate');
};

/** The principal no longer holds; told from inside a write, which is undone. */
export class StalePrincipal extends Error {}

/** What a client is told when that happens again and again, or too late to begin anew. */
export const accessKeepsChanging = (): Error =>
  apiError('SERVICE_UNAVAILABLE', { service: 'access' }, 'permissions are changing; try again');

/** Grants may change while a request is under way: then it is done again. `null`: it has to be. */
export const untilConfirmed = async <Result>(run: () => Promise<Result | null>): Promise<Result> => {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const result = await run().catch(dropStale);
    if (result !== null) return result;
  }
  throw accessKeepsChanging();
};

const dropStale = (error: unknown): null => {
  if (error instanceof StalePrincipal) return null;
  throw error;
};

/** The principal, confirmed: for what has nothing to do meanwhile. */
export const identifyNow = (request: ApiRequest, access: Access): Promise<Principal> =>
  confirmed(access, async () => access.identify(request));

/** The same for whom something else than a token stands for. */
export const admitNow = (user: User | null, request: ApiRequest, access: Access): Promise<Principal> =>
  confirmed(access, () => access.admit(user, request));

const confirmed = (access: Access, find: () => Promise<Principal>): Promise<Principal> =>
  untilConfirmed(async () => {
    const principal = await find();
    return (await access.confirm(principal)) ? principal : null;
  });

/**
 * Calls that are made while a read is under way share the next one: every caller gets an answer that was read after
 * it asked, and a busy process reads once for many requests. (Inside every statement, the same read costs the
 * database a third more for the smallest statements: measured.)
 */
export const shareReads = <Result>(read: () => Promise<Result>): (() => Promise<Result>) => {
  let next: Promise<Result> | null = null;
  let running: Promise<unknown> = Promise.resolve();
  const begin = async (): Promise<Result> => {
    // what has arrived by now is let in before the read begins
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
