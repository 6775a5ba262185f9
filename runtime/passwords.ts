/**
 * Password hashes (argon2id). One is computed at a time, so that logins cannot take the processor from everybody
 * else; whoever finds too long a queue is told to come back.
 */
import { apiError } from './errors.js';

const maxWaiting = 100;

const loadLibrary = async () => import('@node-rs/argon2');

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** @throws SERVICE_UNAVAILABLE when too many wait already */
const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
  if (waiting >= maxWaiting) {
    const error = apiError(
      'SERVICE_UNAVAILABLE',
      { service: 'passwords' },
      'too many logins at once; try again',
    );
    return Promise.reject(error);
  }
  waiting += 1;
  const result = last.then(work).finally(() => (waiting -= 1));
  last = result.catch(() => undefined);
  return result;
};

export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => (await loadLibrary()).hash(password));

let decoy: Promise<string> | null = null;

/** Takes as long where there is no hash to compare with. */
export const verifyPassword = (hash: string | null, password: string): Promise<boolean> =>
  inTurn(async () => {
    const library = await loadLibrary();
    const isMatch = await library
      .verify(hash ?? (await (decoy ??= library.hash('nobody has this password'))), password)
      .catch(() => false);
    return hash !== null && isMatch;
  });
