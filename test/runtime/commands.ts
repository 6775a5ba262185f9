/** Runs `svc` as people do: a process of its own, in a folder of its own, as `npm run build` made it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../runtime/config/package.js';
import { sharedRoot } from '../shared.js';

type Environment = Readonly<Record<string, string>>;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A working directory whose processes can be counted. */
export interface Workplace {
  readonly directory: string;
  /** Runs a command to its end. */
  run(args: readonly string[], environment?: Environment): Promise<Outcome>;
  /** Starts a command that runs until it is told otherwise. */
  start(args: readonly string[], environment?: Environment): Running;
  /** Starts a program of its own, which lies there. */
  startProgram(file: string, environment?: Environment): Running;
  /** Processes whose working directory this is. */
  processes(): readonly number[];
  /** Ends what is left and removes the folder. */
  remove(): void;
}

export interface Running {
  readonly pid: number;
  /** Everything it said so far. */
  output(): string;
  /** Resolves with the first match; rejects when the process ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  ended(): Promise<number | null>;
}

export const program = join(packageRoot, 'dist', 'runtime', 'cli.js');

/**
 * Options of Node, which the processes that it starts inherit: those of tests live for seconds, and to optimize their code
 * and to collect garbage on several threads would take up to half of the time that they take of the processor.
 */
export const shortLived = ['--no-opt', '--single-threaded-gc'];

export interface WorkplaceOptions {
  /** True where builds are shared with other workplaces of the run, which saves most of the time of a start; they are by default. */
  readonly sharesBuilds?: false;
  /** Path of the Node that runs `svc`; that of the tests by default. */
  readonly node?: string;
  /** Options of Node; by default those for processes that live for seconds. */
  readonly nodeOptions?: readonly string[];
}

/** As in the processes of tests, workflows of workers run without threads of their own, which take long to start. */
const base = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ACCESS_LEASE: '0',
  TEMPORAL_DEBUG: '1',
});

export const createWorkplace = ({
  sharesBuilds,
  node = process.execPath,
  // those of long runs serve for minutes, under load
  nodeOptions = process.env.LONG === undefined ? shortLived : [],
}: WorkplaceOptions = {}): Workplace => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'svc-work-')));
  if (sharesBuilds !== false) shareBuilds(directory);
  const launchProgram = (args: readonly string[], environment: Environment): ChildProcess =>
    spawn(node, [...nodeOptions, ...args], {
      cwd: directory,
      env: { ...base(), ...environment },
    });
  const launch = (args: readonly string[], environment: Environment): ChildProcess =>
    launchProgram([program, ...args], environment);
  return {
    directory,
    run: async (args, environment = {}) => collect(launch(args, environment)),
    start: (args, environment = {}) => follow(launch(args, environment)),
    startProgram: (file, environment = {}) => follow(launchProgram([file], environment)),
    processes: () => processesIn(directory),
    remove: () => {
      for (const pid of processesIn(directory)) kill(pid);
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** A build depends on its inputs alone, so those of equal databases and specs are the same. */
const shareBuilds = (directory: string): void => {
  const builds = join(sharedRoot(), 'builds');
  mkdirSync(builds, { recursive: true });
  mkdirSync(join(directory, '.svc'));
  symlinkSync(builds, join(directory, '.svc', 'build'));
};

const collect = async (child: ChildProcess): Promise<Outcome> => {
  const said = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (said.stdout += chunk));
  child.stderr?.on('data', (chunk) => (said.stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
};

const follow = (child: ChildProcess): Running => {
  let said = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer): void => {
    said += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const until = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(said);
        if (found !== null) resolve(found);
      };
      listeners.add(look);
      look();
      void ended.then((code) => reject(new Error(`ended with ${code} before ${pattern}:\n${said}`)));
    });
  return {
    pid: child.pid ?? 0,
    output: () => said,
    until,
    stop: (signal) => {
      child.kill(signal);
      return ended;
    },
    ended: () => ended,
  };
};

/** Returns whether a process runs a module, which is given by the end of its path; false once it has ended. */
export const runsModule = (pid: number, module: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(module);
  } catch {
    return false;
  }
};

/** Kills a process that may have ended already. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
};

/** Returns whether a process makes builds; such a process ends by itself. */
export const isBuilder = (pid: number): boolean => runsModule(pid, 'processes/build.js');

/** Returns whether a process makes builds, or bundles them for one that does. */
export const isBuilding = (pid: number): boolean => isBuilder(pid) || runsModule(pid, 'bin/esbuild');

const processesIn = (directory: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => workingDirectory(pid) === directory)
    .map(Number);

const workingDirectory = (pid: string): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
};
