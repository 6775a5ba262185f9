/** Runs a function of `misbehaving.ts` in a child process. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import type { RunResult } from '../../runtime/queue/models/attempt.js';
import { createChildren, type Children, type PoolOptions } from '../../runtime/queue/models/children/pool.js';
import { createFunctionRunner } from '../../runtime/queue/models/function-runner.js';
import { createRunner } from '../../runtime/queue/models/run-model.js';
import { createDirectoryStore } from '../../runtime/queue/requests/files.js';
import { createRunFiles } from '../../runtime/queue/requests/run-files.js';
import { functions } from '../runtime/server-harness.js';

export const createTestChildren = (options: Pick<PoolOptions, 'settleLimit' | 'onLate'> = {}): Children =>
  createChildren({ functions, spool: createDirectoryStore(filesDir).spool, ...options });

export const filesDir = mkdtempSync(join(tmpdir(), 'svc-files-'));

export interface RunGiven {
  readonly input?: unknown;
  readonly resumed?: unknown;
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Bytes; a process under `tsx` needs more than one that is compiled. */
  readonly memory?: number;
  readonly environment?: readonly string[];
  readonly output?: QueueModelDeclaration['output'];
}

export interface RunReport {
  readonly attempted: Promise<RunResult>;
  readonly lines: string[];
  /** Number of lines left out. */
  readonly skipped: () => number;
  readonly progress: unknown[];
  readonly failures: Error[];
  /** Measured memory in bytes. */
  readonly measured: number[];
}

export const testRequest = '01a20ada-5251-73e9-9f79-ff0f8cd1a178';

export const startRun = (children: Children, name: string, given: RunGiven = {}): RunReport => {
  const { input = {}, timeout = 60_000, memory = 384 * 1024 ** 2, environment = [], output = {} } = given;
  const [lines, progress, failures]: [string[], unknown[], Error[]] = [[], [], []];
  const measured: number[] = [];
  let skipped = 0;
  const model: QueueModelDeclaration = {
    id: `test/${name}`,
    title: name,
    access: 'user',
    runner: { kind: 'function', module: './unused.js', memory, environment },
    class: 'models',
    timeout,
    attempts: 1,
    concurrency: { model: 1, account: 1 },
    input: { type: 'object' },
    output,
  };
  const settings = {
    publicUrl: () => 'http://test',
    secrets: [Buffer.from('secret')],
    fileTtl: 60_000,
  };
  const attempted = createRunner({ runFunction: createFunctionRunner(children) })(model, {
    requestId: testRequest,
    account: testRequest,
    attempt: 1,
    input,
    resumed: given.resumed,
    traceparent: null,
    log: (line, level = 'INFO') => lines.push(`${level} ${line}`),
    skip: (count) => {
      skipped += count;
    },
    progress: (state) => progress.push(state),
    files: createRunFiles(testRequest, { files: createDirectoryStore(filesDir), settings, ttl: null }),
    signal: given.signal ?? new AbortController().signal,
    onMemory: (bytes) => measured.push(bytes),
    onFailure: (error) => failures.push(error as Error),
  });
  return { attempted, lines, skipped: () => skipped, progress, failures, measured };
};
