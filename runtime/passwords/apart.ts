/**
 * Hashes in a process of their own, of low priority, so that who answers requests comes first. It is started by the
 * first hash and ended when there were none for a while, and it never outlives this process.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { modulePath } from '../package.js';
import type { HashTask } from './argon2.js';

/** Milliseconds without a hash. */
const idleLimit = 30_000;

/** @returns what computes one hash; the next is asked for when it is done */
export const createHashProcess = (): ((task: HashTask) => Promise<string | boolean>) => {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;

  const start = (): ChildProcess => {
    const started = fork(modulePath('passwords/process'), {
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const forget = (): void => {
      if (child === started) child = null;
    };
    return started.on('exit', forget).on('error', forget);
  };

  const rest = (resting: ChildProcess): void => {
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
      return await ask(current, task);
    } finally {
      rest(current);
    }
  };

  // whatever ended it, a new one begins anew
  return (task) => compute(task).catch(() => compute(task));
};

const ask = (child: ChildProcess, task: HashTask): Promise<string | boolean> =>
  new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('the process that computes hashes has ended'));
    const settle = (answer: string | boolean): void => {
      child.off('exit', fail).off('error', fail);
      resolve(answer);
    };
    child.once('message', settle).once('exit', fail).once('error', fail);
    child.send(task, (error) => {
      if (error !== null) fail();
    });
  });
