/** The SQL dialect of SQLite 3.45 and later. */
import type { Field } from '../../../contract/collection.js';
import type { DatePart } from '../../../contract/functions.js';
import type { Scalar } from '../../plan/parsed-value.js';
import type { BindValue, Match, SqlDialect } from '../contract.js';
import { readViolation } from './violations.js';
import { jsonPath } from '../../sql/json-path.js';
import { escapeLike, ignoresCase, likePattern } from '../../sql/like.js';

const escapeGlob = (text: string): string => text.replaceAll(/[*?[]/g, '[$&]');

/** Returns a GLOB pattern for case-sensitive matches, otherwise a LIKE pattern. */
const toPattern = (kind: Match, text: string): string =>
  ignoresCase(kind) ? likePattern(kind, escapeLike(text)) : likePattern(kind, escapeGlob(text), '*');

/** Converts text to a 64-bit integer; binds any other value as is, because a SQLite column may contain it. */
const toInteger = (value: Exclude<Scalar, boolean>): BindValue => {
  if (Buffer.isBuffer(value) || !/^[+-]?\d+$/.test(String(value))) return value;
  const whole = BigInt(value);
  return whole === BigInt.asIntN(64, whole) ? whole : value;
};

/** As answers have them. */
const infinities: ReadonlySet<unknown> = new Set(['Infinity', '-Infinity']);

/** Types whose values are texts that may be spelled in several ways, such as `2026-01-31T12:30:00Z`. */
const spelledTypes: ReadonlySet<Field['type']> = new Set([
  'date',
  'time',
  'dateTime',
  'timestamp',
  'uuid',
] as const);

const formats = {
  year: '%Y',
  month: '%m',
  day: '%d',
  hour: '%H',
  minute: '%M',
  second: '%S',
} as const;

const datePart = (part: DatePart, moment: string): string => {
  const read = (format: string): string => `cast(strftime('${format}', ${moment}) as integer)`;
  if (part === 'week') return `(${read('%j')} + 6 - ${read('%w')}) / 7`;
  return part === 'weekday' ? `${read('%w')} + 1` : read(formats[part]);
};

/**
 * Returns the sum of 64-bit integers, which fails in SQLite where it exceeds 64 bits: from the sums of their upper and
 * lower halves, and as a real number where it does not fit.
 */
const sumIntegers = (value: string): string => {
  const low = `sum(${value} & 1073741823)`;
  const high = `(sum(${value} >> 30) + (${low} >> 30))`;
  const rest = `(${low} & 1073741823)`;
  const fits = `${high} between -8589934592 and 8589934591`;
  return `case when ${fits} then ${high} * 1073741824 + ${rest} else ${high} * 1073741824.0 + ${rest} end`;
};

export const sqlite: SqlDialect = {
  name: 'sqlite',
  schemaVersion: 'pragma schema_version',
  clock: "cast(unixepoch('subsec') * 1000 as integer)",
  returning: true,
  updateReadback: 'transaction',
  discardsWrites: true,
  // a key beyond 2^53 is rounded by JSON; `abs` fails for the smallest integer
  exhaustedKey: 'select 1 from sqlite_sequence where name = ? and seq = 9223372036854775807',
  // no pragma says which keys are deferred
  countDeferred: `select count(*) as count from sqlite_schema s join pragma_foreign_key_check(s.name)
    where s.type = 'table' and s.sql like '%initially%deferred%'`,
  generatedKeyCheck({ name }) {
    const key = sqlite.quote(name);
    return `case when ${key} > ${Number.MAX_SAFE_INTEGER} then abs(${key} - ${key} - 9223372036854775807 - 1) end`;
  },
  emptyRow: 'default values',
  rowLock: '',
  perParent: 'union',
  // through two lists 4 ms instead of 25; through one, EXISTS is faster where many rows match
  inFromDepth: 2,
  readViolation,
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder: (field) => (field.type === 'decimal' ? 'cast(? as numeric)' : '?'),
  bind(field, value) {
    if (typeof value === 'boolean') return Number(value);
    if (field.type === 'float' && infinities.has(value)) return Number(value);
    return field.type === 'integer' || field.type === 'bigInteger' ? toInteger(value) : value;
  },
  cursorField(field) {
    if (field.type === 'boolean') return { ...field, type: 'integer' };
    return spelledTypes.has(field.type) ? { ...field, type: 'string' } : field;
  },
  // a number is seconds since 1970
  moment: (column) =>
    `case when typeof(${column}) in ('integer', 'real') then datetime(${column}, 'unixepoch') else datetime(${column}) end`,
  addSeconds: (moment, seconds) => `datetime(${moment}, (${seconds}) || ' seconds')`,
  datePart,
  keyOfText(column, { type }) {
    const text = `cast(${column} as text)`;
    if (type !== 'integer' && type !== 'bigInteger') return text;
    return `case when cast(cast(${column} as integer) as text) = ${text} then cast(${column} as integer) end`;
  },
  jsonLength: (column) =>
    `case when json_valid(${column}) then (select count(*) from json_each(${column})) end`,
  jsonAt(column, _field, path) {
    const at = `${column}, ${jsonPath(path)}`;
    // the functions fail for text that is not JSON
    const ofType = (types: string, value: string): string =>
      `case when json_valid(${column}) then case when json_type(${at}) ${types} then ${value} end end`;
    const number = `json_extract(${at})`;
    const text = `case json_type(${at}) when 'true' then 'true' when 'false' then 'false' else cast(${number} as text) end`;
    return {
      value: ofType("<> 'null'", `${column} -> ${jsonPath(path)}`),
      text: ofType("not in ('null', 'object', 'array')", text),
      number: ofType("in ('integer', 'real')", number),
    };
  },
  sum(value, { field, distinct }) {
    if (field.type !== 'integer' && field.type !== 'bigInteger')
      return `sum(${distinct ? 'distinct ' : ''}${value})`;
    // the halves of different values may be equal
    return distinct
      ? `(select ${sumIntegers('value')} from json_each(json_group_array(distinct ${value})))`
      : sumIntegers(value);
  },
  average(value, { field, result, distinct }) {
    const each = distinct ? 'distinct ' : '';
    if (result.type === 'float') return `avg(${each}${value})`;
    // in whole numbers of the last digit, because the nearest double of a half may be below it
    const unit = 10 ** (field.scale ?? 0);
    const total = `total(${each}round(${value} * ${unit}.0))`;
    const sum = `cast(${total} as integer)`;
    const count = `count(${each}${value})`;
    const digits = 10 ** ((result.scale ?? 0) - (field.scale ?? 0));
    const rounded = `sign(${sum}) * ((2 * abs(${sum}) * ${digits} + ${count}) / nullif(2 * ${count}, 0)) / ${unit * digits}.0`;
    return `case when abs(${total}) < 9e18 then ${rounded} else avg(${each}${value}) end`;
  },
  match: (kind) => (ignoresCase(kind) ? ['lower(', ') like lower(', ") escape '!'"] : ['', ' glob ', '']),
  // SQLite ends patterns at a NUL character, so a pattern that matches nothing replaces them
  pattern: (kind, text) => (text.includes('\0') ? (ignoresCase(kind) ? '!' : '[') : toPattern(kind, text)),
};
