/** Recognizes network errors, which are the same for every database server. */

const networkCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const unconnected = new WeakSet<Error>();

/** Marks an error with which no connection could be opened, whatever its code: of a password that was changed, of a full server. */
export const markUnconnected = (error: Error): Error => {
  unconnected.add(error);
  return error;
};

/** Returns whether an error means that a connection could not be opened or was lost. */
export const isNetworkError = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  return unconnected.has(error) || networkCodes.has(codeOf(error)) || isSocketGone(error);
};

/** Checks the system call as well, because ENOENT of another call is about a file and not about a socket. */
const isSocketGone = (error: Error): boolean =>
  codeOf(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';

/** Returns the code of a driver's or of the system's error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
