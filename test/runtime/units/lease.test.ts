/** A version that was read is relied on only for a lease. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLease } from '../../../runtime/access/lease.js';

const clock = { monotonic: 0, wall: 0 };

const pass = (milliseconds: number): void => {
  clock.monotonic += milliseconds;
  clock.wall += milliseconds;
};

beforeEach(() => {
  Object.assign(clock, { monotonic: 1_000, wall: 1_700_000_000_000 });
  vi.spyOn(performance, 'now').mockImplementation(() => clock.monotonic);
  vi.spyOn(Date, 'now').mockImplementation(() => clock.wall);
});

afterEach(() => vi.restoreAllMocks());

const open = (duration = 200) => {
  const source = { version: '1', reads: 0, fails: false, takes: 0 };
  const lease = createLease({
    duration,
    async readVersion() {
      const { version } = source;
      source.reads += 1;
      pass(source.takes);
      if (source.fails) throw new Error('gone');
      return version;
    },
  });
  return { lease, source };
};

/** Lets a look in the background end. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

it('no version is known before the first read', async () => {
  const { lease, source } = open();
  expect(lease.held()).toBeNull();
  await settle();
  expect(source.reads).toBe(0);
});

it('a version is held for one lease, from the moment at which reading it began', async () => {
  const { lease, source } = open();
  source.takes = 150;
  expect(await lease.look()).toBe('1');
  source.takes = 0;
  pass(49);
  expect(lease.held()).toBe('1');
  await settle();
  const late = open();
  late.source.takes = 150;
  await late.lease.look();
  pass(50);
  expect(late.lease.held()).toBeNull();
});

it('reads nothing in the first half of a lease, and once in the background in the second', async () => {
  const { lease, source } = open();
  await lease.look();
  pass(99);
  expect(lease.held()).toBe('1');
  await settle();
  expect(source.reads).toBe(1);
  source.version = '2';
  pass(1);
  expect([lease.held(), lease.held()]).toEqual(['1', '1']);
  await settle();
  expect(source.reads).toBe(2);
  expect(lease.held()).toBe('2');
  pass(150);
  expect(lease.held()).toBe('2');
  await settle();
  expect(source.reads).toBe(3);
});

it('a failed read in the background changes nothing, and the next one runs', async () => {
  const { lease, source } = open();
  await lease.look();
  source.fails = true;
  pass(120);
  expect(lease.held()).toBe('1');
  await settle();
  expect(lease.held()).toBe('1');
  await settle();
  expect(source.reads).toBe(3);
  pass(80);
  expect(lease.held()).toBeNull();
  await expect(lease.look()).rejects.toThrow('gone');
});

it.each([201, -201])('a wall clock that deviates by %i ms ends the lease', async (drift) => {
  const { lease } = open();
  await lease.look();
  clock.wall += drift;
  expect(lease.held()).toBeNull();
  await lease.look();
  expect(lease.held()).toBe('1');
});

it('a small correction of the wall clock does not', async () => {
  const { lease } = open();
  await lease.look();
  clock.wall += 150;
  expect(lease.held()).toBe('1');
});

it('a lease of 0 holds nothing', async () => {
  const { lease } = open(0);
  await lease.look();
  expect(lease.held()).toBeNull();
});

it('requests that wait share one read of the version, which begins after they arrived', async () => {
  const { lease, source } = open();
  expect(await Promise.all(Array.from({ length: 50 }, () => lease.look()))).toHaveLength(50);
  expect(source.reads).toBe(1);
});
