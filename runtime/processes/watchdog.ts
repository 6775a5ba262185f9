/**
 * Watches the event loop of this process from a thread, which reports a loop that no longer turns, with the operations
 * in flight, and can end the process.
 */
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.js';
import { modulePath } from '../config/package.js';
import type { TrackOperation } from '../observe.js';

export interface WatchdogOptions {
  readonly config: Pick<Config, 'watchdog' | 'log'>;
  /** True where a hung process ends, with exit code 70; otherwise it is only reported. */
  readonly ends: boolean;
}

export interface Watchdog {
  readonly track: TrackOperation;
  /** Starts to watch; called when the process is ready. */
  start(): void;
  close(): void;
}

/** Input of the thread. */
export interface WatchdogTask extends WatchdogOptions {
  /** The counter of the event loop, then a slot for each operation in flight. */
  readonly memory: SharedArrayBuffer;
  readonly interval: number;
}

/** Message to the thread: the name of operations with a number. */
export type OperationName = readonly [number: number, name: string];

/** Operations that a report can name at once; more are not recorded. */
const slots = 1_024;

/** Milliseconds between two steps of the counter. */
export const beatInterval = (limit: number): number => Math.min(1_000, Math.ceil(limit / 4));

/** Creates the watchdog and its thread. With `WATCHDOG=0` there is neither. */
export const createWatchdog = ({ config, ends }: WatchdogOptions): Watchdog => {
  const { log, watchdog: limit } = config;
  if (limit === 0) return { track: () => () => {}, start: () => {}, close: () => {} };
  const memory = new SharedArrayBuffer(4 * (slots + 1));
  const table = new Int32Array(memory);
  const interval = beatInterval(limit);
  const task: WatchdogTask = { config: { log, watchdog: limit }, ends, memory, interval };
  const thread = new Worker(modulePath('processes/watchdog-thread'), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  thread.unref();
  let timer: NodeJS.Timeout | undefined;
  return {
    track: createTracker(table, (name) => thread.postMessage(name, [])),
    start() {
      Atomics.add(table, 0, 1);
      timer ??= setInterval(() => Atomics.add(table, 0, 1), interval).unref();
    },
    close() {
      clearInterval(timer);
      void thread.terminate();
    },
  };
};

const createTracker = (table: Int32Array, announce: (name: OperationName) => void): TrackOperation => {
  const numbers = new Map<string, number>();
  const free = Array.from({ length: slots }, (_, index) => slots - index);
  const numberOf = (name: string): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = numbers.size + 1;
    numbers.set(name, number);
    announce([number, name]);
    return number;
  };
  return (name) => {
    const slot = free.pop();
    if (slot === undefined) return () => {};
    Atomics.store(table, slot, numberOf(name));
    return () => {
      Atomics.store(table, slot, 0);
      free.push(slot);
    };
  };
};
