/** Keeps the generation of the schema that the requests of a process rely on. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Replaced } from '../reloading-service.js';

/** Milliseconds for which requests on a former build are waited for; what takes longer may meet the new schema. */
const drainLimit = 10_000;

export interface ServedGeneration {
  /** Returns the generation that the oldest request in progress relies on. */
  get(): number;
  /** Sets what is called when that has changed. */
  onChange(changed: () => void): void;
  /** Sets the generation once a build has replaced the last, and requests on that have ended; null: the build stays. */
  follow(next: number, replaced: Replaced | null): void;
}

/** Creates the record of a process, beginning with the generation of its first build. */
export const createServedGeneration = (first: number): ServedGeneration => {
  let current = first;
  let changed: (() => void) | null = null;
  let draining: Promise<unknown> = Promise.resolve();
  return {
    get: () => current,
    onChange: (call) => {
      changed = call;
    },
    follow(next, replaced) {
      if (replaced !== null)
        draining = Promise.race([replaced.drained, sleep(drainLimit, undefined, { ref: false })]);
      void draining.then(() => {
        if (next <= current) return;
        current = next;
        changed?.();
      });
    },
  };
};
