/** A database that is lost is looked for until it is back, by one timer. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../runtime/databases/contract.js';
import { watchAvailability } from '../../../runtime/http/availability.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const lost = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

const createWatch = (given: Partial<Database> = {}) => {
  const state = { isBack: false, looks: 0, error: lost };
  const query = async () => {
    state.looks += 1;
    if (!state.isBack) throw state.error;
    return [];
  };
  const database = {
    isConnectionLoss: (error: unknown) => (error as { code?: string }).code === 'ECONNREFUSED',
    reserved: { query },
    ...given,
  } as unknown as Database;
  const seen: string[] = [];
  return { state, seen, watch: watchAvailability(database, ({ kind }) => seen.push(kind)) };
};

describe('a lost database', () => {
  it('is reported once for many requests, and again on recovery', async () => {
    const { state, seen, watch } = createWatch();
    expect([watch.isLoss(lost), watch.isLoss(lost)]).toEqual([true, true]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([state.looks, seen]).toEqual([2, ['databaseLost']]);
    state.isBack = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(seen).toEqual(['databaseLost', 'databaseBack']);
    await vi.advanceTimersByTimeAsync(4_500);
    expect(state.looks).toBe(3);
    watch.isLoss(lost);
    expect(seen).toEqual(['databaseLost', 'databaseBack', 'databaseLost']);
  });

  it('is reported again where looks find another reason', async () => {
    const { state, seen, watch } = createWatch();
    watch.isLoss(Object.assign(new Error('ended'), { code: 'ECONNREFUSED' }));
    await vi.advanceTimersByTimeAsync(1_500);
    expect([state.looks, seen]).toEqual([3, ['databaseLost', 'databaseLost']]);
    state.error = Object.assign(new Error('no login'), { code: 'ECONNREFUSED' });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(seen).toHaveLength(3);
  });

  it('is found without a request, within five seconds', async () => {
    const { state, seen } = createWatch();
    state.isBack = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect([state.looks, seen]).toEqual([2, []]);
    state.isBack = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([state.looks, seen]).toEqual([3, ['databaseLost']]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([state.looks, seen]).toEqual([5, ['databaseLost']]);
  });

  it('is not looked for where it has no server', async () => {
    const { state } = createWatch({ isEmbedded: true });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(state.looks).toBe(0);
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
