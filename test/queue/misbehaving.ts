/** Functions for tests of child processes, by the name of their model. */
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from '../../contract/queue-model.js';
import type { RunModel } from '../../contract/queue-model.js';

interface Input {
  readonly ms?: number;
  readonly count?: number;
  readonly status?: number;
  readonly text?: string;
}

type Run = RunModel<Input, unknown>;

const spin = (): never => {
  for (;;);
};

/** Buffers are no part of the heap of JavaScript, and are resident once they are filled. */
const allocate: Run = async (_, { log }) => {
  log('allocating');
  const kept: Buffer[] = [];
  for (;;) {
    kept.push(Buffer.alloc(16 * 1024 ** 2, 1));
    await sleep(10);
  }
};

/** Starts of runs of this process. */
const starts = new EventEmitter();

const runs: Readonly<Record<string, Run>> = {
  good: async ({ ms = 0 }) => {
    await sleep(ms);
    return { good: true, process: process.pid };
  },
  allocate,
  heap: () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
  },
  /** The memory of a descendant. */
  descendant: async () => {
    const script = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(16 * 1024 ** 2, 1)), 10)';
    spawn(process.execPath, ['--eval', script], { stdio: 'ignore' });
    await sleep(60_000);
  },
  /** Takes its memory in one step, faster than anybody measures. */
  burst: () => ({ bytes: Buffer.alloc(1024 ** 3, 1).length }),
  /** The memory of a process that has left its group and its parent. */
  escape: async () => {
    const hog = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(16 * 1024 ** 2, 1)), 10)';
    const parent = `require('child_process').spawn(process.execPath, ['--eval', ${JSON.stringify(hog)}], { stdio: 'ignore', detached: true }).unref()`;
    spawn(process.execPath, ['--eval', parent], { stdio: 'ignore', detached: true });
    await sleep(60_000);
  },
  spin: (_, { log }) => {
    log('one');
    log('two');
    return spin();
  },
  /** Logs the id of its process first. */
  report: (_, { log }) => {
    log(String(process.pid));
    return spin();
  },
  spinAfterwards: () => {
    setTimeout(spin, 0);
    return { process: process.pid };
  },
  /** Leaves work running that goes on when the next run starts, as a function does that forgets to await it. */
  leave: async ({ text, ms = 0, status }, { log, progress, files }) => {
    const leave = async (): Promise<void> => {
      await once(starts, 'start');
      log(`logged by ${text}`);
      process.stdout.write(`printed by ${text}\nunended by ${text}`);
      progress({ of: text });
      files.save('left.txt', 'text/plain', Buffer.from(`${text}`)).catch(() => undefined);
      if (status === 3) process.exit(3);
      throw new Error(`failed in ${text}`);
    };
    starts.emit('start');
    if (text !== undefined) void leave();
    await sleep(ms);
    const saved = await files.save('own.txt', 'text/plain', Buffer.from('own'));
    return { process: process.pid, file: saved.file_name };
  },
  /** Fails after its end, while no other run is in its process. */
  failAfterwards: () => {
    setTimeout(() => {
      throw new Error('failed afterwards');
    }, 50);
    return { good: true };
  },
  ignore: async () => sleep(60_000),
  obey: async (_, { signal }) => {
    await sleep(60_000, undefined, { signal });
  },
  exit: () => process.exit(3),
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  uncaught: async () => {
    setTimeout(() => {
      throw new Error('a late secret');
    }, 10);
    await sleep(60_000);
  },
  fail: () => {
    throw new Error('a secret');
  },
  modelErrorAlone: () => {
    throw new ModelError(422);
  },
  modelError: ({ status = 422 }) => {
    throw new ModelError(status, { detail: 'too dark' });
  },
  talk: ({ count = 1_000_000 }, { log }) => {
    for (let index = 1; index <= count; index += 1) log(`line ${index}`);
    return { good: true };
  },
  print: () => {
    process.stdout.write('to stdout\nin two lines\n');
    process.stderr.write('to stderr\n');
    process.stdout.write('without an end');
    return { good: true };
  },
  /** Calls `log` as JavaScript without types may. */
  logAnything: (_, { log }) => {
    const call = log as (message: unknown, level?: unknown) => void;
    call('low', 'warn');
    call('loud', 'shout');
    call({ deep: { list: [1] } }, null);
    return { good: true };
  },
  /** Reports to the process that started it, as libraries for process managers do. */
  signalReady: async () => {
    for (const message of ['ready', null, { kind: 'result', body: '{"good":false}' }])
      process.send?.(message);
    return { good: true };
  },
  inner: () => {
    const cause = new AggregateError([new Error('the first reason'), new Error('the second reason')]);
    cause.cause = cause;
    throw new Error('the outer error', { cause });
  },
  thrownObject: () => {
    throw { code: 'E_ODD' };
  },
  cycle: async (_, { progress }) => {
    const state: Record<string, unknown> = {};
    state.self = state;
    progress(state);
  },
  largeState: ({ count = 0 }, { progress }) => {
    progress('x'.repeat(count));
    return { good: true };
  },
  large: ({ count = 0 }) => ({ text: 'x'.repeat(count) }),
  nothing: () => undefined,
  environment: () => ({ names: Object.keys(process.env).sort() }),
  resume: (_, { resumed, progress }) => {
    progress({ step: 1 });
    return { resumed: resumed ?? null };
  },
  /** Runs until it is aborted, and ends at once when it goes on. */
  continue: async (_, { resumed, progress, signal, log }) => {
    if (resumed !== undefined) return { resumed };
    progress({ step: 1 });
    log('one step');
    return sleep(60_000, undefined, { signal });
  },
  save: async ({ text = '' }, { files }) => files.save('note.txt', 'text/plain', Buffer.from(text)),
};

export const misbehaving: Readonly<Record<string, () => Promise<{ readonly run: Run }>>> = Object.fromEntries(
  Object.entries(runs).map(([name, run]) => [`test/${name}`, async () => ({ run })]),
);
