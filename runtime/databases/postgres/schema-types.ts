/** Types of columns that a diff may ask PostgreSQL for. */
import type { ColumnShape, DataType } from '../../schema/shapes.js';
import type { HeldLabels } from '../contract.js';
import { newColumnTypes } from '../new-column-types.js';
import { quoteText } from './quoting.js';
import { normalizeDefault } from './schema-defaults.js';

const listed = (kind: DataType['kind'], size: DataType['size'], names: string): [string, DataType][] =>
  names.split(', ').map((name) => [name, { kind, size }]);

const types: ReadonlyMap<string, DataType> = new Map([
  ...listed('boolean', 'none', 'boolean'),
  ...listed('smallint', 'none', 'smallint'),
  ...listed('number', 'none', 'integer, bigint, real, double precision, oid'),
  ...listed('number', 'decimal', 'numeric'),
  ...listed('text', 'length', 'character, character varying'),
  ...listed('text', 'none', 'text, citext, name, "char"'),
  ...listed('other', 'length', 'bit, bit varying'),
  ...listed('other', 'none', 'bytea, date, uuid, json, jsonb, inet, cidr, macaddr, macaddr8, money, xml'),
  ...listed('other', 'none', 'tsvector, tsquery, point, line, lseg, box, path, polygon, circle'),
  ...listed('other', 'none', 'xid8, pg_lsn, jsonpath'),
  ...listed('other', 'none', 'int4range, int8range, numrange, tsrange, tstzrange, daterange'),
  ...listed(
    'other',
    'none',
    'int4multirange, int8multirange, nummultirange, tsmultirange, tstzmultirange, datemultirange',
  ),
  ...listed('other', 'fraction', 'time without time zone, time with time zone, interval'),
  ...listed('other', 'fraction', 'timestamp without time zone, timestamp with time zone'),
]);

/** Prints the condition of lists with one of the labels; null for other types, of which a value is one label. */
export const holdsLabel = (value: string, { column, labels }: HeldLabels): string | null =>
  column.dataType.endsWith('[]') ? `${value}::text[] && array[${labels.map(quoteText).join(', ')}]` : null;

export const integerBits: ReadonlyMap<string, number> = new Map([
  ['smallint', 16],
  ['integer', 32],
  ['bigint', 64],
]);

/** Returns the name of the type that an array holds; that of any other type as it is. */
export const elementOf = (name: string): string => name.replace(/\[\]$/, '');

const enumName = /^(?:[a-z_][a-z0-9_]*|"(?:[^"\0]|""){1,126}")$/;

/** An enum is a type of its own, with its values; `[]` makes an array of a type. */
export const dataType = (name: string, values: readonly string[] | null): DataType | null => {
  const base = elementOf(name);
  if (values !== null)
    return enumName.test(base) && !types.has(base) ? { kind: 'other', size: 'values' } : null;
  const element = types.get(base);
  if (element === undefined) return null;
  return name.endsWith('[]') ? { ...element, kind: 'other' } : element;
};

/** Prints the type of a column for DDL, with its size and `[]`. */
export const printType = (column: ColumnShape): string => {
  const base = elementOf(column.dataType);
  // a type that was created in the database may have a length
  const size = printSize(column, dataType(column.dataType, column.values)?.size ?? 'length');
  // the digits of a time come before its zone
  const [, first, rest = ''] = /^(time|timestamp)( with(?:out)? time zone)$/.exec(base) ?? [];
  const sized = first === undefined ? `${base}${size}` : `${first}${size}${rest}`;
  return `${sized}${column.dataType.slice(base.length)}`;
};

const printSize = (column: ColumnShape, size: DataType['size']): string => {
  const { length, precision, scale, fraction } = column;
  if (size === 'length') return length === null ? '' : `(${length})`;
  if (size === 'fraction') return fraction === null ? '' : `(${fraction})`;
  if (size !== 'decimal' || precision === null) return '';
  return scale === null ? `(${precision})` : `(${precision},${scale})`;
};

/** Other names of types (postgresql.org/docs/current/datatype.html). */
export const aliases: ReadonlyMap<string, string> = new Map([
  ['int', 'integer'],
  ['int2', 'smallint'],
  ['int4', 'integer'],
  ['int8', 'bigint'],
  ['float4', 'real'],
  ['float8', 'double precision'],
  ['decimal', 'numeric'],
  ['bool', 'boolean'],
  ['char', 'character'],
  ['varchar', 'character varying'],
  ['time', 'time without time zone'],
  ['timetz', 'time with time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['timestamptz', 'timestamp with time zone'],
]);

/** Completes the sizes that the server gives a type without them, and spells literal defaults as it does. */
export const normalizeColumn = (column: ColumnShape): ColumnShape => {
  const { default: literal } = column;
  if (literal?.kind === 'literal' && typeof literal.value === 'string')
    return normalizeSize({
      ...column,
      default: { kind: 'literal', value: normalizeDefault(literal.value, column.dataType) },
    });
  return normalizeSize(column);
};

const normalizeSize = (column: ColumnShape): ColumnShape => {
  if (column.dataType === 'character' || column.dataType === 'bit')
    return { ...column, length: column.length ?? 1 };
  return column.dataType === 'numeric' && column.precision !== null
    ? { ...column, scale: column.scale ?? 0 }
    : column;
};

/** Column types of new fields by field type. */
export const fieldTypes = newColumnTypes({
  string: { data_type: 'character varying', max_length: 255 },
  text: { data_type: 'text' },
  integer: { data_type: 'integer' },
  bigInteger: { data_type: 'bigint' },
  float: { data_type: 'double precision' },
  decimal: { data_type: 'numeric', numeric_precision: 10, numeric_scale: 5 },
  boolean: { data_type: 'boolean' },
  date: { data_type: 'date' },
  dateTime: { data_type: 'timestamp without time zone' },
  time: { data_type: 'time without time zone' },
  timestamp: { data_type: 'timestamp with time zone' },
  uuid: { data_type: 'uuid' },
  json: { data_type: 'json' },
  csv: { data_type: 'text' },
  hash: { data_type: 'character varying', max_length: 255 },
  binary: { data_type: 'bytea' },
  geometry: null,
  vector: null,
  unknown: null,
});
