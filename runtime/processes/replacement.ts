/**
 * The part of the supervisor that has new builds served: at once by the processes that run, which load them beside their
 * own, then by new processes that take their places, as modules that were loaded are never freed. A spare process, which
 * has loaded all but the build, checks the schema, makes the builds and takes the next place.
 */
import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding, Instruction, CheckRequest, Ready, Report } from './messages.js';

export interface ReplacementOptions {
  /** The build that is served, and the generation of its schema. */
  readonly directory: string;
  readonly generation: number;
  /** Starts a spare process. */
  startSpare(directory: string): Worker;
  /** Returns the processes that serve requests, without those that are to end. */
  serving(): readonly Worker[];
  /** Returns the same, with those that are draining: they answer their last requests and end. */
  servingOrDraining(): readonly Worker[];
  /** Sets whether a process is started again when it ends. */
  setRestart(child: Worker, restarts: boolean): void;
  /** Has a process end when the clients have gone to others. */
  retire(child: Worker): void;
}

export interface Replacement {
  /** Returns the build that is served. */
  directory(): string;
  /** Returns why the schema as it is now cannot be served; null where it can. */
  failure(): string | null;
  isSpare(child: Worker): boolean;
  /** Starts the spare process. */
  startSpare(): void;
  /** Takes a message of a process. */
  take(child: Worker, report: Report): void;
  stop(): void;
}

/** Milliseconds without a new build after which processes are replaced, so that a series of changes costs one round. */
const settleTime = 2_000;
/** Milliseconds for which a new build is waited for in all processes. */
const serveLimit = 10_000;

/** Creates the replacement of processes when there is a new build. Nothing starts before `startSpare`. */
export const createReplacement = (options: ReplacementOptions): Replacement => {
  const state = createState(options);
  return {
    directory: () => state.directory,
    failure: () => state.failure,
    isSpare: (child) => state.spare?.id === child.id,
    startSpare: () => startSpare(state, options),
    take(child, report) {
      if (report.kind === 'spare') state.loaded.get(child.id)?.();
      if (report.kind === 'check') void answerCheck(child, report, { state, options });
      if (report.kind === 'found') void takeFinding(report, { state, options });
      if (report.kind === 'ready') takeReady(child, report, state);
    },
    stop() {
      state.isStopped = true;
      clearTimeout(state.timer);
    },
  };
};

interface State {
  directory: string;
  generation: number;
  failure: string | null;
  spare: Worker | null;
  /** Resolves when the spare process has loaded everything. */
  isLoaded: Promise<unknown>;
  /** Called by worker id when a spare process has loaded everything. */
  readonly loaded: Map<number, () => void>;
  /** The build with which each process began, by worker id. */
  readonly first: Map<number, string>;
  /** Called by id of the request when the spare process has checked. */
  readonly requested: Map<number, (failure: string | null) => void>;
  lastId: number;
  timer: NodeJS.Timeout | undefined;
  /** Resolves when the processes that were replaced have ended. */
  retired: Promise<unknown>;
  isRotating: boolean;
  isStopped: boolean;
}

const createState = ({ directory, generation }: ReplacementOptions): State => ({
  directory,
  generation,
  failure: null,
  spare: null,
  isLoaded: Promise.resolve(),
  loaded: new Map(),
  first: new Map(),
  requested: new Map(),
  lastId: 0,
  timer: undefined,
  retired: Promise.resolve(),
  isRotating: false,
  isStopped: false,
});

interface Context {
  readonly state: State;
  readonly options: ReplacementOptions;
}

const send = (child: Worker, message: Instruction): void => {
  if (child.isConnected()) child.send(message, () => undefined);
};

const startSpare = (state: State, options: ReplacementOptions): void => {
  if (state.isStopped) return;
  const spare = options.startSpare(state.directory);
  state.spare = spare;
  state.isLoaded = new Promise<void>((resolve) => {
    state.loaded.set(spare.id, resolve);
    spare.once('exit', () => state.loaded.delete(spare.id));
  });
};

/**
 * Calls `use` with the spare process once it has loaded everything, also where another one takes its place meanwhile. It
 * is still the spare process then, which it may not be in a later turn: one that serves does not check.
 */
const withSpare = async <Result>(
  state: State,
  use: (spare: Worker) => Result | Promise<Result>,
): Promise<Result> => {
  for (;;) {
    const { spare, isLoaded } = state;
    const ended = spare === null ? sleep(100) : once(spare, 'exit');
    await Promise.race([isLoaded, ended]);
    if (spare !== null && spare === state.spare && spare.isConnected()) return use(spare);
    await sleep(100);
  }
};

