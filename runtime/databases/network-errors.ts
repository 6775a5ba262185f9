/** What a connection over the network fails with, whatever the server. */

const networkCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Says whether the socket could not be opened, or was lost. */
export const isNetworkError = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  return networkCodes.has(codeOf(error)) || isSocketGone(error);
};

/** A file that is not there may be any file. */
const isSocketGone = (error: Error): boolean =>
  codeOf(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';

/** Returns the code of a driver's or of the system's error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
