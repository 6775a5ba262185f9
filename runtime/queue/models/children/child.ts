/** A child process that runs function models, seen from its worker. */
import { fork, type ChildProcess } from 'node:child_process';
import type { FunctionRunner, LogLevel, SavedFile } from '../../../../contract/queue-model.js';
import { modulePath } from '../../../config/package.js';
import { modelEnvironment } from './environment.js';
import type { ChildExit } from './exit.js';
import type { MemoryGroup, MemoryGroups } from './memory-groups.js';
import { residentMemory } from './memory.js';
import type { FromChild, LateFailure, RunEnd, RunTask, ToChild } from './messages.js';

export interface ChildOptions {
  /** Module that exports the functions of the models. */
  readonly functions: string;
  /** Folder for files on their way to the store. */
  readonly spool: string;
  readonly runner: Pick<FunctionRunner, 'memory' | 'environment'>;
  /** Receives failures of what ended runs have left running. */
  readonly onLate?: (failure: LateFailure) => void;
  /** Absent where memory is measured alone. */
  readonly groups?: MemoryGroups | null;
}

/** Receives what a run reports. */
export interface RunObserver {
  log(message: string, level?: LogLevel, time?: number): void;
  /** Counts log lines that were left out. */
  skip(lines: number): void;
  progress(state: unknown): void;
  /** Receives the resident memory of the process in bytes, at each measurement and at the end. */
  memory(bytes: number): void;
  /** Stores a file of the spool folder. */
  save(file: Omit<Extract<FromChild, { kind: 'save' }>, 'kind' | 'call'>): Promise<SavedFile>;
}

/** The end of a run, or of its process; `started` is false if the process ended before the run began. */
export type ChildEnd =
  | RunEnd
  | { readonly kind: 'exited'; readonly started: boolean; readonly exit: ChildExit };

export interface Child {
  run(task: RunTask, observer: RunObserver): Promise<ChildEnd>;
  /** Asks the run in progress to end, and kills the process if it does not within `abortGrace`. */
  abort(reason: string): void;
  /** Kills the process if it uses more memory than it may. */
  checkMemory(): void;
  /** Resolves to whether the process can run again: it is responsive, and has memory left. */
  untilIdle(): Promise<boolean>;
  isAlive(): boolean;
  /** Returns the resident memory at the last measurement, in bytes. */
  memory(): number;
  /** Kills the process and its descendants. @returns when it has ended */
  kill(): Promise<void>;
}

/** Milliseconds that an aborted run may take to end by itself. */
const abortGrace = 1_000;
/** Milliseconds in which the event loop must turn after a run. */
const idleLimit = 2_000;
/** Milliseconds between the end of a process and the end of its output. */
const outputLimit = 500;
/** Characters of error output that are kept. */
const maxErrorOutput = 8_000;

interface CurrentRun {
  readonly observer: RunObserver;
  readonly resolve: (end: ChildEnd) => void;
  started: boolean;
}

interface State {
  readonly process: ChildProcess;
  readonly options: ChildOptions;
  readonly exited: Promise<ChildExit>;
  readonly group: MemoryGroup | null;
  current: CurrentRun | null;
  alive: boolean;
  exceededMemory: boolean;
  /** Bytes, at the last measurement. */
  memory: number;
  /** True where its event loop has turned since its last run. */
  idle: boolean;
  onIdle: (idle: boolean) => void;
}

/** Starts the process. It loads the module of its model with the first run. */
export const startChild = (options: ChildOptions): Child => {
  const state = startProcess(options);
  state.process.on('message', (message: FromChild) => receive(message, state));
  void state.exited.then((exit) => {
    endRun(state, { kind: 'exited', started: state.current?.started ?? false, exit });
    state.onIdle(false);
  });
  return {
    run: (task, observer) =>
      new Promise((resolve) => {
        state.idle = false;
        state.current = { observer, resolve, started: false };
        send(state, task);
      }),
    abort(reason) {
      send(state, { kind: 'abort', reason });
      const aborted = state.current;
      setTimeout(() => aborted !== null && aborted === state.current && killGroup(state), abortGrace);
    },
    checkMemory() {
      if (!state.alive || measureMemory(state) <= options.runner.memory) return;
      state.exceededMemory = true;
      killGroup(state);
    },
    untilIdle: () =>
      new Promise((resolve) => {
        const finish = (idle: boolean): void => {
          clearTimeout(timer);
          resolve(idle && state.alive && hasMemoryLeft(state));
        };
        const timer = setTimeout(finish, idleLimit, false);
        state.onIdle = finish;
        if (state.idle) finish(true);
      }),
    isAlive: () => state.alive,
    memory: () => state.memory,
    async kill() {
      killGroup(state);
      await state.exited;
    },
  };
};

