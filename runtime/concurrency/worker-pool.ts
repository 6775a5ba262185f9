/** Tasks that wait for their turn: so many at a time. */

export interface WorkerPool {
  /** Where the line is as long as it may be, the task is dropped. */
  add(task: () => Promise<void>): void;
  /** Drops what has not begun. */
  clear(): void;
  /** Resolves when nothing is left. */
  idle(): Promise<void>;
}

export interface LineOptions {
  /** Tasks at a time. */
  readonly width: number;
  /** Tasks that may wait. */
  readonly longest?: number;
  /** Told of tasks that fail; the others go on. */
  readonly onFailure: (error: unknown) => void;
}

export const createWorkerPool = ({ width, longest = Infinity, onFailure }: LineOptions): WorkerPool => {
  const waiting: (() => Promise<void>)[] = [];
  const working = new Set<Promise<void>>();

  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await next().catch(onFailure);
  };

  return {
    add(task) {
      if (waiting.length >= longest) return;
      waiting.push(task);
      if (working.size >= width) return;
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
