/** Lazy values, which are computed once and again after a failure. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lazy } from '../../../runtime/concurrency/lazy.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const failing = () =>
  vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('away')).mockResolvedValue('made');

it('computes the value again after a failure', async () => {
  const get = lazy(failing());
  await expect(get()).rejects.toThrow('away');
  expect(await get()).toBe('made');
});

it('waits before the next computation after a failure, if configured', async () => {
  const make = failing();
  const get = lazy(make, 5_000);
  await expect(get()).rejects.toThrow('away');
  vi.advanceTimersByTime(4_999);
  await expect(get()).rejects.toThrow('away');
  expect(make).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(await get()).toBe('made');
  vi.advanceTimersByTime(5_000);
  expect(await get()).toBe('made');
  expect(make).toHaveBeenCalledTimes(2);
});
