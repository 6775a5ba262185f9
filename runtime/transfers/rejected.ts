/** Prints the rows that an import did not store, as CSV. */
import type { ApiError } from '../../contract/errors.js';
import { printCsvRow, printHeader } from '../response/export/csv.js';
import type { RowFault } from './source/row.js';

/** Why a row was not stored. */
export interface RowProblem {
  /** Name of the column or field; `null` for the whole row. */
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
}

export interface RejectedRow {
  readonly line: number;
  readonly problems: readonly RowProblem[];
}

export const faultToProblem = ({ column, message }: RowFault): RowProblem => ({
  column,
  code: 'INVALID_PAYLOAD',
  message,
});

export const errorToProblem = ({ code, message, details }: ApiError): RowProblem => {
  const path = Array.isArray(details.path) ? details.path : [];
  const names = [...path, ...(typeof details.field === 'string' ? [details.field] : [])];
  return { column: names.length === 0 ? null : names.join('.'), code, message };
};

const columns = ['line', 'column', 'code', 'error'];
const none: ReadonlySet<string> = new Set();

/** @param isFirst whether the header comes before the rows */
export const printRejected = (rows: readonly RejectedRow[], isFirst: boolean): Buffer => {
  const lines = rows.flatMap(({ line, problems }) =>
    problems.map(({ column, code, message }) => {
      const cells = new Map<string, unknown>([
        ['line', line],
        ['column', column],
        ['code', code],
        ['error', message],
      ]);
      return `${printCsvRow(cells, columns, none)}\n`;
    }),
  );
  return Buffer.from(`${isFirst ? `${printHeader(columns)}\n` : ''}${lines.join('')}`);
};
