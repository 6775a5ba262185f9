/**
 * Holds accounts to their quotas. Limits are read again after `limitsAge`, sums of what is stored after a time that grows
 * with their cost; everything else is counted from rows at the moment of use. Requests that are stored at the same moment for
 * several models are not counted against each other.
 */
import { LRUCache } from 'lru-cache';
import type { QueueObservation } from '../../observe.js';
import type { Statements } from '../../execute/system-rows.js';
import {
  countActive,
  findLimits,
  findRecent,
  quotaNames,
  sumStored,
  type ActiveUse,
  type Limits,
  type QuotaName,
  type StoredUse,
} from '../store/quotas.js';
import { QueueError } from './queue-error.js';

export interface Quotas {
  limitsOf(account: string, statements?: Statements): Promise<Limits>;
  /** Returns how many more requests of each account may wait or run; accounts without a limit are absent. */
  remainingOf(
    statements: Statements,
    quota: keyof ActiveUse,
    accounts: readonly string[],
  ): Promise<Map<string, number>>;
  /** Reports a request that exceeds the quota of the queue. @returns its error */
  refuseQueued(account: string): Promise<QueueError>;
  /** Checks what an account may submit, besides `queued`. @throws 429 */
  requireSubmit(account: string): Promise<void>;
  /** @throws 429 */
  requireRedelivery(account: string): Promise<void>;
  /** Returns each limit, read again, with what is used of it. */
  describe(account: string): Promise<readonly QuotaUse[]>;
}

export interface QuotaUse {
  readonly quota: QuotaName;
  readonly limit: number | null;
  readonly used: number;
}

export interface QuotaOptions {
  readonly database: Statements;
  /** Limits of accounts whose own row and roles set none. */
  readonly preset: Limits;
  readonly observe?: (observation: QueueObservation) => void;
}

/** Milliseconds. */
const limitsAge = 5_000;
const minute = 60_000;
const hour = 3_600_000;
/** A sum that took a time is used again for so many times as long, and for at least `minSumAge`. */
const sumFactor = 100;
const minSumAge = 1_000;
/** Milliseconds after which to try again where a quota is freed when something expires or ends. */
const laterDelay = 60_000;
const soonDelay = 5_000;

const storedQuotas = ['stored_bytes', 'log_bytes', 'files'] as const;

/** Creates the quotas; `preset` are those of the configuration, for accounts without rows of their own. */
export const createQuotas = ({ database, preset, observe = () => undefined }: QuotaOptions): Quotas => {
  const limits = new LRUCache<string, Promise<Limits>>({ max: 10_000, ttl: limitsAge });
  const readStored = createStoredReader(database);

  const limitsOf: Quotas['limitsOf'] = (account, statements = database) => {
    const known = limits.get(account);
    if (known !== undefined) return known;
    const reading = findLimits(statements, account, preset);
    limits.set(account, reading);
    reading.catch(() => limits.delete(account));
    return reading;
  };

  const toError = (quota: QuotaName, limit: number, after: number): QueueError => {
    observe({ kind: 'limitReached', limit: quota });
    return quotaError({ quota, limit, after });
  };

  const requireRate = async (
    account: string,
    quota: 'submitted_per_minute' | 'redeliveries_per_hour',
    window: number,
  ): Promise<void> => {
    const limit = (await limitsOf(account))[quota];
    if (limit === null) return;
    const since = Date.now() - window;
    const { count, oldest } = await findRecent(database, quota, { account, since, place: limit });
    if (count >= limit) throw toError(quota, limit, (oldest ?? Date.now()) - since);
  };

  return {
    limitsOf,
    remainingOf: createRemainingReader(limitsOf),
    refuseQueued: async (account) => toError('queued', (await limitsOf(account)).queued ?? 0, soonDelay),
    async requireSubmit(account) {
      const own = await limitsOf(account);
      await requireRate(account, 'submitted_per_minute', minute);
      if (storedQuotas.every((quota) => own[quota] === null)) return;
      const stored = await readStored(account);
      for (const quota of storedQuotas) {
        const limit = own[quota];
        if (limit !== null && stored[quota] >= limit) throw toError(quota, limit, laterDelay);
      }
    },
    requireRedelivery: (account) => requireRate(account, 'redeliveries_per_hour', hour),
    async describe(account) {
      limits.delete(account);
      const [own, used] = await Promise.all([limitsOf(account), readUse(account, { database, readStored })]);
      return quotaNames.map((quota) => ({ quota, limit: own[quota], used: used[quota] }));
    },
  };
};

const createRemainingReader =
  (limitsOf: Quotas['limitsOf']): Quotas['remainingOf'] =>
  async (statements, quota, accounts) => {
    const remaining = new Map<string, number>();
    for (const account of new Set(accounts)) {
      const limit = (await limitsOf(account, statements))[quota];
      if (limit !== null) remaining.set(account, limit);
    }
    const active = await countActive(statements, [...remaining.keys()]);
    for (const [account, limit] of remaining)
      remaining.set(account, Math.max(0, limit - (active.get(account)?.[quota] ?? 0)));
    return remaining;
  };

interface UseSources {
  readonly database: Statements;
  readonly readStored: StoredReader;
}

/** Returns what an account uses of each quota at this moment. */
const readUse = async (
  account: string,
  { database, readStored }: UseSources,
): Promise<Readonly<Record<QuotaName, number>>> => {
  const now = Date.now();
  const countOf = async (quota: Parameters<typeof findRecent>[1], window: number): Promise<number> =>
    (await findRecent(database, quota, { account, since: now - window, place: 0 })).count;
  const [active, stored, submitted, redelivered] = await Promise.all([
    countActive(database, [account]),
    readStored(account, { isFresh: true }),
    countOf('submitted_per_minute', minute),
    countOf('redeliveries_per_hour', hour),
  ]);
  return {
    ...(active.get(account) ?? { queued: 0, running: 0 }),
    ...stored,
    submitted_per_minute: submitted,
    redeliveries_per_hour: redelivered,
  };
};

type StoredReader = ReturnType<typeof createStoredReader>;

/** Returns what an account stores, from a sum that is made again when its cost allows. */
const createStoredReader = (database: Statements) => {
  const sums = new LRUCache<string, { readonly use: StoredUse; readonly until: number }>({ max: 10_000 });
  return async (account: string, { isFresh = false } = {}): Promise<StoredUse> => {
    const known = sums.get(account);
    if (!isFresh && known !== undefined && performance.now() < known.until) return known.use;
    const began = performance.now();
    const use = await sumStored(database, account);
    const took = performance.now() - began;
    sums.set(account, { use, until: performance.now() + Math.max(minSumAge, took * sumFactor) });
    return use;
  };
};

interface Exceeded {
  readonly quota: QuotaName;
  readonly limit: number;
  /** Milliseconds after which a request may be accepted again. */
  readonly after: number;
}

/** Returns the error of an account that has reached a quota: which one, and when to come back. */
export const quotaError = ({ quota, limit, after }: Exceeded): QueueError => {
  const seconds = Math.max(1, Math.ceil(after / 1000));
  const reset = new Date(Date.now() + seconds * 1000).toISOString();
  return new QueueError(429, `your account has reached its quota: ${quota} is limited to ${limit}`, {
    errorType: 'quota_exceeded',
    members: { quota, limit, reset },
    headers: { 'retry-after': String(seconds) },
  });
};
