/** Runs tasks with limited concurrency. */

export interface WorkerPool {
  /** Queues a task, or drops it when the queue is full. */
  add(task: () => Promise<void>): void;
  /** Drops tasks that have not started. */
  clear(): void;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** Maximum number of concurrent tasks. */
  readonly concurrency: number;
  /** Maximum number of waiting tasks. */
  readonly maxWaiting?: number;
  /** Called with the error of a failed task; the others continue. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates an idle pool; without `maxWaiting`, no task is dropped. */
export const createWorkerPool = ({
  concurrency,
  maxWaiting = Infinity,
  onFailure,
}: WorkerPoolOptions): WorkerPool => {
  const waiting: (() => Promise<void>)[] = [];
  const working = new Set<Promise<void>>();

  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await next().catch(onFailure);
  };

  return {
    add(task) {
      if (waiting.length >= maxWaiting) return;
      waiting.push(task);
      if (working.size >= concurrency) return;
      const worker = work().finally(() => working.delete(worker));
      working.add(worker);
    },
    clear() {
      waiting.length = 0;
    },
    async idle() {
      while (working.size > 0) await Promise.all(working);
    },
  };
};
