/** Rates and times of two sides in turns, so that what else the machine does meets both. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './measure.js';

export const clients = 16;
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

/** Milliseconds anything may take to come about: a bench that waits for ever says nothing. */
const patience = 180_000;

export interface WaitOptions {
  /** State of the queue. */
  readonly state?: () => unknown;
  /** Milliseconds between looks. */
  readonly pause?: number;
}

/** Looks until `isDone`. @throws naming what was waited for, and how it stood */
export const waitFor = async (
  what: string,
  isDone: () => Promise<boolean> | boolean,
  { state = () => '', pause = 5 }: WaitOptions = {},
): Promise<void> => {
  const until = performance.now() + patience;
  while (!(await isDone())) {
    if (performance.now() > until) throw new Error(`nothing came of it: ${what} ${String(state())}`);
    await sleep(pause);
  }
};

/** Calls `once` with so many clients for so long. @returns calls a second */
export const rate = async (once: () => Promise<unknown>): Promise<number> => {
  let calls = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      await once();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (calls * 1000) / (performance.now() - began);
};

/** Milliseconds of one call after the other: the median. */
export const latency = async (once: () => Promise<unknown>, count: number): Promise<number> => {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const began = performance.now();
    await once();
    all.push(performance.now() - began);
  }
  return median(all);
};

export interface Pair {
  readonly queue: number;
  readonly floor: number;
  /** Median of the ratios of each round. */
  readonly ratio: number;
}

export interface PairOfCalls {
  queue(): Promise<number>;
  floor(): Promise<number>;
  /** Between the turns. */
  settle?(): Promise<void>;
}

export const inTurns = async ({ queue, floor, settle }: PairOfCalls): Promise<Pair> => {
  const all: { readonly queue: number; readonly floor: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const below = await floor();
    all.push({ floor: below, queue: await queue() });
    await settle?.();
  }
  return {
    queue: median(all.map((each) => each.queue)),
    floor: median(all.map((each) => each.floor)),
    ratio: median(all.map((each) => each.queue / each.floor)),
  };
};
