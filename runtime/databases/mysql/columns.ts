/** Writes columns of MySQL's binary protocol as JSON; the writer of a column is chosen once per result. */
import type { Field } from '../../../contract/collection.js';
import { isMasked } from '../../../contract/fields.js';
import type { ByteWriter } from '../../execute/bytes.js';
import { cellToJson } from '../../execute/cells.js';
import { maskedValue } from '../../execute/masked-value.js';
import { byteFormats } from './geometry.js';
import {
  fixedWidth,
  fractionText,
  mysqlType,
  readBigInteger,
  readLength,
  readDateTime,
  readNumber,
  readTime,
  skipValue,
  type ColumnType,
} from './types.js';
import type { Cursor, WriteColumn } from '../../execute/row-program.js';

/**
 * Returns the function that writes a column of a result as JSON; of concealed and hashed fields only
 * asterisks.
 */
export const columnWriter = (field: Field, column: ColumnType): WriteColumn => {
  if (isMasked(field)) return writeMasked(column);
  switch (column.type) {
    case mysqlType.date:
      return writeDate;
    case mysqlType.datetime:
    case mysqlType.timestamp:
      return dateTimeWriter(field, column);
    case mysqlType.time:
      return (cursor, writer) => writer.ascii(`"${readTime(cursor, column)}"`);
    case mysqlType.longlong:
      return integerWriter(field, (cursor) => readBigInteger(cursor, column));
    case mysqlType.bit:
      return field.type === 'binary' ? writeBase64 : integerWriter(field, readBits);
    default:
      return fixedWidth(column) === 0 ? bytesWriter(field, column) : numberWriter(field, column);
  }
};

const isNumber = ({ type }: Field): boolean => type === 'integer' || type === 'float';

const writeMasked =
  (column: ColumnType): WriteColumn =>
  (cursor, writer) => {
    skipValue(cursor, column);
    writer.ascii(maskedValue);
  };

const numberWriter = (field: Field, column: ColumnType): WriteColumn => {
  if (field.type === 'boolean') {
    return (cursor, writer) => writer.ascii(readNumber(cursor, column) === 0 ? 'false' : 'true');
  }
  const isLong = column.type === mysqlType.long && !column.unsigned;
  if (!isNumber(field) && isLong) return quoteLong;
  if (!isNumber(field)) return (cursor, writer) => writer.ascii(`"${readNumber(cursor, column)}"`);
  if (isLong) return writeLong;
  return column.type === mysqlType.float || column.type === mysqlType.double
    ? (cursor, writer) => writer.ascii(String(readNumber(cursor, column)))
    : (cursor, writer) => writer.integer(readNumber(cursor, column));
};

/** Writes a 32-bit integer; inlined because it is the most frequent type. */
const writeLong: WriteColumn = (cursor, writer) => {
  const { source, at } = cursor;
  cursor.at += 4;
  writer.integer(
    (source[at] as number) |
      ((source[at + 1] as number) << 8) |
      ((source[at + 2] as number) << 16) |
      ((source[at + 3] as number) << 24),
  );
};

/** Writes a 32-bit integer as a string, for GraphQL ids. */
const quoteLong: WriteColumn = (cursor, writer) => {
  writer.byte(quote);
  writeLong(cursor, writer);
  writer.byte(quote);
};

const quote = 0x22;

const integerWriter = (field: Field, read: (cursor: Cursor) => bigint): WriteColumn => {
  if (field.type === 'boolean')
    return (cursor, writer) => writer.ascii(read(cursor) === 0n ? 'false' : 'true');
  if (isNumber(field)) return (cursor, writer) => writer.ascii(read(cursor).toString());
  return (cursor, writer) => writer.ascii(`"${read(cursor)}"`);
};

/** Reads a BIT value, which is big-endian. */
const readBits = (cursor: Cursor): bigint => {
  const length = readLength(cursor);
  let value = 0n;
  for (let count = 0; count < length; count += 1)
    value = (value << 8n) | BigInt(cursor.source[cursor.at++] as number);
  return value;
};

