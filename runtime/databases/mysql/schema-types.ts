/** Types of columns that a diff may ask MySQL and MariaDB for. */
import type { ColumnShape, DataType, DefaultShape } from '../../schema/shapes.js';
import type { HeldLabels, SchemaPrinter } from '../contract.js';
import { newColumnTypes } from '../new-column-types.js';
import { normalizeMoment, type MomentKind } from '../moments.js';
import { quoteText } from './quoting.js';
import type { Server } from './schema-costs.js';

const listed = (kind: DataType['kind'], size: DataType['size'], names: string): [string, DataType][] =>
  names.split(' ').map((name) => [name, { kind, size }]);

const types: ReadonlyMap<string, DataType> = new Map([
  ...listed('boolean', 'none', 'boolean'),
  ...listed('number', 'none', 'tinyint smallint mediumint int bigint year'),
  ...listed('number', 'decimal', 'decimal float double'),
  ...listed('other', 'decimal', 'bit'),
  ...listed('text', 'length', 'char varchar'),
  ...listed('text', 'none', 'tinytext text mediumtext longtext'),
  ...listed('other', 'length', 'binary varbinary vector'),
  ...listed('other', 'none', 'tinyblob blob mediumblob longblob'),
  ...listed('other', 'none', 'date json uuid inet4 inet6'),
  ...listed('other', 'fraction', 'time datetime timestamp'),
  ...listed('text', 'values', 'enum set'),
  ...listed('other', 'srid', 'geometry point linestring polygon multipoint multilinestring multipolygon'),
  ...listed('other', 'srid', 'geometrycollection geomcollection'),
]);

const attributes = /^(.+?)( unsigned)?( zerofill)?$/;

/**
 * Returns a type by the name that `information_schema` has for it, with `unsigned` and `zerofill`; null for
 * an unknown one.
 */
const dataType = (name: string): DataType | null => {
  const [, base = '', unsigned, zerofill] = attributes.exec(name) ?? [];
  const type = types.get(base) ?? null;
  const hasAttributes = unsigned !== undefined || zerofill !== undefined;
  return hasAttributes && type?.kind !== 'number' ? null : type;
};

/** Prints the type of a column for DDL, with its size and attributes. */
export const printType = (column: ColumnShape): string => {
  const [, base = '', unsigned = '', zerofill = ''] = attributes.exec(column.dataType) ?? [];
  return `${base}${printSize(column, base)}${unsigned}${zerofill}`;
};

/** Precision of floating point numbers whose digits after the point are not given. */
const floats: ReadonlyMap<string, number> = new Map([
  ['float', 12],
  ['double', 22],
]);

const printSize = (column: ColumnShape, base: string): string => {
  switch (types.get(base)?.size ?? 'none') {
    case 'none':
    case 'srid':
      return '';
    case 'length':
      return column.length === null ? '' : `(${column.length})`;
    case 'decimal':
      // the server has a precision for every float, and digits after the point only where they were given
      if (column.precision === null || (floats.has(base) && column.scale === null)) return '';
      return column.scale === null ? `(${column.precision})` : `(${column.precision},${column.scale})`;
    case 'fraction':
      return column.fraction === null ? '' : `(${column.fraction})`;
    case 'values':
      return `(${(column.values ?? []).map(quoteText).join(',')})`;
  }
};

/** Prints the condition of sets with one of the labels; null for other types, of which a value is one label. */
const holdsLabel = (value: string, { column, labels }: HeldLabels): string | null =>
  column.dataType === 'set'
    ? labels.map((label) => `find_in_set(${quoteText(label)}, ${value})`).join(' or ')
    : null;

export const integerBits: ReadonlyMap<string, number> = new Map([
  ['tinyint', 8],
  ['smallint', 16],
  ['mediumint', 24],
  ['int', 32],
  ['bigint', 64],
]);

/** https://dev.mysql.com/doc/refman/9.4/en/storage-requirements.html */
const byteLimits: ReadonlyMap<string, number> = new Map(
  ['text', 'blob'].flatMap((kind) => [
    [`tiny${kind}`, 2 ** 8 - 1],
    [kind, 2 ** 16 - 1],
    [`medium${kind}`, 2 ** 24 - 1],
    [`long${kind}`, 2 ** 32 - 1],
  ]),
);

