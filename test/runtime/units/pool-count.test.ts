import { describe, expect, it } from 'vitest';
import { countPool } from '../../../runtime/databases/pool-count.js';

describe('the count of a pool', () => {
  it('has the statements that wait, and the connections in use until they are released', () => {
    const { use, wait, release } = countPool(4);
    const [first, second] = [wait(), wait()];
    expect(use).toEqual({ maximum: 4, used: 0, waiting: 2 });
    first(true);
    expect(use).toEqual({ maximum: 4, used: 1, waiting: 1 });
    second(true);
    release();
    expect(use).toEqual({ maximum: 4, used: 1, waiting: 0 });
  });

  it('counts no connection for a wait that failed, and reports the duration of others only', () => {
    const waits: number[] = [];
    const { use, wait } = countPool(4, (ms) => waits.push(ms));
    wait()(false);
    expect([use, waits]).toEqual([{ maximum: 4, used: 0, waiting: 0 }, []]);
    wait()(true);
    expect(waits).toEqual([expect.any(Number)]);
  });
});
