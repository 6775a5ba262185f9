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
import type { Report } from './request-process.js';

export interface SupervisorOptions {
  /** Number of request processes to keep running. */
  readonly processes: number;
  /** Port they share, never 0. */
  readonly port: number;
  readonly observe: Observe;
}

type Ready = Extract<Report, { kind: 'ready' }>;
type Failed = Extract<Report, { kind: 'failed' }>;

export interface Supervisor {
  readonly url: string;
  readonly collections: number;
  isReady(): boolean;
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
    const { processes, port, observe } = options;
    const ready = new Map<number, boolean>();
    let directory: string | null = null;
    let stopping = false;
    let restartDelay = minRestartDelay;

    const start = (): void => {
      if (stopping) return;
      cluster.setupPrimary({
        exec: modulePath('processes/request-process'),
        args: directory === null ? [] : [directory],
      });
      watch(cluster.fork({ PORT: String(port) }));
    };

    const watch = (child: Worker): void => {
      const began = performance.now();
      let failure: Failed | null = null;
      child.on('message', (report: Report) => {
        if (report.kind === 'failed') failure = report;
        if (report.kind === 'readiness') ready.set(child.id, report.ready);
        if (report.kind === 'ready') handleReady(child, report);
      });
      child.once('exit', (code, signal) => {
        ready.delete(child.id);
        if (stopping) return;
        const reason = failure?.message ?? (signal === null ? `exit code ${code}` : signal);
        if (directory === null) reject(failureToError(reason, failure?.refusal ?? false));
        else restart(child, { reason, ms: performance.now() - began });
      });
    };

    const handleReady = (child: Worker, report: Ready): void => {
      observe({ kind: 'processStarted', process: child.process.pid ?? 0 });
      if (directory !== null) return;
      directory = report.directory;
      resolve({ ...report, isReady: () => [...ready.values()].some(Boolean), stop, kill });
      for (let count = 1; count < processes; count += 1) start();
    };

    const restart = (child: Worker, { reason, ms }: { reason: string; ms: number }): void => {
      if (ms > stableAfter) restartDelay = minRestartDelay;
      observe({ kind: 'processEnded', process: child.process.pid ?? 0, reason, restartMs: restartDelay });
      setTimeout(start, restartDelay);
      restartDelay = Math.min(restartDelay * 2, maxRestartDelay);
    };

    const stop = async (): Promise<void> => {
      stopping = true;
      ready.clear();
      const exited = children().map((child) => once(child, 'exit'));
      for (const child of children()) child.process.kill('SIGTERM');
      await Promise.race([Promise.all(exited), sleep(stopLimit, undefined, { ref: false })]);
      kill();
    };

    const kill = (): void => {
      stopping = true;
      for (const child of children()) child.process.kill('SIGKILL');
    };

    start();
  });

const children = (): Worker[] => Object.values(cluster.workers ?? {}).filter((child) => child !== undefined);

const failureToError = (reason: string, refusal: boolean): Error =>
  refusal ? new Refusal(reason) : new Error(reason);
