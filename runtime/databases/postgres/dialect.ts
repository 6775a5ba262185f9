/** The SQL dialect of PostgreSQL 15 and later. */
import type { Field } from '../../../contract/collection.js';
import type { DatePart, JsonStep } from '../../../contract/functions.js';
import type { FieldDeclaration, FieldElement } from '../../../contract/fields.js';
import { toStoredValue, readValue } from '../../plan/values.js';
import type { Scalar } from '../../plan/parsed-value.js';
import type { BindValue, JsonAt, SqlDialect } from '../contract.js';
import { separatorOf } from './arrays.js';
import { readViolation } from './violations.js';
import { escapeLike, ignoresCase, likePattern } from '../../sql/like.js';
import { fitsSingle, isSingle } from '../../sql/singles.js';

/** Escapes a LIKE pattern and replaces NUL, which text cannot contain, by a code point that matches no stored text. */
const escapeText = (text: string): string => escapeLike(text).replaceAll('\0', '\u{10ffff}');

/** Returns whether a string field has a type (an enum, `inet`) that does not compare as text. */
const needsTextCast = ({ type, values, dbType }: Field): boolean =>
  type === 'string' && (values !== undefined || (dbType !== undefined && dbType !== 'character'));

const isPadded = ({ dbType }: Field): boolean => dbType === 'character';

const castToText = ['cast(', ' as text)'] as const;
const noCast = ['', ''] as const;

/** Returns the conversion of a column to text; `abbrev` prints an address without the mask that a cast would add. */
const asText = (field: Field): readonly [string, string] => {
  if (!needsTextCast(field)) return noCast;
  return field.dbType === 'inet' ? ['abbrev(', ')'] : castToText;
};

/** Returns whether a type has no sort order, or none that is known. */
const isUnordered = ({ type }: Field): boolean => type === 'json' || type === 'unknown';

/** Returns a value without a zone; `infinity`, which has no parts, becomes null. */
const moment = (column: string, { type }: Field): string => {
  if (type === 'time') return column;
  const utc = type === 'timestamp' ? `${column} at time zone 'UTC'` : column;
  return `(case when isfinite(${column}) then ${utc} end)`;
};

const wholeNumber = (number: string): string => `cast(floor(${number}) as integer)`;

const datePart = (part: DatePart, value: string): string => {
  const extract = (name: string): string => `extract(${name} from ${value})`;
  switch (part) {
    case 'year':
      // values are shown with a year 0, which extract has not: it returns -1 for the year before 1
      return wholeNumber(`${extract(part)} + case when ${extract(part)} < 0 then 1 else 0 end`);
    case 'week':
      return wholeNumber(`(${extract('doy')} + 6 - ${extract('dow')}) / 7`);
    case 'weekday':
      return wholeNumber(`${extract('dow')} + 1`);
    default:
      return wholeNumber(extract(part));
  }
};

const jsonLength = (column: string, { dbType, element }: Field): string | null => {
  if (element !== undefined) return `cardinality(${column})`;
  if (dbType !== undefined) return null;
  const json = `cast(${column} as jsonb)`;
  return (
    `case jsonb_typeof(${json}) when 'array' then jsonb_array_length(${json}) ` +
    `when 'object' then (select count(*) from jsonb_object_keys(${json})) else case when ${column} is not null then 1 end end`
  );
};

const jsonAt = (column: string, { dbType, element }: Field, path: readonly JsonStep[]): JsonAt | null => {
  if (element === undefined && dbType !== undefined) return null;
  const steps = path.map((step) => (typeof step === 'number' ? String(step) : `'${step}'`));
  const at = (count: number): string =>
    `(${[element === undefined ? `cast(${column} as jsonb)` : `to_jsonb(${column})`, ...steps.slice(0, count)].join(' -> ')})`;
  // the first element of a single value is the value itself
  const lists = path.flatMap((step, index) =>
    typeof step === 'number' ? [`jsonb_typeof(${at(index)}) = 'array'`] : [],
  );
  const value = at(path.length);
  const ofType = (types: string, then: string): string =>
    `case when ${[...lists, `jsonb_typeof(${value}) ${types}`].join(' and ')} then ${then} end`;
  return {
    value: ofType("<> 'null'", value),
    text: ofType("in ('string', 'number', 'boolean')", `${value} #>> '{}'`),
    number: ofType("= 'number'", `cast(${value} as numeric)`),
  };
};

