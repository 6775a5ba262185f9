/**
 * Parses values as clients send them, by the type of their field, into one canonical form for every database,
 * or reports the expected form. Pure; `sql` converts the canonical form to a bound value.
 */
import type { FieldDeclaration, FieldElement } from '../../contract/fields.js';
import { fieldTypes, type FieldType } from '../../contract/field-types.js';
import { hasLoneSurrogate, isTooDeep, maxJsonLevels } from '../request/body.js';

/**
 * A value in canonical form: decimals and 64-bit integers as text, dates as text without a zone in UTC, csv
 * and json as text.
 */
export type Scalar = string | number | boolean | Buffer;

export type ParsedValue =
  | { readonly ok: true; readonly value: Scalar }
  | { readonly ok: false; readonly problem: 'type' | 'range' | 'length'; readonly expected: string };

const accept = (value: Scalar): ParsedValue => ({ ok: true, value });
const refuse = (expected: string, problem: 'type' | 'range' | 'length' = 'type'): ParsedValue => ({
  ok: false,
  problem,
  expected,
});

/** Parses a non-null value by the type of its field. Accepts text wherever it spells a value of the type. */
export const readValue = (field: FieldDeclaration, value: unknown): ParsedValue =>
  readers[field.type](value, field);

/**
 * Converts a value to what its column stores: decimals are rounded to the column's scale, fractions of a
 * second are truncated to its precision.
 */
export const toStoredValue = (
  { type, fraction = 0, scale, lowerCase }: FieldDeclaration,
  value: Scalar,
): Scalar => {
  if (lowerCase === true && typeof value === 'string') return value.toLowerCase();
  if (typeof value !== 'string') return value;
  if (type === 'decimal' && scale !== undefined && scale >= 0) return roundDecimal(value, scale);
  if (fieldTypes[type].hasClock !== true) return value;
  if (fraction === 0 && !value.includes('.')) return value;
  const [whole = '', digits = ''] = value.split('.');
  return fraction === 0 ? whole : `${whole}.${digits.slice(0, fraction).padEnd(fraction, '0')}`;
};

/**
 * Rounds half away from zero, as databases do. Done here because a database that stores doubles would keep
 * every digit.
 */
const roundDecimal = (value: string, scale: number): string => {
  const [whole = '', fraction = ''] = value.split('.');
  if (fraction.length <= scale) return value;
  const digits = BigInt(`${whole.replace('-', '')}${fraction.slice(0, scale)}`);
  const rounded = String(digits + (fraction.charAt(scale) >= '5' ? 1n : 0n)).padStart(scale + 1, '0');
  const point = rounded.length - scale;
  const sign = value.startsWith('-') ? '-' : '';
  return `${sign}${rounded.slice(0, point)}${scale === 0 ? '' : `.${rounded.slice(point)}`}`;
};

type Reader = (value: unknown, field: FieldDeclaration) => ParsedValue;

const readText: Reader = (value, field) => {
  if (typeof value !== 'string') return refuse('a text');
  if (value.includes('\0')) return refuse('a text without NUL characters');
  if (field.values !== undefined && !field.values.includes(value)) {
    return refuse(`one of ${field.values.map((each) => `"${each}"`).join(', ')}`);
  }
  return limitLength(value, field);
};

/** Checks the length in code points, as databases count characters. */
const limitLength = (value: string, { length }: FieldDeclaration): ParsedValue =>
  length !== undefined && value.length > length && [...value].length > length
    ? refuse(`at most ${length} characters`, 'length')
    : accept(value);

const toNumber = (value: unknown): number | null => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

const readInteger: Reader = (value, field) => {
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

const readBigInteger: Reader = (value, field) => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^[+-]?\d{1,40}$/.test(text)) {
    return refuse('a whole number, as text where it exceeds 2^53');
  }
  const number = BigInt(text);
  const [min, max] = field.unsigned === true ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n];
  if (number < min || number > max) return refuse(`a whole number from ${min} to ${max}`, 'range');
  return accept(number.toString());
};

const readFloat: Reader = (value) => {
  const number = toNumber(value);
  return number === null ? refuse('a number') : accept(number);
};

const readDecimal: Reader = (value, field) => {
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

/** Formats a number without an exponent: `1e21` and `1e-7` are written out. */
const plainNumber = (value: number): string => {
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (match === null) return String(value);
  const [, sign = '', first = '', rest = '', exponent] = match;
  const point = Number(exponent) + 1;
  return point > 0
    ? `${sign}${`${first}${rest}`.padEnd(point, '0')}`
    : `${sign}0.${'0'.repeat(-point)}${first}${rest}`;
};

const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [1, true],
  ['1', true],
  [false, false],
  ['false', false],
  [0, false],
  ['0', false],
]);

const readBoolean: Reader = (value) => {
  const boolean = booleans.get(value);
  return boolean === undefined ? refuse('true or false') : accept(boolean);
};

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const timePattern = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?$/;
const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i;

/** Accepts a date with a time, and returns its date. */
const readDate: Reader = (value, field) => {
  const dateTime = typeof value === 'string' ? normalizeDateTime(value, field) : null;
  return dateTime === null ? refuse('a date, YYYY-MM-DD') : accept(dateTime.slice(0, 10));
};

const isDate = (text: string): boolean => {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
};

const daysIn = (year: number, month: number): number => {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
};

const readTime: Reader = (value, field) => {
  const time = typeof value === 'string' ? normalizeTime(value, field) : null;
  return time === null ? refuse('a time, HH:MM:SS') : accept(time);
};

