/**
 * The parent of the request processes: starts them, restarts those that crash, stops them together. Imports
 * nothing heavy: work that needs a driver or the generator happens in a child.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observe } from '../observe.js';
import { modulePath } from '../config/package.js';
import { Refusal } from '../config/refusal.js';
import { createBuilder, type OwnBuilder } from './builder.js';
import { createCountExchange } from './count-exchange.js';
import { acceptConnections, type Connections } from './connections.js';
import {
  retireLimit,
  type BuildRequest,
  type Failed,
  type Instruction,
  type Ready,
  type Report,
} from './messages.js';
import type { BuildResult } from './build.js';
import type { Collecting } from './metrics-collection.js';
import { createReplacement, type Replacement, type ReplacementOptions } from './replacement.js';
import { beatInterval } from './watchdog.js';

export interface SupervisorOptions {
  /** Number of request processes to keep running. */
  readonly processes: number;
  /** Address and port they share; the port is never 0. */
  readonly host: string;
  readonly port: number;
  /** Milliseconds after which a process that does not respond is killed; 0: never. */
  readonly watchdog: number;
  readonly observe: Observe;
  /** Collects the metrics of the processes; absent where nobody reads them. */
  readonly collecting?: Collecting;
}

export interface Supervisor {
  readonly url: string;
  readonly collections: number;
  isReady(): boolean;
  /** Returns the number of processes that accept requests. */
  readyProcesses(): number;
  /** Returns whether no process has failed to respond. */
  isWell(): boolean;
  /** Returns why the schema as it is now cannot be served; null where it can. */
  schemaFailure(): string | null;
  /** Lets every process finish its requests; resolves when all have exited. */
  stop(): Promise<void>;
  /** Kills every process immediately. */
  kill(): void;
}

/** Milliseconds, slightly more than a request process allows its requests. */
const stopLimit = 12_000;
const minRestartDelay = 250;
const maxRestartDelay = 30_000;
/** Milliseconds after which a process counts as stable, and its exit resets the restart delay. */
const stableAfter = 60_000;

/**
 * Resolves when the first process is ready; the others start once it has prepared the build.
 * @throws Error or Refusal when the first process cannot start
 */
export const supervise = (options: SupervisorOptions): Promise<Supervisor> =>
  new Promise((resolve, reject) => {
    const ready = new Map<number, boolean>();
    startProcess({
      options,
      ready,
      hung: new Set(),
      retired: new Set(),
      replacement: null,
      connections: null,
      stopping: false,
      restartDelay: minRestartDelay,
      builder: createBuilder(),
      resolve,
      reject,
    });
  });

interface Supervision {
  readonly options: SupervisorOptions;
  /** Readiness of each running process, by worker id. */
  readonly ready: Map<number, boolean>;
  /** Processes that were killed because they did not respond, until they have ended. */
  readonly hung: Set<number>;
  /** The shared port; `null` until the first process is ready. */
  connections: Connections | null;
  stopping: boolean;
  /** Processes that are not started again when they end, by worker id. */
  readonly retired: Set<number>;
  /** Has new builds served; `null` until the first process is ready. */
  replacement: Replacement | null;
  /** Milliseconds before the next restart. */
  restartDelay: number;
  readonly builder: OwnBuilder;
  readonly resolve: (supervisor: Supervisor) => void;
  readonly reject: (error: Error) => void;
}

const startProcess = (supervision: Supervision): void => {
  if (supervision.stopping) return;
  const directory = supervision.replacement?.directory();
  watch(forkProcess(supervision, directory === undefined ? [] : [directory]), supervision);
};

/** @param args the build to serve, and `spare` for a process that waits until it is to serve */
const forkProcess = ({ options }: Supervision, args: readonly string[]): Worker => {
  cluster.setupPrimary({ exec: modulePath('processes/request-process'), args: [...args] });
  return cluster.fork({ PORT: String(options.port) });
};

const watch = (child: Worker, supervision: Supervision): void => {
  const { options, ready, hung, reject } = supervision;
  const pulse = watchPulse(child, supervision);
  const began = performance.now();
  let failure: Failed | null = null;
  child.on('message', (report: Report) => {
    if (report.kind === 'failed') failure = report;
    if (report.kind === 'readiness') ready.set(child.id, report.ready);
    if (report.kind === 'ready' || report.kind === 'beat') pulse.beat();
    if (report.kind === 'ready') registerProcess(child, report, supervision);
    if (report.kind === 'taken') supervision.connections?.take(child.process, report.id);
    if (report.kind === 'measured') options.collecting?.take(child, report.snapshot);
    if (report.kind === 'counted') countExchange.take(child, report);
    if (report.kind === 'build') void build(child, report, supervision);
    if (report.kind === 'closing') supervision.connections?.remove(child.process);
    supervision.replacement?.take(child, report);
  });
  child.once('exit', (code, signal) => {
    pulse.stop();
    ready.delete(child.id);
    options.collecting?.end(child);
    const wasHung = hung.delete(child.id);
    if (supervision.stopping || supervision.retired.delete(child.id)) return;
    const ending = wasHung ? 'it did not respond' : (signal ?? `exit code ${code}`);
    const reason = failure?.message ?? ending;
    if (supervision.replacement === null) reject(failureToError(reason, failure?.refusal ?? false));
    else scheduleRestart({ child, reason, hung: wasHung, ms: performance.now() - began }, supervision);
  });
};

