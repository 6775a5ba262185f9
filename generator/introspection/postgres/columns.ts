/** Converts column types and defaults of PostgreSQL to those of the catalog. Pure. */
import type { ColumnDefault, ColumnType } from '../catalog.js';
import type { ColumnRow } from './tables.js';

type TypeRow = Pick<ColumnRow, 'typeName' | 'typeKind' | 'category' | 'modifier' | 'labels' | 'dbType'>;

/**
 * Reads a column type. Types that are not listed are unknown: geometry, text search, money, composites and
 * those of extensions other than `citext`.
 */
export const readType = (row: TypeRow): ColumnType => {
  if (row.labels !== null) return { kind: 'enum', values: JSON.parse(row.labels) as string[] };
  if (row.category === 'A') return { kind: 'json', element: readElement(row.dbType) };
  if (row.typeKind === 'r' || row.typeKind === 'm') return { kind: 'string', length: null };
  return typeReaders.get(row.typeName)?.(Number(row.modifier)) ?? { kind: 'unknown' };
};

type TypeReader = (modifier: number) => ColumnType;

const integer =
  (bits: 16 | 32 | 64): TypeReader =>
  () => ({ kind: 'integer', bits, signed: true });

const plain =
  (type: ColumnType): TypeReader =>
  () =>
    type;

/** Bytes that PostgreSQL adds to a length for the header. */
const header = 4;

const sized: TypeReader = (modifier) => ({
  kind: 'string',
  length: modifier === -1 ? null : modifier - header,
});

/**
 * Unpacks precision and scale of `numeric`: the precision is in the upper half, the scale, which may be
 * negative or exceed it, in 11 bits of the lower one. Returns the digits before and after the point.
 */
const numeric: TypeReader = (modifier) => {
  if (modifier === -1) return { kind: 'decimal', precision: null, scale: null };
  const packed = modifier - header;
  const scale = ((packed & 0x7ff) ^ 0x400) - 0x400;
  const precision = (packed >> 16) - Math.min(scale, 0);
  return { kind: 'decimal', precision: Math.max(precision, scale), scale: Math.max(scale, 0) };
};

const maxFraction = 6;

const fractional =
  (kind: 'time' | 'dateTime' | 'timestamp'): TypeReader =>
  (modifier) => ({ kind, fraction: modifier === -1 ? maxFraction : modifier });

const bits: TypeReader = (modifier) => ({ kind: 'string', length: modifier === -1 ? null : modifier });

const text = (length: number | null): TypeReader => plain({ kind: 'string', length });

const typeReaders: ReadonlyMap<string, TypeReader> = new Map([
  ['bool', plain({ kind: 'boolean' })],
  ['int2', integer(16)],
  ['int4', integer(32)],
  ['int8', integer(64)],
  ['numeric', numeric],
  ['float4', plain({ kind: 'float', bits: 32 })],
  ['float8', plain({ kind: 'float', bits: 64 })],
  ['bpchar', sized],
  ['varchar', sized],
  ['char', text(1)],
  ['name', text(63)],
  ['text', plain({ kind: 'text', length: null })],
  ['citext', plain({ kind: 'text', length: null })],
  ['bytea', plain({ kind: 'binary', length: null })],
  ['bit', bits],
  ['varbit', bits],
  ['date', plain({ kind: 'date' })],
  ['time', fractional('time')],
  ['timestamp', fractional('dateTime')],
  ['timestamptz', fractional('timestamp')],
  ['interval', text(null)],
  ['uuid', plain({ kind: 'uuid' })],
  ['inet', text(43)],
  ['cidr', text(43)],
  ['macaddr', text(17)],
  ['macaddr8', text(23)],
  ['json', plain({ kind: 'json' })],
  ['jsonb', plain({ kind: 'json' })],
]);

/** Types of array elements that have values of their own in JSON or are checked; the database parses others. */
const elementReaders: ReadonlyMap<string, TypeReader> = new Map([
  ['smallint', integer(16)],
  ['integer', integer(32)],
  ['bigint', integer(64)],
  ['numeric', numeric],
  ['real', plain({ kind: 'float', bits: 32 })],
  ['double precision', plain({ kind: 'float', bits: 64 })],
  ['boolean', plain({ kind: 'boolean' })],
  ['character', text(null)],
  ['bytea', plain({ kind: 'binary', length: null })],
  ['date', plain({ kind: 'date' })],
  ['time without time zone', fractional('time')],
  ['timestamp without time zone', fractional('dateTime')],
  ['timestamp with time zone', fractional('timestamp')],
  ['uuid', plain({ kind: 'uuid' })],
  ['json', plain({ kind: 'json' })],
  ['jsonb', plain({ kind: 'json' })],
]);

/** Reads the element of an array type such as `timestamp(3) without time zone[]`. */
const readElement = (dbType: string): ColumnType => {
  const [modifier, digits] = /\((\d+).*?\)/.exec(dbType) ?? [''];
  const read = elementReaders.get(dbType.replace(modifier, '').slice(0, -'[]'.length));
  if (read === numeric) return { kind: 'decimal', precision: null, scale: null };
  return read?.(digits === undefined ? -1 : Number(digits)) ?? { kind: 'unknown' };
};

/**
 * A literal as the server prints it: with its type, in quotes that are doubled, after an `E` with doubled
 * backslashes.
 */
const literal =
  /^(?<kind>[EB]?)'(?<body>(?:[^']|'')*)'(?:::(?:[\w ]+|"(?:[^"]|"")+"|\.|\(\d+(?:,\d+)?\))+)?$/;

/**
 * Reads a default from the SQL text of `pg_get_expr`: `'x'::text`, `'-5'::integer`, `true`, `NULL::text`,
 * `now()`. Defaults of binary and array columns stay SQL, since their values are not text.
 */
export const readDefault = (sql: string | null, type: ColumnType): ColumnDefault | null => {
  if (sql === null || /^NULL(?:::|$)/.test(sql)) return null;
  const value = type.kind === 'binary' || isArray(type) ? null : readLiteral(sql, type);
  return value === null ? { kind: 'expression', sql } : { kind: 'literal', value };
};

const isArray = (type: ColumnType): boolean => type.kind === 'json' && type.element !== undefined;

const readLiteral = (sql: string, type: ColumnType): string | null => {
  if (sql === 'true' || sql === 'false') return sql === 'true' ? '1' : '0';
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(sql)) return sql;
  const { kind, body } = literal.exec(sql)?.groups ?? {};
  if (body === undefined) return null;
  const unquoted = body.replaceAll("''", "'");
  const value = kind === 'E' ? unquoted.replaceAll('\\\\', '\\') : unquoted;
  return type.kind === 'timestamp' ? value.replace(/\+00$/, '') : value;
};
