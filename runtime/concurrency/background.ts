/** Work that no answer waits for: bounded, told where it fails, and done before the process ends. */
import type { Observe } from '../observe.js';

export interface Background {
  /** Begins after the caller has gone on. Dropped where too much is under way. @param name what the log calls it */
  run(name: string, work: () => Promise<void>): void;
  /** Waits for what has begun. */
  close(): Promise<void>;
}

const mostAtOnce = 100;

export const createBackground = (observe: Observe): Background => {
  const running = new Set<Promise<void>>();
  const warn = (name: string, reason: string): void =>
    observe({ kind: 'warning', message: `${name}: ${reason}` });
  return {
    run(name, work) {
      if (running.size >= mostAtOnce) return warn(name, 'too many at once; dropped');
      const done = Promise.resolve()
        .then(work)
        .catch((error: unknown) => warn(name, error instanceof Error ? error.message : String(error)))
        .finally(() => running.delete(done));
      running.add(done);
    },
    async close() {
      await Promise.all(running);
    },
  };
};
