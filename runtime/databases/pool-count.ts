/** Counts the connections of a pool that are in use, and the statements that wait for one. */
import type { PoolUse } from './contract.js';

export interface PoolCount {
  readonly use: PoolUse;
  /** Begins to wait for a connection; the returned function ends the wait. */
  wait(): (hasConnection: boolean) => void;
  release(): void;
}

/**
 * Creates the count of a pool.
 * @param onWait called with the milliseconds of each wait
 */
export const countPool = (maximum: number, onWait?: (ms: number) => void): PoolCount => {
  const use = { maximum, used: 0, waiting: 0 };
  return {
    use,
    wait() {
      use.waiting += 1;
      const began = onWait === undefined ? 0 : performance.now();
      return (hasConnection) => {
        use.waiting -= 1;
        if (!hasConnection) return;
        use.used += 1;
        onWait?.(performance.now() - began);
      };
    },
    release() {
      use.used -= 1;
    },
  };
};
