/** Stores the slots of synchronous runs (`svc_runs`), which their processes extend while they hold or await them. */
import { deleteRows, findRow, insertRow, updateRows, type Statements } from '../../execute/system-rows.js';

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

export interface SlotUse {
  /** Running requests by account, those that are about to run included. */
  readonly running: Map<string, number>;
  /** Runs that have not expired, oldest first. */
  readonly runs: readonly StoredRun[];
}

/** Reads in one statement what uses the slots of a model, and which synchronous runs wait for one. */
export const readSlotUse = async (statements: Statements, model: string, now: number): Promise<SlotUse> => {
  const rows = await statements.query(
    'select account, count(*) as requests, null as id, null as state, null as date_created from svc_requests ' +
      "where state in ('admitted', 'running') and model = ? group by account " +
      'union all select account, 0 as requests, id, state, date_created from svc_runs ' +
      'where model = ? and date_expires > ?',
    [model, model, now],
  );
  const runs = rows.filter(({ id }) => id !== null);
  const counts = rows.filter(({ id }) => id === null);
  return {
    running: new Map(counts.map(({ account, requests }) => [String(account), Number(requests)])),
    runs: runs
      .map(({ id, account, state, date_created: created }) => ({
        id: String(id),
        account: String(account),
        state: state as RunState,
        created: Number(created),
      }))
      .toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1)),
  };
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
