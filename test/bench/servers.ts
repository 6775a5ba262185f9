/** Starts what is measured: the floor and our own server, each a plain Node process of its own. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { reservePort } from '../services/ports.js';
import { dropSystemTables, prepareDatabase, type BenchServer, type Recipe } from './databases.js';
import type { Target } from './load.js';
import { cacheFolder, cliPath, projectRoot } from './paths.js';

export interface Running {
  readonly pid: number;
  readonly target: Target;
  stop(): Promise<void>;
}

const adminToken = 'bench-administrator-token';

export const administrator = { email: 'administrator@example.com', password: 'bench-administrator-password' };

const bearer = { Authorization: `Bearer ${adminToken}` };

/** Bundled first, so that the process carries no loader. */
export const startFloor = async (databaseUrl: string): Promise<Running> => {
  const outfile = join(cacheFolder, 'floor.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('floor.ts', import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  const child = spawn(process.execPath, [outfile, databaseUrl], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment({}),
  });
  const [origin] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the floor did not start'))),
  ])) as [string];
  return { pid: pidOf(child), target: { origin, headers: {} }, stop: () => stop(child) };
};

/** A project as a user would have one: a folder, an environment, and nothing of ours in it. */
export interface Project {
  readonly folder: string;
  readonly databaseUrl: string;
}

export const createProject = async (name: string, databaseUrl: string): Promise<Project> => {
  const folder = join(cacheFolder, 'projects', name);
  await mkdir(folder, { recursive: true });
  return { folder, databaseUrl };
};

/** Prepares a database without system tables, and a project for it. @param use what the project is for */
export const prepareProject = async (server: BenchServer, recipe: Recipe, use: string): Promise<Project> => {
  await prepareDatabase(server, recipe);
  await dropSystemTables(server, recipe.name);
  return createProject(`${server.dialect}-${use}`, server.url(recipe.name));
};

/** Runs one command of the command line interface to its end. */
export const runCli = async (project: Project, args: readonly string[]): Promise<string> => {
  const options = { cwd: project.folder, env: projectEnvironment(project), maxBuffer: 64 * 1024 * 1024 };
  try {
    return (await promisify(execFile)(process.execPath, [cliPath, ...args], options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`svc ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
};

export interface StartOptions {
  readonly workers: number;
  /** Asked until it answers 200. */
  readonly probe: string;
  /** Port of `/metrics`; without it, nothing is counted. */
  readonly adminPort?: number;
  /** Called with each entry of the log, which then has the level `info`. */
  readonly onLog?: (entry: LogEntry) => void;
}

export interface LogEntry {
  readonly msg: string;
  readonly ms?: number;
}

/** `msToFirstAnswer`: from spawning the process to the first 200 on `probe`. */
export interface Started extends Running {
  readonly msToFirstAnswer: number;
}

export const startServer = async (
  project: Project,
  { workers, probe, adminPort, onLog }: StartOptions,
): Promise<Started> => {
  const port = await reservePort();
  const origin = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, [cliPath, 'start', '--workers', String(workers)], {
    cwd: project.folder,
    env: {
      ...projectEnvironment(project),
      PORT: String(port),
      ...(adminPort !== undefined && { ADMIN_PORT: String(adminPort) }),
      ...(onLog !== undefined && { LOG_LEVEL: 'info' }),
    },
    stdio: ['ignore', onLog === undefined ? 'inherit' : 'pipe', 'inherit'],
  });
  if (child.stdout !== null && onLog !== undefined)
    createInterface(child.stdout).on('line', (line) => onLog(JSON.parse(line) as LogEntry));
  const deadline = began + 120_000;
  while (!(await answers(`${origin}${probe}`))) {
    if (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
      await sleep(5);
      continue;
    }
    await stop(child);
    throw new Error(`svc start did not answer ${probe}`);
  }
  const msToFirstAnswer = performance.now() - began;
  return { pid: pidOf(child), target: { origin, headers: bearer }, msToFirstAnswer, stop: () => stop(child) };
};

const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url, { headers: { ...bearer, Connection: 'close' } });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
};

const projectEnvironment = ({ databaseUrl }: Project): NodeJS.ProcessEnv =>
  environment({
    DATABASE_URL: databaseUrl,
    ADMIN_TOKEN: adminToken,
    ADMIN_EMAIL: administrator.email,
    ADMIN_PASSWORD: administrator.password,
    ACCESS_TOKEN_TTL: '1d',
    RATE_LIMITER_ENABLED: 'false',
    LOG_LEVEL: 'warn',
    LOG_STYLE: 'json',
  });

/** Settings of the caller's own shell do not reach what is measured. */
const environment = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_ENV: 'production',
  ...variables,
});

const pidOf = (child: ChildProcess): number => {
  if (child.pid === undefined) throw new Error('the process did not start');
  return child.pid;
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(timer);
};