/** Types of keys, the texts that can be converted to them, and those for which the conversion does not fail. */
const keyTexts = {
  integer: { form: '^(0|-?[1-9][0-9]{0,18})$', bounds: ['-9223372036854775808', '9223372036854775807'] },
  uuid: { form: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
} as const;

const keyOfText = (column: string, { type, dbType }: Field): string => {
  const text = `cast(${column} as text)`;
  if (type === 'integer' || type === 'bigInteger') {
    const { form, bounds } = keyTexts.integer;
    const fits = `cast(${text} as numeric) between ${bounds.join(' and ')}`;
    return `case when ${text} ~ '${form}' then case when ${fits} then cast(${text} as bigint) end end`;
  }
  if (type === 'uuid') return `case when ${text} ~ '${keyTexts.uuid.form}' then cast(${text} as uuid) end`;
  return dbType === 'character' ? `cast(${column} as bpchar)` : text;
};

/** Selects a number of rows and the sum of the transactions that wrote them, with which rows of the catalog change. */
const written = (from: string): string =>
  `select concat(count(*), ' ', sum(r.xmin::text::bigint)) from ${from}`;

/** Rows of a catalog table about the tables of the schema. */
const ofTables = (catalog: string, column: string): string =>
  written(
    `pg_catalog.${catalog} r join pg_catalog.pg_class c on c.oid = r.${column} where c.relnamespace = s.oid`,
  );

const schemaVersion = `select concat_ws(';',
(${written('pg_catalog.pg_class r where r.relnamespace = s.oid')}),
(${ofTables('pg_attribute', 'attrelid')}),
(${ofTables('pg_attrdef', 'adrelid')}),
(${ofTables('pg_constraint', 'conrelid')}),
(${ofTables('pg_index', 'indrelid')}),
(${ofTables('pg_trigger', 'tgrelid')}),
(${ofTables('pg_rewrite', 'ev_class')}),
(${ofTables('pg_description', 'objoid')}),
(${written('pg_catalog.pg_enum r')})) as version
from pg_catalog.pg_namespace s where s.nspname = current_schema()`;

/** The check of a domain names neither table nor column. */
const checkClause = `select string_agg(k.clause, ' ') as clause
from (select ? as name, (quote_ident(current_schema()) || '.' || quote_ident(?))::regclass as "table") n,
lateral (select pg_get_expr(c.conbin, c.conrelid) as clause from pg_catalog.pg_constraint c
where c.contype = 'c' and c.conrelid = n.table and c.conname = n.name
union all select quote_ident(a.attname) from pg_catalog.pg_constraint c
join pg_catalog.pg_attribute a on a.atttypid = c.contypid and a.attrelid = n.table
where c.contype = 'c' and c.contypid <> 0 and c.conname = n.name and not a.attisdropped) k`;

export const postgres: SqlDialect = {
  name: 'postgres',
  schemaVersion,
  clock: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  returning: true,
  updateReadback: 'returning',
  discardsWrites: true,
  checkClause,
  checkDeferred: 'set constraints all immediate',
  emptyRow: 'default values',
  rowLock: ' for update',
  perParent: 'lateral',
  // a bound LIMIT is estimated as a tenth of the rows, so generic plans would be rejected or chosen for many rows
  limitInText: true,
  array: (values) => `{${values.map(formatValue).join(',')}}`,
  readViolation,
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  // a value out of the column's range would fail the statement without a cast
  placeholder: (field) => (field.type === 'integer' ? 'cast(? as bigint)' : '?'),
  outOfRange(field) {
    if (field.type === 'bigInteger') {
      return { placeholder: 'cast(? as numeric)', fits: (value) => typeof value !== 'number' };
    }
    // a value out of the range of a 4-byte float would fail the statement
    return isSingle(field) ? { placeholder: 'cast(? as double precision)', fits: fitsSingle } : null;
  },
  // `is null` is also true of a composite value whose attributes are all null
  nullTest: ({ type }) => (type === 'unknown' ? 'is not distinct from null' : 'is null'),
  typesCaseByElse: true,
  bind: (field, value) => bindValue(field, value),
  match(kind, field) {
    const [before, after] = isPadded(field) ? castToText : asText(field);
    return ignoresCase(kind)
      ? [`lower(${before}`, `${after}) like lower(`, ") escape '!'"]
      : [before, `${after} like `, " escape '!'"];
  },
  pattern: (kind, text) => likePattern(kind, escapeText(text)),
  moment,
  addSeconds: (moment, seconds) => `(${moment} + make_interval(secs => ${seconds}))`,
  datePart,
  keyOfText,
  enumPosition: (column) => `array_position(enum_range(${column}), ${column})`,
  jsonLength,
  jsonAt,
  sum: (value, { field, distinct }) =>
    `sum(${distinct ? 'distinct ' : ''}${isSingle(field) ? `cast(${value} as double precision)` : value})`,
  average(value, { result, distinct }) {
    const each = distinct ? 'distinct ' : '';
    if (result.type === 'float') return `avg(${each}cast(${value} as double precision))`;
    // a division of numerics has as many digits as the database chooses; one of whole numbers is exact
    const sum = `sum(${each}cast(${value} as numeric))`;
    const count = `count(${each}${value})`;
    const scale = result.scale ?? 0;
    const rounded = `div(2 * abs(${sum}) * 1${'0'.repeat(scale)} + ${count}, nullif(2 * ${count}, 0))`;
    return `(sign(${sum}) * ${rounded} * 0.${'0'.repeat(Math.max(0, scale - 1))}1)`;
  },
  asText,
  sortKey(field, descending) {
    const [before, after] = isUnordered(field) ? castToText : noCast;
    const direction = descending ? ' desc' : '';
    // nulls sort as the smallest values, as in the other databases
    const nulls = descending ? ' nulls last' : ' nulls first';
    return { before, after: `${after}${direction}`, nulls };
  },
};

const bindValue = (field: FieldDeclaration, value: Scalar): BindValue => {
  const { type, element } = field;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return value;
  if (element !== undefined) return jsonToArray(value, element, separatorOf(field));
  return dateTimeTypes.has(type) ? formatYear(value) : value;
};

const dateTimeTypes: ReadonlySet<Field['type']> = new Set(['date', 'dateTime', 'timestamp'] as const);

/** Writes year 0 as 1 BC, -1 as 2 BC, …, because PostgreSQL has no year 0. */
const formatYear = (moment: string): string => {
  const [, years, rest] = /^(?:-(\d+)|0000)(-.*)$/.exec(moment) ?? [];
  return rest === undefined ? moment : `${String(Number(years ?? 0) + 1).padStart(4, '0')}${rest} BC`;
};

/** Converts a JSON list to an array, `[1, null, "a"]` → `{1,NULL,"a"}`, and other values to text that is no array. */
const jsonToArray = (json: string, element: FieldElement, separator: string): string => {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) return 'not a list';
  return formatArray(value, element, separator);
};

const formatArray = (values: readonly unknown[], element: FieldElement, separator: string): string =>
  `{${values.map((value) => formatElement(value, element, separator)).join(separator)}}`;

/** Formats an element as a column of its type accepts it. */
const formatElement = (value: unknown, element: FieldElement, separator: string): string => {
  if (value === null) return 'NULL';
  if (element.type === 'json') return quoteElement(JSON.stringify(value));
  if (Array.isArray(value)) return formatArray(value, element, separator);
  const read = element.type === 'unknown' ? null : readValue(element, value);
  if (read?.ok === true) return formatValue(bindValue(element, toStoredValue(element, read.value)));
  return quoteElement(typeof value === 'object' ? JSON.stringify(value) : String(value));
};

const formatValue = (value: BindValue): string => {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return quoteElement(`\\x${value.toString('hex')}`);
  return typeof value === 'string' ? quoteElement(value) : String(value);
};

const quoteElement = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
