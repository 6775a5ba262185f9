/** Column types and defaults as PostgreSQL words them → the catalog's. Pure. */
import type { ColumnDefault, ColumnType } from '../catalog.js';
import type { ColumnRow } from './tables.js';

type TypeRow = Pick<ColumnRow, 'typeName' | 'typeKind' | 'category' | 'modifier' | 'labels'>;

/** Words that are not listed are unknown: geometry, text search, money, composites and what extensions bring. */
export const readType = (row: TypeRow): ColumnType => {
  if (row.labels !== null) return { kind: 'enum', values: JSON.parse(row.labels) as string[] };
  // a list is JSON on the wire
  if (row.category === 'A') return { kind: 'json' };
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

/** Lengths are kept with the four bytes of a header. */
const header = 4;

const sized: TypeReader = (modifier) => ({
  kind: 'string',
  length: modifier === -1 ? null : modifier - header,
});

/**
 * Precision in the upper half; scale, which may be negative or exceed it, in 11 bits of the lower one.
 * What comes out says how many digits stand before and after the point.
 */
const numeric: TypeReader = (modifier) => {
  if (modifier === -1) return { kind: 'decimal', precision: null, scale: null };
  const packed = modifier - header;
  const scale = ((packed & 0x7ff) ^ 0x400) - 0x400;
  const precision = (packed >> 16) - Math.min(scale, 0);
  return { kind: 'decimal', precision: Math.max(precision, scale), scale: Math.max(scale, 0) };
};

const mostDigits = 6;

const fractional =
  (kind: 'time' | 'dateTime' | 'timestamp'): TypeReader =>
  (modifier) => ({ kind, fraction: modifier === -1 ? mostDigits : modifier });

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

/** A literal as the server prints it: with its type, in quotes that are doubled, behind an `E` with backslashes doubled. */
const literal =
  /^(?<kind>[EB]?)'(?<body>(?:[^']|'')*)'(?:::(?:[\w ]+|"(?:[^"]|"")+"|\.|\(\d+(?:,\d+)?\))+)?$/;

/**
 * `pg_get_expr` gives SQL text: `'x'::text`, `'-5'::integer`, `true`, `NULL::text`, `now()`.
 * Bytes and lists are no texts of their type: their defaults stay SQL.
 */
export const readDefault = (sql: string | null, type: ColumnType, dbType: string): ColumnDefault | null => {
  if (sql === null || /^NULL(?:::|$)/.test(sql)) return null;
  const value = type.kind === 'binary' || dbType.endsWith('[]') ? null : readLiteral(sql, type);
  return value === null ? { kind: 'expression', sql } : { kind: 'literal', value };
};

const readLiteral = (sql: string, type: ColumnType): string | null => {
  if (sql === 'true' || sql === 'false') return sql === 'true' ? '1' : '0';
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(sql)) return sql;
  const { kind, body } = literal.exec(sql)?.groups ?? {};
  if (body === undefined) return null;
  const said = body.replaceAll("''", "'");
  const value = kind === 'E' ? said.replaceAll('\\\\', '\\') : said;
  return type.kind === 'timestamp' ? value.replace(/\+00$/, '') : value;
};
