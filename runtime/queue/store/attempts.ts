/** Stores the attempts to run requests (`svc_request_attempts`), one row each, from start to end. */
import type { Database } from '../../databases/contract.js';
import { findRows, updateRows, type Statements } from '../../execute/system-rows.js';
import type { AttemptOutcome } from '../../observe.js';
import { storable } from './storable.js';

/** An attempt to run a request; numbers begin at 1. */
export interface AttemptId {
  readonly request: string;
  readonly number: number;
}

export interface AttemptEnd extends AttemptId {
  readonly outcome: AttemptOutcome;
  readonly errorType: string | null;
  /** The error, for operators only because message and stack may contain anything. */
  readonly error: Pick<Error, 'name' | 'message' | 'stack'> | null;
  /** Largest resident memory that was measured, in bytes; null if none was. */
  readonly memory: number | null;
  /** Bytes of log lines, and number of files, for quotas. */
  readonly logBytes: number;
  readonly files: number;
}

export interface AttemptStart {
  readonly request: string;
  /** Number of attempts before this one. */
  readonly attempts: number;
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Result of the start of an attempt: `lost` is the number of earlier attempts that had ended with their worker. */
export interface StartedAttempt {
  readonly lost: number;
}

/**
 * Marks a request as running, counts the attempt and records it. Earlier attempts that never ended are marked `lost`.
 * @returns null if the request has already ended
 */
export const startAttempt = (
  database: Database,
  { request, attempts, worker, now }: AttemptStart,
): Promise<StartedAttempt | null> =>
  database.transaction(async (statements) => {
    const { affected } = await statements.write({
      text:
        "update svc_requests set state = 'running', attempts = attempts + 1, started = 1, " +
        "date_begun = coalesce(date_begun, ?) where id = ? and state <> 'ended'",
      values: [now, request],
    });
    if (affected === 0) return null;
    const lost =
      attempts === 0
        ? 0
        : await updateRows(statements, 'svc_request_attempts', {
            set: { outcome: 'lost' satisfies AttemptOutcome, date_ended: now },
            where: { request, outcome: null },
          });
    await statements.write({
      text:
        'insert into svc_request_attempts (request, number, worker, date_begun) ' +
        'select id, attempts, ?, ? from svc_requests where id = ?',
      values: [worker, now, request],
    });
    return { lost };
  });

/** Maximum characters of a stored message, and of a stored stack. */
const maxLength = 16_000;

/** Records the end of an attempt. */
export const endAttempt = async (
  statements: Statements,
  { request, number, outcome, errorType, error, memory, logBytes, files }: AttemptEnd,
  now: number,
): Promise<void> => {
  await updateRows(statements, 'svc_request_attempts', {
    set: {
      outcome,
      error_type: errorType,
      error_name: error === null ? null : storable(error.name).slice(0, 255),
      error_message: error === null ? null : storable(error.message).slice(0, maxLength),
      error_stack: error?.stack === undefined ? null : storable(error.stack).slice(0, maxLength),
      memory,
      date_ended: now,
    },
    where: { request, number },
  });
  if (logBytes === 0 && files === 0) return;
  await statements.write({
    text: 'update svc_requests set log_bytes = log_bytes + ?, files = files + ? where id = ?',
    values: [logBytes, files, request],
  });
};

/** Returns a running request to `admitted` after a failed attempt; it keeps its slot for the next one. */
export const returnToQueue = async (
  statements: Statements,
  { request, number }: AttemptId,
): Promise<void> => {
  await updateRows(statements, 'svc_requests', {
    set: { state: 'admitted' },
    where: { id: request, state: 'running', attempts: number },
  });
};

/** Records an attempt after which the request is run again. */
export const failAttempt = (database: Database, end: AttemptEnd, now: number): Promise<void> =>
  database.transaction(async (statements) => {
    await returnToQueue(statements, end);
    await endAttempt(statements, end, now);
  });

/** Records an attempt whose worker died, after which the request is run again. @returns false if it has ended otherwise */
export const loseAttempt = (database: Database, lost: AttemptId, now: number): Promise<boolean> =>
  database.transaction(async (statements) => {
    await returnToQueue(statements, lost);
    const ended = await updateRows(statements, 'svc_request_attempts', {
      set: { outcome: 'lost' satisfies AttemptOutcome, date_ended: now },
      where: { request: lost.request, number: lost.number, outcome: null },
    });
    return ended > 0;
  });

/** An attempt as it is stored; all times are Unix times in milliseconds. */
export interface StoredAttempt {
  readonly number: number;
  readonly worker: string;
  /** Null while it runs. */
  readonly outcome: string | null;
  readonly errorType: string | null;
  readonly error: { readonly name: string; readonly message: string; readonly stack: string | null } | null;
  readonly memory: number | null;
  readonly begun: number;
  readonly ended: number | null;
}

/** Returns the attempts of a request, first to last. */
export const listRequestAttempts = async (
  statements: Statements,
  request: string,
): Promise<readonly StoredAttempt[]> => {
  const rows = await findRows(statements, 'svc_request_attempts', { where: { request }, order: ['number'] });
  return rows.map((row) => ({
    number: row.number,
    worker: row.worker,
    outcome: row.outcome,
    errorType: row.error_type,
    error:
      row.error_message === null
        ? null
        : { name: row.error_name ?? 'Error', message: row.error_message, stack: row.error_stack },
    memory: row.memory === null ? null : Number(row.memory),
    begun: Number(row.date_begun),
    ended: row.date_ended === null ? null : Number(row.date_ended),
  }));
};
