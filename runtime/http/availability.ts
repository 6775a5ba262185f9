/** Tracks whether the database is reachable: requests detect a loss, polling detects the recovery. */
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';

export interface Availability {
  /** Returns true if an error means that the database is unreachable, and then starts polling for its recovery. */
  isLoss(error: unknown): boolean;
  /** Returns true if the database gave up a statement that may succeed if it is sent again. */
  isGivenUp(error: unknown): boolean;
  close(): void;
}

/** Milliseconds. */
const pollInterval = 500;

/** Creates the watch, which asks the database only from a loss until it answers again. */
export const watchAvailability = (database: Database, observe: Observe): Availability => {
  let timer: NodeJS.Timeout | null = null;
  let lostAt = 0;

  const poll = async (): Promise<void> => {
    try {
      await database.query('select 1');
      timer = null;
      observe({ kind: 'databaseBack', ms: performance.now() - lostAt });
    } catch {
      timer = setTimeout(() => void poll(), pollInterval).unref();
    }
  };

  return {
    isLoss(error) {
      if (!database.isConnectionLoss(error)) return false;
      if (timer === null) {
        lostAt = performance.now();
        timer = setTimeout(() => void poll(), pollInterval).unref();
        observe({ kind: 'databaseLost', reason: String((error as { code?: unknown }).code) });
      }
      return true;
    },
    isGivenUp: (error) => database.isGivenUp(error),
    close() {
      if (timer !== null) clearTimeout(timer);
    },
  };
};