const bytesWriter = (field: Field, { binary }: ColumnType): WriteColumn => {
  const format = byteFormats[field.type];
  if (format !== undefined) return jsonWriter(format.toJson);
  switch (field.type) {
    case 'json':
      // a JSON column contains valid JSON, so its bytes are copied
      return field.dbType === undefined ? writeBytes : textWriter(field);
    case 'integer':
    case 'float':
      return writeBytes;
    case 'decimal':
    case 'bigInteger':
      return writeQuoted;
    case 'binary':
      return writeBase64;
    case 'csv':
    case 'boolean':
    case 'date':
    case 'time':
    case 'dateTime':
    case 'timestamp':
      return textWriter(field);
    case 'unknown':
      return binary ? writeBase64 : writeString;
    default:
      return writeString;
  }
};

/** Returns a writer of values that are stored as text but have another type. */
const textWriter = (field: Field): WriteColumn => {
  const toJson = cellToJson(field);
  return (cursor, writer) => writer.text(toJson(readString(cursor)));
};

/** Returns a writer of values that are bytes in a format of the database. */
const jsonWriter =
  (toJson: (bytes: Buffer) => string): WriteColumn =>
  (cursor, writer) => {
    const length = readLength(cursor);
    cursor.at += length;
    writer.text(toJson(cursor.source.subarray(cursor.at - length, cursor.at)));
  };

const writeString: WriteColumn = (cursor, writer) => {
  const length = readLength(cursor);
  const start = cursor.at;
  cursor.at = start + length;
  writer.string(cursor.source, start, start + length);
};

const writeBytes: WriteColumn = (cursor, writer) => {
  const length = readLength(cursor);
  const start = cursor.at;
  cursor.at = start + length;
  writer.copy(cursor.source, start, start + length);
};

const writeQuoted: WriteColumn = (cursor, writer) => {
  writer.byte(0x22);
  writeBytes(cursor, writer);
  writer.byte(0x22);
};

const readString = (cursor: Cursor, encoding: 'utf8' | 'base64' = 'utf8'): string => {
  const length = readLength(cursor);
  cursor.at += length;
  return cursor.source.toString(encoding, cursor.at - length, cursor.at);
};

const writeBase64: WriteColumn = (cursor, writer) => writer.text(`"${readString(cursor, 'base64')}"`);

const writeDate: WriteColumn = (cursor, writer) => {
  const [year, month, day] = readDateTime(cursor);
  writer.byte(0x22);
  writeYearMonthDay(writer, [year, month, day]);
  writer.byte(0x22);
};

const writeYearMonthDay = (
  writer: ByteWriter,
  [year, month, day]: readonly [number, number, number],
): void => {
  writer.twoDigits(Math.floor(year / 100));
  writer.twoDigits(year % 100);
  writer.byte(0x2d);
  writer.twoDigits(month);
  writer.byte(0x2d);
  writer.twoDigits(day);
};

const dateTimeWriter =
  ({ type }: Field, { decimals }: ColumnType): WriteColumn =>
  (cursor, writer) => {
    const [year, month, day, hour, minute, second, micros] = readDateTime(cursor);
    writer.byte(0x22);
    writeYearMonthDay(writer, [year, month, day]);
    writer.byte(0x54);
    writeTimeOfDay(writer, [hour, minute, second]);
    writer.ascii(fractionText(micros, decimals));
    if (type === 'timestamp') writer.byte(0x5a);
    writer.byte(0x22);
  };

const writeTimeOfDay = (
  writer: ByteWriter,
  [hour, minute, second]: readonly [number, number, number],
): void => {
  writer.twoDigits(hour);
  writer.byte(0x3a);
  writer.twoDigits(minute);
  writer.byte(0x3a);
  writer.twoDigits(second);
};
