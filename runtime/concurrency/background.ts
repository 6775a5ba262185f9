/**
 * Bounded background work that no response waits for. Failures are reported, and it completes before the
 * process ends.
 */
import type { Observe } from '../observe.js';

export interface Background {
  /**
   * Starts work after the caller continues; drops it when too much is running. Returns whether it starts.
   * @param name label in the log
   */
  run(name: string, work: () => Promise<void>): boolean;
  /** Waits for work that has started. */
  close(): Promise<void>;
}

const maxRunning = 100;

/** Creates a set of background work; what exceeds its size is dropped with a warning. */
export const createBackground = (observe: Observe): Background => {
  const running = new Set<Promise<void>>();
  const warn = (name: string, reason: string): void =>
    observe({ kind: 'warning', message: `${name}: ${reason}` });
  return {
    run(name, work) {
      if (running.size >= maxRunning) {
        warn(name, `skipped, because ${maxRunning} tasks are running already`);
        return false;
      }
      const done = Promise.resolve()
        .then(work)
        .catch((error: unknown) => warn(name, error instanceof Error ? error.message : String(error)))
        .finally(() => running.delete(done));
      running.add(done);
      return true;
    },
    async close() {
      await Promise.all(running);
    },
  };
};
