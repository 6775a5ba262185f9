/**
 * A bounded queue that runs a limited number of tasks at a time and serves callers in rotation, so that none starves.
 */
import { apiError } from '../../contract/errors.js';

export interface FairQueue {
  /**
   * Runs work in rotation: each caller has a queue, and each queue is served in order.
   * @param caller identifies the caller, such as its network; called where the work has to wait
   * @throws SERVICE_UNAVAILABLE when too many tasks wait, also for the last task of the caller with the most; and when a
   *   task has waited for too long
   */
  run<Result>(work: () => Promise<Result>, caller?: () => string): Promise<Result>;
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
  /** Maximum number of tasks that run; 1 if absent. */
  readonly concurrency?: number;
  /** Milliseconds after which a waiting task is refused; without a limit if absent. */
  readonly maxWait?: number;
  /** Plural noun for the tasks in the error message, such as `logins`. */
  readonly tasks: string;
  /** Service in the details of the error. */
  readonly service: string;
  /** Awaited between two tasks. */
  pause?(): Promise<void>;
}

export const createFairQueue = (options: FairQueueOptions): FairQueue => {
  const { maxTasks, concurrency = 1, maxWait, tasks, service, pause } = options;
  /** Queues by caller, in the order in which they are served. */
  const queues = new Map<string, WaitingTask[]>();
  let size = 0;
  let running = 0;

  const takeNext = (): WaitingTask | undefined => {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [caller, queue] = first;
    const next = queue.shift();
    queues.delete(caller);
    if (queue.length > 0) queues.set(caller, queue);
    return next;
  };

  const serve = async (): Promise<void> => {
    if (running >= concurrency) return;
    running += 1;
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      await next.begin();
      await pause?.();
    }
    running -= 1;
  };

  /** Runs a task that need not wait, without the cost of a queue. */
  const runNow = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    size += 1;
    running += 1;
    try {
      return await work();
    } finally {
      size -= 1;
      running -= 1;
      if (queues.size > 0) void serve();
    }
  };

  /** Rejects the last entry of the longest queue if this caller's would still be shorter. */
  const makeRoom = (caller: string): boolean => {
    const [longestCaller, longest] = [...queues].reduce<readonly [string, WaitingTask[]]>(
      (longestSoFar, each) => (each[1].length > longestSoFar[1].length ? each : longestSoFar),
      ['', []],
    );
    if ((queues.get(caller)?.length ?? 0) + 1 >= longest.length) return false;
    const last = longest.at(-1);
    if (last !== undefined) remove(longestCaller, last);
    return true;
  };

  const remove = (caller: string, task: WaitingTask): void => {
    const queue = queues.get(caller) ?? [];
    queue.splice(queue.lastIndexOf(task), 1);
    if (queue.length === 0) queues.delete(caller);
    size -= 1;
    task.refuse();
  };

  const enqueue = (caller: string, task: WaitingTask): void => {
    size += 1;
    const queue = queues.get(caller);
    if (queue === undefined) queues.set(caller, [task]);
    else queue.push(task);
    void serve();
  };

  const leave = (): void => void (size -= 1);

  const wait = <Result>(work: () => Promise<Result>, caller: string): Promise<Result> =>
    new Promise((resolve, reject) => {
      const refuse = (): void => {
        clearTimeout(timer);
        reject(tooManyTasks(tasks, service));
      };
      const begin = (): Promise<void> => {
        clearTimeout(timer);
        return Promise.resolve().then(work).finally(leave).then(resolve, reject);
      };
      const task: WaitingTask = { begin, refuse };
      const timer = maxWait === undefined ? undefined : setTimeout(() => remove(caller, task), maxWait);
      enqueue(caller, task);
    });

  return {
    async run(work, callerOf = () => '') {
      if (pause === undefined && running < concurrency && queues.size === 0) return runNow(work);
      const caller = callerOf();
      if (size >= maxTasks && !makeRoom(caller)) throw tooManyTasks(tasks, service);
      return wait(work, caller);
    },
    isIdle: () => size === 0,
  };
};

const tooManyTasks = (tasks: string, service: string) =>
  apiError('SERVICE_UNAVAILABLE', { service }, `too many ${tasks} at once; try again`);
