/** The journal of applies: a row is committed before the first statement, and says afterwards what became of it. */
import { randomUUID } from 'node:crypto';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { Database } from '../../databases/contract.js';
import { recordChange, type ActivityEntry } from '../../execute/activity.js';
import {
  findRow,
  findRows,
  insertRow,
  updateRows,
  type Statements,
  type SystemRow,
} from '../../execute/system-rows.js';
import type { SchemaDiff } from '../diff/types.js';
import { nextGeneration } from '../version.js';
import type { Snapshot } from '../snapshot/types.js';

export type ApplyRow = SystemRow<'svc_schema_applies'>;

export interface NewApply {
  readonly hash: string;
  readonly diff: SchemaDiff;
  readonly wanted: Snapshot;
  /** True where values may be shortened or converted. */
  readonly acceptLoss: boolean;
  /** Id of the user; `null` for a command. */
  readonly user: string | null;
  /** Client of the request; absent for a command. */
  readonly client?: ActivityEntry['client'];
}

/** The column `diff`: what was sent, as a resumed apply needs it. */
export type SentDiff = SchemaDiff & { readonly accept_loss?: true };

/** Records a requested apply, in `svc_activity` too, whatever becomes of it. Nothing has been changed yet. Returns its id. */
export const queueApply = async (
  database: Pick<Database, 'transaction'>,
  { hash, diff, wanted, acceptLoss, user, client }: NewApply,
): Promise<string> => {
  const id = randomUUID();
  await database.transaction(async (executor) => {
    await insertRow(executor, 'svc_schema_applies', {
      id,
      hash,
      diff: JSON.stringify({ ...diff, ...(acceptLoss && { accept_loss: true }) } satisfies SentDiff),
      wanted: JSON.stringify(wanted),
      state: 'queued',
      user,
      date_started: Date.now(),
    });
    const entry = { action: 'apply', collection: 'svc_schema_applies', item: id };
    await recordChange(executor, { ...entry, user, client });
  });
  return id;
};

/** Records that an apply begins. @param worker that runs it; null for another process */
export const beginApply = async (
  statements: Statements,
  id: string,
  worker: string | null,
): Promise<void> => {
  await updateRows(statements, 'svc_schema_applies', { set: { state: 'running', worker }, where: { id } });
};

/** Records how far an apply has come. */
export const noteStep = async (
  statements: Statements,
  id: string,
  { steps, done, step }: { readonly steps: number; readonly done: number; readonly step: string },
): Promise<void> => {
  const set = { steps, steps_done: done, step: step.slice(0, 255) };
  await updateRows(statements, 'svc_schema_applies', { set, where: { id } });
};

/**
 * Records that the additive phase of an apply has ended: servers that follow no longer use what it drops. Returns the
 * generation of the schema that they then serve.
 */
export const noteExpanded = async (statements: Statements, id: string): Promise<number> => {
  const generation = await nextGeneration(statements);
  await updateRows(statements, 'svc_schema_applies', { set: { generation }, where: { id } });
  return generation;
};

/** Records that an apply waits: for a server that does not follow, or for a person. */
export const noteWaiting = async (
  statements: Statements,
  id: string,
  { reason, error }: { readonly reason: string; readonly error: unknown },
): Promise<void> => {
  await updateRows(statements, 'svc_schema_applies', {
    set: { state: 'waiting', error: reason, problems: printProblems(error) },
    where: { id },
  });
};

type StoredProblem = Pick<ApiError, 'code' | 'details' | 'explanation'>;

const printProblems = (error: unknown): string | null => {
  const problems = error instanceof ApiErrors ? error.problems : error instanceof ApiError ? [error] : [];
  const stored = problems.map(({ code, details, explanation }): StoredProblem => ({
    code,
    details,
    explanation,
  }));
  return stored.length === 0 ? null : JSON.stringify(stored);
};

/** Returns the problems for which an apply was refused. */
export const problemsOf = ({ problems }: Pick<ApplyRow, 'problems'>): readonly ApiError[] =>
  (JSON.parse(problems ?? '[]') as readonly StoredProblem[]).map(
    ({ code, details, explanation }) => new ApiError(code, details, explanation),
  );

/** Records that an apply has ended. One that has ended already stays as it is. */
export const endApply = async (
  statements: Statements,
  id: string,
  { state, error }: { readonly state: 'done' | 'failed' | 'abandoned'; readonly error?: unknown },
): Promise<void> => {
  const message = error === undefined ? null : error instanceof Error ? error.message : String(error);
  await updateRows(statements, 'svc_schema_applies', {
    set: {
      state,
      error: message,
      problems: printProblems(error),
      generation: await nextGeneration(statements),
      date_ended: Date.now(),
    },
    // another process may commit its end right now
    where: { id, state: ['queued', ...openStates] },
  });
};

/** Returns an apply with what was sent, which may be megabytes, or undefined. */
export const findApply = (statements: Statements, id: string): Promise<ApplyRow | undefined> =>
  findRow(statements, 'svc_schema_applies', { where: { id } });

/** Returns how far an apply has come, or undefined. */
export const findProgress = (statements: Statements, id: string): Promise<ApplyProgress | undefined> =>
  findRow(statements, 'svc_schema_applies', { columns: progressColumns, where: { id } });

/** The columns that say how far an apply has come; the others may have megabytes. */
const progressColumns = [
  'id',
  'state',
  'steps',
  'steps_done',
  'step',
  'worker',
  'error',
  'problems',
  'generation',
  'date_started',
  'date_ended',
] as const;

export type ApplyProgress = Pick<ApplyRow, (typeof progressColumns)[number]>;

/** Returns the last applies, the newest one first. */
export const lastApplies = (statements: Statements, limit: number): Promise<readonly ApplyProgress[]> =>
  findRows(statements, 'svc_schema_applies', { columns: progressColumns, order: ['-date_started'], limit });

/** States of applies that have begun and not ended. */
const openStates: readonly string[] = ['running', 'waiting'];

/** Returns the apply that has begun and not ended; nobody runs it where the lock is free. */
export const openApply = (statements: Statements): Promise<ApplyRow | undefined> =>
  findRow(statements, 'svc_schema_applies', { where: { state: openStates }, limit: 1 });

/** Returns the oldest apply that nobody has begun to run, as where the process that received the request has been killed. */
export const queuedApply = (statements: Statements): Promise<ApplyRow | undefined> =>
  findRow(statements, 'svc_schema_applies', {
    where: { state: 'queued' },
    order: ['date_started'],
    limit: 1,
  });

/** Returns the apply that has begun and not ended, if its additive phase has. */
export const expandedApply = (statements: Statements): Promise<ApplyRow | undefined> =>
  findRow(statements, 'svc_schema_applies', {
    where: { state: openStates, generation: { above: 0 } },
    limit: 1,
  });
