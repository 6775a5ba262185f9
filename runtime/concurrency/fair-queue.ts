/**
 * A bounded queue that runs a limited number of tasks at a time and serves callers in rotation, so that none starves.
 */
import { apiError } from '../../contract/errors.js';
import type { Arrivals } from './arrivals.js';

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
  /**
   * Maximum number of tasks that begin in one turn of the event loop, for tasks that keep it busy: requests that arrive
   * meanwhile are only noticed, and counted, between two turns. Those of a turn begin together when its events are handled,
   * so that the processor runs each step of all of them before the next one, from its caches. If absent, tasks begin at
   * once, without a limit.
   */
  readonly perTurn?: number;
  /** Connections that tasks let in first: their requests are to be counted, not to wait unseen. */
  readonly arrivals?: Arrivals;
  /** Milliseconds after which a waiting task is refused; without a limit if absent. */
  readonly maxWait?: number;
  /** Plural noun for the tasks in the error message, such as `logins`. */
  readonly tasks: string;
  /** Service in the details of the error. */
  readonly service: string;
  /** Awaited between two tasks. */
  pause?(): Promise<void>;
}

/** Waiting tasks by caller; the callers are served in rotation. */
interface Rotation {
  isEmpty(): boolean;
  push(caller: string, task: WaitingTask): void;
  /** Removes and returns the first task of the caller whose turn it is. */
  takeNext(): WaitingTask | undefined;
  remove(caller: string, task: WaitingTask): void;
  /** Removes and returns the last task of the caller with the most; null if `caller` would then have as many. */
  takeSurplus(caller: string): WaitingTask | null;
}

const createRotation = (): Rotation => {
  /** Queues by caller, in the order in which they are served. */
  const queues = new Map<string, WaitingTask[]>();
  const remove = (caller: string, task: WaitingTask): void => {
    const queue = queues.get(caller) ?? [];
    queue.splice(queue.lastIndexOf(task), 1);
    if (queue.length === 0) queues.delete(caller);
  };
  return {
    isEmpty: () => queues.size === 0,
    push(caller, task) {
      const queue = queues.get(caller);
      if (queue === undefined) queues.set(caller, [task]);
      else queue.push(task);
    },
    takeNext() {
      const [first] = queues;
      if (first === undefined) return undefined;
      const [caller, queue] = first;
      const next = queue.shift();
      queues.delete(caller);
      if (queue.length > 0) queues.set(caller, queue);
      return next;
    },
    remove,
    takeSurplus(caller) {
      const [longestCaller, longest] = [...queues].reduce<readonly [string, WaitingTask[]]>(
        (longestSoFar, each) => (each[1].length > longestSoFar[1].length ? each : longestSoFar),
        ['', []],
      );
      const last = longest.at(-1);
      if (last === undefined || (queues.get(caller)?.length ?? 0) + 1 >= longest.length) return null;
      remove(longestCaller, last);
      return last;
    },
  };
};

interface TaskHandlers<Result> {
  work(): Promise<Result>;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** Called once, when the task has finished or is refused. */
  leave(): void;
  /** Takes the task out of the queue. */
  expire(): void;
}

/** Returns a task that is refused when it has waited for too long. */
const createTask = <Result>(
  { work, resolve, reject, leave, expire }: TaskHandlers<Result>,
  { maxWait, tasks, service }: FairQueueOptions,
): WaitingTask => {
  const refuse = (): void => {
    leave();
    clearTimeout(timer);
    reject(tooManyTasks(tasks, service));
  };
  const end = (): void => {
    expire();
    refuse();
  };
  const timer = maxWait === undefined ? undefined : setTimeout(end, maxWait);
  return {
    begin() {
      clearTimeout(timer);
      return Promise.resolve().then(work).finally(leave).then(resolve, reject);
    },
    refuse,
  };
};

/** Counts what begins in one turn of the event loop. */
interface Turn {
  isFull(): boolean;
  count(): void;
  /** Calls `onEnd` when the events of this turn are handled. */
  awaitEnd(): void;
}

const createTurn = (perTurn: number, onEnd: () => void): Turn => {
  let begun = 0;
  let isAwaited = false;
  const end = (): void => {
    begun = 0;
    isAwaited = false;
    onEnd();
  };
  const awaitEnd = (): void => {
    if (!isAwaited) setImmediate(end);
    isAwaited = true;
  };
  return {
    isFull: () => begun >= perTurn,
    count() {
      begun += 1;
      awaitEnd();
    },
    awaitEnd,
  };
};

/** Creates an empty queue; one for all callers of a resource, since each has its own limits. */
export const createFairQueue = (options: FairQueueOptions): FairQueue => {
  const { maxTasks, concurrency = 1, perTurn, arrivals, pause } = options;
  const waiting = createRotation();
  const turn = perTurn === undefined ? null : createTurn(perTurn, () => serveAll());
  let size = 0;
  let running = 0;

  const isPlain = turn === null && pause === undefined;

  const mayBegin = (): boolean =>
    running < concurrency && turn?.isFull() !== true && arrivals?.arePending(serveAll) !== true;

  const serve = async (): Promise<void> => {
    while (mayBegin()) {
      const next = waiting.takeNext();
      if (next === undefined) return;
      running += 1;
      turn?.count();
      await next.begin();
      await pause?.();
      running -= 1;
    }
  };

  const serveAll = (): void => {
    while (mayBegin() && !waiting.isEmpty()) void serve();
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
      if (!waiting.isEmpty()) void serve();
    }
  };

  const runLater = async <Result>(work: () => Promise<Result>, caller: string): Promise<Result> => {
    if (size >= maxTasks) makeRoom(waiting, caller, options);
    return new Promise((resolve, reject) => {
      const leave = (): void => void (size -= 1);
      const expire = (): void => waiting.remove(caller, task);
      const task = createTask({ work, resolve, reject, leave, expire }, options);
      size += 1;
      waiting.push(caller, task);
      if (turn === null) void serve();
      else turn.awaitEnd();
    });
  };

  return {
    run: (work, callerOf = () => '') =>
      isPlain && mayBegin() && waiting.isEmpty() ? runNow(work) : runLater(work, callerOf()),
    isIdle: () => size === 0,
  };
};

/** Refuses the last task of the longest queue. @throws SERVICE_UNAVAILABLE where that is the queue of the caller */
const makeRoom = (waiting: Rotation, caller: string, { tasks, service }: FairQueueOptions): void => {
  const surplus = waiting.takeSurplus(caller);
  if (surplus === null) throw tooManyTasks(tasks, service);
  surplus.refuse();
};

const tooManyTasks = (tasks: string, service: string) =>
  apiError('SERVICE_UNAVAILABLE', { service }, `too many ${tasks} at once; try again`);
