/**
 * Limits failed logins. Failures are counted in the database, so all processes share the counts. After too many, an
 * account is locked for the client's address (for IPv6: its network) and delayed for all others. Accounts that do not
 * exist are counted the same way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, apiError, type ErrorCode } from '../../contract/errors.js';
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.js';
import type { Database } from '../databases/contract.js';
import { networkOf } from '../network/ip.js';
import { counterId, createCounters, type Counter, type Counters } from './counters.js';

export interface Attempts {
  /**
   * Runs `work` and counts a failure if it throws an error that means a wrong password or code.
   * @throws REQUESTS_EXCEEDED without running it, after too many failures
   */
  guard<Result>(attempt: Attempt, work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs the check of a code and counts it unless the code is right, for all addresses of an account together: six
   * digits could be guessed from many addresses at once.
   * @throws REQUESTS_EXCEEDED without running it, after too many wrong codes within a day
   */
  tryCode(account: string, check: () => Promise<boolean>): Promise<boolean>;
  /** Counts an attempt, regardless of its outcome. Returns false if the limit was already reached. */
  count(attempt: Attempt): Promise<boolean>;
  /** Returns true for the first call with this id within `ttl` milliseconds, in any process. */
  claim(id: string, ttl: number): Promise<boolean>;
}

export interface Attempt {
  /** Each kind is counted separately. */
  readonly kind: 'login' | 'password' | 'otp' | 'reset' | 'invite';
  /** Account name as the client sent it; it need not exist. */
  readonly account: string;
  readonly address: string;
}

/** Maximum number of failures of one address with one account. */
const limit = 10;
/** Milliseconds until failures are forgotten. */
const retention = 15 * 60_000;
/** Failures of all addresses with one account before it is delayed; milliseconds per further failure; the maximum. */
const [delayAfter, delay, maxDelay] = [10, 100, 2_000];
const maxTasks = 50;
/** Plural nouns for error messages. */
const kindNames = {
  login: 'logins',
  password: 'password checks',
  otp: 'one-time password checks',
  reset: 'password resets',
  invite: 'invitations',
} as const satisfies Record<Attempt['kind'], string>;
/** Wrong codes for one account, from anywhere, until codes are refused for the rest of a day. */
const maxWrongCodes = 50;
const day = 24 * 60 * 60_000;
/** Codes of errors that mean a wrong password or code. */
const failureCodes: ReadonlySet<ErrorCode> = new Set([
  'INVALID_CREDENTIALS',
  'INVALID_OTP',
  'INVALID_PAYLOAD',
]);

/**
 * Creates the limits on a database. Attempts of one account and address run one after another, within this
 * process.
 */
export const createAttempts = (database: Database): Attempts => {
  const counters = createCounters(database);
  const runSequentially = createSequences();

  return {
    async guard({ kind, account, address }, work) {
      const name = account.toLowerCase();
      const ids = { pair: counterId(kind, name, networkOf(address)), account: counterId(kind, name) };
      const { count: failures } = await counters.read(ids.account);
      if (failures > delayAfter) await sleep(Math.min(maxDelay, (failures - delayAfter) * delay));
      return runSequentially({ id: ids.pair, tasks: kindNames[kind] }, () =>
        countFailure(counters, ids, work),
      );
    },

    async tryCode(account, check) {
      const id = counterId('codes', account);
      // counted before the check, so that concurrent ones cannot exceed the maximum
      if (!(await counters.add(id, { ttl: day, max: maxWrongCodes })))
        throw exceeded(maxWrongCodes, await counters.read(id));
      const isRight = await check();
      if (isRight) await counters.subtract(id);
      return isRight;
    },

    count({ kind, account, address }) {
      return counters.add(counterId(kind, account, address), { ttl: retention, max: limit });
    },

    claim(id, ttl) {
      return counters.add(counterId('once', id), { ttl, max: 1 });
    },
  };
};

/** Returns a function that runs work sequentially per id, so that concurrent attempts cannot exceed a limit. */
const createSequences = () => {
  const queues = new Map<string, FairQueue>();
  return async <Result>(
    { id, tasks }: { readonly id: string; readonly tasks: string },
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const queue = queues.get(id) ?? createFairQueue({ maxTasks, tasks, service: 'authentication' });
    queues.set(id, queue);
    try {
      return await queue.run(work);
    } finally {
      if (queue.isIdle()) queues.delete(id);
    }
  };
};

/** Ids of the counters of an attempt. */
interface CounterIds {
  /** Failures of one address with one account. */
  readonly pair: string;
  /** Failures of all addresses with one account. */
  readonly account: string;
}

const countFailure = async <Result>(
  counters: Counters,
  { pair, account }: CounterIds,
  work: () => Promise<Result>,
): Promise<Result> => {
  const failures = await counters.read(pair);
  if (failures.count >= limit) throw exceeded(limit, failures);
  const result = await work().catch(async (error: unknown) => {
    if (error instanceof ApiError && failureCodes.has(error.code)) {
      await counters.add(pair, { ttl: retention });
      await counters.add(account, { ttl: retention });
    }
    throw error;
  });
  if (failures.count > 0) await counters.remove(pair);
  return result;
};

const exceeded = (allowed: number, { until }: Counter) =>
  apiError(
    'REQUESTS_EXCEEDED',
    { limit: allowed, reset: new Date(until).toISOString() },
    'too many failed attempts; wait until the time in "reset"',
  );
