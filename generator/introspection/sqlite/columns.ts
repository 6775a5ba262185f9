/** Converts declared types and defaults of SQLite to those of the catalog. Pure. */
import type { ColumnDefault, ColumnType } from '../catalog.js';

type TypeReader = (sizes: readonly number[], signed: boolean) => ColumnType;

/**
 * Reads a declared type, which may be any words in SQLite. Types that other databases define have the same
 * meaning here; others are read by SQLite's affinity rules (sqlite.org/datatype3.html §3.1), unless these say
 * only "numeric".
 */
export const readType = (declared: string): ColumnType => {
  const sizes = Array.from(declared.match(/\(([^)]*)\)/)?.[1]?.matchAll(/\d+/g) ?? [], Number);
  const words = declared
    .toUpperCase()
    .replace(/\([^)]*\)/g, ' ')
    .split(/\s+/)
    .filter(Boolean);
  const name = words.filter((word) => word !== 'UNSIGNED' && word !== 'SIGNED').join(' ');
  const read = typeReaders.get(name) ?? readerOfAffinity(name);
  return read(sizes, !words.includes('UNSIGNED'));
};

const readerOfAffinity = (name: string): TypeReader => {
  if (/INT/.test(name) && !/POINT/.test(name)) return integer(64);
  if (/CHAR|CLOB|TEXT/.test(name)) return sized('text');
  if (/BLOB/.test(name)) return sized('binary');
  if (/REAL|FLOA|DOUB/.test(name)) return float;
  return () => ({ kind: 'unknown' });
};

const integer =
  (bits: 8 | 16 | 24 | 32 | 54 | 64): TypeReader =>
  (_, signed) => ({ kind: 'integer', bits, signed });

const tinyint: TypeReader = (sizes, signed) =>
  sizes[0] === 1 ? { kind: 'boolean' } : integer(8)(sizes, signed);

/**
 * Reads one bit as a boolean; more have no corresponding type in SQLite, so their values are read as stored.
 */
const bit: TypeReader = (sizes) => ((sizes[0] ?? 1) === 1 ? { kind: 'boolean' } : { kind: 'unknown' });

const float: TypeReader = () => ({ kind: 'float', bits: 64 });

const decimal: TypeReader = ([precision = null, scale = null]) => ({
  kind: 'decimal',
  precision,
  scale: scale ?? (precision === null ? null : 0),
});

const sized =
  (kind: 'string' | 'text' | 'binary'): TypeReader =>
  ([length = null]) => ({ kind, length });

const fractional =
  (kind: 'time' | 'dateTime' | 'timestamp'): TypeReader =>
  ([fraction = 0]) => ({ kind, fraction: Math.min(fraction, 6) });

const plain =
  (kind: 'boolean' | 'date' | 'uuid' | 'json' | 'unknown'): TypeReader =>
  () => ({ kind });

/**
 * Readers by type name. `INT` and `INTEGER` have 64 bits in SQLite, but are often keys and counts, which are
 * JSON numbers on other databases: they are read with as many bits as JSON numbers represent exactly, and a
 * sign.
 */
const typeReaders: ReadonlyMap<string, TypeReader> = new Map<string, TypeReader>([
  ['INT', integer(54)],
  ['INTEGER', integer(54)],
  ['INT4', integer(32)],
  ['TINYINT', tinyint],
  ['INT1', integer(8)],
  ['SMALLINT', integer(16)],
  ['INT2', integer(16)],
  ['YEAR', integer(16)],
  ['MEDIUMINT', integer(24)],
  ['BIT', bit],
  ['BOOLEAN', plain('boolean')],
  ['BOOL', plain('boolean')],
  ['REAL', float],
  ['FLOAT', float],
  ['DOUBLE', float],
  ['DOUBLE PRECISION', float],
  ['NUMERIC', decimal],
  ['DECIMAL', decimal],
  ['DEC', decimal],
  ['NUM', decimal],
  ['NUMBER', decimal],
  ['MONEY', decimal],
  ['CHAR', sized('string')],
  ['CHARACTER', sized('string')],
  ['NCHAR', sized('string')],
  ['NATIVE CHARACTER', sized('string')],
  ['VARCHAR', sized('string')],
  ['VARCHAR2', sized('string')],
  ['NVARCHAR', sized('string')],
  ['NVARCHAR2', sized('string')],
  ['CHARACTER VARYING', sized('string')],
  ['VARYING CHARACTER', sized('string')],
  ['STRING', sized('string')],
  ['BINARY', sized('binary')],
  ['VARBINARY', sized('binary')],
  ['BYTEA', sized('binary')],
  ['DATE', plain('date')],
  ['TIME', fractional('time')],
  ['DATETIME', fractional('dateTime')],
  ['TIMESTAMP', fractional('timestamp')],
  ['TIMESTAMPTZ', fractional('timestamp')],
  ['TIMESTAMP WITH TIME ZONE', fractional('timestamp')],
  ['UUID', plain('uuid')],
  ['GUID', plain('uuid')],
  ['UNIQUEIDENTIFIER', plain('uuid')],
  ['JSON', plain('json')],
  ['JSONB', plain('json')],
]);

/** Reads `dflt_value`, which is SQL text without the parentheses of an expression. */
export const readDefault = (sql: string | null): ColumnDefault | null => {
  if (sql === null || /^null$/i.test(sql)) return null;
  const value = readLiteral(sql.trim());
  return value === null ? { kind: 'expression', sql } : { kind: 'literal', value };
};

/**
 * Reads a literal. SQLite treats a bare word and a quoted name as strings; `true` and `false` are 1 and 0.
 */
const readLiteral = (sql: string): string | null => {
  if (/^'(?:[^']|'')*'$/.test(sql)) return sql.slice(1, -1).replaceAll("''", "'");
  if (/^"(?:[^"]|"")*"$/.test(sql)) return sql.slice(1, -1).replaceAll('""', '"');
  if (/^[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(sql)) return sql.replace(/^\+?\s*|\s+/g, '');
  if (/^true$/i.test(sql)) return '1';
  if (/^false$/i.test(sql)) return '0';
  return /^[a-z_]\w*$/i.test(sql) && !/^current_(?:date|time|timestamp)$/i.test(sql) ? sql : null;
};