const answerCheck = async (
  child: Worker,
  { id, forced }: CheckRequest,
  { state }: Context,
): Promise<void> => {
  const ask = (): Promise<CheckAnswer> => withSpare(state, (spare) => askSpare(spare, forced, state));
  // another one has taken its place by then
  const checked = (await ask()) ??
    (await ask()) ?? { failure: 'the process that checks the schema has ended' };
  send(child, { kind: 'checked', id, failure: checked.failure });
};

/** The reason for which there is no build of the present schema; absent where the process has ended. */
type CheckAnswer = Pick<Finding, 'failure'> | undefined;

const askSpare = (spare: Worker, forced: boolean, state: State): Promise<CheckAnswer> =>
  new Promise((resolve) => {
    state.lastId += 1;
    const id = state.lastId;
    const answer = (checked: CheckAnswer): void => {
      spare.off('exit', end);
      state.requested.delete(id);
      resolve(checked);
    };
    const end = (): void => answer(undefined);
    spare.once('exit', end);
    state.requested.set(id, (failure) => answer({ failure }));
    send(spare, { kind: 'check', id, forced });
  });

const takeFinding = async (finding: Finding, context: Context): Promise<void> => {
  const { state } = context;
  const { id, failure } = finding;
  await adopt(finding, context);
  if (id !== null) state.requested.get(id)?.(failure);
};

/** Has all processes serve a build; resolves when they do. */
const adopt = async (finding: Finding, { state, options }: Context): Promise<void> => {
  const { directory, failure } = finding;
  // a spare process that has not checked yet knows of none
  const generation = Math.max(finding.generation, state.generation);
  const isNew = directory !== state.directory;
  if (!isNew && failure === state.failure && generation === state.generation) return;
  Object.assign(state, { directory, generation, failure });
  const children = options.servingOrDraining();
  const serving = children.map((child) => untilServing(child, directory));
  for (const child of children) send(child, toServe(state));
  if (isNew) {
    clearTimeout(state.timer);
    state.timer = setTimeout(() => void rotate({ state, options }), settleTime);
  }
  await Promise.race([Promise.all(serving), sleep(serveLimit, undefined, { ref: false })]);
};

const toServe = ({ directory, generation, failure }: State): Instruction => ({
  kind: 'serve',
  directory,
  generation,
  failure,
});

const untilServing = (child: Worker, directory: string): Promise<void> =>
  new Promise((resolve) => {
    const take = (report: Report): void => {
      if (report.kind === 'serving' && report.directory === directory) end();
    };
    const end = (): void => {
      child.off('message', take).off('exit', end);
      resolve();
    };
    child.on('message', take).once('exit', end);
  });

/** A process may have begun with a build that another one has followed meanwhile. */
const takeReady = (child: Worker, { directory, generation }: Ready, state: State): void => {
  state.first.set(child.id, directory);
  child.once('exit', () => state.first.delete(child.id));
  if (directory !== state.directory || generation !== state.generation) send(child, toServe(state));
};

/** Replaces the processes that began with another build, one after the other, when those before them have ended. */
const rotate = async ({ state, options }: Context): Promise<void> => {
  if (state.isRotating) return;
  state.isRotating = true;
  await state.retired;
  const ended: Promise<unknown>[] = [];
  const findFormer = (): Worker | undefined =>
    options.serving().find(({ id }) => state.first.get(id) !== state.directory && state.first.has(id));
  for (let former = findFormer(); former !== undefined && !state.isStopped; former = findFormer()) {
    const next = await withSpare(state, (spare) => {
      startSpare(state, options);
      // until it is ready, nobody misses it
      options.setRestart(spare, false);
      send(spare, toServe(state));
      return spare;
    });
    if (await isReady(next)) {
      options.setRestart(next, true);
      ended.push(once(former, 'exit'));
      options.retire(former);
    } else {
      await sleep(settleTime);
    }
  }
  state.retired = Promise.all(ended);
  state.isRotating = false;
};

/** Resolves to false where the process ends before it serves. */
const isReady = (child: Worker): Promise<boolean> =>
  new Promise((resolve) => {
    child.on('message', ({ kind }: Report) => {
      if (kind === 'ready') resolve(true);
    });
    child.once('exit', () => resolve(false));
  });
