/** Counts of the rate limiter, as the processes of a host tell each other. */
import type { Worker } from 'node:cluster';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCountExchange, type CountExchange } from '../../../runtime/processes/count-exchange.js';

const now = 1_700_000_000_000;

let sent: (readonly [to: number, until: number, counts: unknown])[];
let exchange: CountExchange;
let workers: readonly [Worker, Worker, Worker];

const createWorker = (id: number): Worker =>
  ({
    id,
    send: ({ until, counts }: { readonly until: number; readonly counts: unknown }) =>
      void sent.push([id, until, counts]),
  }) as unknown as Worker;

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
  sent = [];
  workers = [createWorker(1), createWorker(2), createWorker(3)];
  exchange = createCountExchange(() => workers);
});
afterEach(() => void vi.useRealTimers());

/** Takes the count of a process, and returns what it sends. */
const take = (index: 0 | 1 | 2, until: number, count: number) => {
  sent = [];
  exchange.take(workers[index], { until, counts: [['ann', count]] });
  return sent;
};

it('each process hears what all others have counted, and the sender nothing', () => {
  expect(take(0, now + 1_000, 2)).toEqual([
    [2, now + 1_000, [['ann', 2]]],
    [3, now + 1_000, [['ann', 2]]],
  ]);
  expect(take(1, now + 1_000, 5)).toEqual([
    [1, now + 1_000, [['ann', 5]]],
    [3, now + 1_000, [['ann', 7]]],
  ]);
  // a process counts up from the start of its window
  expect(take(0, now + 1_000, 3)).toEqual([
    [2, now + 1_000, [['ann', 3]]],
    [3, now + 1_000, [['ann', 8]]],
  ]);
});

it('windows that began apart end with the first of them', () => {
  take(0, now + 2_000, 1);
  expect(take(1, now + 1_500, 1).map(([, until]) => until)).toEqual([now + 1_500, now + 1_500]);
  expect(take(2, now + 2_500, 1).map(([, until]) => until)).toEqual([now + 1_500, now + 1_500]);
});

it('what belongs to a window that is over counts no longer', () => {
  take(0, now + 1_000, 9);
  vi.setSystemTime(now + 1_000);
  expect(take(0, now + 1_000, 9)).toEqual([]);
  expect(take(1, now + 2_000, 1)).toEqual([
    [1, now + 2_000, [['ann', 1]]],
    [3, now + 2_000, [['ann', 1]]],
  ]);
});
