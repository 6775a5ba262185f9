import { expect, it } from 'vitest';
import type { ColumnDefault, ColumnType } from '../../../generator/introspection/catalog.js';
import { readDefault } from '../../../generator/introspection/mysql/columns.js';
import {
  rowsToTables,
  type CatalogRows,
  type ColumnRow,
  type KeyColumnRow,
} from '../../../generator/introspection/mysql/tables.js';

const columnRow = (table: string, name: string, options: Partial<ColumnRow> = {}): ColumnRow => ({
  table,
  name,
  columnType: 'int(11)',
  dataType: 'int',
  nullable: 'YES',
  defaultSql: 'NULL',
  extra: '',
  length: null,
  precision: 10,
  scale: 0,
  fraction: null,
  generation: null,
  srid: null,
  collation: null,
  comment: '',
  ...options,
});

const keyRow = (name: string, options: Partial<KeyColumnRow> = {}): KeyColumnRow => ({
  table: 't',
  name,
  column: 'a',
  sameSchema: 1,
  referencedTable: 'p',
  referencedColumn: 'id',
  ...options,
});

const read = (rows: Partial<CatalogRows>) =>
  rowsToTables({
    tables: [{ name: 't', type: 'BASE TABLE', comment: '' }],
    columns: [columnRow('t', 'a')],
    statistics: [],
    keyColumns: [],
    references: [],
    checks: [],
    ...rows,
  });

it('omits sequences and views of dropped tables', () => {
  const tables = read({
    tables: [
      { name: 'sequence', type: 'SEQUENCE', comment: '' },
      { name: 'broken', type: 'VIEW', comment: 'VIEW' },
      { name: 'whole', type: 'VIEW', comment: 'VIEW' },
      { name: 'versioned', type: 'SYSTEM VERSIONED', comment: 'kept' },
    ],
    columns: ['sequence', 'whole', 'versioned'].map((table) => columnRow(table, 'a', { defaultSql: '1' })),
  });
  expect(tables.map(({ name, kind, comment }) => [name, kind, comment])).toEqual([
    ['whole', 'view', null],
    ['versioned', 'table', 'kept'],
  ]);
  expect(tables.map(({ columns }) => columns[0]?.default)).toEqual([null, { kind: 'literal', value: '1' }]);
});

it('reads a text column as JSON if its only check is json_valid', () => {
  const text = { columnType: 'longtext', dataType: 'longtext' };
  const [table] = read({
    columns: ['a', 'b', 'c', 'd`"'].map((name) => columnRow('t', name, text)),
    checks: [
      { table: 't', column: 'a', clause: 'json_valid(`a`)' },
      { table: 't', column: 'b', clause: 'json_valid(`a`)' },
      { table: 't', column: 'c', clause: 'json_valid("c")' },
      { table: 't', column: 'd`"', clause: 'json_valid(`d``"`)' },
    ],
  });
  expect(table?.columns.map(({ type }) => type.kind)).toEqual(['json', 'text', 'json', 'json']);
});

it('keeps the column pairs of a foreign key and omits references to another schema', () => {
  const [table] = read({
    keyColumns: [
      keyRow('two', { column: 'b', referencedColumn: 'y' }),
      keyRow('two', { column: 'a', referencedColumn: 'x' }),
      keyRow('elsewhere', { sameSchema: 0 }),
      keyRow('one', { sameSchema: '1' }),
    ],
    references: [
      { table: 't', name: 'one', onUpdate: 'NO ACTION', onDelete: 'SET NULL' },
      { table: 't', name: 'two', onUpdate: 'CASCADE', onDelete: 'RESTRICT' },
    ],
  });
  expect(table?.foreignKeys).toEqual([
    {
      name: 'one',
      columns: ['a'],
      table: 'p',
      references: ['id'],
      onUpdate: 'no action',
      onDelete: 'set null',
    },
    {
      name: 'two',
      columns: ['b', 'a'],
      table: 'p',
      references: ['y', 'x'],
      onUpdate: 'cascade',
      onDelete: 'restrict',
    },
  ]);
});

it('accepts wide numbers as text or bigint', () => {
  const [table] = read({
    columns: [
      columnRow('t', 'a', { columnType: 'varchar(9)', dataType: 'varchar', length: '9' }),
      columnRow('t', 'b', { columnType: 'decimal(9,2)', dataType: 'decimal', precision: 9n, scale: '2' }),
    ],
  });
  expect(table?.columns.map(({ type }) => type)).toEqual([
    { kind: 'string', length: 9 },
    { kind: 'decimal', precision: 9, scale: 2 },
  ]);
});

const string: ColumnType = { kind: 'string', length: 9 };

it.each<[sql: string | null, type: ColumnType, want: ColumnDefault | null]>([
  [null, string, null],
  ['NULL', string, null],
  ["'NULL'", string, { kind: 'literal', value: 'NULL' }],
  ["''", string, { kind: 'literal', value: '' }],
  [String.raw`'it''s \\ \n \0 \' %'`, string, { kind: 'literal', value: "it's \\ \n \0 ' %" }],
  ['-1.50', { kind: 'decimal', precision: 5, scale: 2 }, { kind: 'literal', value: '-1.50' }],
  ["b'0'", { kind: 'boolean' }, { kind: 'literal', value: '0' }],
  ["b'10'", { kind: 'binary', length: 1 }, { kind: 'expression', sql: "b'10'" }],
  ["'ab'", { kind: 'binary', length: 4 }, { kind: 'expression', sql: "'ab'" }],
  [
    'current_timestamp()',
    { kind: 'timestamp', fraction: 0 },
    { kind: 'expression', sql: 'current_timestamp()' },
  ],
  ["concat('a','b')", string, { kind: 'expression', sql: "concat('a','b')" }],
  ["'a' 'b'", string, { kind: 'expression', sql: "'a' 'b'" }],
])('reads the MariaDB default %j', (sql, type, want) => {
  expect(readDefault(sql, type)).toEqual(want);
});
