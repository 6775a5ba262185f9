/** Stores which worker processes are alive (`svc_workers`), and finds attempts whose worker is not. */
import {
  deleteRows,
  findRow,
  findRows,
  insertRow,
  updateRows,
  type Statements,
} from '../../execute/system-rows.js';
import type { AttemptId } from './attempts.js';

export interface WorkerRow {
  /** Identity of the process, as in Temporal. */
  readonly id: string;
  readonly version: string;
  readonly roles: readonly string[];
  /** Classes of the models that it runs. */
  readonly classes: readonly string[];
  readonly state: 'running' | 'draining';
  /** Activities in flight. */
  readonly tasks: number;
  /** Unix time in milliseconds, like the one of each beat. */
  readonly started: number;
}

/** Milliseconds between two beats of a worker, and without one until it counts as lost. */
export const beatInterval = 3_000;
export const lostAfter = 12_000;

/** Milliseconds after which the row of a lost worker is deleted. */
const keptFor = 3_600_000;

/** Records that a worker is alive. @returns whether an operator has asked it to drain */
export const beatWorker = async (
  statements: Statements,
  worker: WorkerRow,
  now: number,
): Promise<boolean> => {
  const { id, state, tasks } = worker;
  const set = { state, tasks, date_seen: now };
  if ((await updateRows(statements, 'svc_workers', { set, where: { id } })) === 0) {
    const row = { id, version: worker.version, roles: worker.roles.join(), classes: worker.classes.join() };
    await insertRow(statements, 'svc_workers', { ...row, ...set, date_started: worker.started });
    return false;
  }
  const row = await findRow(statements, 'svc_workers', { where: { id }, columns: ['drain'] });
  return row?.drain === 1;
};

/** Asks workers to take nothing new and to end. @returns the ids of those that exist */
export const drainWorkers = async (
  statements: Statements,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const found = await findRows(statements, 'svc_workers', { where: { id: ids }, columns: ['id'] });
  await updateRows(statements, 'svc_workers', { set: { drain: 1 }, where: { id: ids } });
  return found.map(({ id }) => id);
};

/** Removes a process. @returns 0 where it was removed before, as one that seemed dead */
export const removeWorker = (statements: Statements, id: string): Promise<number> =>
  deleteRows(statements, 'svc_workers', { id });

/** Deletes the rows of workers that were lost long ago. */
export const deleteLostWorkers = (statements: Statements, now: number): Promise<number> =>
  deleteRows(statements, 'svc_workers', { date_seen: { below: now - keptFor } });

/** Returns running attempts whose worker has been silent for `lostAfter`. */
export const findLostAttempts = async (
  statements: Statements,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly (AttemptId & { readonly model: string })[]> => {
  const rows = await statements.query(
    'select r.id as request, r.attempts as attempt, r.model as model from svc_requests r ' +
      'join svc_request_attempts a on a.request = r.id and a.number = r.attempts ' +
      'left join svc_workers w on w.id = a.worker ' +
      "where r.state = 'running' and a.outcome is null and a.date_begun < ? " +
      `and (w.id is null or w.date_seen < ?) limit ${limit}`,
    [now - lostAfter, now - lostAfter],
  );
  return rows.map(({ request, attempt, model }) => ({
    request: String(request),
    number: Number(attempt),
    model: String(model),
  }));
};
