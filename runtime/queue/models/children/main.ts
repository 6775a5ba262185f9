/** Entry point of a child process that runs function models, one run at a time; `child.ts` starts it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import {
  logLevels,
  type LogLevel,
  type ModelError,
  type RunFiles,
  type SavedFile,
} from '../../../../contract/queue-model.js';
import { maxOutputBytes } from '../output.js';
import { createChildLog, type ChildLog } from './child-log.js';
import { toFunction } from './load-function.js';
import type { FromChild, PlainError, RunEnd, RunOrigin, RunTask, ToChild } from './messages.js';

/** The worker says which process it is: it may have been killed before this one could ask. */
const [, , file = '', spool = '', parent = ''] = process.argv;

const sendToWorker = process.send?.bind(process);
// libraries that report to the process that started them would end the run, or the worker
delete process.send;

const send = (message: FromChild): void => void sendToWorker?.(message);

/** The run in progress. */
interface Current {
  readonly origin: RunOrigin;
  readonly controller: AbortController;
  readonly log: ChildLog;
  readonly calls: Map<number, PendingSave>;
}

interface PendingSave {
  resolve(file: SavedFile): void;
  reject(error: Error): void;
}

let current: Current | null = null;

/** The run that began last, which may have ended. */
let latest: Current | null = null;

/** The run to which code belongs, also where it goes on after the run has ended. */
const origins = new AsyncLocalStorage<Current>();

/** Returns the run to which what happens now belongs; code that no run has started belongs to the one in progress. */
const runOfNow = (): Current | null => origins.getStore() ?? current;

const toLine = (message: unknown): string =>
  typeof message === 'string' ? message : inspect(message, { breakLength: Infinity, depth: 8 });

const toLevel = (given: unknown): LogLevel =>
  logLevels.find((level) => level === String(given).toUpperCase()) ?? 'INFO';

const run = async ({ model, input, resumed, traceparent, origin }: RunTask): Promise<void> => {
  send({ kind: 'started' });
  // what a function leaves running may go on in the run of another caller, who must not see it
  const sendInRun = (message: FromChild): boolean => {
    if (current === own) send(message);
    return current === own;
  };
  const own: Current = {
    origin,
    controller: new AbortController(),
    log: createChildLog(sendInRun),
    calls: new Map(),
  };
  current = own;
  latest = own;
  const { log, calls } = own;
  const { signal } = own.controller;
  const context = {
    log: (message: unknown, level?: unknown) => log.add(toLine(message), toLevel(level)),
    progress: (state: unknown) => void sendInRun({ kind: 'progress', state: toState(state) }),
    resumed,
    traceparent,
    signal,
    files: createFiles(calls, sendInRun),
  };
  const end = await toRunEnd(async () => {
    const { functions } = (await import(pathToFileURL(file).href)) as Loaded;
    const loaded = toFunction(model, await functions[model]?.());
    return origins.run(own, () => loaded.run(input, context));
  });
  for (const output of outputs) output.flush(own);
  log.flush();
  current = null;
  if (isSpoiled) return endAfter(end);
  send(end);
  setTimeout(() => send({ kind: 'idle' }), 0);
};

interface Loaded {
  readonly functions: Readonly<Record<string, () => Promise<unknown>>>;
}

const toRunEnd = async (body: () => Promise<unknown>): Promise<RunEnd> => {
  try {
    const text = toJson(await body());
    const bytes = Buffer.byteLength(text);
    return bytes > maxOutputBytes ? { kind: 'oversized', bytes } : { kind: 'result', body: text };
  } catch (error) {
    if (!isModelError(error)) return { kind: 'failed', error: toPlainError(error) };
    return { kind: 'modelError', status: error.status, body: toJson(error.body) };
  }
};

const toJson = (value: unknown): string => JSON.stringify(value ?? null) ?? 'null';

/** Maximum bytes of a state, which travels with each heartbeat; Temporal refuses larger ones. */
const maxStateBytes = 1_000_000;

/** @throws Error where the state is not JSON or too large, since no heartbeat could carry it */
const toState = (state: unknown): unknown => {
  const text = toJson(state);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxStateBytes) return JSON.parse(text);
  throw new Error(`the state has ${bytes} bytes, but the maximum is ${maxStateBytes}; keep less in it`);
};

/** Checks the name instead of the class, which may come from another copy of the package. */
const isModelError = (error: unknown): error is ModelError => {
  if (!(error instanceof Error) || error.name !== 'ModelError') return false;
  const { status } = error as ModelError;
  return Number.isInteger(status) && status >= 400 && status < 500;
};

const toPlainError = (error: unknown): PlainError => {
  if (!(error instanceof Error)) {
    return { name: 'Error', message: typeof error === 'string' ? error : inspect(error), stack: '' };
  }
  return { name: error.name, message: error.message, stack: stackOf(error) };
};

