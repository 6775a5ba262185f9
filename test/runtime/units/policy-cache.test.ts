/** The policies are read again after a time, and take effect only where they have changed. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AccessRows } from '../../../runtime/access/policies.js';
import { createPolicyCache } from '../../../runtime/access/policy-cache.js';
import { accessRows } from './access-rows.js';

const now = 1_700_000_000_000;

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const createCounted = () => {
  const state: { rows: AccessRows | Error; reads: number; changes: number } = {
    rows: accessRows(),
    reads: 0,
    changes: 0,
  };
  const source = {
    loadRows: async () => {
      state.reads += 1;
      if (state.rows instanceof Error) throw state.rows;
      return state.rows;
    },
  };
  const cache = createPolicyCache(source as Parameters<typeof createPolicyCache>[0], () => {
    state.changes += 1;
  });
  const expire = () => vi.setSystemTime(cache.expires());
  return { state, cache, expire };
};

const changed = accessRows({ policies: [{ id: 'p', admin: false }] });

it('an index is kept for four seconds, and after that while the rows stay the same', async () => {
  const { state, cache, expire } = createCounted();
  const first = await cache.load();
  expect(cache.expires()).toBe(now + 4_000);
  expect(await cache.load()).toBe(first);
  expect(state).toMatchObject({ reads: 1, changes: 1 });
  expire();
  expect(await cache.load()).toBe(first);
  expect(state).toMatchObject({ reads: 2, changes: 1 });
});

it('changed rows have a new index, regardless of their version', async () => {
  const { state, cache, expire } = createCounted();
  const first = await cache.load();
  state.rows = changed;
  expire();
  expect(await cache.load()).not.toBe(first);
  expect(state).toMatchObject({ reads: 2, changes: 2 });
});

it('an index is dropped for another version, and only for another', async () => {
  const { state, cache } = createCounted();
  expect(await cache.dropUnless('1')).toBe(true);
  const first = await cache.load();
  expect(await cache.dropUnless('1')).toBe(false);
  expect(await cache.load()).toBe(first);
  expect(await cache.dropUnless('2')).toBe(true);
  expect((await cache.load()).version).toBe('1');
  expect(state.reads).toBe(2);
});

it('rows that could not be read are read again by the next call', async () => {
  const { state, cache } = createCounted();
  state.rows = new Error('gone');
  await expect(cache.load()).rejects.toThrow('gone');
  state.rows = changed;
  expect((await cache.load()).version).toBe('1');
});

it('a read that fails late does not drop the result of a later read', async () => {
  const { state, cache, expire } = createCounted();
  state.rows = new Error('gone');
  const failing = cache.load();
  state.rows = changed;
  expire();
  const later = cache.load();
  await expect(failing).rejects.toThrow('gone');
  await later;
  expect(await cache.load()).toBe(await later);
  expect(state.reads).toBe(2);
});
