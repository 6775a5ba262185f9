/** How a column of PostgreSQL's text format is written in the wire form of its field: chosen once per statement. */
import type { Field } from '../../../contract/collection.js';
import { isArray } from '../../plan/elements.js';
import type { ByteWriter } from '../../execute/bytes.js';
import { cellToJson } from '../../execute/cells.js';
import { maskedValue } from '../../execute/masked-value.js';
import { arrayToJson } from './arrays.js';
import { momentText, postgresType, textToCell } from './values.js';
import type { Cursor, WriteColumn } from '../../execute/row-program.js';

/** Moves behind a value, whose length comes first. @returns where it begins */
export const takeValue = (cursor: Cursor): number => {
  const start = cursor.at + 4;
  cursor.at = start + cursor.source.readInt32BE(cursor.at);
  return start;
};

/** @param oid number of the column's type */
export const columnWriter = (field: Field, oid: number): WriteColumn => {
  if (field.conceal === true || field.hash === true) return writeConcealed;
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
      return momentWriter(field);
    case postgresType.bytes:
    case postgresType.character:
      return cellWriter(field, oid);
    default:
      return textWriter(field, oid);
  }
};

const writeConcealed: WriteColumn = (cursor, writer) => {
  takeValue(cursor);
  writer.ascii(maskedValue);
};

const letterT = 0x74;

const writeBoolean: WriteColumn = (cursor, writer) =>
  writer.ascii(cursor.source[takeValue(cursor)] === letterT ? 'true' : 'false');

const writeBytes: WriteColumn = (cursor, writer) => {
  const start = takeValue(cursor);
  writer.copy(cursor.source, start, cursor.at);
};

const quote = 0x22;

const writeQuoted: WriteColumn = (cursor, writer) => {
  writer.byte(quote);
  writeBytes(cursor, writer);
  writer.byte(quote);
};

const writeString: WriteColumn = (cursor, writer) => {
  const start = takeValue(cursor);
  writer.string(cursor.source, start, cursor.at);
};

/** `NaN` and `Infinity` are no JSON. */
const writeFloat: WriteColumn = (cursor, writer) => {
  const { source, at } = cursor;
  const last = source[at + 3 + source.readInt32BE(at)] as number;
  if (last >= 0x30 && last <= 0x39) writeBytes(cursor, writer);
  else writeQuoted(cursor, writer);
};

/** What takes a closer look. */
const cellWriter = (field: Field, oid: number): WriteColumn => {
  const toJson = cellToJson(field);
  return (cursor, writer) => writer.text(toJson(textToCell(takeText(cursor), oid)));
};

const takeText = (cursor: Cursor): string => {
  const start = takeValue(cursor);
  return cursor.source.toString('utf8', start, cursor.at);
};

/** Where the day ends and the time begins. */
const dayLength = 10;
const zoneLength = '+00'.length;
const letterZ = 0x5a;

/** Bytes of the usual form are copied; years of more or less than four digits, and `infinity`, take a closer look. */
const momentWriter = (field: Field): WriteColumn => {
  const toJson = cellToJson(field);
  const slowly: WriteColumn = (cursor, writer) => writer.text(toJson(momentText(takeText(cursor))));
  if (field.type === 'date')
    return (cursor, writer) => (isUsual(cursor) ? writeQuoted : slowly)(cursor, writer);
  if (field.type !== 'dateTime' && field.type !== 'timestamp') return slowly;
  const fraction = field.fraction ?? 0;
  return (cursor, writer) => {
    if (!isUsual(cursor)) return slowly(cursor, writer);
    const { source } = cursor;
    const start = takeValue(cursor);
    const hasZone = source[cursor.at - zoneLength] === 0x2b;
    const end = hasZone ? cursor.at - zoneLength : cursor.at;
    writer.byte(quote);
    writer.copy(source, start, start + dayLength);
    writer.byte(0x54);
    writer.copy(source, start + dayLength + 1, end);
    writeZeros(writer, end - start - momentLength, fraction);
    if (field.type === 'timestamp') writer.byte(letterZ);
    writer.byte(quote);
  };
};

/** `YYYY-MM-DD HH:MM:SS` */
const momentLength = 19;

const isUsual = ({ source, at }: Cursor): boolean =>
  source[at + 4 + 4] === 0x2d && source[at + 3 + source.readInt32BE(at)] !== 0x43;

/** The database drops zeros at the end of a fraction. `written`: what there is of it, with its point. */
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

/** Arrays, and text that is JSON by meta. */
const jsonWriter = (field: Field): WriteColumn => {
  const toJson = isArray(field) ? arrayToJson(field) : cellToJson(field);
  return (cursor, writer) => writer.text(toJson(takeText(cursor)));
};
