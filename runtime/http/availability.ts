/** Whether the database is there: noticed on requests, looked for until it is back. */
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';

export interface Availability {
  /** Whether the error says that the database cannot be reached; then its return is waited for. */
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
