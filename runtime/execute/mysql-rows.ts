/**
 * Rows of MySQL's binary protocol written as JSON without becoming JavaScript values first: the innermost loop of
 * the server. Types of columns come with every result, so a changed table cannot be misread.
 * https://mariadb.com/kb/en/resultset-row/#binary-resultset-row
 */
import { joinKey } from '../sql/key.js';
import type { Token } from '../sql/select.js';
import { createLiteral, type ByteWriter, type Literal } from './bytes.js';
import type { RowLayout } from './database.js';
import { columnWriter, type WriteColumn } from './mysql-columns.js';
import { readText, skipValue, type ColumnType, type Cursor } from './mysql-types.js';
import type { RowCollector } from './row-set.js';

/** The part of a driver packet that is used here. */
export interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
}

/** A layout with the types of one result. */
export interface RowProgram {
  readonly columns: readonly ColumnType[];
  readonly keyColumns: number;
  readonly steps: readonly Step[];
  /** Bytes that a row may take beyond six times its own. */
  readonly slack: number;
}

type Step =
  | Exclude<Token, { kind: 'literal' | 'value' }>
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'value'; readonly write: WriteColumn };

/** More than any value that is not text takes. */
const widestValue = 40;

export const compileRows = (
  { tokens, keyColumns }: RowLayout,
  columns: readonly ColumnType[],
): RowProgram => {
  let column = keyColumns;
  let slack = widestValue;
  const steps = tokens.map((token): Step => {
    slack += token.kind === 'literal' ? token.bytes.length : widestValue;
    const type = columns[column] as ColumnType;
    column += columnsOf(token);
    if (token.kind === 'literal') return { kind: 'literal', literal: createLiteral(token.bytes) };
    return token.kind === 'value' ? { kind: 'value', write: columnWriter(token.field, type) } : token;
  });
  return { columns, keyColumns, steps, slack };
};

const columnsOf = (token: Token): number => {
  if (token.kind === 'literal') return 0;
  return token.kind === 'list' || token.kind === 'key' ? token.columns : 1;
};

/** Writes one row packet into the collector. */
export const writePacket = (packet: Packet, program: RowProgram, collector: RowCollector): void => {
  const { columns, steps } = program;
  const { writer } = collector;
  const row = openRow(packet, columns);
  if (program.keyColumns === 0) collector.beginRow();
  else if (!collector.beginChild(readKey(row, program.keyColumns) ?? '')) return;
  writer.reserve((packet.end - packet.offset) * 6 + program.slack);
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] as Step;
    if (step.kind === 'literal') writer.literal(step.literal);
    else if (step.kind === 'value') {
      if (isNull(row)) writeNull(writer);
      else step.write(row, writer);
      row.column += 1;
    } else if (step.kind === 'one') {
      if (isNull(row)) {
        writeNull(writer);
        skip(row, step.skipColumns + 1);
        index += step.skipTokens;
      } else skip(row, 1);
    } else if (step.kind === 'list') collector.hole(step.list, readKey(row, step.columns));
    else writer.text(JSON.stringify(readTexts(row, step.columns).join(',')));
  }
};

/** A place in a row: the next column, and where its bytes begin. */
interface Row extends Cursor {
  readonly columns: readonly ColumnType[];
  column: number;
  /** Where the bits begin that say which columns are null. */
  readonly bitmap: number;
}

const openRow = ({ buffer, offset }: Packet, columns: readonly ColumnType[]): Row => ({
  source: buffer,
  columns,
  column: 0,
  bitmap: offset + 1,
  at: offset + 1 + ((columns.length + 9) >> 3),
});

const isNull = ({ source, bitmap, column }: Row): boolean =>
  ((source[bitmap + ((column + 2) >> 3)] as number) & (1 << ((column + 2) & 7))) !== 0;

const writeNull = (writer: ByteWriter): void => writer.ascii('null');

const skip = (row: Row, count: number): void => {
  for (const last = row.column + count; row.column < last; row.column += 1) {
    if (!isNull(row)) skipValue(row, row.columns[row.column] as ColumnType);
  }
};

/** `null` when a part of it is null: then there is no key. */
const readKey = (row: Row, count: number): string | null => {
  if (count === 1) return readPart(row);
  const texts = readTexts(row, count);
  return texts.includes(null) ? null : joinKey(texts as string[]);
};

const readTexts = (row: Row, count: number): (string | null)[] => {
  const texts: (string | null)[] = [];
  while (texts.length < count) texts.push(readPart(row));
  return texts;
};

const readPart = (row: Row): string | null => {
  const text = isNull(row) ? null : readText(row, row.columns[row.column] as ColumnType);
  row.column += 1;
  return text;
};
