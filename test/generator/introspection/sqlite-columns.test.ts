import { expect, it } from 'vitest';
import type { ColumnType } from '../../../generator/introspection/catalog.js';
import { readDefault, readType } from '../../../generator/introspection/sqlite/columns.js';

it.each<[declared: string, type: ColumnType]>([
  ['', { kind: 'unknown' }],
  ['integer', { kind: 'integer', bits: 54, signed: true }],
  ['int unsigned', { kind: 'integer', bits: 54, signed: false }],
  ['BIGINT(20) UNSIGNED', { kind: 'integer', bits: 64, signed: false }],
  ['INT64', { kind: 'integer', bits: 64, signed: true }],
  ['MEDIUMINT', { kind: 'integer', bits: 24, signed: true }],
  ['BIT', { kind: 'boolean' }],
  ['BIT(8)', { kind: 'unknown' }],
  ['bool', { kind: 'boolean' }],
  ['double  precision', { kind: 'float', bits: 64 }],
  ['FLOAT4', { kind: 'float', bits: 64 }],
  ['NUM', { kind: 'decimal', precision: null, scale: null }],
  ['numeric(20 , 6)', { kind: 'decimal', precision: 20, scale: 6 }],
  ['CHARACTER VARYING(20)', { kind: 'string', length: 20 }],
  ['VARYING CHARACTER', { kind: 'string', length: null }],
  ['LONG VARCHAR', { kind: 'text', length: null }],
  ['TEXT(100)', { kind: 'text', length: 100 }],
  ['CHARACTER LARGE OBJECT', { kind: 'text', length: null }],
  ['LONGBLOB', { kind: 'binary', length: null }],
  ['TIMESTAMP WITH TIME ZONE', { kind: 'timestamp', fraction: 0 }],
  ['DATETIME(9)', { kind: 'dateTime', fraction: 6 }],
  ['MULTIPOINT', { kind: 'unknown' }],
  ['ANY', { kind: 'unknown' }],
  ['constructor', { kind: 'unknown' }],
])('SQLite type %j is %j', (declared, type) => {
  expect(readType(declared)).toEqual(type);
});

it.each<[sql: string | null, value: string | null]>([
  [null, null],
  ['NULL', null],
  ["''", ''],
  ["'it''s'", "it's"],
  ['"a ""b"""', 'a "b"'],
  ["'NULL'", 'NULL'],
  ['- 5', '-5'],
  ['+.5', '.5'],
  ['1e3', '1e3'],
  ['TRUE', '1'],
  ['false', '0'],
  ['draft', 'draft'],
  ['current_state', 'current_state'],
])('SQLite default %j is the literal %j', (sql, value) => {
  expect(readDefault(sql)).toEqual(value === null ? null : { kind: 'literal', value });
});

it.each(['CURRENT_TIMESTAMP', "'a' || 'b'", '1 + 2', "x'00'", '0x10', 'random()', "datetime('now')"])(
  'SQLite default %j is an expression',
  (sql) => {
    expect(readDefault(sql)).toEqual({ kind: 'expression', sql });
  },
);
