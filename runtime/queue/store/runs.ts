/** Stores the slots of synchronous runs (`svc_runs`), which their processes extend while they hold or await them. */
import {
  deleteRows,
  findRow,
  findRows,
  insertRow,
  updateRows,
  type Statements,
} from '../../execute/system-rows.js';

export type RunState = 'waiting' | 'running';

export interface StoredRun {
  readonly id: string;
  readonly account: string;
  readonly state: RunState;
  /** Unix time in milliseconds. */
  readonly created: number;
}

export interface NewRun {
  readonly id: string;
  readonly model: string;
  readonly account: string;
  readonly created: number;
  readonly expires: number;
}

/** Inserts a run that waits for a slot until `expires`, a Unix time in milliseconds. */
export const insertRun = (
  statements: Statements,
  { id, model, account, created, expires }: NewRun,
): Promise<void> =>
  insertRow(statements, 'svc_runs', {
    id,
    model,
    account,
    state: 'waiting' satisfies RunState,
    date_created: created,
    date_expires: expires,
  });

/** Returns the runs of a model that have not expired, oldest first. */
export const findRuns = async (
  statements: Statements,
  model: string,
  now: number,
): Promise<readonly StoredRun[]> => {
  const rows = await findRows(statements, 'svc_runs', {
    where: { model, date_expires: { above: now } },
    columns: ['id', 'account', 'state', 'date_created'],
    order: ['date_created', 'id'],
  });
  return rows.map(({ id, account, state, date_created: created }) => ({
    id,
    account,
    state: state as RunState,
    created,
  }));
};

/** Returns whether a run has its slot; false where it waits or is gone. */
export const isRunning = async (statements: Statements, id: string): Promise<boolean> =>
  (await findRow(statements, 'svc_runs', { where: { id }, columns: ['state'] }))?.state === 'running';

/** Gives slots to runs that wait. */
export const startRuns = async (statements: Statements, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await updateRows(statements, 'svc_runs', {
    set: { state: 'running' satisfies RunState },
    where: { id: ids },
  });
};

/** Extends runs to `expires`, a Unix time in milliseconds. */
export const extendRuns = async (
  statements: Statements,
  ids: readonly string[],
  expires: number,
): Promise<void> => {
  await updateRows(statements, 'svc_runs', { set: { date_expires: expires }, where: { id: ids } });
};

/** Frees a slot, or stops waiting for one. */
export const deleteRun = async (statements: Statements, id: string): Promise<void> => {
  await deleteRows(statements, 'svc_runs', { id });
};

/** Deletes runs whose process ended without doing so. */
export const deleteExpiredRuns = (statements: Statements, now: number): Promise<number> =>
  deleteRows(statements, 'svc_runs', { date_expires: { below: now } });
