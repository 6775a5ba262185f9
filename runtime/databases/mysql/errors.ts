/** Classifies connection errors of mysql2. */
import type { StatementRefusal } from '../contract.js';
import { LockLost } from '../lock-held.js';
import { codeOf, isNetworkError } from '../network-errors.js';

const lossCodes: ReadonlySet<unknown> = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
]);

/**
 * Returns whether an error means that the server cannot be reached, so that the same statement may succeed
 * later.
 */
export const isConnectionLoss = (error: unknown): boolean =>
  isNetworkError(error) || lossCodes.has(codeOf(error)) || error instanceof LockLost;

const schemaCodes: ReadonlySet<unknown> = new Set([
  'ER_BAD_FIELD_ERROR',
  'ER_NO_SUCH_TABLE',
  'ER_TABLE_DEF_CHANGED',
  'ER_NEED_REPREPARE',
  'ER_UNKNOWN_STMT_HANDLER',
  'ER_VIEW_INVALID',
]);

/** Returns whether a statement failed as only a changed schema makes it fail. */
export const isSchemaChange = (error: unknown): boolean => schemaCodes.has(codeOf(error));

/** A deadlock; with MariaDB also a row that changed after the transaction began to read. */
const deadlockNumbers: ReadonlySet<unknown> = new Set([1213, 1020]);

/** Returns whether the server rolled back because of another transaction. */
export const isDeadlock = (error: unknown): boolean => deadlockNumbers.has(numberOf(error));

/** A lock that was not free in time; a statement over the limit, of MySQL and of MariaDB. */
const timeoutNumbers: ReadonlySet<unknown> = new Set([1205, 3024, 1969]);

/** Returns whether the server gave up on a statement: a deadlock, or a limit of time. */
export const isGivenUp = (error: unknown): boolean =>
  isDeadlock(error) || timeoutNumbers.has(numberOf(error));

/**
 * A value that a type does not take: too long, out of range, truncated, not in an enum, incorrect, not in the character set,
 * no JSON, not even a text of one, no geometry, of another SRID, no vector.
 */
const valueNumbers: ReadonlySet<unknown> = new Set([
  1264, 1265, 1292, 1366, 1367, 1406, 1411, 1416, 1690, 3140, 3141, 3144, 3146, 3156, 3643, 4025, 6136,
]);

/** Returns whether a statement failed because of a value, which its column does not take. */
export const isRefusedValue = (error: unknown): boolean => valueNumbers.has(numberOf(error));

/** Rights to a table, to a column, or of an administrator; a view or trigger whose definer does not exist. */
const deniedNumbers: ReadonlySet<unknown> = new Set([1142, 1143, 1227, 1449]);

/** A wrong password, and in a statement a definer that does not exist, as users without rights to accounts see it. */
const accessDenied = 1045;

/** A transaction, a server or a database that only reads. */
const readOnlyNumbers: ReadonlySet<unknown> = new Set([1792, 1836, 3989]);

/** Returns why the server refused a statement: rights that are missing, or an option by which it only reads. */
export const refusalOf = (error: unknown): StatementRefusal | null => {
  const number = numberOf(error);
  const isStatement = typeof (error as { readonly sql?: unknown } | null)?.sql === 'string';
  if (deniedNumbers.has(number) || (number === accessDenied && isStatement)) return 'denied';
  // `--read-only`, `--super-read-only`; other options prevent statements as well
  const isPrevented = number === 1290 && /read[-_]only/.test((error as Error).message);
  return isPrevented || readOnlyNumbers.has(number) ? 'readOnly' : null;
};

const numberOf = (error: unknown): unknown =>
  error instanceof Error && 'errno' in error ? error.errno : undefined;

const permanentCodes: ReadonlySet<unknown> = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_NOT_SUPPORTED_AUTH_MODE',
  'HANDSHAKE_SSL_ERROR',
]);

/** Returns whether the server rejected the connection for a reason that does not go away by waiting. */
export const isPermanent = (error: unknown): boolean => permanentCodes.has(codeOf(error));
