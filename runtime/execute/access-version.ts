/**
 * The version of the access rows. Every change that may take a permission away raises it in the same transaction, and
 * returns only when no process relies on the version before.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Executor } from '../databases/contract.js';
import { findRow, updateRows, type Statements } from './system-rows.js';

/** Raises the version, which locks it. Returns the longest lease of any process, in milliseconds. */
export const raiseAccessVersion = async (executor: Statements): Promise<number> => {
  await executor.write({
    text: 'update svc_access_version set version = version + 1 where id = 1',
    values: [],
  });
  const row = await findRow(executor, 'svc_access_version', { where: { id: 1 }, columns: ['lease'] });
  return Number(row?.lease);
};

/**
 * Locks the version until the transaction ends, so that changes of access run one after another: two of them cannot
 * each remove the administrator that the other relies on.
 * @param rowLock suffix of a select that locks its rows
 */
export const lockAccessVersion = async (executor: Executor, rowLock: string): Promise<void> => {
  await executor.query(`select version from svc_access_version where id = 1${rowLock}`);
};

/** Records the lease of this process; call it before the first use. @param duration milliseconds */
export const recordLease = async (database: Database, duration: number): Promise<void> => {
  await updateRows(database, 'svc_access_version', {
    set: { lease: duration },
    where: { id: 1, lease: { below: duration } },
  });
};

/** Share of a lease that is waited for: clocks of two machines run at slightly different speeds. */
const margin = 1.1;

/**
 * Waits until no process relies on a version that it has read before this call. Call it after the commit, without a
 * connection. @param lease milliseconds
 */
export const outwaitLeases = async (lease: number): Promise<void> => {
  const end = performance.now() + lease * margin;
  // a timer counts from the start of its turn of the event loop, so it may fire early
  for (let left = end - performance.now(); left > 0; left = end - performance.now())
    await sleep(Math.ceil(left));
};

/**
 * Runs a transaction that changes access, and returns when every process applies it.
 * @param body calls `raise` where a permission may be taken away
 */
export const changeAccess = async <Result>(
  database: Database,
  body: (executor: Executor, raise: () => Promise<void>) => Promise<Result>,
): Promise<Result> => {
  let lease = 0;
  const result = await database.transaction((executor) => {
    lease = 0;
    return body(executor, async () => {
      lease = await raiseAccessVersion(executor);
    });
  });
  await outwaitLeases(lease);
  return result;
};