const normalizeTime = (text: string, field: FieldDeclaration): string | null => {
  const match = timePattern.exec(text);
  if (match === null) return null;
  const [, hours = '', minutes = '', seconds = '00', fraction = ''] = match;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return `${hours}:${minutes}:${seconds}${formatFraction(fraction, field)}`;
};

/**
 * Formats a fraction with at min the digits of the column and no other trailing zeros, so that equal times
 * are equal texts.
 */
const formatFraction = (digits: string, { fraction = 0 }: FieldDeclaration): string => {
  const digitsShown = digits.slice(0, 6).replace(/0+$/, '').padEnd(fraction, '0');
  return digitsShown === '' ? '' : `.${digitsShown}`;
};

const readDateTime: Reader = (value, field) => {
  const dateTime = typeof value === 'string' ? normalizeDateTime(value, field) : null;
  if (dateTime !== null) return accept(dateTime);
  return refuse(
    field.type === 'timestamp' ? 'a timestamp, YYYY-MM-DDTHH:MM:SSZ' : 'a date and time, YYYY-MM-DDTHH:MM:SS',
  );
};

/** Returns `YYYY-MM-DD HH:MM:SS[.ffffff]` in UTC, or null for an invalid text. A missing zone means UTC. */
const normalizeDateTime = (text: string, field: FieldDeclaration): string | null => {
  const match = dateTimePattern.exec(text.trim());
  if (match === null || match[1] === undefined || !isDate(match[1])) return null;
  const time = normalizeTime(match[2] ?? '00:00:00', field);
  if (time === null) return null;
  return toUtc(`${match[1]} ${time}`, match[3] ?? 'Z');
};

const toUtc = (dateTime: string, zone: string): string | null => {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (match === null) return dateTime;
  const minutes = (Number(match[2]) * 60 + Number(match[3])) * (match[1] === '-' ? 1 : -1);
  const [whole = '', fraction] = dateTime.split('.');
  const time = Date.parse(`${whole.replace(' ', 'T')}Z`) + minutes * 60_000;
  if (Number.isNaN(time)) return null;
  const utc = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  // years outside 0000 to 9999 have a sign
  if (!/^\d/.test(utc)) return null;
  return fraction === undefined ? utc : `${utc}.${fraction}`;
};

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const readUuid: Reader = (value) =>
  typeof value === 'string' && uuidPattern.test(value) ? accept(value.toLowerCase()) : refuse('a uuid');

/** Parses a string as JSON text; any other value is taken as it is. */
const readJson: Reader = (value, field) => {
  if (typeof value === 'string' && isTooDeep(value)) {
    return refuse(`JSON that is nested no deeper than ${maxJsonLevels} levels`);
  }
  const json = typeof value === 'string' ? parseJson(value) : value;
  if (json === undefined) return refuse('JSON: an object, a list, or JSON text');
  const problem = field.element === undefined ? null : findArrayProblem(json, field.element);
  return problem ?? accept(typeof value === 'string' ? value : JSON.stringify(value));
};

/** Returns nothing for what is no JSON, and for JSON with texts that cannot be stored. */
const parseJson = (text: string): unknown => {
  if (hasLoneSurrogate(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The largest number of dimensions of an array column. */
const maxDimensions = 6;

/**
 * Returns what is wrong with a list for an array column, or null. Elements of type `json` may be lists
 * themselves and are not checked.
 */
const findArrayProblem = (value: unknown, element: FieldElement, level = 1): ParsedValue | null => {
  if (!Array.isArray(value)) return refuse('a list');
  if (element.type === 'json') return null;
  if (level > maxDimensions) return refuse(`lists that are nested no deeper than ${maxDimensions} levels`);
  for (const each of value as readonly unknown[]) {
    const problem = Array.isArray(each)
      ? findArrayProblem(each, element, level + 1)
      : findElementProblem(each, element);
    if (problem !== null) return problem;
  }
  return null;
};

/** Checks one element of a list; texts and types that svc does not know are left to the database. */
const findElementProblem = (value: unknown, element: FieldElement): ParsedValue | null => {
  if (value === null || element.type === 'string' || element.type === 'unknown') return null;
  const read = readValue(element, value);
  return read.ok ? null : refuse(`a list whose elements are each ${read.expected}`, read.problem);
};

const readCsv: Reader = (value, field) => {
  if (typeof value === 'string') return limitLength(value, field);
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string' && !each.includes(','))) {
    return refuse('a list of texts without commas');
  }
  return limitLength(value.join(), field);
};

/** Standard base64; padding may be omitted, but must be correct where present. */
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Accepts base64, and a Buffer, which is the part of a key that was parsed before. */
const readBinary: Reader = (value, field) => {
  if (Buffer.isBuffer(value)) return accept(value);
  if (typeof value !== 'string' || !base64Pattern.test(value)) return refuse('base64');
  const bytes = Buffer.from(value, 'base64');
  return field.length !== undefined && bytes.length > field.length
    ? refuse(`at most ${field.length} bytes`, 'length')
    : accept(bytes);
};

const readers: Readonly<Record<FieldType, Reader>> = {
  string: readText,
  text: readText,
  unknown: readText,
  integer: readInteger,
  bigInteger: readBigInteger,
  float: readFloat,
  decimal: readDecimal,
  boolean: readBoolean,
  date: readDate,
  time: readTime,
  dateTime: readDateTime,
  timestamp: readDateTime,
  uuid: readUuid,
  json: readJson,
  csv: readCsv,
  binary: readBinary,
};
