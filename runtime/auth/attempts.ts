/**
 * Guessing, counted in the database, so that every process counts the same: an account is locked for the address
 * that guesses (of IPv6: for its network), for everybody else it is only slowed. An account that does not exist is
 * counted like one that does.
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
   * Runs `work`; where it throws what a wrong password or code is answered with, that was one more failure.
   * @throws REQUESTS_EXCEEDED without running it, after too many
   */
  guard<Result>(attempt: Attempt, work: () => Promise<Result>): Promise<Result>;
  /** Counts one, whatever comes of it. `false`: there were too many already. */
  take(attempt: Attempt): Promise<boolean>;
  /** Whether this is the first time; it is remembered for `ttl` milliseconds. */
  once(what: string, ttl: number): Promise<boolean>;
}

export interface Attempt {
  /** What is attempted, and on what: failures of another kind do not count. */
  readonly kind: 'login' | 'password' | 'otp' | 'reset';
  /** As given; need not exist. */
  readonly account: string;
  readonly address: string;
}

/** Failures of one address with one account. */
const limit = 10;
/** Milliseconds that failures are remembered. */
const memory = 15 * 60_000;
/** Failures of everybody with one account before it is slowed, and by how many milliseconds for each more. */
const [patience, delay, longestDelay] = [10, 100, 2_000];
const mostWaiting = 50;
/** What a guess that was wrong is answered with; other errors say nothing of it. */
const wrong: ReadonlySet<ErrorCode> = new Set(['INVALID_CREDENTIALS', 'INVALID_OTP', 'INVALID_PAYLOAD']);

export const createAttempts = (database: Database): Attempts => {
  const [count, until] = [database.quote('count'), database.quote('until')];

  const increase = async (id: string): Promise<boolean> => {
    const { affected } = await database.write({
      text: `update svc_attempts set ${count} = ${count} + 1 where id = ? and ${until} > ?`,
      values: [id, Date.now()],
    });
    return affected > 0;
  };

  const begin = async (id: string, ttl = memory): Promise<void> => {
    const now = Date.now();
    await database.write({ text: `delete from svc_attempts where ${until} <= ?`, values: [now] });
    await insertRow(database, 'svc_attempts', { id, count: 1, until: now + ttl });
  };

  /** Counts one more; the first of two that begin at once makes the row, the other one finds it. */
  const hit = async (id: string): Promise<void> => {
    if (await increase(id)) return;
    await begin(id).catch(async (error: unknown) => {
      if (!(await increase(id))) throw error;
    });
  };

  const countOf = async (id: string): Promise<Counted> => {
    const where = { id, until: { above: Date.now() } };
    const row = await findRow(database, 'svc_attempts', { where, columns: ['count', 'until'] });
    return row ?? { count: 0, until: 0 };
  };

  const lines = new Map<string, FairQueue>();

  /** One at a time, so that many at once are no more guesses than one after another. */
  const inLine = async <Result>(id: string, work: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(id) ?? createFairQueue(mostWaiting);
    lines.set(id, line);
    try {
      return await line.take(work);
    } finally {
      if (line.isIdle()) lines.delete(id);
    }
  };

  return {
    async guard({ kind, account, address }, work) {
      const name = account.toLowerCase();
      const [pairId, accountId] = [idOf(kind, name, networkOf(address)), idOf(kind, name)];
      const { count: failures } = await countOf(accountId);
      if (failures > patience) await sleep(Math.min(longestDelay, (failures - patience) * delay));
      return inLine(pairId, async () => {
        const pair = await countOf(pairId);
        if (pair.count >= limit) throw exceeded(limit, pair.until);
        const result = await work().catch(async (error: unknown) => {
          if (error instanceof ApiError && wrong.has(error.code)) {
            await hit(pairId);
            await hit(accountId);
          }
          throw error;
        });
        if (pair.count > 0) await deleteRows(database, 'svc_attempts', { id: pairId });
        return result;
      });
    },

    async take({ kind, account, address }) {
      const id = idOf(kind, account, address);
      const { count: taken } = await countOf(id);
      if (taken < limit) await hit(id);
      return taken < limit;
    },

    async once(what, ttl) {
      const id = idOf('once', what);
      const begun = await begin(id, ttl).then(
        () => true,
        (error: unknown) => error,
      );
      if (begun === true) return true;
      if ((await countOf(id)).count > 0) return false;
      throw begun;
    },
  };
};

interface Counted {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const idOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

const exceeded = (allowed: number, until: number) =>
  apiError(
    'REQUESTS_EXCEEDED',
    { limit: allowed, reset: new Date(until).toISOString() },
    'too many attempts failed; wait until they are forgotten',
  );
