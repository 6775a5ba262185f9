/** Puts load on one server with wrk, which takes little of the processor that it shares with the server. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram, installPackages } from '../services/programs.js';
import { cacheFolder } from './paths.js';

/** As long as what replaces it, so that the length of a body stays. */
export const serialMark = '~'.repeat(12);

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON; `serialMark` in it is new in every request. */
  readonly body?: string;
}

export interface Target {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly target: Target;
  readonly requests: readonly BenchRequest[];
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second; absent: as many as are answered. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly bytesPerRequest: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** @throws Error where any request failed or was not answered by 2xx */
export const runLoad = async (options: LoadOptions): Promise<LoadResult> => {
  const counts = await runWrk(await requireWrk(), options);
  if (counts.failed > 0 || counts.refused > 0 || counts.requests === 0) {
    const { origin } = options.target;
    throw new Error(
      `${origin}: ${counts.requests} requests, ${counts.failed} failed, ${counts.refused} not answered by 2xx`,
    );
  }
  return {
    requests: counts.requests,
    requestsPerSecond: (counts.requests * 1_000_000) / counts.microseconds,
    bytesPerRequest: counts.bytes / counts.requests,
    p50: counts.p50 / 1_000,
    p99: counts.p99 / 1_000,
  };
};

/** Returns the path of wrk, which is installed where it is missing. */
export const requireWrk = async (): Promise<string> => {
  const found = await findProgram('wrk');
  if (found !== null) return found;
  await installPackages({ title: 'wrk', debian: ['wrk'], homebrew: 'wrk' });
  const installed = await findProgram('wrk');
  if (installed === null) throw new Error('wrk is not on the PATH');
  return installed;
};

interface Counts {
  readonly requests: number;
  readonly microseconds: number;
  readonly bytes: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
  readonly refused: number;
}

const headersOf = ({ target, requests }: LoadOptions): Record<string, string> =>
  requests.some((entry) => entry.body !== undefined)
    ? { ...target.headers, 'Content-Type': 'application/json' }
    : { ...target.headers };

let runs = 0;
const serialsPerRun = 10_000_000;

const runWrk = async (wrk: string, options: LoadOptions): Promise<Counts> => {
  // two loads may run at once
  const serials = ++runs * serialsPerRun;
  const file = join(cacheFolder, `requests-${serials}.tsv`);
  await mkdir(cacheFolder, { recursive: true });
  await writeFile(
    file,
    options.requests.map((entry) => `${entry.method}\t${entry.path}\t${entry.body ?? ''}\n`).join(''),
  );
  const headers = Object.entries(headersOf(options)).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const load = [
    '-t',
    '1',
    '-c',
    String(options.connections),
    '-d',
    `${options.seconds}s`,
    '--timeout',
    '10s',
  ];
  const script = ['-s', fileURLToPath(new URL('load.lua', import.meta.url))];
  const args = [...load, ...script, ...headers, options.target.origin, '--', file, String(serials)];
  const environment = { env: { ...process.env, ...paceOf(options) } };
  const { stdout } = await promisify(execFile)(wrk, args, environment).finally(() => rm(file));
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`wrk said nothing to count:\n${stdout}`);
  return JSON.parse(result) as Counts;
};

/** A connection waits this long before each of its requests. */
const paceOf = ({ rate, connections }: LoadOptions): NodeJS.ProcessEnv =>
  rate === undefined ? {} : { LOAD_PAUSE: String((connections * 1_000) / rate) };
