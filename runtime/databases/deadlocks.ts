/** Repeats writes that the server rolled back because transactions waited for each other. */
import { setTimeout as sleep } from 'node:timers/promises';

const maxAttempts = 5;

/** Milliseconds that the first repetition waits at most; each further one waits up to twice as long. */
const firstPause = 10;

/**
 * Runs a write or a transaction, and again, after a random pause, while the server ends it for the sake of another one.
 * @throws the error of the last attempt
 */
export const retryDeadlocks = async <Result>(
  isDeadlock: (error: unknown) => boolean,
  run: () => Promise<Result>,
): Promise<Result> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
      await sleep(Math.random() * firstPause * 2 ** attempt);
    }
  }
};
