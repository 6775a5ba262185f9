/**
 * A bounded queue that runs one task at a time and serves callers in rotation, so that none starves.
 */
import { apiError } from '../../contract/errors.js';

export interface FairQueue {
  /**
   * Runs work in rotation: each caller has a queue, and each queue is served in order.
   * @param caller identifies the caller, such as its network
   * @throws SERVICE_UNAVAILABLE when too many tasks wait; also for the last task of the caller with the most
   */
  run<Result>(work: () => Promise<Result>, caller?: string): Promise<Result>;
  isIdle(): boolean;
}

interface WaitingTask {
  /** Resolves when the work has finished, whether or not it failed. */
  begin(): Promise<void>;
  refuse(): void;
}

export interface FairQueueOptions {
  /** Maximum number of tasks that run or wait. */
  readonly maxTasks: number;
  /** Plural noun for the tasks in the error message, such as `logins`. */
  readonly tasks: string;
  /** Service in the details of the error. */
  readonly service: string;
  /** Awaited between two tasks. */
  pause?(): Promise<void>;
}

export const createFairQueue = (options: FairQueueOptions): FairQueue => {
  const { maxTasks, tasks, service, pause = () => Promise.resolve() } = options;
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
        const refuse = (): void => reject(tooManyTasks(tasks, service));
        if (size >= maxTasks && !makeRoom(caller)) return refuse();
        size += 1;
        const release = (): void => void (size -= 1);
        const begin = () => Promise.resolve().then(work).finally(release).then(resolve, reject);
        queues.set(caller, [...(queues.get(caller) ?? []), { begin, refuse }]);
        void serve();
      }),
    isIdle: () => size === 0,
  };
};

const tooManyTasks = (tasks: string, service: string) =>
  apiError('SERVICE_UNAVAILABLE', { service }, `too many ${tasks} at once; try again`);
