/** Has an apply run by a worker of Temporal, and follows it in the journal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { throwProblems } from '../../../contract/errors.js';
import { findProgress, problemsOf, type ApplyProgress } from './applies.js';
import { unavailable, type ApplyOptions, type ApplyWorkflows } from './options.js';
import { runQueuedApply } from './queued-apply.js';

/** Milliseconds between two reads of the journal: at first, and later. */
const firstInterval = 50;
const longestInterval = 500;
/** Milliseconds. */
const defaultTakeLimit = 10_000;

interface FollowOptions extends ApplyOptions {
  readonly workflows: ApplyWorkflows;
}

/**
 * Resolves when a worker has run an apply; where Temporal does not answer or no worker begins, this process runs it.
 * @throws the problems for which it was refused
 */
export const followWorkflow = async (id: string, options: FollowOptions): Promise<void> => {
  const { workflows, serve = (then) => then() } = options;
  const isStarted = await workflows.start(id).then(
    () => true,
    () => false,
  );
  if (!isStarted || (await waitFor(id, options, isBegun, options.takeLimit ?? defaultTakeLimit)) === null) {
    // a start whose response was lost is harmless: that workflow will find the apply ended
    if (isStarted) await workflows.cancel(id).catch(() => undefined);
    // a worker that begins at this moment has the lock, and is waited for
    await runQueuedApply(id, options);
  }
  const row = await waitFor(id, options, (now) => isOver(now) || now.generation !== null);
  if (row === null || isOver(row)) return endWith(row);
  // this host is one of those that the worker waits for; where it cannot follow, the worker says so
  const ended = async (): Promise<void> => void (await waitFor(id, options, isOver));
  await serve(ended).catch(ended);
  endWith((await findProgress(options.database, id)) ?? null);
};

const isBegun = ({ state }: ApplyProgress): boolean => state !== 'queued';
const isOver = ({ state, date_ended: ended }: ApplyProgress): boolean =>
  ended !== null || state === 'waiting';

/** Resolves with the row once it is as wanted; null where it is not within a limit, or has been deleted. */
const waitFor = async (
  id: string,
  { database, onStep }: FollowOptions,
  isWanted: (row: ApplyProgress) => boolean,
  limit = Infinity,
): Promise<ApplyProgress | null> => {
  const until = performance.now() + limit;
  let shown = '';
  for (let pause = firstInterval; ; pause = Math.min(pause * 1.5, longestInterval)) {
    const row = await findProgress(database, id);
    if (row === undefined) return null;
    const { step, steps, steps_done: done } = row;
    const text = `${done} ${steps} ${step}`;
    if (step !== null && text !== shown)
      onStep?.({ description: step, table: null, sql: '' }, { done: Number(done), steps: Number(steps) });
    shown = text;
    if (isWanted(row)) return row;
    if (performance.now() >= until) return null;
    await sleep(pause);
  }
};

/** @throws the problems for which the apply was refused */
const endWith = (row: ApplyProgress | null): void => {
  if (row?.state === 'done') return;
  if (row !== null) throwProblems(problemsOf(row));
  if (row?.state === 'abandoned') throw unavailable('the apply was abandoned');
  throw new Error(row?.error ?? 'the apply is not in the journal any more');
};