const build = async (child: Worker, { id, task }: BuildRequest, { builder }: Supervision): Promise<void> => {
  const result = await builder.build(task).catch((error: Error): BuildResult => ({
    kind: 'failed',
    message: error.message,
    refusal: false,
  }));
  if (child.isConnected()) child.send({ kind: 'built', id, result } satisfies Instruction, () => undefined);
};

/** Milliseconds beyond the limit in which a process reports its operations before it is killed, also on a busy machine. */
const reportTime = 2_000;

/**
 * Kills a process that stops reporting that its event loop turns. Counts missed beats instead of time, so that a
 * machine that slept is not judged.
 */
const watchPulse = (child: Worker, { options, ready, hung }: Supervision) => {
  const interval = beatInterval(options.watchdog);
  const limit = Math.ceil((options.watchdog + reportTime) / interval);
  let missed = 0;
  let timer: NodeJS.Timeout | undefined;
  const countMissed = (): void => {
    missed += 1;
    if (missed !== limit) return;
    ready.set(child.id, false);
    hung.add(child.id);
    child.process.kill('SIGKILL');
  };
  return {
    beat() {
      missed = 0;
      if (options.watchdog > 0) timer ??= setInterval(countMissed, interval);
    },
    stop: () => clearInterval(timer),
  };
};

const registerProcess = (child: Worker, report: Ready, supervision: Supervision): void => {
  const { options, replacement, reject } = supervision;
  options.observe({ kind: 'processStarted', process: child.process.pid ?? 0 });
  supervision.connections?.add(child.process);
  if (replacement !== null) return;
  supervision.replacement = createReplacement(replacementOptions(report, supervision));
  supervision.replacement.take(child, report);
  acceptConnections(options.host, options.port).then(
    (connections) => {
      supervision.connections = connections;
      connections.add(child.process);
      startOthers(report, supervision);
    },
    (error: Error) => {
      killProcesses(supervision);
      reject(error);
    },
  );
};

const startOthers = (report: Ready, supervision: Supervision): void => {
  const { options, ready, hung, resolve } = supervision;
  resolve({
    ...report,
    isReady: () => [...ready.values()].some(Boolean),
    readyProcesses: () => [...ready.values()].filter(Boolean).length,
    isWell: () => hung.size === 0,
    schemaFailure: () => supervision.replacement?.failure() ?? null,
    stop: () => stopProcesses(supervision),
    kill: () => killProcesses(supervision),
  });
  for (let count = 1; count < options.processes; count += 1) startProcess(supervision);
  supervision.replacement?.startSpare();
};

const replacementOptions = (
  { directory, generation }: Ready,
  supervision: Supervision,
): ReplacementOptions => {
  const { retired } = supervision;
  return {
    directory,
    generation,
    startSpare(build) {
      const spare = forkProcess(supervision, [build, 'spare']);
      watch(spare, supervision);
      return spare;
    },
    serving: () => readyProcesses(supervision).filter(({ id }) => !retired.has(id)),
    servingOrDraining: () => readyProcesses(supervision),
    setRestart(child, restarts) {
      if (restarts) retired.delete(child.id);
      else retired.add(child.id);
    },
    retire(child) {
      retired.add(child.id);
      supervision.connections?.remove(child.process);
      child.send({ kind: 'retire' } satisfies Instruction);
      const timer = setTimeout(() => child.process.kill('SIGKILL'), retireLimit).unref();
      // it would keep the process's channel and messages in memory
      child.once('exit', () => clearTimeout(timer));
    },
  };
};

/** Returns the processes that serve, with those that are draining. */
const readyProcesses = ({ ready }: Supervision): readonly Worker[] =>
  children().filter(({ id }) => ready.has(id));

interface EndedProcess {
  readonly child: Worker;
  readonly reason: string;
  readonly hung: boolean;
  /** Milliseconds that the process ran. */
  readonly ms: number;
}

const scheduleRestart = ({ child, ms, ...ending }: EndedProcess, supervision: Supervision): void => {
  if (ms > stableAfter) supervision.restartDelay = minRestartDelay;
  const { replacement } = supervision;
  const start = (): void =>
    replacement?.isSpare(child) === true ? replacement.startSpare() : startProcess(supervision);
  const { restartDelay, options } = supervision;
  const process = child.process.pid ?? 0;
  options.observe({ kind: 'processEnded', process, ...ending, restartMs: restartDelay });
  setTimeout(start, restartDelay);
  supervision.restartDelay = Math.min(restartDelay * 2, maxRestartDelay);
};

const stopProcesses = async (supervision: Supervision): Promise<void> => {
  supervision.stopping = true;
  supervision.replacement?.stop();
  supervision.ready.clear();
  supervision.connections?.close();
  const exited = children().map((child) => once(child, 'exit'));
  for (const child of children()) child.process.kill('SIGTERM');
  await Promise.race([Promise.all(exited), sleep(stopLimit, undefined, { ref: false })]);
  killProcesses(supervision);
  await supervision.builder.close();
};

const killProcesses = (supervision: Supervision): void => {
  supervision.stopping = true;
  for (const child of children()) child.process.kill('SIGKILL');
};

/** Returns the processes that run, those that start included. */
export const children = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((child) => child !== undefined);

const countExchange = createCountExchange(() => children().filter((child) => child.isConnected()));

const failureToError = (reason: string, refusal: boolean): Error =>
  refusal ? new Refusal(reason) : new Error(reason);
