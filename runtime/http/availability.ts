/** Whether the database is there: noticed on requests, looked for until it is back. */
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';

export interface Availability {
  /** Whether the error says that the database cannot be reached; then its return is waited for. */
  isLoss(error: unknown): boolean;
  close(): void;
}

const lossCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
  // PostgreSQL: too many connections, shut down by its administrator, crashed, still starting
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

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
      if (!isConnectionLoss(error)) return false;
      if (timer === null) {
        lostAt = performance.now();
        timer = setTimeout(() => void look(), lookEvery).unref();
        observe({ kind: 'databaseLost', reason: error.code });
      }
      return true;
    },
    close() {
      if (timer !== null) clearTimeout(timer);
    },
  };
};

const isConnectionLoss = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && (lossCodes.has(error.code) || isSocketGone(error));

/** A file that is not there may be any file. */
const isSocketGone = (error: Error & { readonly code: unknown }): boolean =>
  error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
