/** Which errors of pg are about the connection. https://www.postgresql.org/docs/current/errcodes-appendix.html */
import { codeOf, isNetworkError } from '../network-errors.js';

const lossCodes: ReadonlySet<unknown> = new Set([
  // too many connections, shut down by its administrator, crashed, still starting
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

export const isConnectionLoss = (error: unknown): boolean =>
  isNetworkError(error) || lossCodes.has(codeOf(error));

const permanentCodes: ReadonlySet<unknown> = new Set([
  'HANDSHAKE_SSL_ERROR',
  // not authorized, wrong password, no such database, no such schema, too old
  '28000',
  '28P01',
  '3D000',
  '3F000',
  '0A000',
]);

/** Says whether the server answered, and waiting would not change what it said. */
export const isPermanent = (error: unknown): boolean => permanentCodes.has(codeOf(error));
