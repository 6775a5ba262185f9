/** Stores the actions of operators (`svc_operator_actions`) with their progress. */
import { findRow, findRows, insertRow, updateRows, type Statements } from '../../execute/system-rows.js';
import type { RequestSearch } from './operator-search.js';

/**
 * Actions on requests, each of which may apply to many. They are also in the enum of `spec/operations/operator.yaml`, in
 * `docs/operators.md`, and in the buttons of `http/pages/operator-script.ts` and `operator-views.ts`; the compiler names the rest.
 */
export const bulkActions = ['cancel', 'retry', 'redeliver', 'release'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** Actions on something else, which have ended when they are stored. */
export type ImmediateAction = 'pause' | 'resume' | 'drain';

export interface OperatorAction<Name extends string = BulkAction | ImmediateAction> {
  readonly id: string;
  readonly action: Name;
  /** Requests that it applies to; empty for one on something else. */
  readonly search: RequestSearch;
  readonly reason: string | null;
  /** Id of the operator. */
  readonly user: string | null;
  readonly state: 'running' | 'done' | 'aborted';
  /** Requests that matched when the action began, or what else it applies to. */
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** The first errors. */
  readonly errors: readonly ActionError[];
  /** Id of the last request that was processed. */
  readonly position: string | null;
  /** Unix times in milliseconds. */
  readonly created: number;
  readonly ended: number | null;
}

export interface ActionError {
  readonly request: string;
  readonly message: string;
}

export type NewAction = Pick<
  OperatorAction<BulkAction>,
  'id' | 'action' | 'search' | 'reason' | 'user' | 'total' | 'created'
>;

/**
 * Inserts an action of an operator.
 * @param seen when its process last reported; 0 for an action that another process has to begin
 */
export const insertAction = async (
  statements: Statements,
  action: NewAction,
  seen = action.created,
): Promise<OperatorAction<BulkAction>> => {
  const { search, created, ...row } = action;
  await insertRow(statements, 'svc_operator_actions', {
    ...row,
    filter: JSON.stringify(search),
    state: 'running' satisfies OperatorAction['state'],
    date_created: created,
    date_seen: seen,
  });
  return { ...action, state: 'running', done: 0, failed: 0, errors: [], position: null, ended: null };
};

/** Inserts an action that has ended. */
export const insertEndedAction = async (
  statements: Statements,
  action: Omit<OperatorAction<ImmediateAction>, 'search' | 'state' | 'position' | 'ended'>,
): Promise<OperatorAction> => {
  const { created, errors, ...row } = action;
  await insertRow(statements, 'svc_operator_actions', {
    ...row,
    errors: JSON.stringify(errors),
    filter: '{}',
    state: 'done' satisfies OperatorAction['state'],
    date_created: created,
    date_seen: created,
    date_ended: created,
  });
  return { ...action, search: {}, state: 'done', position: null, ended: created };
};

/** Returns an action with its progress, or null. */
export const findAction = async (statements: Statements, id: string): Promise<OperatorAction | null> => {
  const row = await findRow(statements, 'svc_operator_actions', { where: { id } });
  if (row === undefined) return null;
  const { filter, errors, date_created: created, date_ended: ended, ...rest } = row;
  return {
    ...rest,
    action: row.action as OperatorAction['action'],
    state: row.state as OperatorAction['state'],
    search: JSON.parse(filter) as RequestSearch,
    errors: JSON.parse(errors ?? '[]') as ActionError[],
    created,
    ended,
  };
};

export type Progress = Pick<OperatorAction, 'position' | 'done' | 'failed' | 'errors'>;

/**
 * The right of one process to work on an action. `seen` is the value of `date_seen` (milliseconds since 1970) that it wrote last: a process that
 * takes the action over writes another, after which the claim is void.
 */
export interface ActionClaim {
  readonly id: string;
  readonly seen: number;
}

/**
 * Writes the heartbeat of the process that works on the action, and records its progress.
 * @returns the claim from now on, or null if it is void: another process took the action over, or it has ended
 */
export const renewClaim = async (
  statements: Statements,
  { id, seen }: ActionClaim,
  progress?: Progress,
): Promise<ActionClaim | null> => {
  // the value has to change even where the clock does not advance, as it tells claims apart
  const next = Math.max(Date.now(), seen + 1);
  const changes = progress && { ...progress, errors: JSON.stringify(progress.errors) };
  const set = { ...changes, date_seen: next };
  const where = { id, state: 'running', date_seen: seen } as const;
  return (await updateRows(statements, 'svc_operator_actions', { set, where })) > 0
    ? { id, seen: next }
    : null;
};

/** Ends a running action. @returns false if it had ended */
export const endAction = async (
  statements: Statements,
  id: string,
  state: 'done' | 'aborted',
): Promise<boolean> => {
  const set = { state, date_ended: Date.now() };
  return (await updateRows(statements, 'svc_operator_actions', { set, where: { id, state: 'running' } })) > 0;
};

/**
 * Claims running actions whose processes had no heartbeat since `before` (milliseconds since 1970), save for the ids of
 * `except`, which this process works on. It voids the claims of those processes.
 */
export const claimActions = async (
  statements: Statements,
  { before, except }: { readonly before: number; readonly except: Pick<ReadonlySet<string>, 'has'> },
): Promise<readonly ActionClaim[]> => {
  const where = { state: 'running', date_seen: { below: before } } as const;
  const rows = await findRows(statements, 'svc_operator_actions', { where, columns: ['id', 'date_seen'] });
  const others = rows.filter(({ id }) => !except.has(id));
  const claims = await Promise.all(
    others.map(({ id, date_seen: seen }) => renewClaim(statements, { id, seen })),
  );
  return claims.filter((claim) => claim !== null);
};
