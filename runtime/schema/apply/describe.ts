/** Describes how far an apply has come, for the API and the command. */
import { forbidden } from '../../../contract/errors.js';
import type { Statements } from '../../execute/system-rows.js';
import { findApply, type ApplyRow } from './applies.js';

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
export const toDescription = (row: ApplyRow): DescribedApply => ({
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

/** Describes an apply and its steps. @throws FORBIDDEN where there is no such apply */
export const describeApply = async (id: string, statements: Statements): Promise<DescribedApply> => {
  const row = /^[\da-f-]{36}$/i.test(id) ? await findApply(statements, id) : undefined;
  if (row === undefined) throw forbidden('the apply does not exist');
  return toDescription(row);
};
