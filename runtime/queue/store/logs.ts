/** `svc_request_logs`: what models say while they run. */
import type { LogLevel } from '../../../contract/queue-model.js';
import { listOf, type Statements } from './rows.js';

export interface LogLine {
  readonly request: string;
  readonly level: LogLevel;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export interface StoredLine extends LogLine {
  /** Grows with time. */
  readonly number: number;
}

/** Lines kept of one answer. */
const most = 10_000;

export const insertLogs = async (statements: Statements, lines: readonly LogLine[]): Promise<void> => {
  if (lines.length === 0) return;
  await statements.write({
    text:
      'insert into svc_request_logs (request, level, message, date_created) values ' +
      lines.map(() => '(?, ?, ?, ?)').join(', '),
    values: lines.flatMap(({ request, level, message, time }) => [request, level, message, time]),
  });
};

/** Lines of the requests, oldest first, those after `number` only. */
export const readLogs = async (
  statements: Statements,
  requests: readonly string[],
  after = 0,
): Promise<readonly StoredLine[]> => {
  const { places, values } = listOf(requests);
  const rows = await statements.query(
    'select id, request, level, message, date_created from svc_request_logs ' +
      `where request in (${places}) and id > ? order by id limit ${most}`,
    [...values, after],
  );
  return rows.map((row) => ({
    number: Number(row.id),
    request: String(row.request),
    level: String(row.level) as LogLevel,
    message: String(row.message),
    time: Number(row.date_created),
  }));
};
