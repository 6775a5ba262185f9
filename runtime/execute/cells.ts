/** Converts values that a driver returns as JavaScript values to JSON. */
import { isMasked, type FieldDeclaration } from '../../contract/fields.js';
import { maskedValue } from './masked-value.js';
import { joinKey } from '../sql/key.js';

export type CellValue = string | number | bigint | Buffer | null;

/** Encodes the parts of a key as text, or returns null where a part is null. */
export const cellsToKey = (cells: readonly CellValue[]): string | null =>
  cells.includes(null) ? null : joinKey(cells.map(cellToText));

/** Returns the text of a cell; bytes one character each, as Latin-1. */
export const cellToText = (cell: CellValue): string =>
  Buffer.isBuffer(cell) ? cell.toString('latin1') : String(cell);

/** Writes a value of one field as JSON. */
export type CellToJson = (cell: CellValue) => string;

/** Returns the function that writes a field's values in their wire form. */
export const cellToJson = (field: FieldDeclaration): CellToJson => {
  const toJson = isMasked(field) ? () => maskedValue : valueToJson(field);
  return (cell) => (cell === null ? 'null' : toJson(cell));
};

type ValueToJson = (value: NonNullable<CellValue>) => string;

const valueToJson = (field: FieldDeclaration): ValueToJson => {
  switch (field.type) {
    case 'integer':
    case 'float':
      return numberToJson;
    case 'boolean':
      return (value) => (value === 0 || value === 0n || value === '0' || value === '' ? 'false' : 'true');
    case 'decimal':
      return (value) => JSON.stringify(decimalText(value, field.scale));
    case 'time':
      return (value) => JSON.stringify(withFraction(String(value), field));
    case 'dateTime':
      return (value) => JSON.stringify(withFraction(toIsoDateTime(value), field));
    case 'timestamp':
      return (value) => JSON.stringify(withZone(withFraction(toIsoDateTime(value), field)));
    case 'json':
      return jsonText;
    case 'csv':
      return (value) => JSON.stringify(value === '' ? [] : String(value).split(','));
    case 'binary':
      return (value) => JSON.stringify(toBuffer(value).toString('base64'));
    default:
      return (value) => JSON.stringify(Buffer.isBuffer(value) ? value.toString('base64') : String(value));
  }
};

const toBuffer = (value: NonNullable<CellValue>): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(String(value));

/** Pads the fraction of a second to the precision of the column, where a database omits zeros. */
const withFraction = (dateTime: string, { fraction = 0 }: FieldDeclaration): string => {
  if (fraction === 0 || fraction === maxFraction) return dateTime;
  const found = /^(.*:\d\d)(?:\.(\d+))?$/.exec(dateTime);
  if (found === null) return dateTime;
  return `${found[1]}.${(found[2] ?? '').padEnd(fraction, '0')}`;
};

/** Digits of the fraction in a column without a scale, which shows only those there are. */
const maxFraction = 6;

/** Appends the zone; `infinity` has none. */
const withZone = (dateTime: string): string => dateTime.replace(/(?<!infinity)Z?$/, 'Z');

/** Formats a decimal with the digits of its column's scale. */
const decimalText = (cell: CellValue, scale: number | undefined): string => {
  if (typeof cell === 'number' && scale !== undefined) return cell.toFixed(scale);
  return typeof cell === 'bigint' && scale !== undefined && scale > 0
    ? `${cell}.${'0'.repeat(scale)}`
    : String(cell);
};

/**
 * Writes a number. A value that is not one, as columns without strict types may contain, becomes a JSON
 * string.
 */
const numberToJson = (cell: CellValue): string => {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'number' && Number.isFinite(cell) ? String(cell) : JSON.stringify(String(cell));
};

/** Converts a date and time to ISO 8601 with `T`; a number is seconds since 1970. */
const toIsoDateTime = (cell: CellValue): string => {
  if (typeof cell !== 'number' && typeof cell !== 'bigint') return String(cell).replace(' ', 'T');
  const date = new Date(Number(cell) * 1000);
  return Number.isNaN(date.getTime()) ? String(cell) : date.toISOString().slice(0, 19);
};

const jsonText = (cell: CellValue): string => {
  const text = String(cell);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
};
