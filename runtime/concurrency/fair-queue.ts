/**
 * A bounded queue that runs one task at a time and serves callers in rotation, so that none starves.
 */
import { apiError } from '../../contract/errors.js';

export interface FairQueue {
  /**
   * Runs work in rotation: each caller has a queue, and each queue is served in order.
   * @param caller identifies the caller, such as its network
   * @throws SERVICE_UNAVAILABLE when too many wait: for this work, or the last of the caller with the most
   */
  run<Result>(work: () => Promise<Result>, caller?: string): Promise<Result>;
  isIdle(): boolean;
}

interface WaitingTask {
  /** Resolves when the work has finished, whether or not it failed. */
  begin(): Promise<void>;
  refuse(): void;
}

/**
 * Creates a fair queue.
 * @param maxTasks maximum number of tasks that run or wait
 * @param pause awaited between two tasks
 */
export const createFairQueue = (
  maxTasks: number,
  pause = (): Promise<void> => Promise.resolve(),
): FairQueue => {
  /** Queues by caller, in the order in which they are served. */
  const queues = new Map<string, WaitingTask[]>();
  let size = 0;
  let isServing = false;

  const serve = async (): Promise<void> => {
    if (isServing) return;
    isServing = true;
    // a Map also iterates over entries that are added meanwhile
    for (const [caller, queue] of queues) {
      const next = queue.shift();
      queues.delete(caller);
      if (queue.length > 0) queues.set(caller, queue);
      await next?.begin();
      await pause();
    }
    isServing = false;
  };

  /** Rejects the last entry of the longest queue if this caller's would still be shorter. */
  const makeRoom = (caller: string): boolean => {
    const longest = [...queues.values()].reduce(
      (longestSoFar, each) => (each.length > longestSoFar.length ? each : longestSoFar),
      [],
    );
    if ((queues.get(caller)?.length ?? 0) + 1 >= longest.length) return false;
    longest.pop()?.refuse();
    size -= 1;
    return true;
  };

  return {
    run: (work, caller = '') =>
      new Promise((resolve, reject) => {
        const refuse = (): void => reject(tooMany());
        if (size >= maxTasks && !makeRoom(caller)) return reject(tooMany());
        size += 1;
        const release = (): void => void (size -= 1);
        const begin = () => Promise.resolve().then(work).finally(release).then(resolve, reject);
        queues.set(caller, [...(queues.get(caller) ?? []), { begin, refuse }]);
        void serve();
      }),
    isIdle: () => size === 0,
  };
};

const tooMany = () =>
  apiError('SERVICE_UNAVAILABLE', { service: 'authentication' }, 'too many logins at once; try again');