const startProcess = (options: ChildOptions): State => {
  const { functions, spool, runner, groups = null } = options;
  const child = fork(modulePath('queue/models/children/main'), [functions, spool, String(process.pid)], {
    env: modelEnvironment(process.env, runner.environment),
    // the heap may grow to the limit; the limit of the process counts everything else as well
    execArgv: [...inheritedOptions(), `--max-old-space-size=${Math.floor(runner.memory / 1024 ** 2)}`],
    serialization: 'advanced',
    // a group of its own, which can be killed with its descendants
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const group = child.pid === undefined ? null : (groups?.add(child.pid, runner.memory) ?? null);
  let errorOutput = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-maxErrorOutput);
  });
  const exited = untilExit(child).then(([code, signal]) => {
    state.alive = false;
    // descendants that outlive it
    killGroup(state);
    const exceededMemory = group?.end() === true || state.exceededMemory;
    return { code, signal, exceededMemory, errorOutput };
  });
  const state: State = {
    process: child,
    options,
    exited,
    group,
    current: null,
    alive: true,
    exceededMemory: false,
    memory: 0,
    idle: false,
    onIdle: () => undefined,
  };
  return state;
};

/** Returns the options of this process without a debugger, which would want the same port. */
const inheritedOptions = (): readonly string[] =>
  process.execArgv.filter((option) => !option.startsWith('--inspect'));

/** Waits for the end of a process, and a little for its output, which descendants may keep open. */
const untilExit = (child: ChildProcess): Promise<readonly [number | null, NodeJS.Signals | null]> =>
  new Promise((resolve) => {
    child.once('error', () => resolve([null, null]));
    child.once('exit', (code, signal) => {
      const timer = setTimeout(() => resolve([code, signal]), outputLimit);
      child.once('close', () => {
        clearTimeout(timer);
        resolve([code, signal]);
      });
    });
  });

const send = ({ process: child }: State, message: ToChild): void => {
  // a failed send is followed by the exit of the process, which ends the run
  if (child.connected) child.send(message, () => undefined);
};

/** Runs on half of its limit or less are followed by another one in the same process. */
const hasMemoryLeft = ({ process: child, options }: State): boolean =>
  residentMemory(child.pid ?? 0) <= options.runner.memory / 2;

/** Returns the resident memory in bytes, and reports it to the run in progress. */
const measureMemory = (state: State): number => {
  const { process: child, current } = state;
  const bytes = residentMemory(child.pid ?? 0);
  state.memory = bytes;
  if (bytes > 0) current?.observer.memory(bytes);
  return bytes;
};

const killGroup = ({ process: { pid }, group }: State): void => {
  group?.kill();
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
};

const endRun = (state: State, end: ChildEnd): void => {
  const { current } = state;
  if (state.alive) measureMemory(state);
  state.current = null;
  current?.resolve(end);
};

const receive = (message: FromChild, state: State): void => {
  const { current } = state;
  if (message.kind === 'idle') {
    // on a busy machine it is read together with the end of the run, before anybody waits for it
    state.idle = true;
    return state.onIdle(true);
  }
  if (message.kind === 'late') return state.options.onLate?.(message);
  if (current === null) return;
  switch (message.kind) {
    case 'started':
      current.started = true;
      return;
    case 'log':
      if (message.skipped > 0) current.observer.skip(message.skipped);
      for (const { message: text, level, time } of message.lines) current.observer.log(text, level, time);
      return;
    case 'progress':
      return current.observer.progress(message.state);
    case 'save':
      return void save(message, current, state);
    default:
      return endRun(state, message);
  }
};

const save = async (
  { call, ...file }: Extract<FromChild, { kind: 'save' }>,
  { observer }: CurrentRun,
  state: State,
): Promise<void> => {
  try {
    send(state, { kind: 'saved', call, file: await observer.save(file) });
  } catch (error) {
    send(state, { kind: 'notSaved', call, message: (error as Error).message });
  }
};
