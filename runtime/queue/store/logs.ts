/** Stores the log lines of models (`svc_request_logs`). */
import type { LogLevel } from '../../../contract/queue-model.js';
import { findRows, insertRows, type Statements } from '../../execute/system-rows.js';

export interface LogLine {
  readonly request: string;
  readonly level: LogLevel;
  readonly message: string;
  /** Unix time in milliseconds. */
  readonly time: number;
}

export interface StoredLogLine extends LogLine {
  /** Sequence number, which increases with time. */
  readonly number: number;
}

/** Maximum number of lines in a response. */
const maxLines = 10_000;

export const insertLogs = (statements: Statements, lines: readonly LogLine[]): Promise<void> =>
  insertRows(
    statements,
    'svc_request_logs',
    lines.map(({ request, level, message, time }) => ({ request, level, message, date_created: time })),
  );

/** Returns the log lines of requests with a sequence number above `after`, oldest first. */
export const readLogs = async (
  statements: Statements,
  requests: readonly string[],
  after = 0,
): Promise<readonly StoredLogLine[]> => {
  const rows = await findRows(statements, 'svc_request_logs', {
    where: { request: requests, id: { above: after } },
    order: ['id'],
    limit: maxLines,
  });
  return rows.map(({ id, request, level, message, date_created }) => ({
    number: id,
    request,
    level: level as LogLevel,
    message,
    time: date_created,
  }));
};
