/**
 * A bounded queue that runs one piece of work at a time and serves callers in rotation, so that none starves.
 */
import { apiError } from '../../contract/errors.js';

export interface FairQueue {
  /**
   * Runs work when its caller is next: each caller has a queue, and the queues are served in rotation.
   * @param by identifies the caller
   * @throws SERVICE_UNAVAILABLE when too many wait: for this work, or the last of the caller with the most
   */
  take<Result>(work: () => Promise<Result>, by?: string): Promise<Result>;
  isIdle(): boolean;
}

interface Waiting {
  /** Resolves when the work has finished, whether or not it failed. */
  begin(): Promise<void>;
  refuse(): void;
}

/**
 * Creates a fair queue.
 * @param most maximum number of pieces of work that run or wait
 * @param between awaited between two pieces of work
 */
export const createFairQueue = (
  most: number,
  between = (): Promise<void> => Promise.resolve(),
): FairQueue => {
  /** Queues by caller, in the order in which they are served. */
  const queues = new Map<string, Waiting[]>();
  let inside = 0;
  let isServing = false;

  const serve = async (): Promise<void> => {
    if (isServing) return;
    isServing = true;
    // a Map also iterates over entries that are added meanwhile
    for (const [by, queue] of queues) {
      const next = queue.shift();
      queues.delete(by);
      if (queue.length > 0) queues.set(by, queue);
      await next?.begin();
      await between();
    }
    isServing = false;
  };

  /** Rejects the last entry of the longest queue if this caller's would still be shorter. */
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
