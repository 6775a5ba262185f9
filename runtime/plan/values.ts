/**
 * Parses values as clients send them, by the type of their field, into one canonical form for every database,
 * or reports the expected form. Pure; `sql` converts the canonical form to a bound value.
 */
import type { FieldDeclaration, FieldElement } from '../../contract/fields.js';
import { fieldTypes, type FieldType } from '../../contract/field-types.js';
import { parseJson } from '../../contract/json.js';
import { isUuid } from '../../contract/uuid.js';
import { quoted } from '../../contract/quoted.js';
import { readGeometry, readVector } from './geometry-values.js';
import { readBigInteger, readDecimal, readFloat, readInteger, roundDecimal } from './number-values.js';
import { accept, refuse, type ParsedValue, type Reader, type Scalar } from './parsed-value.js';
import { readDate, readDateTime, readTime } from './time-values.js';
import { hasLoneSurrogate, isTooDeep, maxJsonLevels } from '../request/body.js';

/** Parses a non-null value by the type of its field. Accepts text wherever it spells a value of the type. */
export const readValue = (field: FieldDeclaration, value: unknown): ParsedValue =>
  readers[field.type](value, field);

/**
 * Parses a number that an integer field is compared with although it cannot hold it: a fraction, or one beyond its range. Refuses
 * every value for fields of other types.
 */
export const readOtherNumber = ({ type }: Pick<FieldDeclaration, 'type'>, value: unknown): ParsedValue =>
  type === 'integer' || type === 'bigInteger' ? readValue({ type: 'float' }, value) : refuse('a number');

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

const readText: Reader = (value, field) => {
  if (typeof value !== 'string') return refuse('a text');
  if (value.includes('\0')) return refuse('a text without NUL characters');
  if (field.values !== undefined && !field.values.includes(value)) {
    return refuse(`one of ${quoted(field.values)}`);
  }
  return limitLength(value, field);
};

/** Checks the length in code points, as databases count characters. */
const limitLength = (value: string, { length }: FieldDeclaration): ParsedValue =>
  length !== undefined && value.length > length && [...value].length > length
    ? refuse(`at most ${length} characters`, 'length')
    : accept(value);

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

const readUuid: Reader = (value) => (isUuid(value) ? accept(value.toLowerCase()) : refuse('a uuid'));

/** Parses a string as JSON text; any other value is taken as it is. */
const readJson: Reader = (value, field) => {
  if (typeof value === 'string' && isTooDeep(value)) {
    return refuse(`JSON that is nested no deeper than ${maxJsonLevels} levels`);
  }
  const json = typeof value === 'string' ? parseStorable(value) : value;
  if (json === undefined) return refuse('JSON: an object, a list, or JSON text');
  const problem = field.element === undefined ? null : findArrayProblem(json, field.element);
  return problem ?? accept(typeof value === 'string' ? value : JSON.stringify(value));
};

/** Returns undefined for text that is not JSON, and for JSON with strings that cannot be stored. */
const parseStorable = (text: string): unknown => (hasLoneSurrogate(text) ? undefined : parseJson(text));

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
  geometry: readGeometry,
  vector: readVector,
};
