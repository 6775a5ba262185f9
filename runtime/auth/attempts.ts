/**
 * Limits failed logins. Failures are counted in the database, so all processes share the counts. After too many, an
 * account is locked for the client's address (for IPv6: its network) and delayed for all others. Accounts that do not
 * exist are counted the same way.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkOf } from '../network/ip.js';
import { ApiError, apiError, type ErrorCode } from '../../contract/errors.js';
import { deleteRows, findRow, insertRow } from '../execute/system-rows.js';
import type { Database } from '../databases/contract.js';
import { createFairQueue, type FairQueue } from '../concurrency/fair-queue.js';

export interface Attempts {
  /**
   * Runs `work` and counts a failure if it throws an error that means a wrong password or code.
   * @throws REQUESTS_EXCEEDED without running it, after too many failures
   */
  guard<Result>(attempt: Attempt, work: () => Promise<Result>): Promise<Result>;
  /** Counts an attempt, whatever its outcome. Returns false if the limit was already reached. */
  count(attempt: Attempt): Promise<boolean>;
  /** Returns true for the first call with this id within `ttl` milliseconds, in any process. */
  claim(id: string, ttl: number): Promise<boolean>;
}

export interface Attempt {
  /** Each kind is counted separately. */
  readonly kind: 'login' | 'password' | 'otp' | 'reset';
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
} as const satisfies Record<Attempt['kind'], string>;
/** Codes of errors that mean a wrong password or code. */
const failureCodes: ReadonlySet<ErrorCode> = new Set([
  'INVALID_CREDENTIALS',
  'INVALID_OTP',
  'INVALID_PAYLOAD',
]);

export const createAttempts = (database: Database): Attempts => {
  const runSequentially = createSequences();
  return {
    async guard({ kind, account, address }, work) {
      const name = account.toLowerCase();
      const ids = { pair: idOf(kind, name, networkOf(address)), account: idOf(kind, name) };
      const { count: failures } = await readCounter(database, ids.account);
      if (failures > delayAfter) await sleep(Math.min(maxDelay, (failures - delayAfter) * delay));
      return runSequentially({ id: ids.pair, tasks: kindNames[kind] }, () =>
        countFailure(database, ids, work),
      );
    },

    async count({ kind, account, address }) {
      const id = idOf(kind, account, address);
      const { count } = await readCounter(database, id);
      if (count < limit) await increaseCounter(database, id);
      return count < limit;
    },

    async claim(name, ttl) {
      const id = idOf('once', name);
      const inserted = await insertCounter(database, id, ttl).then(
        () => true,
        (error: unknown) => error,
      );
      if (inserted === true) return true;
      if ((await readCounter(database, id)).count > 0) return false;
      throw inserted;
    },
  };
};

/** Returns a function that runs work sequentially per id, so that concurrent attempts cannot exceed the limit. */
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
  database: Database,
  { pair, account }: CounterIds,
  work: () => Promise<Result>,
): Promise<Result> => {
  const { count, until } = await readCounter(database, pair);
  if (count >= limit) throw exceeded(limit, until);
  const result = await work().catch(async (error: unknown) => {
    if (error instanceof ApiError && failureCodes.has(error.code)) {
      await increaseCounter(database, pair);
      await increaseCounter(database, account);
    }
    throw error;
  });
  if (count > 0) await deleteRows(database, 'svc_attempts', { id: pair });
  return result;
};

interface Counter {
  readonly count: number;
  /** Milliseconds since 1970 at which the counter expires. */
  readonly until: number;
}

const readCounter = async (database: Database, id: string): Promise<Counter> => {
  const where = { id, until: { above: Date.now() } };
  const row = await findRow(database, 'svc_attempts', { where, columns: ['count', 'until'] });
  return row ?? { count: 0, until: 0 };
};

/** Increments a counter. Of two concurrent first calls, one inserts the row and the other increments it. */
const increaseCounter = async (database: Database, id: string): Promise<void> => {
  if (await updateCounter(database, id)) return;
  await insertCounter(database, id, retention).catch(async (error: unknown) => {
    if (!(await updateCounter(database, id))) throw error;
  });
};

const updateCounter = async (database: Database, id: string): Promise<boolean> => {
  const [count, until] = [database.quote('count'), database.quote('until')];
  const { affected } = await database.write({
    text: `update svc_attempts set ${count} = ${count} + 1 where id = ? and ${until} > ?`,
    values: [id, Date.now()],
  });
  return affected > 0;
};

/** Inserts a counter of one, and deletes all that have expired. @param ttl milliseconds */
const insertCounter = async (database: Database, id: string, ttl: number): Promise<void> => {
  const now = Date.now();
  const expired = `delete from svc_attempts where ${database.quote('until')} <= ?`;
  await database.write({ text: expired, values: [now] });
  await insertRow(database, 'svc_attempts', { id, count: 1, until: now + ttl });
};

const idOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

const exceeded = (allowed: number, until: number) =>
  apiError(
    'REQUESTS_EXCEEDED',
    { limit: allowed, reset: new Date(until).toISOString() },
    'too many failed attempts; wait until the time in "reset"',
  );
