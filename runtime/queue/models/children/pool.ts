/** Keeps child processes for function models: one per run, reused for the same model while it is healthy. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionRunner } from '../../../../contract/queue-model.js';
import { startChild, type Child, type ChildEnd, type ChildOptions, type RunObserver } from './child.js';
import { isOutOfMemory, type ChildExit } from './exit.js';
import { openMemoryGroups, type MemoryGroups } from './memory-groups.js';
import type { RunTask } from './messages.js';

export interface Children {
  /** Runs a task in a process of its model. The signal asks the function to end, and kills its process otherwise. */
  run(task: RunTask, options: ChildRunOptions): Promise<ChildEnd>;
  /** Counts the processes by model. */
  use(): readonly ChildUse[];
  /** Kills all processes. */
  close(): Promise<void>;
}

export interface ChildUse {
  readonly model: string;
  readonly running: number;
  readonly idle: number;
  /** Resident memory of the largest one at the last measurement, in bytes. */
  readonly memory: number;
}

export interface ChildRunOptions {
  readonly runner: FunctionRunner;
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
}

/** Milliseconds between two measurements of memory. */
const memoryInterval = 100;
/** Maximum processes without a run, and the milliseconds that they are kept. */
const maxIdle = 8;
const idleTtl = 60_000;
/** Runs after which a process is replaced, because native memory may leak slowly. */
const maxRuns = 500;
/** Default of `PoolOptions.settleLimit`. */
const defaultSettleLimit = 500;

export interface PoolOptions extends Omit<ChildOptions, 'runner' | 'groups'> {
  /** Milliseconds that a run waits for the process of the run before it. */
  readonly settleLimit?: number;
  /** Called when a process ends in a run: out of `memory`, for the signal of the run (`abort`), or by a `crash`. */
  readonly onExit?: (model: string, cause: 'memory' | 'abort' | 'crash') => void;
  /** Called with the first process: whether the kernel limits the memory of processes, or they are measured at intervals. */
  readonly onLimit?: (by: 'kernel' | 'measurement') => void;
}

interface Pooled {
  readonly child: Child;
  readonly model: string;
  runs: number;
  idleSince: number;
  /** Resolves when the process of an ended run is idle or removed; null while it runs. */
  settling: Promise<void> | null;
}

interface Processes {
  /** Takes a process of the model that is idle, or starts one. */
  take(model: string, runner: FunctionRunner): Promise<Pooled>;
  /** Keeps the process of an ended run for the next one, or removes it. */
  release(pooled: Pooled): Promise<void>;
  use(): readonly ChildUse[];
  /** Kills all processes. */
  close(): Promise<void>;
}

/** Returns the control groups of processes. They are opened with the first one: many workers run no function. */
const createGroups = (onLimit: PoolOptions['onLimit']): (() => MemoryGroups | null) => {
  let groups: MemoryGroups | null | undefined;
  return () => {
    if (groups === undefined) {
      groups = openMemoryGroups();
      onLimit?.(groups === null ? 'measurement' : 'kernel');
    }
    return groups;
  };
};

const createProcesses = ({
  settleLimit = defaultSettleLimit,
  onLimit,
  ...options
}: PoolOptions): Processes => {
  const groups = createGroups(onLimit);
  const all = new Set<Pooled>();
  const idle: Pooled[] = [];
  let timer: NodeJS.Timeout | null = null;

  const remove = (pooled: Pooled): Promise<void> => {
    all.delete(pooled);
    if (all.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
    return pooled.child.kill();
  };

  /** Measures all processes, and ends those that have been idle for long. */
  const check = (): void => {
    const before = Date.now() - idleTtl;
    for (const { child } of all) child.checkMemory();
    for (const pooled of idle.filter(({ child, idleSince }) => idleSince < before || !child.isAlive())) {
      idle.splice(idle.indexOf(pooled), 1);
      void remove(pooled);
    }
  };

  const start = (model: string, runner: FunctionRunner): Pooled => {
    const child = startChild({ ...options, runner, groups: groups() });
    const pooled = { child, model, runs: 0, idleSince: 0, settling: null };
    all.add(pooled);
    timer ??= setInterval(check, memoryInterval).unref();
    return pooled;
  };

  return {
    async take(model, runner) {
      const last = [...all].find((each) => each.model === model && each.settling !== null);
      if (last !== undefined) await Promise.race([last.settling, sleep(settleLimit)]);
      const index = idle.findLastIndex((each) => each.model === model && each.child.isAlive());
      return idle.splice(index, index === -1 ? 0 : 1)[0] ?? start(model, runner);
    },
    async release(pooled) {
      if (pooled.runs >= maxRuns || !(await pooled.child.untilIdle()) || !all.has(pooled)) {
        return remove(pooled);
      }
      pooled.idleSince = Date.now();
      idle.push(pooled);
      if (idle.length > maxIdle) await remove(idle.shift() as Pooled);
    },
    use: () => countByModel([...all]),
    async close() {
      idle.length = 0;
      await Promise.all([...all].map(remove));
    },
  };
};

const countByModel = (all: readonly Pooled[]): readonly ChildUse[] => {
  const models = [...new Set(all.map(({ model }) => model))];
  return models.map((model) => {
    const own = all.filter((each) => each.model === model);
    const running = own.filter(({ settling }) => settling === null).length;
    const memory = Math.max(...own.map(({ child }) => child.memory()));
    return { model, running, idle: own.length - running, memory };
  });
};

/** Creates an empty pool; its processes start with runs. */
export const createChildren = ({ onExit, ...options }: PoolOptions): Children => {
  const processes = createProcesses(options);
  const run = async (task: RunTask, given: ChildRunOptions): Promise<ChildEnd> => {
    const { runner, signal, observer } = given;
    const pooled = await processes.take(task.model, runner);
    pooled.runs += 1;
    pooled.settling = null;
    const abort = (): void => pooled.child.abort(reasonOf(signal));
    const running = pooled.child.run(task, observer);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const end = await running;
    signal.removeEventListener('abort', abort);
    pooled.settling = processes.release(pooled);
    // an idle process that ended before it received the task
    const isStale = end.kind === 'exited' && !end.started && pooled.runs > 1 && !signal.aborted;
    if (end.kind === 'exited' && !isStale) onExit?.(task.model, causeOf(end.exit, signal));
    return isStale ? run(task, given) : end;
  };
  return { run, use: processes.use, close: () => processes.close() };
};

const causeOf = (exit: ChildExit, { aborted }: AbortSignal): 'memory' | 'abort' | 'crash' => {
  if (isOutOfMemory(exit)) return 'memory';
  return aborted ? 'abort' : 'crash';
};

const reasonOf = ({ reason }: AbortSignal): string =>
  reason instanceof Error ? reason.message : String(reason);
