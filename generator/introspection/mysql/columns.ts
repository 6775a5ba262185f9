/** Converts column types and defaults of MySQL and MariaDB to those of the catalog. Pure. */
import { unescapeBackslashes } from '../../../contract/backslash-escapes.js';
import { geometryTypes, type GeometryType } from '../../../contract/geometry.js';
import type { ColumnDefault, ColumnType } from '../catalog.js';
import type { ColumnRow } from './tables.js';

type TypeRow = Pick<
  ColumnRow,
  'columnType' | 'dataType' | 'length' | 'precision' | 'scale' | 'fraction' | 'srid'
>;
type TypeReader = (row: TypeRow) => ColumnType;

/**
 * Reads a column type. `json`: a check constraint ensures that the text is valid JSON. Types that are not
 * listed are unknown.
 */
export const readType = (row: TypeRow, json: boolean): ColumnType =>
  json ? { kind: 'json' } : (typeReaders.get(row.dataType.toLowerCase())?.(row) ?? { kind: 'unknown' });

const integer =
  (bits: 8 | 16 | 24 | 32 | 64): TypeReader =>
  (row) => ({ kind: 'integer', bits, signed: !row.columnType.includes('unsigned') });

/** Reads `tinyint(1)`, the server's name for `boolean`, and other sizes. */
const tinyint: TypeReader = (row) =>
  row.columnType.startsWith('tinyint(1)') ? { kind: 'boolean' } : integer(8)(row);

/**
 * Reads one bit as a boolean and more as a big-endian byte string, the form in which they are read and
 * written.
 */
const bit: TypeReader = (row) => {
  const bits = Number(row.precision);
  return bits === 1 ? { kind: 'boolean' } : { kind: 'binary', length: Math.ceil(bits / 8) };
};

const sized =
  (kind: 'string' | 'text' | 'binary'): TypeReader =>
  (row) => ({ kind, length: toNumber(row.length) });

const fractional =
  (kind: 'time' | 'dateTime' | 'timestamp'): TypeReader =>
  (row) => ({ kind, fraction: toNumber(row.fraction) ?? 0 });

const listed =
  (kind: 'enum' | 'set'): TypeReader =>
  (row) => ({ kind, values: readValues(row.columnType) });

const geometry =
  (type: GeometryType | null): TypeReader =>
  ({ srid }) => ({ kind: 'geometry', geometry: { type, srid: toNumber(srid) } });

const vector: TypeReader = ({ columnType }) => {
  const length = /\((\d+)\)/.exec(columnType)?.[1];
  return { kind: 'vector', length: length === undefined ? null : Number(length) };
};

/** Returns a count, which a driver may give as text or bigint, as a number. */
export const toNumber = (count: ColumnRow['length']): number | null =>
  count === null ? null : Number(count);

const typeReaders: ReadonlyMap<string, TypeReader> = new Map<string, TypeReader>([
  ['tinyint', tinyint],
  ['smallint', integer(16)],
  ['mediumint', integer(24)],
  ['int', integer(32)],
  ['bigint', integer(64)],
  ['bit', bit],
  ['year', () => ({ kind: 'integer', bits: 16, signed: false })],
  ['decimal', (row) => ({ kind: 'decimal', precision: toNumber(row.precision), scale: toNumber(row.scale) })],
  ['float', () => ({ kind: 'float', bits: 32 })],
  ['double', () => ({ kind: 'float', bits: 64 })],
  ['char', sized('string')],
  ['varchar', sized('string')],
  ['tinytext', sized('text')],
  ['text', sized('text')],
  ['mediumtext', sized('text')],
  ['longtext', () => ({ kind: 'text', length: null })],
  ['binary', sized('binary')],
  ['varbinary', sized('binary')],
  ['tinyblob', sized('binary')],
  ['blob', sized('binary')],
  ['mediumblob', sized('binary')],
  ['longblob', () => ({ kind: 'binary', length: null })],
  ['date', () => ({ kind: 'date' })],
  ['time', fractional('time')],
  ['datetime', fractional('dateTime')],
  ['timestamp', fractional('timestamp')],
  ['json', () => ({ kind: 'json' })],
  ['uuid', () => ({ kind: 'uuid' })],
  ['inet4', () => ({ kind: 'string', length: 15 })],
  ['inet6', () => ({ kind: 'string', length: 45 })],
  ['enum', listed('enum')],
  ['set', listed('set')],
  ['geometry', geometry(null)],
  ...geometryTypes.map((type) => [type.toLowerCase(), geometry(type)] as const),
  // the name that MySQL gives it
  ['geomcollection', geometry('GeometryCollection')],
  ['vector', vector],
]);

/** Returns the length of texts in characters, of binary values in bytes, and of vectors in numbers of four bytes. */
export const readLength = ({ dataType, length }: Pick<ColumnRow, 'dataType' | 'length'>): number | null =>
  length !== null && dataType === 'vector' ? Number(length) / 4 : toNumber(length);

/**
 * A string literal as the server prints it: quotes are doubled and some characters escaped by a backslash.
 */
const literal = /'((?:[^'\\]|''|\\.)*)'/s;

/** Reads the values of an enum or set: `enum('a','it''s')` has `a` and `it's`. */
export const readValues = (columnType: string): string[] =>
  Array.from(columnType.matchAll(new RegExp(literal, 'gs')), ([, body = '']) => unescape(body));

const unescape = (body: string): string => unescapeBackslashes(body.replaceAll("''", String.raw`\'`));

/**
 * Reads a default from SQL text: `'x'`, `1.50`, `NULL`, `current_timestamp()`. The default of a binary column
 * stays SQL, since bytes are not text.
 */
export const readDefault = (sql: string | null, type: ColumnType): ColumnDefault | null => {
  if (sql === null || sql === 'NULL') return null;
  const value = type.kind === 'binary' ? null : readLiteral(sql);
  return value === null ? { kind: 'expression', sql } : { kind: 'literal', value };
};

const readLiteral = (sql: string): string | null => {
  const body = new RegExp(`^${literal.source}$`, 's').exec(sql)?.[1];
  if (body !== undefined) return unescape(body);
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(sql)) return sql;
  return /^b'([01])'$/.exec(sql)?.[1] ?? null;
};
