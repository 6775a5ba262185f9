/** Column types of MySQL's binary protocol and the decoding of their values. */
import type { Packet } from './rows.js';
import type { Cursor } from '../../execute/row-program.js';

export interface ColumnType {
  readonly type: number;
  readonly unsigned: boolean;
  /** Number of fractional digits; 31 or more if it varies. */
  readonly decimals: number;
  /** True where the value is binary rather than text. */
  readonly binary: boolean;
}

/** https://mariadb.com/kb/en/result-set-packets/#field-types */
export const mysqlType = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  bit: 16,
} as const;

const unsignedFlag = 0x20;
const binaryCharset = 63;

/** Reads a column definition from its end: charset 2, length 4, type 1, flags 2, decimals 1, filler 2 bytes. */
export const readColumnType = ({ buffer, end }: Packet): ColumnType => ({
  type: buffer[end - 6] as number,
  unsigned: ((buffer[end - 5] as number) & unsignedFlag) !== 0,
  decimals: buffer[end - 3] as number,
  binary: buffer.readUInt16LE(end - 12) === binaryCharset,
});

const widths = new Uint8Array(256);
widths[mysqlType.tiny] = 1;
widths[mysqlType.short] = 2;
widths[mysqlType.year] = 2;
widths[mysqlType.long] = 4;
widths[mysqlType.int24] = 4;
widths[mysqlType.float] = 4;
widths[mysqlType.longlong] = 8;
widths[mysqlType.double] = 8;

/** Returns the bytes of a value of fixed width, or 0 if a length precedes the value. */
export const fixedWidth = ({ type }: ColumnType): number => widths[type] as number;

/** Moves the cursor behind a value that is not null. */
export const skipValue = (cursor: Cursor, column: ColumnType): void => {
  const length = fixedWidth(column) || readLength(cursor);
  cursor.at += length;
};

/** Reads the length that precedes a value and moves the cursor to the value. */
export const readLength = (cursor: Cursor): number => {
  const { source } = cursor;
  const first = source[cursor.at++] as number;
  if (first < 0xfb) return first;
  const bytes = first === 0xfc ? 2 : first === 0xfd ? 3 : 6;
  const length = source.readUIntLE(cursor.at, bytes);
  cursor.at += first === 0xfe ? 8 : bytes;
  return length;
};

/** Reads an integer of up to 32 bits or a floating-point number. */
export const readNumber = (cursor: Cursor, { type, unsigned }: ColumnType): number => {
  const { source, at } = cursor;
  switch (type) {
    case mysqlType.tiny:
      cursor.at += 1;
      return unsigned ? (source[at] as number) : source.readInt8(at);
    case mysqlType.short:
      cursor.at += 2;
      return unsigned ? source.readUInt16LE(at) : source.readInt16LE(at);
    case mysqlType.year:
      cursor.at += 2;
      return source.readUInt16LE(at);
    case mysqlType.float:
      cursor.at += 4;
      return shortestSingle(source.readFloatLE(at));
    case mysqlType.double:
      cursor.at += 8;
      return source.readDoubleLE(at);
    default:
      cursor.at += 4;
      return unsigned ? source.readUInt32LE(at) : source.readInt32LE(at);
  }
};

/** Returns the shortest decimal that rounds to the same 4-byte float: 0.1 rather than 0.10000000149011612. */
export const shortestSingle = (value: number): number => {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
};

/** Reads eight bytes. Values beyond 2^53 stay exact. */
export const readBigInteger = (cursor: Cursor, { unsigned }: ColumnType): bigint => {
  const { source, at } = cursor;
  cursor.at += 8;
  return unsigned ? source.readBigUInt64LE(at) : source.readBigInt64LE(at);
};

/** Reads any value as text, for keys; bytes are decoded as latin1. */
export const readText = (cursor: Cursor, column: ColumnType): string => {
  switch (column.type) {
    case mysqlType.longlong:
      return readBigInteger(cursor, column).toString();
    case mysqlType.date:
      return dateToText(readDateTime(cursor));
    case mysqlType.datetime:
    case mysqlType.timestamp:
      return dateTimeToText(readDateTime(cursor));
    case mysqlType.time:
      return readTime(cursor, column);
    default: {
      if (fixedWidth(column) !== 0) return String(readNumber(cursor, column));
      const length = readLength(cursor);
      cursor.at += length;
      return cursor.source.toString(column.binary ? 'latin1' : 'utf8', cursor.at - length, cursor.at);
    }
  }
};

/** Year, month, day, hour, minute, second, microseconds; parts missing in the packet are 0. */
export type DateTime = readonly [number, number, number, number, number, number, number];

/**
 * Reads year, month, day, hours, minutes, seconds and microseconds. The server leaves out those at the end
 * that are 0.
 */
export const readDateTime = (cursor: Cursor): DateTime => {
  const { source } = cursor;
  const length = source[cursor.at] as number;
  const at = cursor.at + 1;
  cursor.at = at + length;
  const part = (index: number): number => (index < length ? (source[at + index] as number) : 0);
  const micros = length > 7 ? source.readUInt32LE(at + 7) : 0;
  return [part(0) + part(1) * 256, part(2), part(3), part(4), part(5), part(6), micros];
};

const padTwo = (value: number): string => String(value).padStart(2, '0');

const dateToText = ([year, month, day]: DateTime): string =>
  `${String(year).padStart(4, '0')}-${padTwo(month)}-${padTwo(day)}`;

const dateTimeToText = (moment: DateTime): string => {
  const [, , , hour, minute, second, micros] = moment;
  const clock = `${padTwo(hour)}:${padTwo(minute)}:${padTwo(second)}`;
  return `${dateToText(moment)} ${clock}${micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`}`;
};

/**
 * Reads a TIME, which may be negative or longer than a day: sign 1, days 4, hours, minutes and seconds 1 each,
 * microseconds 4 bytes.
 */
export const readTime = (cursor: Cursor, { decimals }: ColumnType): string => {
  const { source } = cursor;
  const length = source[cursor.at] as number;
  const at = cursor.at + 1;
  cursor.at = at + length;
  const part = (index: number): number => (index < length ? (source[at + index] as number) : 0);
  const hours = (length === 0 ? 0 : source.readUInt32LE(at + 1) * 24) + part(5);
  const micros = length > 8 ? source.readUInt32LE(at + 8) : 0;
  const sign = part(0) === 1 ? '-' : '';
  return `${sign}${padTwo(hours)}:${padTwo(part(6))}:${padTwo(part(7))}${fractionText(micros, decimals)}`;
};

/** Returns the fraction of a second with as many digits as the column has. */
export const fractionText = (micros: number, decimals: number): string => {
  const digits = decimals > 6 ? (micros === 0 ? 0 : 6) : decimals;
  return digits > 0 ? `.${String(micros).padStart(6, '0').slice(0, digits)}` : '';
};
