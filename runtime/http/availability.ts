/** Tracks whether the database is reachable: requests detect a loss, polling detects the recovery. */
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';

export interface Availability {
  /** Whether an error means that the database is unreachable; if so, polling for its recovery starts. */
  isLoss(error: unknown): boolean;
  close(): void;
}

const lookEvery = 500;

export const watchAvailability = (database: Database, observe: Observe): Availability => {
  let timer: NodeJS.Timeout | null = null;
  let lostAt = 0;

  const look = async (): Promise<void> => {
    try {
      await database.query('select 1');
      timer = null;
      observe({ kind: 'databaseBack', ms: performance.now() - lostAt });
    } catch {
      timer = setTimeout(() => void look(), lookEvery).unref();
    }
  };

  return {
    isLoss(error) {
      if (!database.isConnectionLoss(error)) return false;
      if (timer === null) {
        lostAt = performance.now();
        timer = setTimeout(() => void look(), lookEvery).unref();
        observe({ kind: 'databaseLost', reason: String((error as { code?: unknown }).code) });
      }
      return true;
    },
    close() {
      if (timer !== null) clearTimeout(timer);
    },
  };
};