/** Maximum number of stacks of one error, which may be its own cause. */
const maxStacks = 10;

/** Returns the stack of an error, followed by those of its causes and of the errors that it aggregates. */
const stackOf = (error: Error): string => {
  const found: Error[] = [error];
  for (let index = 0; index < found.length && found.length < maxStacks; index += 1) {
    const { cause, errors } = found[index] as Partial<AggregateError>;
    const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
    found.push(...inner.filter((each): each is Error => each instanceof Error && !found.includes(each)));
  }
  return found
    .slice(0, maxStacks)
    .map(({ stack, message }, index) => `${index === 0 ? '' : 'caused by '}${stack ?? message}`)
    .join('\n');
};

/** Counts the calls of all runs: an answer may arrive in the run that follows. */
let call = 0;

/** Writes files to the spool folder; the worker moves them to their store. */
const createFiles = (calls: Current['calls'], sendInRun: (message: FromChild) => boolean): RunFiles => {
  return {
    async save(name, contentType, bytes) {
      const spooled = randomUUID();
      await mkdir(spool, { recursive: true });
      await writeFile(join(spool, spooled), bytes);
      call += 1;
      return new Promise((resolve, reject) => {
        calls.set(call, { resolve, reject });
        if (sendInRun({ kind: 'save', call, name, contentType, spooled })) return;
        reject(new Error('the run has ended; await what it saves before it returns'));
      });
    },
  };
};

/** True once a run that had ended has failed in the one that follows, which is the last of this process. */
let isSpoiled = false;

/** Ends this process once its worker has a message. */
const endAfter = (message: FromChild): void =>
  void sendToWorker?.(message, undefined, undefined, () => exit(1));

const receive = (message: ToChild): void => {
  switch (message.kind) {
    case 'run':
      return void run(message);
    case 'abort':
      return current?.controller.abort(new Error(message.reason));
    case 'saved':
      return current?.calls.get(message.call)?.resolve(message.file);
    case 'notSaved':
      return current?.calls.get(message.call)?.reject(new Error(message.message));
  }
};

interface Output {
  /** Logs a last line of a run that has no end. */
  flush(run: Current): void;
}

/** Adds what a function prints to the log of its run. */
const captureOutput = (stream: NodeJS.WriteStream, level: LogLevel): Output => {
  const rests = new WeakMap<Current, string>();
  stream.write = ((chunk: string | Uint8Array, ...more: readonly unknown[]): boolean => {
    const run = runOfNow();
    if (run !== null) {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      const lines = ((rests.get(run) ?? '') + text).split('\n');
      rests.set(run, lines.pop() ?? '');
      for (const line of lines) run.log.add(line, level);
    }
    const callback = more.find((each) => typeof each === 'function');
    if (callback !== undefined) process.nextTick(callback as () => void);
    return true;
  }) as typeof stream.write;
  return {
    flush(run) {
      const rest = rests.get(run) ?? '';
      if (rest !== '') run.log.add(rest, level);
      rests.delete(run);
    },
  };
};

/** Makes the kernel end this process before its worker when memory runs out. */
const preferForOutOfMemory = (): void => {
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // another operating system
  }
};

/** Ends this process when its worker was killed, from a thread, because a function may block the event loop. */
const watchParent = async (): Promise<void> => {
  const source = `setInterval(() => process.ppid === ${Number(parent)} || process.kill(process.pid, 'SIGKILL'), 1000);`;
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };
  const thread = new Worker(source, { eval: true, execArgv: [], resourceLimits });
  // a function that blocks at once would keep it from starting
  await once(thread, 'online');
  thread.unref();
};

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
preferForOutOfMemory();
const outputs = [captureOutput(process.stdout, 'STDOUT'), captureOutput(process.stderr, 'STDERR')];
// the worker decides when a run ends
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
const exit = process.exit.bind(process);
process.exit = (code) => {
  // not at the expense of the run that follows; the error ends what was left running
  if (current !== null && runOfNow() !== current) throw new Error('the run that exits has ended');
  return exit(code);
};
process.once('disconnect', () => exit());
process.on('uncaughtException', (thrown) => {
  const failed = runOfNow() ?? latest;
  const error = toPlainError(thrown);
  if (failed !== null && failed === current) {
    current.log.flush();
    return endAfter({ kind: 'failed', error });
  }
  // one for each process: what is left running may fail again and again until the run in progress has ended
  const isFirst = !isSpoiled;
  isSpoiled = true;
  const late: FromChild | null =
    failed !== null && isFirst ? { kind: 'late', origin: failed.origin, error } : null;
  if (current !== null) return late === null ? undefined : send(late);
  if (late === null) exit(1);
  else endAfter(late);
});
await watchParent();
process.on('message', receive);
