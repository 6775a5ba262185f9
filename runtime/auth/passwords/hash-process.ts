/**
 * Hashes in a process of their own, of low priority, so that who answers requests comes first. It is started by the
 * first hash and ended when there were none for a while, and it never outlives this process.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { askChild } from '../../../contract/ask-child.js';
import { modulePath } from '../../config/package.js';
import type { HashTask } from './argon2.js';

export interface Hasher {
  /** One hash; the next is asked for when it is done. */
  compute(task: HashTask): Promise<string | boolean>;
  /** What the next one waits for beside. */
  rest(): Promise<void>;
}

/** Milliseconds without a hash. */
const idleLimit = 30_000;
/** Milliseconds between two hashes: for each share of its time that this process works, and at most. */
const [rest, longestRest] = [500, 100];

export const createHashProcess = (): Hasher => {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;

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

  const letGo = (resting: ChildProcess): void => {
    resting.unref();
    resting.channel?.unref();
    idle = setTimeout(() => {
      if (child === resting) child = null;
      if (resting.connected) resting.disconnect();
    }, idleLimit).unref();
  };

  const compute = async (task: HashTask): Promise<string | boolean> => {
    clearTimeout(idle);
    const current = (child ??= start());
    current.ref();
    current.channel?.ref();
    try {
      return await askChild<string | boolean>(current, task, 'the process that computes hashes');
    } catch (error) {
      // that it has ended may be heard of later than that it takes nothing any more
      if (child === current) child = null;
      throw error;
    } finally {
      letGo(current);
    }
  };

  let seen = performance.eventLoopUtilization();

  return {
    // whatever ended it, a new one begins anew
    compute: (task) => compute(task).catch(() => compute(task)),
    rest() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, seen);
      seen = now;
      return sleep(Math.min(utilization * rest, longestRest));
    },
  };
};
