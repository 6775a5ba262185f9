/** Work that is done one piece at a time, in a line of bounded length in which nobody is kept out by one who asks much. */
import { apiError } from '../../contract/errors.js';

export interface FairQueue {
  /**
   * Whoever asks has a queue of their own, and the queues are served in rotation.
   * @param by who asks
   * @throws SERVICE_UNAVAILABLE when too many wait already: this one, or the last of whoever has the most
   */
  take<Result>(work: () => Promise<Result>, by?: string): Promise<Result>;
  isIdle(): boolean;
}

interface Waiting {
  /** Over when the work is, whatever became of it. */
  begin(): Promise<void>;
  refuse(): void;
}

/**
 * @param most pieces of work that are under way or wait
 * @param between what the next one waits for when one is done
 */
export const createFairQueue = (
  most: number,
  between = (): Promise<void> => Promise.resolve(),
): FairQueue => {
  /** By who asks: those who come first are served next. */
  const queues = new Map<string, Waiting[]>();
  let inside = 0;
  let isServing = false;

  const serve = async (): Promise<void> => {
    if (isServing) return;
    isServing = true;
    // goes on to what is put at the end meanwhile
    for (const [by, queue] of queues) {
      const next = queue.shift();
      queues.delete(by);
      if (queue.length > 0) queues.set(by, queue);
      await next?.begin();
      await between();
    }
    isServing = false;
  };

  /** The last of the longest queue leaves for whoever has fewer even then. */
  const makeRoom = (by: string): boolean => {
    const longest = [...queues.values()].reduce(
      (most, each) => (each.length > most.length ? each : most),
      [],
    );
    if ((queues.get(by)?.length ?? 0) + 1 >= longest.length) return false;
    longest.pop()?.refuse();
    inside -= 1;
    return true;
  };

  return {
    take: (work, by = '') =>
      new Promise((resolve, reject) => {
        const refuse = (): void => reject(tooMany());
        if (inside >= most && !makeRoom(by)) return refuse();
        inside += 1;
        const leave = (): void => void (inside -= 1);
        const begin = () => Promise.resolve().then(work).finally(leave).then(resolve, reject);
        queues.set(by, [...(queues.get(by) ?? []), { begin, refuse }]);
        void serve();
      }),
    isIdle: () => inside === 0,
  };
};

const tooMany = () =>
  apiError('SERVICE_UNAVAILABLE', { service: 'authentication' }, 'too many logins at once; try again');
