/**
 * Rows of MySQL's binary protocol written as JSON without becoming JavaScript values first.
 * Types of columns are read from the definitions that come with every result, so a changed table cannot be misread.
 * https://mariadb.com/kb/en/resultset-row/#binary-resultset-row
 */
import type { Field } from '../collection.js';
import type { Token } from '../sql/select.js';
import { ByteWriter } from './bytes.js';
import { asterisks } from './concealed.js';
import type { RowLayout } from './database.js';
import type { RowCollector } from './row-set.js';

/** The part of a driver packet that is used here. */
export interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
}

export interface ColumnType {
  readonly type: number;
  readonly unsigned: boolean;
  /** Digits after the second, or after the point; 31 and more: as many as there are. */
  readonly decimals: number;
}

const type = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
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

/** A column definition ends in 12 fixed bytes: charset 2, length 4, type 1, flags 2, decimals 1, filler 2. */
export const readColumnType = ({ buffer, end }: Packet): ColumnType => ({
  type: buffer[end - 6] as number,
  unsigned: ((buffer[end - 5] as number) & unsignedFlag) !== 0,
  decimals: buffer[end - 3] as number,
});

const nullBytes = Buffer.from('null');
const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');

/** Writes one row packet into the collector. */
export const writePacket = (
  packet: Packet,
  { tokens, keyColumns }: RowLayout,
  { columns, collector }: { readonly columns: readonly ColumnType[]; readonly collector: RowCollector },
): void => {
  const reader = new RowReader(packet, columns);
  if (keyColumns === 0) collector.beginRow();
  else if (!collector.beginChild(reader.texts(keyColumns))) return;
  const { writer } = collector;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    switch (token.kind) {
      case 'literal':
        writer.reserve(token.bytes.length);
        writer.copy(token.bytes, 0, token.bytes.length);
        break;
      case 'value':
        if (reader.isNull()) {
          writer.reserve(4);
          writer.copy(nullBytes, 0, 4);
        } else reader.write(token.field, writer);
        break;
      case 'one':
        if (reader.isNull()) {
          writer.reserve(4);
          writer.copy(nullBytes, 0, 4);
          reader.skip(token.skipColumns);
          index += token.skipTokens;
        } else reader.skipValue();
        break;
      case 'list': {
        const key = reader.texts(token.columns);
        collector.hole(token.list, key.includes(null as never) ? null : key);
        break;
      }
      case 'key':
        writer.text(JSON.stringify(reader.texts(token.columns).join(',')));
        break;
    }
  }
};

/** Walks the columns of one row from left to right. */
class RowReader {
  readonly #source: Buffer;
  readonly #columns: readonly ColumnType[];
  readonly #bitmap: number;
  #at: number;
  #column = 0;

  constructor({ buffer, offset }: Packet, columns: readonly ColumnType[]) {
    this.#source = buffer;
    this.#columns = columns;
    this.#bitmap = offset + 1;
    this.#at = offset + 1 + ((columns.length + 9) >> 3);
  }

