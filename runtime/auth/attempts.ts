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
  const [count, until] = [database.quote('count'), database.quote('until')];

  const increase = async (id: string): Promise<boolean> => {
    const { affected } = await database.write({
      text: `update svc_attempts set ${count} = ${count} + 1 where id = ? and ${until} > ?`,
      values: [id, Date.now()],
    });
    return affected > 0;
  };

  const begin = async (id: string, ttl = retention): Promise<void> => {
    const now = Date.now();
    await database.write({ text: `delete from svc_attempts where ${until} <= ?`, values: [now] });
    await insertRow(database, 'svc_attempts', { id, count: 1, until: now + ttl });
  };

  /** Increments a counter. Of two concurrent first calls, one inserts the row and the other increments it. */
  const countOne = async (id: string): Promise<void> => {
    if (await increase(id)) return;
    await begin(id).catch(async (error: unknown) => {
      if (!(await increase(id))) throw error;
    });
  };

  const readCounter = async (id: string): Promise<Counter> => {
    const where = { id, until: { above: Date.now() } };
    const row = await findRow(database, 'svc_attempts', { where, columns: ['count', 'until'] });
    return row ?? { count: 0, until: 0 };
  };

  const queues = new Map<string, FairQueue>();

  /** Runs work sequentially per id, so that concurrent attempts cannot exceed the limit. */
  const runSequentially = async <Result>(
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

  return {
    async guard({ kind, account, address }, work) {
      const name = account.toLowerCase();
      const [pairId, accountId] = [idOf(kind, name, networkOf(address)), idOf(kind, name)];
      const { count: failures } = await readCounter(accountId);
      if (failures > delayAfter) await sleep(Math.min(maxDelay, (failures - delayAfter) * delay));
      return runSequentially({ id: pairId, tasks: kindNames[kind] }, async () => {
        const pair = await readCounter(pairId);
        if (pair.count >= limit) throw exceeded(limit, pair.until);
        const result = await work().catch(async (error: unknown) => {
          if (error instanceof ApiError && failureCodes.has(error.code)) {
            await countOne(pairId);
            await countOne(accountId);
          }
          throw error;
        });
        if (pair.count > 0) await deleteRows(database, 'svc_attempts', { id: pairId });
        return result;
      });
    },

    async count({ kind, account, address }) {
      const id = idOf(kind, account, address);
      const { count } = await readCounter(id);
      if (count < limit) await countOne(id);
      return count < limit;
    },

    async claim(name, ttl) {
      const id = idOf('once', name);
      const inserted = await begin(id, ttl).then(
        () => true,
        (error: unknown) => error,
      );
      if (inserted === true) return true;
      if ((await readCounter(id)).count > 0) return false;
      throw inserted;
    },
  };
};

interface Counter {
  readonly count: number;
  /** Milliseconds since 1970 at which the counter expires. */
  readonly until: number;
}

const idOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

const exceeded = (allowed: number, until: number) =>
  apiError(
    'REQUESTS_EXCEEDED',
    { limit: allowed, reset: new Date(until).toISOString() },
    'too many failed attempts; wait until the time in "reset"',
  );
