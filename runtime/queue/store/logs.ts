/** Stores the log lines of models (`svc_request_logs`), ordered by attempt and number within it. */
import type { LogLevel } from '../../../contract/queue-model.js';
import { findRows, insertRows, listPlaceholders, type Statements } from '../../execute/system-rows.js';
import { storable } from './storable.js';

export interface LogLine {
  readonly request: string;
  /** Number of the attempt that wrote it. */
  readonly attempt: number;
  /** Number of the line within its attempt, from 1. */
  readonly seq: number;
  readonly level: LogLevel;
  readonly message: string;
  /** Unix time in milliseconds. */
  readonly time: number;
}

/** The position of a line in the log of its request; written as `attempt.seq`. */
export type LogCursor = Pick<LogLine, 'attempt' | 'seq'>;

export const logStart: LogCursor = { attempt: 0, seq: -1 };

/** Returns the position as clients send it back: `2.15`. */
export const formatCursor = ({ attempt, seq }: LogCursor): string => `${attempt}.${seq}`;

/** Returns null if the text is not a cursor. */
export const parseCursor = (text: string): LogCursor | null => {
  const found = /^(\d{1,9})\.(\d{1,9})$/.exec(text);
  return found === null ? null : { attempt: Number(found[1]), seq: Number(found[2]) };
};

/** Returns whether one position is behind another. */
export const isAfter = (one: LogCursor, other: LogCursor): boolean =>
  one.attempt > other.attempt || (one.attempt === other.attempt && one.seq > other.seq);

/** Maximum number of lines that are read at a time. */
export const pageSize = 10_000;

/** Inserts lines. @throws the violation of the database where a number is used in its attempt */
export const insertLogs = (statements: Statements, lines: readonly LogLine[]): Promise<void> =>
  insertRows(
    statements,
    'svc_request_logs',
    lines.map(({ time, message, ...line }) => ({ ...line, message: storable(message), date_created: time })),
  );

/** Returns the number of the last stored line of an attempt, 0 if there is none. */
export const lastSeq = async (
  statements: Statements,
  { request, attempt }: Pick<LogLine, 'request' | 'attempt'>,
): Promise<number> => {
  const [row] = await findRows(statements, 'svc_request_logs', {
    where: { request, attempt },
    columns: ['seq'],
    order: ['-seq'],
    limit: 1,
  });
  return row?.seq ?? 0;
};

/** A request, and the last of its lines that is known. */
export interface LogTail {
  readonly request: string;
  readonly after: LogCursor;
}

/** Returns the lines after the known ones of several requests, by request; `limit` in all. */
export const readLogs = async (
  statements: Statements,
  tails: readonly LogTail[],
  limit = pageSize,
): Promise<readonly LogLine[]> => {
  if (tails.length === 0) return [];
  const { values: padded } = listPlaceholders(tails);
  const rows = await statements.query(
    'select request, attempt, seq, level, message, date_created from svc_request_logs where ' +
      padded.map(() => '(request = ? and (attempt > ? or (attempt = ? and seq > ?)))').join(' or ') +
      ` order by request, attempt, seq limit ${limit}`,
    padded.flatMap(({ request, after: { attempt, seq } }) => [request, attempt, attempt, seq]),
  );
  return rows.map((row) => ({
    request: String(row.request),
    attempt: Number(row.attempt),
    seq: Number(row.seq),
    level: row.level as LogLevel,
    message: String(row.message),
    time: Number(row.date_created),
  }));
};
