/** Tracks whether the database is reachable: requests detect a loss, and checks at intervals where there are none. */
import type { Database, StatementRefusal } from '../databases/contract.js';
import type { Observe } from '../observe.js';

export interface Availability {
  /** Returns true if an error means that the database is unreachable, and then checks more often whether it is back. */
  isLoss(error: unknown): boolean;
  /** Returns true if the database gave up a statement that may succeed if it is sent again. */
  isGivenUp(error: unknown): boolean;
  /** Returns why the database refused a statement; null for other errors. */
  refusalOf(error: unknown): StatementRefusal | null;
  close(): void;
}

/** Milliseconds between two checks of a database that answers, so that load balancers hear of a loss without requests. */
const availableInterval = 5_000;

/** Milliseconds between two checks of a database that is lost. */
const lostInterval = 500;

/** Creates the watch, which checks a database with a server until it is closed. */
export const watchAvailability = (database: Database, observe: Observe): Availability => {
  let timer: NodeJS.Timeout | undefined;
  let lostAt: number | null = null;
  let reason = '';
  let isClosed = database.isEmbedded === true;

  const plan = (): void => {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => void check(), lostAt === null ? availableInterval : lostInterval).unref();
  };

  const check = async (): Promise<void> => {
    try {
      await database.reserved.query('select 1 as one');
      if (lostAt !== null) observe({ kind: 'databaseBack', ms: performance.now() - lostAt });
      lostAt = null;
    } catch (error) {
      // a connection that is ended says less than the next one that cannot be opened
      if (isLoss(error) && reasonOf(error) !== reason) report(error);
    }
    plan();
  };

  const report = (error: unknown): void => {
    reason = reasonOf(error);
    observe({ kind: 'databaseLost', reason });
  };

  const isLoss = (error: unknown): boolean => {
    if (!database.isConnectionLoss(error)) return false;
    if (lostAt === null) {
      lostAt = performance.now();
      plan();
      report(error);
    }
    return true;
  };

  plan();
  return {
    isLoss,
    isGivenUp: (error) => database.isGivenUp(error),
    refusalOf: (error) => database.refusalOf(error),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
};

/** Returns the message of an error, or its code: the error of several addresses that refuse has no message. */
const reasonOf = (error: unknown): string => {
  const { message, code } = error as { readonly message: string; readonly code?: unknown };
  return message || String(code);
};
