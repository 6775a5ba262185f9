/**
 * Rows of MySQL's binary protocol. Types of columns come with every result, so a changed table cannot be misread.
 * https://mariadb.com/kb/en/resultset-row/#binary-resultset-row
 */
import type { RowLayout } from '../contract.js';
import { columnWriter } from './columns.js';
import { readText, skipValue, type ColumnType } from './types.js';
import {
  compileProgram,
  writeRow,
  type Cursor,
  type RowFormat,
  type RowProgram,
} from '../../execute/row-program.js';
import type { RowCollector } from '../../execute/row-set.js';

/** The part of a driver packet that is used here. */
export interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
}

/** A place in a row: the next column, and where its bytes begin. */
interface Row extends Cursor {
  readonly columns: readonly ColumnType[];
  column: number;
  /** Where the bits begin that say which columns are null. */
  readonly bitmap: number;
}

export type MysqlProgram = RowProgram<Row, ColumnType>;

const format: RowFormat<Row, ColumnType> = {
  writerOf: columnWriter,
  isNull: (row) => isNull(row, row.column),
  takeNull: (row) => isNull(row, row.column++),
  skipValue: (row) => skipValue(row, row.columns[row.column - 1] as ColumnType),
  readText: (row) => readText(row, row.columns[row.column - 1] as ColumnType),
};

const isNull = ({ source, bitmap }: Row, column: number): boolean =>
  ((source[bitmap + ((column + 2) >> 3)] as number) & (1 << ((column + 2) & 7))) !== 0;

export const compileRows = (layout: RowLayout, columns: readonly ColumnType[]): MysqlProgram =>
  compileProgram(format, layout, columns);

/** Writes one row packet into the collector. */
export const writePacket = (packet: Packet, program: MysqlProgram, collector: RowCollector): void =>
  writeRow(openRow(packet, program.columns), packet.end - packet.offset, { program, collector });

const openRow = ({ buffer, offset }: Packet, columns: readonly ColumnType[]): Row => ({
  source: buffer,
  columns,
  column: 0,
  bitmap: offset + 1,
  at: offset + 1 + ((columns.length + 9) >> 3),
});
