/** Which errors of mysql2 are about the connection. */
import { codeOf, isNetworkError } from '../network-errors.js';

const lossCodes: ReadonlySet<unknown> = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
]);

export const isConnectionLoss = (error: unknown): boolean =>
  isNetworkError(error) || lossCodes.has(codeOf(error));

const permanentCodes: ReadonlySet<unknown> = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_NOT_SUPPORTED_AUTH_MODE',
  'HANDSHAKE_SSL_ERROR',
]);

/** Says whether the server answered, and waiting would not change what it said. */
export const isPermanent = (error: unknown): boolean => permanentCodes.has(codeOf(error));
