/**
 * Writes rows as JSON directly from the bytes of the protocol, without intermediate JavaScript values: the
 * innermost loop of the server. The steps for each column are chosen once per statement, by the tokens of its
 * select and the types of the columns.
 */
import type { Field } from '../../contract/collection.js';
import { joinKey, showKey } from '../sql/key.js';
import type { Token } from '../sql/select.js';
import { countEscapes, createLiteral, type ByteWriter, type Literal } from './bytes.js';
import type { RowLayout } from '../databases/contract.js';
import type { RowCollector } from './row-set.js';

/** The position of the next value; readers advance it past the value. */
export interface Cursor {
  readonly source: Buffer;
  at: number;
}

/** Writes the non-null value at the cursor and advances past it. Space is reserved before. */
export type WriteColumn = (cursor: Cursor, writer: ByteWriter) => void;

/** Reads the rows of one database protocol. */
export interface RowFormat<Row extends Cursor, Column> {
  writerOf(field: Field, column: Column): WriteColumn;
  /** Returns whether the next value is null, and advances past it if so. Called once per value. */
  takeNull(row: Row): boolean;
  /** Returns whether the next value is null, without advancing. */
  isNull(row: Row): boolean;
  /** Advances past a non-null value. */
  skipValue(row: Row): void;
  /** Reads a non-null value as the text of a key. */
  readText(row: Row): string;
}

/** A row layout compiled for the column types of one result. */
export interface RowProgram<Row extends Cursor, Column> {
  readonly format: RowFormat<Row, Column>;
  readonly tokens: readonly Token[];
  readonly columns: readonly Column[];
  readonly keyColumns: number;
  readonly steps: readonly Step[];
  /** Bytes of output that a row may take beyond six times its input. */
  readonly slack: number;
}

type Step =
  | Exclude<Token, { kind: 'literal' | 'value' }>
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'value'; readonly write: WriteColumn };

/** More bytes than any value takes that is not text. */
const widestValue = 40;

/**
 * Compiles the steps that write a row. The first `keyColumns` columns are the key of its parent and not part
 * of the JSON.
 */
export const compileProgram = <Row extends Cursor, Column>(
  format: RowFormat<Row, Column>,
  { tokens, keyColumns }: RowLayout,
  columns: readonly Column[],
): RowProgram<Row, Column> => {
  let column = keyColumns;
  let slack = widestValue;
  const steps = tokens.map((token): Step => {
    slack += token.kind === 'literal' ? token.bytes.length : widestValue;
    const type = columns[column] as Column;
    column += columnsOf(token);
    if (token.kind === 'literal') return { kind: 'literal', literal: createLiteral(token.bytes) };
    return token.kind === 'value' ? { kind: 'value', write: format.writerOf(token.field, type) } : token;
  });
  return { format, tokens, columns, keyColumns, steps, slack };
};

const columnsOf = (token: Token): number => {
  if (token.kind === 'literal' || token.kind === 'end') return 0;
  if (token.kind === 'one') return token.isShared ? 0 : 1;
  if (token.kind === 'key') return token.fields.length;
  if (token.kind === 'any') return 2;
  return token.kind === 'value' ? 1 : token.columns;
};

/** Writes one row of `size` bytes to the collector. */
export const writeRow = <Row extends Cursor, Column>(
  row: Row,
  size: number,
  { program, collector }: { readonly program: RowProgram<Row, Column>; readonly collector: RowCollector },
): void => {
  const { format, steps, keyColumns } = program;
  const { writer } = collector;
  const isKept =
    keyColumns === 0 ? collector.beginRow() : collector.beginChild(readKey(row, format, keyColumns) ?? '');
  if (!isKept) return;
  writer.reserve(maxOutput(row, size) + program.slack);
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] as Step;
    if (step.kind === 'literal') writer.literal(step.literal);
    else if (step.kind === 'value') {
      if (format.takeNull(row)) writeNull(writer);
      else step.write(row, writer);
    } else if (step.kind === 'one') {
      if (step.isShared ? format.isNull(row) : format.takeNull(row)) {
        writeNull(writer);
        skip(row, format, step.skipColumns);
        index += step.skipTokens;
      } else if (!step.isShared) format.skipValue(row);
    } else if (step.kind === 'end') collector.endRow();
    else if (step.kind === 'list') collector.addSlot(step.list, readKey(row, format, step.columns));
    else if (step.kind === 'any') writeAny(step, row, { format, collector });
    else writer.text(shownKey(readTexts(row, format, step.fields.length), step.fields));
  }
};

/** Rows up to this size are assumed to need escapes everywhere, rather than counted. */
const smallRow = 16 * 1024;

/** Returns the maximum number of bytes that the text of a row takes in JSON: base64 takes a third more, an escape five. */
const maxOutput = ({ source, at }: Cursor, size: number): number =>
  size <= smallRow ? size * 6 : Math.ceil(size / 3) * 4 + countEscapes(source, at, at + size) * 5;

/** Formats a composite key; it is hidden where every part is null. */
const shownKey = (texts: readonly (string | null)[], fields: readonly Field[]): string =>
  texts.every((text) => text === null) ? 'null' : JSON.stringify(showKey(texts, fields));

const writeNull = (writer: ByteWriter): void => writer.ascii('null');

const writeAny = <Row extends Cursor>(
  { lists }: Extract<Token, { kind: 'any' }>,
  row: Row,
  { format, collector }: { readonly format: Format<Row>; readonly collector: RowCollector },
): void => {
  const name = readPart(row, format);
  const key = readPart(row, format);
  const list = lists.get(name ?? '');
  if (list === undefined || key === null) writeNull(collector.writer);
  else collector.addSlot(list, key);
};

type Format<Row extends Cursor> = Pick<RowFormat<Row, never>, 'takeNull' | 'skipValue' | 'readText'>;

const skip = <Row extends Cursor>(row: Row, format: Format<Row>, count: number): void => {
  for (let rest = count; rest > 0; rest -= 1) if (!format.takeNull(row)) format.skipValue(row);
};

/** Reads the parts of a key as one text, or null where a part is null. */
const readKey = <Row extends Cursor>(row: Row, format: Format<Row>, count: number): string | null => {
  if (count === 1) return readPart(row, format);
  const texts = readTexts(row, format, count);
  return texts.includes(null) ? null : joinKey(texts as string[]);
};

const readTexts = <Row extends Cursor>(row: Row, format: Format<Row>, count: number): (string | null)[] => {
  const texts: (string | null)[] = [];
  while (texts.length < count) texts.push(readPart(row, format));
  return texts;
};

const readPart = <Row extends Cursor>(row: Row, format: Format<Row>): string | null =>
  format.takeNull(row) ? null : format.readText(row);
