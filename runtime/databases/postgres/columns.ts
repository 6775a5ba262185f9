/** Writes columns of PostgreSQL's text format as JSON; the writer of a column is chosen once per statement. */
import type { Field } from '../../../contract/collection.js';
import { isMasked } from '../../../contract/fields.js';
import type { ByteWriter } from '../../execute/bytes.js';
import { cellToJson } from '../../execute/cells.js';
import { maskedValue } from '../../execute/masked-value.js';
import { arrayToJson, separatorOf } from './arrays.js';
import { dateTimeText, postgresType, textToCell } from './values.js';
import type { Cursor, WriteColumn } from '../../execute/row-program.js';

/** Moves the cursor behind a value with its length prefix. @returns the start of the value */
export const valueStart = (cursor: Cursor): number => {
  const start = cursor.at + 4;
  cursor.at = start + cursor.source.readInt32BE(cursor.at);
  return start;
};

/** Returns the writer of a column. @param oid OID of the column's type */
export const columnWriter = (field: Field, oid: number): WriteColumn => {
  if (isMasked(field)) return writeMasked;
  switch (oid) {
    case postgresType.boolean:
      return field.type === 'boolean' ? writeBoolean : writeString;
    case postgresType.smallint:
    case postgresType.integer:
      if (field.type === 'integer') return writeBytes;
      return field.type === 'bigInteger' ? writeQuoted : cellWriter(field, oid);
    case postgresType.bigint:
      return field.type === 'bigInteger' ? writeQuoted : cellWriter(field, oid);
    case postgresType.real:
    case postgresType.double:
      return field.type === 'float' ? writeFloat : cellWriter(field, oid);
    case postgresType.json:
    case postgresType.jsonb:
      return field.type === 'json' ? writeBytes : writeString;
    case postgresType.date:
    case postgresType.timestamp:
    case postgresType.timestamptz:
      return dateTimeWriter(field);
    case postgresType.bytes:
    case postgresType.character:
      return cellWriter(field, oid);
    default:
      return textWriter(field, oid);
  }
};

const writeMasked: WriteColumn = (cursor, writer) => {
  valueStart(cursor);
  writer.ascii(maskedValue);
};

const letterT = 0x74;

const writeBoolean: WriteColumn = (cursor, writer) =>
  writer.ascii(cursor.source[valueStart(cursor)] === letterT ? 'true' : 'false');

const writeBytes: WriteColumn = (cursor, writer) => {
  const start = valueStart(cursor);
  writer.copy(cursor.source, start, cursor.at);
};

const quote = 0x22;

const writeQuoted: WriteColumn = (cursor, writer) => {
  writer.byte(quote);
  writeBytes(cursor, writer);
  writer.byte(quote);
};

const writeString: WriteColumn = (cursor, writer) => {
  const start = valueStart(cursor);
  writer.string(cursor.source, start, cursor.at);
};

/** Writes a number, but `NaN` and `Infinity` as strings. */
const writeFloat: WriteColumn = (cursor, writer) => {
  const { source, at } = cursor;
  const last = source[at + 3 + source.readInt32BE(at)] as number;
  if (last >= 0x30 && last <= 0x39) writeBytes(cursor, writer);
  else writeQuoted(cursor, writer);
};

/** Returns a writer that converts the value instead of copying its bytes. */
const cellWriter = (field: Field, oid: number): WriteColumn => {
  const toJson = cellToJson(field);
  return (cursor, writer) => writer.text(toJson(textToCell(readString(cursor), oid)));
};

const readString = (cursor: Cursor): string => {
  const start = valueStart(cursor);
  return cursor.source.toString('utf8', start, cursor.at);
};

/** Length of `YYYY-MM-DD`. */
const dateLength = 10;
const zoneLength = '+00'.length;
const letterZ = 0x5a;

/** Returns a writer that copies dates with a four-digit year and converts others, such as `infinity` and BC dates. */
const dateTimeWriter = (field: Field): WriteColumn => {
  const toJson = cellToJson(field);
  const convert: WriteColumn = (cursor, writer) => writer.text(toJson(dateTimeText(readString(cursor))));
  if (field.type === 'date')
    return (cursor, writer) => (isPlainForm(cursor) ? writeQuoted : convert)(cursor, writer);
  if (field.type !== 'dateTime' && field.type !== 'timestamp') return convert;
  const fraction = field.fraction ?? 0;
  return (cursor, writer) => {
    if (!isPlainForm(cursor)) return convert(cursor, writer);
    const { source } = cursor;
    const start = valueStart(cursor);
    const hasZone = source[cursor.at - zoneLength] === 0x2b;
    const end = hasZone ? cursor.at - zoneLength : cursor.at;
    writer.byte(quote);
    writer.copy(source, start, start + dateLength);
    writer.byte(0x54);
    writer.copy(source, start + dateLength + 1, end);
    writeZeros(writer, end - start - dateTimeLength, fraction);
    if (field.type === 'timestamp') writer.byte(letterZ);
    writer.byte(quote);
  };
};

/** Length of `YYYY-MM-DD HH:MM:SS`. */
const dateTimeLength = 19;

const isPlainForm = ({ source, at }: Cursor): boolean =>
  source[at + 4 + 4] === 0x2d && source[at + 3 + source.readInt32BE(at)] !== 0x43;

/**
 * Writes the trailing zeros of a fraction, which the database omits.
 * @param written length of the fraction in the value, including its point
 */
const writeZeros = (writer: ByteWriter, written: number, fraction: number): void => {
  if (fraction === 0 || fraction === 6) return;
  if (written === 0) writer.byte(0x2e);
  for (let digits = Math.max(0, written - 1); digits < fraction; digits += 1) writer.byte(0x30);
};

const textWriter = (field: Field, oid: number): WriteColumn => {
  switch (field.type) {
    case 'decimal':
    case 'bigInteger':
    case 'uuid':
      return writeQuoted;
    case 'integer':
    case 'float':
    case 'boolean':
    case 'csv':
    case 'time':
    case 'dateTime':
    case 'timestamp':
      return cellWriter(field, oid);
    case 'json':
      return jsonWriter(field);
    default:
      return writeString;
  }
};

/** Returns the writer of arrays and of text declared as JSON. */
const jsonWriter = (field: Field): WriteColumn => {
  const toJson =
    field.element === undefined ? cellToJson(field) : arrayToJson(field.element, separatorOf(field));
  return (cursor, writer) => writer.text(toJson(readString(cursor)));
};
