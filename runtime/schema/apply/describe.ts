/** Describes how far an apply has come, for the API and the command. */
import { forbidden } from '../../../contract/errors.js';
import type { Statements } from '../../execute/system-rows.js';
import { findApply, findProgress, lastApplies, type ApplyProgress, type SentDiff } from './applies.js';

export interface DescribedApply {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'abandoned';
  /** Statements of the plan as far as it is known. */
  readonly steps: number;
  readonly steps_done: number;
  /** The statement that runs, or ran last. */
  readonly step: string | null;
  /** The worker of Temporal that runs it, or did. */
  readonly worker: string | null;
  readonly error: string | null;
  readonly started: string;
  readonly ended: string | null;
}

const toTime = (milliseconds: unknown): string => new Date(Number(milliseconds)).toISOString();

/** Returns an apply for people: without its diff. */
const toDescription = (row: ApplyProgress): DescribedApply => ({
  id: row.id,
  state: row.state as DescribedApply['state'],
  steps: Number(row.steps),
  // a step is noted before it runs
  steps_done: Number(row.state === 'done' ? row.steps : row.steps_done),
  step: row.step,
  worker: row.worker,
  error: row.error,
  started: toTime(row.date_started),
  ended: row.date_ended === null ? null : toTime(row.date_ended),
});

const findExisting = async <Row>(
  find: (statements: Statements, id: string) => Promise<Row | undefined>,
  id: string,
  statements: Statements,
): Promise<Row> => {
  const row = /^[\da-f-]{36}$/i.test(id) ? await find(statements, id) : undefined;
  if (row === undefined) throw forbidden('the apply does not exist');
  return row;
};

/** Describes an apply and its steps. @throws FORBIDDEN where there is no such apply */
export const describeApply = async (id: string, statements: Statements): Promise<DescribedApply> =>
  toDescription(await findExisting(findProgress, id, statements));

/** Describes an apply with the difference that was sent. @throws FORBIDDEN where there is no such apply */
export const describeWithDiff = async (
  id: string,
  statements: Statements,
): Promise<DescribedApply & { readonly diff: SentDiff }> => {
  const row = await findExisting(findApply, id, statements);
  return { ...toDescription(row), diff: JSON.parse(row.diff) as SentDiff };
};

/** Describes the last applies, the newest one first. */
export const describeApplies = async (
  statements: Statements,
  limit: number,
): Promise<readonly DescribedApply[]> => (await lastApplies(statements, limit)).map(toDescription);