  /** Whether the next column is null; then it is passed. */
  isNull(): boolean {
    const bit = this.#column + 2;
    const isNull = ((this.#source[this.#bitmap + (bit >> 3)] as number) & (1 << (bit & 7))) !== 0;
    if (isNull) this.#column += 1;
    return isNull;
  }

  skip(columns: number): void {
    for (let count = 0; count < columns; count += 1) if (!this.isNull()) this.skipValue();
  }

  skipValue(): void {
    const { type: kind } = this.#columns[this.#column++] as ColumnType;
    const width = fixedWidth(kind);
    if (width !== 0) this.#at += width;
    else this.#at = this.#lengthEncoded();
  }

  /** The next columns as text; null where they are null. */
  texts(columns: number): string[] {
    const result: string[] = [];
    for (let count = 0; count < columns; count += 1) result.push(this.isNull() ? (null as never) : this.#text());
    return result;
  }

  #text(): string {
    const column = this.#columns[this.#column] as ColumnType;
    if (isTemporal(column.type)) return this.#temporalText(column);
    this.#column += 1;
    const width = fixedWidth(column.type);
    if (width === 8 && column.type === type.longlong) return this.#longlong(column.unsigned);
    if (width !== 0) return String(this.#number(column));
    const end = this.#lengthEncoded();
    return this.#source.toString('utf8', this.#textStart, end);
  }

  #temporalText(column: ColumnType): string {
    const writer = new ByteWriter(32);
    this.write({ name: '', type: column.type === type.date ? 'date' : 'dateTime' }, writer);
    return writer.bytes.toString('latin1', 1, writer.length - 1);
  }

  /** Start of the value whose end `#lengthEncoded` returned; the position moves behind it. */
  #textStart = 0;

  #lengthEncoded(): number {
    const source = this.#source;
    let length = source[this.#at++] as number;
    if (length === 0xfc) {
      length = source.readUInt16LE(this.#at);
      this.#at += 2;
    } else if (length === 0xfd) {
      length = source.readUIntLE(this.#at, 3);
      this.#at += 3;
    } else if (length === 0xfe) {
      length = Number(source.readBigUInt64LE(this.#at));
      this.#at += 8;
    }
    this.#textStart = this.#at;
    this.#at += length;
    return this.#at;
  }

  #longlong(unsigned: boolean): string {
    const value = unsigned ? this.#source.readBigUInt64LE(this.#at) : this.#source.readBigInt64LE(this.#at);
    this.#at += 8;
    return value.toString();
  }

  /** Whole numbers up to 32 bits, and floating-point numbers. */
  #number({ type: kind, unsigned }: ColumnType): number {
    const source = this.#source;
    const at = this.#at;
    this.#at += fixedWidth(kind);
    switch (kind) {
      case type.tiny:
        return unsigned ? (source[at] as number) : source.readInt8(at);
      case type.short:
        return unsigned ? source.readUInt16LE(at) : source.readInt16LE(at);
      case type.year:
        return source.readUInt16LE(at);
      case type.float:
        return shortestSingle(source.readFloatLE(at));
      case type.double:
        return source.readDoubleLE(at);
      default:
        return unsigned ? source.readUInt32LE(at) : source.readInt32LE(at);
    }
  }

  /** Writes the next column, which is not null, in the wire form of `field`. */
  write(field: Field, writer: ByteWriter): void {
    if (field.conceal === true || field.hash === true) {
      this.skipValue();
      writer.text(asterisks);
      return;
    }
    const column = this.#columns[this.#column] as ColumnType;
    switch (column.type) {
      case type.date:
      case type.datetime:
      case type.timestamp:
        this.#column += 1;
        this.#moment(column, field, writer);
        return;
      case type.time:
        this.#column += 1;
        this.#time(column, writer);
        return;
      case type.longlong:
        this.#column += 1;
        writeWhole(this.#longlong(column.unsigned), field, writer);
        return;
      case type.bit:
        this.#column += 1;
        this.#bits(field, writer);
        return;
    }
    this.#column += 1;
    if (fixedWidth(column.type) !== 0) writeNumber(this.#number(column), field, writer);
    else this.#bytes(field, writer);
  }

  #bytes(field: Field, writer: ByteWriter): void {
    const end = this.#lengthEncoded();
    const start = this.#textStart;
    const source = this.#source;
    switch (field.type) {
      case 'json':
        writer.reserve(end - start);
        writer.copy(source, start, end);
        return;
      case 'csv':
        writer.text(JSON.stringify(start === end ? [] : source.toString('utf8', start, end).split(',')));
        return;
      case 'binary':
        writer.text(`"${source.toString('base64', start, end)}"`);
        return;
      case 'integer':
      case 'float':
        writer.reserve(end - start);
        writer.copy(source, start, end);
        return;
      case 'boolean':
        writer.text(String(end - start !== 1 || source[start] !== 0x30));
        return;
      default:
        writer.string(source, start, end);
    }
  }

  /** Big-endian bits. */
  #bits(field: Field, writer: ByteWriter): void {
    const end = this.#lengthEncoded();
    const start = this.#textStart;
    if (field.type === 'binary') return writer.text(`"${this.#source.toString('base64', start, end)}"`);
    let value = 0n;
    for (let at = start; at < end; at += 1) value = (value << 8n) | BigInt(this.#source[at] as number);
    writeWhole(value.toString(), field, writer);
  }

  #moment({ type: kind, decimals }: ColumnType, field: Field, writer: ByteWriter): void {
    const source = this.#source;
    const length = source[this.#at] as number;
    const at = this.#at + 1;
    this.#at = at + length;
    writer.reserve(32);
    writer.byte(0x22);
    const year = length === 0 ? 0 : source.readUInt16LE(at);
    writeTwo(writer, Math.floor(year / 100));
    writeTwo(writer, year % 100);
    writer.byte(0x2d);
    writeTwo(writer, length === 0 ? 0 : (source[at + 2] as number));
    writer.byte(0x2d);
    writeTwo(writer, length === 0 ? 0 : (source[at + 3] as number));
    if (kind !== type.date) {
      writer.byte(0x54);
      writeClock(writer, length > 4 ? [source[at + 4], source[at + 5], source[at + 6]] : [0, 0, 0]);
      writeFraction(writer, length > 7 ? source.readUInt32LE(at + 7) : 0, decimals);
      if (field.type === 'timestamp') writer.byte(0x5a);
    }
    writer.byte(0x22);
  }

  /** Hours may exceed a day, and be negative. */
  #time({ decimals }: ColumnType, writer: ByteWriter): void {
    const source = this.#source;
    const length = source[this.#at] as number;
    const at = this.#at + 1;
    this.#at = at + length;
    writer.reserve(32);
    writer.byte(0x22);
    if (length > 0 && source[at] === 1) writer.byte(0x2d);
    const hours = length === 0 ? 0 : source.readUInt32LE(at + 1) * 24 + (source[at + 5] as number);
    if (hours > 99) writer.ascii(String(hours));
    else writeTwo(writer, hours);
    writer.byte(0x3a);
    writeTwo(writer, length === 0 ? 0 : (source[at + 6] as number));
    writer.byte(0x3a);
    writeTwo(writer, length === 0 ? 0 : (source[at + 7] as number));
    writeFraction(writer, length > 8 ? source.readUInt32LE(at + 8) : 0, decimals);
    writer.byte(0x22);
  }
}

const isTemporal = (kind: number): boolean =>
  kind === type.date || kind === type.datetime || kind === type.timestamp || kind === type.time;

/** Bytes of a value of fixed width; 0: length-encoded, or with a length byte of its own. */
const fixedWidth = (kind: number): number => {
  switch (kind) {
    case type.tiny:
      return 1;
    case type.short:
    case type.year:
      return 2;
    case type.long:
    case type.int24:
    case type.float:
      return 4;
    case type.longlong:
    case type.double:
      return 8;
    default:
      return 0;
  }
};

const writeWhole = (digits: string, field: Field, writer: ByteWriter): void => {
  writer.reserve(24);
  if (field.type === 'boolean') return writer.copy(digits === '0' ? falseBytes : trueBytes, 0, digits === '0' ? 5 : 4);
  const quoted = field.type !== 'integer' && field.type !== 'float';
  if (quoted) writer.byte(0x22);
  writer.ascii(digits);
  if (quoted) writer.byte(0x22);
};

const writeNumber = (value: number, field: Field, writer: ByteWriter): void => {
  writer.reserve(32);
  if (field.type === 'boolean') writer.copy(value === 0 ? falseBytes : trueBytes, 0, value === 0 ? 5 : 4);
  else if (field.type === 'integer' || field.type === 'float') writer.ascii(String(value));
  else writer.ascii(`"${value}"`);
};

const writeTwo = (writer: ByteWriter, value: number): void => {
  writer.byte(0x30 + Math.floor(value / 10));
  writer.byte(0x30 + (value % 10));
};

const writeClock = (writer: ByteWriter, parts: readonly (number | undefined)[]): void => {
  parts.forEach((part, index) => {
    if (index > 0) writer.byte(0x3a);
    writeTwo(writer, part ?? 0);
  });
};

const writeFraction = (writer: ByteWriter, micros: number, decimals: number): void => {
  const digits = decimals > 6 ? (micros === 0 ? 0 : 6) : decimals;
  if (digits > 0) writer.ascii(`.${String(micros).padStart(6, '0').slice(0, digits)}`);
};

/** The shortest decimal that is this 4-byte float again: 0.1, not 0.10000000149011612. */
const shortestSingle = (value: number): number => {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
};
