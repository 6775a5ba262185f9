/** Prints the rows that an import did not store, as CSV. */
import type { ApiError } from '../../contract/errors.js';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SavedFile } from '../../contract/queue-model.js';
import type { RunContext } from '../queue/models/attempt.js';
import type { FileStore } from '../queue/requests/files.js';
import { createId } from '../queue/store/ids.js';
import { rejectedName } from './files.js';
import { plainFields, printCsvRow, printHeader } from '../response/export/csv.js';
import type { Mapping } from './source/payload.js';
import type { RowFault } from './source/row.js';

/** A reason why a row was not stored. */
export interface RowProblem {
  /** Name of the column or field; `null` for the whole row. */
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
}

export interface RejectedRow {
  /** Number of the row in the file, from 1. */
  readonly row: number;
  /** First line of the row, from 1; the rows of JSON may share one. */
  readonly line: number;
  readonly problems: readonly RowProblem[];
}

/** Converts the fault of a row that could not be read. */
export const faultToProblem = ({ column, message }: RowFault): RowProblem => ({
  column,
  code: 'INVALID_PAYLOAD',
  message,
});

/**
 * Converts the error of a row that could not be stored. Its column has the name that the file gives it; fields of nested items
 * have points between their names.
 */
export const errorToProblem = ({ code, message, details }: ApiError, mapping: Mapping): RowProblem => {
  const path = Array.isArray(details.path) ? details.path : [];
  const names = [...path, ...(typeof details.field === 'string' ? [details.field] : [])];
  if (names.length === 0) return { column: null, code, message };
  const field = names.join('.');
  const column = Object.keys(mapping).find((name) => mapping[name] === field) ?? field;
  return { column, code, message };
};

const columns = ['row', 'line', 'column', 'code', 'error'];

const printRejected = (rows: readonly RejectedRow[]): string => {
  const lines = rows.flatMap(({ row, line, problems }) =>
    problems.map(({ column, code, message }) => {
      const cells = new Map<string, unknown>([
        ['row', row],
        ['line', line],
        ['column', column],
        ['code', code],
        ['error', message],
      ]);
      return `${printCsvRow(cells, columns, plainFields)}\n`;
    }),
  );
  return lines.join('');
};

/** The report of one chunk. */
interface Report {
  readonly request: string;
  /** Number of reports before it. */
  readonly index: number;
  readonly files: FileStore;
}

const nameOf = (index: number): string => `rejected-${index}.csv`;

/** Stores the rejected rows of a chunk; a report that an earlier run left with the same number is replaced. */
export const storeReport = async (
  rows: readonly RejectedRow[],
  { request, index, files }: Report,
): Promise<void> => {
  const spooled = createId();
  await mkdir(files.spool, { recursive: true });
  await writeFile(join(files.spool, spooled), printRejected(rows));
  await files.adopt({ request, name: nameOf(index), spooled });
};

/** Joins the reports of a request in one file. */
export const joinReports = async (
  { request, reports }: { readonly request: string; readonly reports: number },
  { files, run }: { readonly files: FileStore; readonly run: Pick<RunContext, 'files'> },
): Promise<SavedFile> => {
  const spooled = createId();
  await mkdir(files.spool, { recursive: true });
  await pipeline(
    async function* () {
      yield `${printHeader(columns)}\n`;
      for (let index = 0; index < reports; index += 1) {
        const report = await files.read(request, nameOf(index));
        if (report === null) throw new Error(`the report ${index} of the rejected rows is gone`);
        yield* report.stream as AsyncIterable<Buffer>;
      }
    },
    createWriteStream(join(files.spool, spooled)),
  );
  return run.files.adopt({ name: rejectedName, contentType: 'text/csv', spooled });
};
