/** Classifies connection errors of pg. https://www.postgresql.org/docs/current/errcodes-appendix.html */
import type { StatementRefusal } from '../contract.js';
import { LockLost } from '../lock-held.js';
import { codeOf, isNetworkError } from '../network-errors.js';

const lossCodes: ReadonlySet<unknown> = new Set([
  // too many connections, shut down by its administrator, crashed, still starting
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/**
 * Returns whether an error means that the server cannot be reached, so that the same statement may succeed
 * later.
 */
export const isConnectionLoss = (error: unknown): boolean =>
  isNetworkError(error) || lossCodes.has(codeOf(error)) || error instanceof LockLost;

const schemaCodes: ReadonlySet<unknown> = new Set([
  // no such column, no such table, no such operator or another type
  '42703',
  '42P01',
  '42883',
  '42804',
  // a text that its column took, which has another type now
  '22P02',
  // a cached plan would return other columns; no such prepared statement
  '0A000',
  '26000',
]);

/** Returns whether a statement failed as only a changed schema makes it fail. */
export const isSchemaChange = (error: unknown): boolean => schemaCodes.has(codeOf(error));

/** A deadlock; a transaction that cannot be put in order with others. */
const deadlockCodes: ReadonlySet<unknown> = new Set(['40P01', '40001']);

/** Returns whether the server rolled back because of another transaction. */
export const isDeadlock = (error: unknown): boolean => deadlockCodes.has(codeOf(error));

/** A lock that was not free in time; a statement over the limit, or cancelled by an administrator. */
const timeoutCodes: ReadonlySet<unknown> = new Set(['55P03', '57014']);

/** Returns whether the server gave up on a statement: a deadlock, or a limit of time. */
export const isGivenUp = (error: unknown): boolean => isDeadlock(error) || timeoutCodes.has(codeOf(error));

/** Returns why the server refused a statement: insufficient privilege, or a transaction that can only read. */
export const refusalOf = (error: unknown): StatementRefusal | null => {
  switch (codeOf(error)) {
    case '42501':
      return 'denied';
    case '25006':
      return 'readOnly';
    default:
      return null;
  }
};

const permanentCodes: ReadonlySet<unknown> = new Set([
  'HANDSHAKE_SSL_ERROR',
  // not authorized, wrong password, no such database, no such schema, too old
  '28000',
  '28P01',
  '3D000',
  '3F000',
  '0A000',
]);

/** Returns whether the server rejected the connection for a reason that does not go away by waiting. */
export const isPermanent = (error: unknown): boolean => permanentCodes.has(codeOf(error));

/** Adds a code to an error. */
export const withCode = (error: Error, code: string): Error => Object.assign(error, { code });

const tlsProblem = /^(?:ERR_TLS|ERR_SSL|UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO)/;

/** Adds a code to connection errors that the driver reports only by message. */
export const addErrorCode = (error: Error): Error => {
  const { code } = error as { code?: string };
  if (/SSL connection/.test(error.message) || tlsProblem.test(code ?? '')) {
    return withCode(error, 'HANDSHAKE_SSL_ERROR');
  }
  if (code !== undefined) return error;
  if (/^Connection terminated|not queryable/.test(error.message)) return withCode(error, 'ECONNRESET');
  return error.message === 'timeout expired' ? withCode(error, 'ETIMEDOUT') : error;
};
