/** Parses numbers, and rounds decimals. Pure. */
import type { FieldDeclaration } from '../../contract/fields.js';
import { accept, refuse, type Reader } from './parsed-value.js';

const toNumber = (value: unknown): number | null => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

/** Accepts whole numbers, also as text, within the column's bits or the range of a year. */
export const readInteger: Reader = (value, field) => {
  const number = toNumber(value);
  if (number === null || !Number.isInteger(number)) return refuse('a whole number');
  const [min, max] = integerRange(field);
  if (number < min || number > max) return refuse(`a whole number from ${min} to ${max}`, 'range');
  if (isYear(field) && number !== 0 && (number < firstYear || number > lastYear)) {
    return refuse(`0, or a whole number from ${firstYear} to ${lastYear}`, 'range');
  }
  return accept(number);
};

/**
 * Returns whether the column is a `YEAR`, for which the database reads a two-digit number as a year of this
 * century or the last.
 */
export const isYear = ({ dbType }: FieldDeclaration): boolean => dbType === 'year';

/** The smallest year after 0 that a `YEAR` column stores. */
export const firstYear = 1901;
const lastYear = 2155;

/** Returns the range of an integer of `bits` bits, limited to the integers that JSON represents exactly. */
const integerRange = ({ bits = 32, unsigned }: FieldDeclaration): readonly [number, number] =>
  unsigned === true
    ? [0, Math.min(2 ** bits - 1, Number.MAX_SAFE_INTEGER)]
    : [Math.max(-(2 ** (bits - 1)), Number.MIN_SAFE_INTEGER), 2 ** (bits - 1) - 1];

/** Returns whether a value is an integer beyond 2^53, which JSON parsers round. */
export const isUnsafeInteger = (value: unknown): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value);

/** Accepts 64-bit whole numbers as text, or as numbers up to 2^53. */
export const readBigInteger: Reader = (value, field) => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^[+-]?\d{1,40}$/.test(text)) {
    return refuse('a whole number, as text where it exceeds 2^53');
  }
  const number = BigInt(text);
  const [min, max] = field.unsigned === true ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n];
  if (number < min || number > max) return refuse(`a whole number from ${min} to ${max}`, 'range');
  return accept(number.toString());
};

/** Accepts finite numbers, also as text. */
export const readFloat: Reader = (value) => {
  const number = toNumber(value);
  return number === null ? refuse('a number') : accept(number);
};

/** Accepts decimals as text, or as numbers whose whole part is below 2^53: a JSON parser has rounded greater ones. */
export const readDecimal: Reader = (value, field) => {
  if (isUnsafeInteger(value)) return refuse('a decimal number, as text where it exceeds 2^53');
  const text = typeof value === 'number' && Number.isFinite(value) ? plainNumber(value) : value;
  const match = typeof text === 'string' ? /^([+-]?)0*(\d*)(?:\.(\d*))?$/.exec(text) : null;
  if (match === null || (match[2] === '' && !/\d/.test(String(text))))
    return refuse('a decimal number, as text or number');
  const whole = match[2] ?? '';
  if (field.precision !== undefined && whole.length > field.precision - (field.scale ?? 0)) {
    return refuse(`at most ${field.precision - (field.scale ?? 0)} digits before the point`, 'range');
  }
  const fraction = match[3] === undefined || match[3] === '' ? '' : `.${match[3]}`;
  return accept(`${match[1] === '-' ? '-' : ''}${whole === '' ? '0' : whole}${fraction}`);
};

/** Formats a number without an exponent: `1e-7` is written out. */
const plainNumber = (value: number): string => {
  const match = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(value));
  if (match === null) return String(value);
  const [, sign = '', first = '', rest = '', exponent] = match;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`;
};

/**
 * Rounds half away from zero, as databases do. Done here because a database that stores doubles would keep
 * every digit.
 */
export const roundDecimal = (value: string, scale: number): string => {
  const point = value.indexOf('.');
  if (point === -1 || value.length - point - 1 <= scale) return value;
  const [whole, fraction] = [value.slice(0, point), value.slice(point + 1)];
  const digits = BigInt(`${whole.replace('-', '')}${fraction.slice(0, scale)}`);
  const rounded = String(digits + (fraction.charAt(scale) >= '5' ? 1n : 0n)).padStart(scale + 1, '0');
  const digitsBefore = rounded.length - scale;
  const sign = value.startsWith('-') ? '-' : '';
  return `${sign}${rounded.slice(0, digitsBefore)}${scale === 0 ? '' : `.${rounded.slice(digitsBefore)}`}`;
};
