/** Work that is done one piece at a time, with a line of bounded length. */
import { apiError } from './errors.js';

export interface Turns {
  /** @throws SERVICE_UNAVAILABLE when too many wait already */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  isIdle(): boolean;
}

/**
 * @param most pieces of work that are under way or wait
 * @param between what the next one waits for when one is done
 */
export const createTurns = (most: number, between = (): Promise<void> => Promise.resolve()): Turns => {
  let last: Promise<unknown> = Promise.resolve();
  let inside = 0;
  return {
    async take(work) {
      if (inside >= most) {
        throw apiError(
          'SERVICE_UNAVAILABLE',
          { service: 'authentication' },
          'too many logins at once; try again',
        );
      }
      inside += 1;
      const result = last.then(work).finally(() => (inside -= 1));
      last = result.catch(() => undefined).then(between);
      return result;
    },
    isIdle: () => inside === 0,
  };
};
