/** Runs tasks with limited concurrency. */

export interface WorkerPool {
  /** Queues a task, or drops it when the queue is full. @param onDrop called if the task is dropped, here or by `clear` */
  add(task: () => Promise<void>, onDrop?: () => void): void;
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
  const waiting: { readonly task: () => Promise<void>; readonly onDrop: () => void }[] = [];
  const working = new Set<Promise<void>>();

  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await next.task().catch(onFailure);
  };

  return {
    add(task, onDrop = () => undefined) {
      if (waiting.length >= maxWaiting) return onDrop();
      waiting.push({ task, onDrop });
      if (working.size >= concurrency) return;
      const worker = work().finally(() => working.delete(worker));
      working.add(worker);
    },
    clear() {
      for (const { onDrop } of waiting.splice(0)) onDrop();
    },
    async idle() {
      while (working.size > 0) await Promise.all(working);
    },
  };
};
