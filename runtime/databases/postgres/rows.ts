/**
 * Reads rows of PostgreSQL's protocol in text format.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html (DataRow)
 */
import type { RowLayout } from '../contract.js';
import { columnWriter, valueStart } from './columns.js';
import { dateTimeText, postgresType, textToCell } from './values.js';
import {
  compileProgram,
  writeRow,
  type Cursor,
  type RowFormat,
  type RowProgram,
} from '../../execute/row-program.js';
import type { RowCollector } from '../../execute/row-set.js';

export interface Column {
  readonly name: string;
  /** OID of the column's type. */
  readonly oid: number;
}

interface Row extends Cursor {
  readonly columns: readonly Column[];
  column: number;
}

export type PostgresProgram = RowProgram<Row, Column>;

const isNull = ({ source, at }: Row): boolean => source.readInt32BE(at) === -1;

const format: RowFormat<Row, Column> = {
  writerOf: (field, { oid }) => columnWriter(field, oid),
  isNull,
  takeNull(row) {
    row.column += 1;
    if (!isNull(row)) return false;
    row.at += 4;
    return true;
  },
  skipValue(row) {
    valueStart(row);
  },
  readText(row) {
    const start = valueStart(row);
    const text = row.source.toString('utf8', start, row.at);
    const oid = row.columns[row.column - 1]?.oid;
    if (oid === postgresType.bytes) return Buffer.from(text.slice(2), 'hex').toString('latin1');
    return oid === postgresType.timestamptz ? dateTimeText(text) : text;
  },
};

/**
 * Compiles the reader of a result with these columns. The types may be others than last time, where a table
 * was changed.
 */
export const compileRows = (layout: RowLayout, columns: readonly Column[]): PostgresProgram =>
  compileProgram(format, layout, columns);

/** The body of a DataRow message, which begins with the number of columns. */
export interface DataRow {
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
}

const openRow = ({ source, start }: DataRow, columns: readonly Column[]): Row => ({
  source,
  at: start + 2,
  columns,
  column: 0,
});

/** Writes a row into the collector. */
export const writeDataRow = (row: DataRow, program: PostgresProgram, collector: RowCollector): void =>
  writeRow(openRow(row, program.columns), row.end - row.start, { program, collector });

/** Reads a row as an object; inexact numbers are text, booleans are 1 and 0. */
export const readDataRow = (row: DataRow, columns: readonly Column[]): Record<string, unknown> => {
  const cursor = openRow(row, columns);
  return Object.fromEntries(
    columns.map(({ name, oid }) => {
      if (format.takeNull(cursor)) return [name, null];
      const start = valueStart(cursor);
      return [name, textToCell(cursor.source.toString('utf8', start, cursor.at), oid)];
    }),
  );
};
