/** Has builds made by a process that stays for a while, as a second build reuses most of the first. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { runInChild } from '../../contract/ask-child.js';
import { modulePath } from '../config/package.js';
import type { BuildResult, BuildTask } from './build.js';

export interface Builder {
  /** Makes a build. Those of one builder are made one after the other. */
  build(task: BuildTask): Promise<BuildResult>;
}

/** A builder with a process of its own. */
export interface OwnBuilder extends Builder {
  /** Ends the process, and the build that it makes; resolves when it has ended. */
  close(): Promise<void>;
}

/**
 * Milliseconds without a build after which the process ends: long enough for a series of changes, as it holds everything
 * that it made in memory, some 300 MB for 100 collections.
 */
const idleLimit = 60_000;

/** Creates a builder, whose process starts with the first build. */
export const createBuilder = (): OwnBuilder => {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const start = (): ChildProcess => {
    const started = fork(modulePath('processes/build'));
    started.once('exit', () => {
      if (child === started) child = null;
    });
    return started;
  };
  const end = (): void => {
    if (child?.connected === true) child.disconnect();
    child = null;
  };
  const run = async (task: BuildTask): Promise<BuildResult> => {
    clearTimeout(timer);
    child ??= start();
    const running = child;
    setHolding(running, true);
    try {
      return await runInChild<BuildResult>(running, task, 'the build');
    } finally {
      setHolding(running, false);
      timer = setTimeout(end, idleLimit).unref();
    }
  };
  return {
    build(task) {
      const building = last.then(() => run(task));
      last = building.catch(() => undefined);
      return building;
    },
    async close() {
      clearTimeout(timer);
      const running = child;
      if (running === null) return;
      const ended = once(running, 'exit');
      running.ref();
      end();
      await ended;
    },
  };
};

/** Sets whether the process and its channel keep this one running. */
const setHolding = (child: ChildProcess, isHolding: boolean): void => {
  const set = isHolding ? 'ref' : 'unref';
  child[set]();
  child.channel?.[set]();
};
