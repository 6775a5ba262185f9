/** Values that a driver gives as such, and the JSON they become. */
import type { Field } from '../../contract/collection.js';
import { maskedValue } from './masked-value.js';
import { joinKey } from '../sql/key.js';

export type CellValue = string | number | bigint | Buffer | null;

/** `null` when a part is null: then there is no key. */
export const cellsToKey = (cells: readonly CellValue[]): string | null =>
  cells.includes(null) ? null : joinKey(cells.map(cellToText));

export const cellToText = (cell: CellValue): string =>
  Buffer.isBuffer(cell) ? cell.toString('latin1') : String(cell);

/** Writes a value of one field as JSON. */
export type CellToJson = (cell: CellValue) => string;

/** Values in their wire form (decisions on numbers, dates and lists are those of the field types). */
export const cellToJson = (field: Field): CellToJson => {
  const toJson = field.conceal === true || field.hash === true ? () => maskedValue : valueToJson(field);
  return (cell) => (cell === null ? 'null' : toJson(cell));
};

type ValueToJson = (value: NonNullable<CellValue>) => string;

const valueToJson = (field: Field): ValueToJson => {
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
      return (value) => JSON.stringify(withFraction(isoMoment(value), field));
    case 'timestamp':
      return (value) => JSON.stringify(withZone(withFraction(isoMoment(value), field)));
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

/** With as many digits after the second as the column has, where a database drops zeros. */
const withFraction = (moment: string, { fraction = 0 }: Field): string => {
  if (fraction === 0 || fraction === mostDigits) return moment;
  const found = /^(.*:\d\d)(?:\.(\d+))?$/.exec(moment);
  if (found === null) return moment;
  return `${found[1]}.${(found[2] ?? '').padEnd(fraction, '0')}`;
};

/** Such a column shows the digits there are. */
const mostDigits = 6;

/** `infinity` is no moment in any zone. */
const withZone = (moment: string): string => moment.replace(/(?<!infinity)Z?$/, 'Z');

/** With as many digits after the point as the column has. */
const decimalText = (cell: CellValue, scale: number | undefined): string => {
  if (typeof cell === 'number' && scale !== undefined) return cell.toFixed(scale);
  return typeof cell === 'bigint' && scale !== undefined && scale > 0
    ? `${cell}.${'0'.repeat(scale)}`
    : String(cell);
};

/** A column may hold what its type does not promise; then it is shown as text. */
const numberToJson = (cell: CellValue): string => {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'number' && Number.isFinite(cell) ? String(cell) : JSON.stringify(String(cell));
};

/** Text as it was stored, with `T`; a number is seconds since 1970. */
const isoMoment = (cell: CellValue): string => {
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
