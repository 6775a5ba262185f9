/** A database that is lost is looked for until it is back, by one timer. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../runtime/databases/contract.js';
import { watchAvailability } from '../../../runtime/http/availability.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const createWatch = () => {
  const state = { isBack: false, looks: 0 };
  const database = {
    isConnectionLoss: (error: unknown) => (error as { code?: string }).code === 'ECONNREFUSED',
    query: async () => {
      state.looks += 1;
      if (!state.isBack) throw new Error('not yet');
      return [];
    },
  } as unknown as Database;
  const seen: string[] = [];
  return { state, seen, watch: watchAvailability(database, ({ kind }) => seen.push(kind)) };
};

const lost = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

describe('a lost database', () => {
  it('is reported once for many requests, and again on recovery', async () => {
    const { state, seen, watch } = createWatch();
    expect([watch.isLoss(lost), watch.isLoss(lost)]).toEqual([true, true]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([state.looks, seen]).toEqual([2, ['databaseLost']]);
    state.isBack = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(seen).toEqual(['databaseLost', 'databaseBack']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state.looks).toBe(3);
    watch.isLoss(lost);
    expect(seen).toEqual(['databaseLost', 'databaseBack', 'databaseLost']);
  });

  it('is not affected by another error', () => {
    const { seen, watch } = createWatch();
    expect(watch.isLoss(new Error('syntax'))).toBe(false);
    expect(seen).toEqual([]);
  });

  it('is not checked after close', async () => {
    const { state, watch } = createWatch();
    watch.isLoss(lost);
    watch.close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state.looks).toBe(0);
  });
});
