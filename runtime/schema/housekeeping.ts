/** Deletes expired rows at intervals, in every request process; concurrent runs are harmless. */
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';

/** Milliseconds between runs. */
const interval = 60 * 60_000;

export interface Housekeeping {
  /** Waits for a run in progress. */
  close(): Promise<void>;
}

/** Starts at once and repeats until stopped; failures are warnings. */
export const startHousekeeping = (database: Database, observe: Observe): Housekeeping => {
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = removeExpired(database, Date.now()).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      observe({ kind: 'warning', message: `expired rows could not be removed: ${reason}` });
    });
  };
  const timer = setInterval(run, interval).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
};

/**
 * Deletes expired sessions and rate-limit counters, and activity beyond its retention.
 * @param now in milliseconds
 */
export const removeExpired = async (database: Database, now: number): Promise<void> => {
  const [{ deleteRows }, { pruneActivity, retentionDays }] = await Promise.all([
    import('../execute/system-rows.js'),
    import('./activity.js'),
  ]);
  await deleteRows(database, 'svc_sessions', { expires: { below: now } });
  await deleteRows(database, 'svc_attempts', { until: { below: now } });
  const days = await retentionDays(database);
  if (days !== null) await pruneActivity(database, days);
};
