/**
 * Computes password hashes in a child process of low priority, so that serving requests comes first. The first hash
 * starts the process; it ends after 30 s without a hash, or when this process ends.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInChild } from '../../../contract/ask-child.js';
import { modulePath } from '../../config/package.js';
import type { HashTask } from './argon2.js';

export interface Hasher {
  /** Computes one hash. Call it again only after it has resolved. */
  compute(task: HashTask): Promise<string | boolean>;
  /** Waits between two hashes, longer the busier this process is. */
  pause(): Promise<void>;
}

/** Milliseconds without a hash after which the child process ends. */
const idleLimit = 30_000;
/** Milliseconds between two hashes at 100 % event loop utilization, and the maximum. */
const [pauseAtFullLoad, maxPause] = [500, 100];

/** Creates a hasher. Where its process ends, the hashes under way are computed again by another one. */
export const createHashProcess = (): Hasher => {
  let child: ChildProcess | null = null;
  let idleTimer: NodeJS.Timeout | undefined;

  const start = (): ChildProcess => {
    const started = fork(modulePath('auth/passwords/hash-worker'), {
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const forget = (): void => {
      if (child === started) child = null;
    };
    return started.on('exit', forget).on('error', forget);
  };

  const scheduleStop = (idleChild: ChildProcess): void => {
    idleChild.unref();
    idleChild.channel?.unref();
    idleTimer = setTimeout(() => {
      if (child === idleChild) child = null;
      if (idleChild.connected) idleChild.disconnect();
    }, idleLimit).unref();
  };

  const compute = async (task: HashTask): Promise<string | boolean> => {
    clearTimeout(idleTimer);
    const current = (child ??= start());
    current.ref();
    current.channel?.ref();
    try {
      return await runInChild<string | boolean>(current, task, 'the process that computes hashes');
    } catch (error) {
      // a failed send can arrive before the 'exit' event: do not use this child again
      if (child === current) child = null;
      throw error;
    } finally {
      scheduleStop(current);
    }
  };

  let lastUtilization = performance.eventLoopUtilization();

  return {
    // if the child process has ended, a new one computes the hash again
    compute: (task) => compute(task).catch(() => compute(task)),
    pause() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, lastUtilization);
      lastUtilization = now;
      return sleep(Math.min(utilization * pauseAtFullLoad, maxPause));
    },
  };
};
