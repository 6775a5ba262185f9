/** Counters that expire, in the database, so that all processes share them (`svc_attempts`). */
import { createHash } from 'node:crypto';
import type { Database } from '../databases/contract.js';
import { deleteRows, findRow, insertRow } from '../execute/system-rows.js';

export interface Counters {
  /** Returns a counter; zero if it does not exist or has expired. */
  read(id: string): Promise<Counter>;
  /** Adds one, unless the counter has reached `max`, and returns whether it did. A new counter expires after `ttl`. */
  add(id: string, options: AddOptions): Promise<boolean>;
  /** Subtracts one. */
  subtract(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface Counter {
  readonly count: number;
  /** Milliseconds since 1970 at which the counter expires. */
  readonly until: number;
}

/** The column is a 32-bit integer. */
const largestCount = 2 ** 31 - 1;

export interface AddOptions {
  /** Milliseconds. */
  readonly ttl: number;
  readonly max?: number;
}

/** Returns the id of a counter from the parts that tell it from others; it shows none of them. */
export const counterId = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/**
 * Creates the access to the counters. A counter that has expired counts as 0 and is deleted by the next one
 * that begins.
 */
export const createCounters = (database: Database): Counters => {
  const [count, until] = [database.quote('count'), database.quote('until')];

  const increase = async (id: string, max: number): Promise<boolean> => {
    const { affected } = await database.write({
      text: `update svc_attempts set ${count} = ${count} + 1 where id = ? and ${until} > ? and ${count} < ?`,
      values: [id, Date.now(), max],
    });
    return affected > 0;
  };

  const insert = async (id: string, ttl: number): Promise<void> => {
    const now = Date.now();
    await database.write({ text: `delete from svc_attempts where ${until} <= ?`, values: [now] });
    await insertRow(database, 'svc_attempts', { id, count: 1, until: now + ttl });
  };

  const read = async (id: string): Promise<Counter> => {
    const where = { id, until: { above: Date.now() } };
    const row = await findRow(database, 'svc_attempts', { where, columns: ['count', 'until'] });
    return row ?? { count: 0, until: 0 };
  };

  return {
    read,
    // of two concurrent first calls, one inserts the row and the other adds to it
    async add(id, { ttl, max = largestCount }) {
      if (await increase(id, max)) return true;
      try {
        await insert(id, ttl);
        return true;
      } catch (error) {
        if (await increase(id, max)) return true;
        if ((await read(id)).count >= max) return false;
        throw error;
      }
    },
    async subtract(id) {
      await database.write({
        text: `update svc_attempts set ${count} = ${count} - 1 where id = ? and ${count} > 0`,
        values: [id],
      });
    },
    async remove(id) {
      await deleteRows(database, 'svc_attempts', { id });
    },
  };
};