/** Types whose default is written in parentheses, even where it is a literal. */
export const needsParentheses = ({ dataType: name }: ColumnShape): boolean =>
  /^(?:tinytext|text|mediumtext|longtext|tinyblob|blob|mediumblob|longblob|json)$/.test(name);

/** Other names of types (dev.mysql.com/doc/refman/9.4/en/other-vendor-data-types.html). */
export const aliases: ReadonlyMap<string, string> = new Map([
  ['integer', 'int'],
  ['int4', 'int'],
  ['int8', 'bigint'],
  ['bool', 'boolean'],
  ['tinyint(1)', 'boolean'],
  ['numeric', 'decimal'],
  ['dec', 'decimal'],
  ['fixed', 'decimal'],
  ['real', 'double'],
  ['double precision', 'double'],
  ['character', 'char'],
  ['character varying', 'varchar'],
]);

/** Lengths of types whose length is not given; one for the others. */
const usualLengths: ReadonlyMap<string, number> = new Map([
  ['varchar', 255],
  ['varbinary', 255],
  ['vector', 2048],
]);

const moments: ReadonlyMap<string, MomentKind> = new Map([
  ['date', 'date'],
  ['time', 'time'],
  ['datetime', 'dateTime'],
  ['timestamp', 'dateTime'],
]);

/** Returns a literal default as the server prints it. */
const normalizeDefault = ({ dataType, default: given, fraction }: ColumnShape): DefaultShape | null => {
  if (given?.kind !== 'literal' || typeof given.value !== 'string') return given;
  const moment = moments.get(dataType);
  if (moment !== undefined)
    return { kind: 'literal', value: normalizeMoment(given.value, moment, fraction ?? 0) };
  return dataType === 'uuid' ? { kind: 'literal', value: given.value.toLowerCase() } : given;
};

/** Completes the sizes that the server gives a type without them, and spells literal defaults as it does. */
export const normalizeColumn = (column: ColumnShape, server: Server): ColumnShape =>
  normalizeSize({ ...column, default: normalizeDefault(column) }, server);

/** No digits after the second are no size. */
const normalizeSize = (column: ColumnShape, server: Server): ColumnShape => {
  const base = attributes.exec(column.dataType)?.[1] ?? '';
  const size = types.get(base)?.size;
  // to MariaDB, 0 is the same as none
  if (size === 'srid' && server === 'mariadb') return { ...column, srid: column.srid || null };
  if (size === 'fraction') return { ...column, fraction: column.fraction === 0 ? null : column.fraction };
  if (size === 'length') return { ...column, length: column.length ?? usualLengths.get(base) ?? 1 };
  const precision = floats.get(base);
  if (precision !== undefined && column.scale === null) return { ...column, precision };
  if (base !== 'decimal') return column;
  return { ...column, precision: column.precision ?? 10, scale: column.scale ?? 0 };
};

/** Column types of new fields by field type. */
const fieldTypes = newColumnTypes({
  string: { data_type: 'varchar', max_length: 255 },
  text: { data_type: 'text' },
  integer: { data_type: 'int' },
  bigInteger: { data_type: 'bigint' },
  float: { data_type: 'double' },
  decimal: { data_type: 'decimal', numeric_precision: 10, numeric_scale: 5 },
  boolean: { data_type: 'boolean' },
  date: { data_type: 'date' },
  dateTime: { data_type: 'datetime' },
  time: { data_type: 'time' },
  timestamp: { data_type: 'timestamp' },
  uuid: { data_type: 'char', max_length: 36 },
  json: { data_type: 'json' },
  csv: { data_type: 'text' },
  hash: { data_type: 'varchar', max_length: 255 },
  binary: { data_type: 'longblob' },
  geometry: null,
  vector: null,
  unknown: null,
});

/** Types as the printer of schemas knows them. */
export const typeTraits = {
  dataType,
  printType,
  integerBits,
  byteLimits,
  holdsLabel,
  usualFraction: 0,
  fieldTypes,
} satisfies Partial<SchemaPrinter>;
