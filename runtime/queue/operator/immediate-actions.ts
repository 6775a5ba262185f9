/** Pauses, resumes and drains: actions of operators that have ended when they are answered. */
import type { Statements } from '../../execute/system-rows.js';
import { recordChange, type ActivityEntry } from '../../execute/activity.js';
import { createId } from '../store/ids.js';
import { insertEndedAction, type ActionError, type OperatorAction } from '../store/operator-actions.js';
import { deletePause, insertPause, type PauseTarget } from '../store/pauses.js';
import { drainWorkers } from '../store/workers.js';

/** An action with its subject: the target of a pause, or ids of workers. */
export type ImmediateTask =
  | { readonly action: 'pause' | 'resume'; readonly target: PauseTarget }
  | { readonly action: 'drain'; readonly workers: readonly string[] };

/** Who acts, and why; the user and the client are absent for a command. */
export interface Author extends Pick<ActivityEntry, 'user' | 'client'> {
  readonly reason: string | null;
}

/** Acts, and stores the action and its row of activity. */
export const actAtOnce = async (
  statements: Statements,
  task: ImmediateTask,
  author: Author,
): Promise<OperatorAction> => {
  const { reason, user = null } = author;
  const errors = await perform(statements, task, { reason, user });
  const total = task.action === 'drain' ? task.workers.length : 1;
  const outcome = { total, done: total - errors.length, failed: errors.length, errors };
  const { action } = task;
  await recordAct(statements, { action, item: subjectOf(task) }, author);
  return insertEndedAction(statements, {
    id: createId(),
    action,
    reason,
    user,
    ...outcome,
    created: Date.now(),
  });
};

/** Inserts the row of activity of an action. @param act its item is the id of an action on requests, else what it is about */
export const recordAct = (
  statements: Statements,
  act: Pick<ActivityEntry, 'action' | 'item'>,
  author: Author,
): Promise<void> => recordChange(statements, { ...act, ...author, collection: 'svc_operator_actions' });

const subjectOf = (task: ImmediateTask): string =>
  task.action === 'drain' ? task.workers.join() : `${task.target.kind} ${task.target.name}`;

/** @returns what it could not act on, and why */
const perform = async (
  statements: Statements,
  task: ImmediateTask,
  by: { readonly reason: string | null; readonly user: string | null },
): Promise<readonly ActionError[]> => {
  if (task.action === 'drain') {
    const found = await drainWorkers(statements, task.workers);
    const missing = task.workers.filter((id) => !found.includes(id));
    return missing.map((id) => ({ request: id, message: 'there is no such worker' }));
  }
  if (task.action === 'pause') {
    await insertPause(statements, { ...task.target, ...by, created: Date.now() });
    return [];
  }
  const ended = await deletePause(statements, task.target);
  return ended > 0 ? [] : [{ request: subjectOf(task), message: 'was not paused' }];
};
