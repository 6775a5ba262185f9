/** Stores the slots of synchronous runs (`svc_runs`), which their processes extend while they hold or await them. */
import { deleteRows, findRow, insertRow, updateRows, type Statements } from '../../execute/system-rows.js';
import { selectFirst, type WaitingAccount } from './waiting-accounts.js';

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
  /** Accounts whose turn comes first, `firstAccounts` of them where so many wait. */
  readonly first: readonly WaitingAccount[];
}

/**
 * Reads in one statement what uses the slots of a model, which synchronous runs wait for one, and whose turn it is; it is
 * read with every slot that is given.
 */
export const readSlotUse = async (statements: Statements, model: string, now: number): Promise<SlotUse> => {
  const rows = await statements.query(
    "select account, count(*) as amount, null as id, 'requests' as state, null as time from svc_requests " +
      "where state in ('admitted', 'running') and model = ? group by account " +
      'union all select account, 0 as amount, id, state, date_created as time from svc_runs ' +
      'where model = ? and date_expires > ? ' +
      `union all select account, tier as amount, null as id, 'listed' as state, turn as time from (${selectFirst}) w`,
    [model, model, now, model],
  );
  const counts = rows.filter(({ state }) => state === 'requests');
  const listed = rows.filter(({ state }) => state === 'listed');
  return {
    running: new Map(counts.map(({ account, amount }) => [String(account), Number(amount)])),
    runs: rows
      .filter(({ id }) => id !== null)
      .map(({ id, account, state, time }) => ({
        id: String(id),
        account: String(account),
        state: state as RunState,
        created: Number(time),
      }))
      .toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1)),
    first: listed
      .map(({ account, amount, time }) => ({
        account: String(account),
        tier: Number(amount),
        turn: Number(time),
      }))
      .toSorted((a, b) => a.tier - b.tier || a.turn - b.turn || (a.account < b.account ? -1 : 1)),
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
