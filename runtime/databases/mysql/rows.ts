/**
 * Reads rows of MySQL's binary protocol. Every result contains its column types, so a changed table is read correctly.
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

/** The fields of a driver packet that are used here. */
export interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
}

/** A cursor in a row: the next column and the position of its bytes. */
interface Row extends Cursor {
  readonly columns: readonly ColumnType[];
  column: number;
  /** Position of the null bitmap. */
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

/**
 * Compiles the reader of a result with these columns. The types may be others than last time, where a table
 * was changed.
 */
export const compileRows = (layout: RowLayout, columns: readonly ColumnType[]): MysqlProgram =>
  compileProgram(format, layout, columns);

/** Writes a row packet into the collector. */
export const writePacket = (packet: Packet, program: MysqlProgram, collector: RowCollector): void =>
  writeRow(openRow(packet, program.columns), packet.end - packet.offset, { program, collector });

const openRow = ({ buffer, offset }: Packet, columns: readonly ColumnType[]): Row => ({
  source: buffer,
  columns,
  column: 0,
  bitmap: offset + 1,
  at: offset + 1 + ((columns.length + 9) >> 3),
});
