import { expect, it } from 'vitest';
import {
  rowsToTables,
  type CatalogRows,
  type ColumnRow,
  type ForeignKeyRow,
  type IndexRow,
  type TableRow,
} from '../../../generator/introspection/sqlite/tables.js';

const tableRow = (name: string, options: Partial<TableRow> = {}): TableRow => ({
  name,
  type: 'table',
  withoutRowid: 0n,
  strict: 0n,
  width: 1n,
  ...options,
});

const columnRow = (table: string, name: string, options: Partial<ColumnRow> = {}): ColumnRow => ({
  table,
  name,
  type: 'INTEGER',
  notNull: 0n,
  defaultSql: null,
  key: 0n,
  hidden: 0n,
  ...options,
});

const keyRow = (table: string, from: string, options: Partial<ForeignKeyRow> = {}): ForeignKeyRow => ({
  table,
  id: 0n,
  target: table,
  from,
  to: null,
  onUpdate: 'NO ACTION',
  onDelete: 'SET DEFAULT',
  ...options,
});

const indexRow = (table: string, column: string | null, options: Partial<IndexRow> = {}): IndexRow => ({
  table,
  name: `sqlite_autoindex_${table}_1`,
  unique: 1n,
  origin: 'u',
  partial: 0n,
  column,
  ...options,
});

const read = (rows: Partial<CatalogRows>) =>
  rowsToTables({ tables: [], statements: [], columns: [], foreignKeys: [], indexes: [], ...rows });

const parent = { tables: [tableRow('Parent')], columns: [columnRow('Parent', 'Id', { key: 1n })] };

it('marks an integer key without its own index as auto-increment', () => {
  const [rowId] = read(parent);
  expect(rowId?.columns[0]).toMatchObject({ autoIncrement: true, nullable: false });
  const [indexed] = read({ ...parent, indexes: [indexRow('Parent', 'Id', { origin: 'pk' })] });
  expect(indexed?.columns[0]).toMatchObject({ autoIncrement: false, nullable: false });
  expect(indexed).toMatchObject({ uniques: [], indexes: [] });
});

it('contains options only for tables that have them', () => {
  const sql = 'CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT';
  const tables = read({
    tables: [tableRow('a'), tableRow('b', { strict: 1n }), tableRow('c', { withoutRowid: 1 })],
    statements: [{ type: 'table', name: 'b', sql }],
  });
  expect(tables.map((table) => table.options)).toEqual([
    undefined,
    { strict: true, autoincrement: true },
    { withoutRowid: true },
  ]);
});

it("reads a foreign key in the case of its target, and the target's key if it has no columns", () => {
  const rows = {
    tables: [...parent.tables, tableRow('child')],
    columns: [...parent.columns, columnRow('child', 'a'), columnRow('child', 'b')],
    foreignKeys: [
      keyRow('child', 'b', { id: 0n, target: 'PARENT', to: 'ID' }),
      keyRow('child', 'a', { id: 1n, target: 'parent' }),
    ],
    statements: [
      {
        type: 'table' as const,
        name: 'child',
        sql: 'CREATE TABLE child (a INTEGER CONSTRAINT first REFERENCES parent, b INTEGER REFERENCES PARENT (ID))',
      },
    ],
  };
  const actions = { onUpdate: 'no action', onDelete: 'set default' };
  expect(read(rows)[1]?.foreignKeys).toEqual([
    { name: 'child_b_foreign', columns: ['b'], table: 'Parent', references: ['Id'], ...actions },
    { name: 'first', columns: ['a'], table: 'Parent', references: ['Id'], ...actions },
  ]);
});

it('omits a foreign key to a missing table or column', () => {
  const [table] = read({
    ...parent,
    foreignKeys: [
      keyRow('Parent', 'Id', { id: 0n, target: 'gone' }),
      keyRow('Parent', 'Id', { id: 1n, target: 'Parent', to: 'gone' }),
      keyRow('Parent', 'Id', { id: 2n, target: 'Parent' }),
      keyRow('Parent', 'Id', { id: 2n, target: 'Parent' }),
    ],
  });
  expect(table?.foreignKeys).toEqual([]);
});

it('reports a foreign key without a matching target', () => {
  const index = { origin: 'c' as const };
  const [child] = read({
    tables: [tableRow('child'), tableRow('Goal'), tableRow('none')],
    columns: [
      columnRow('child', 'x'),
      columnRow('child', 'y'),
      ...['A', 'B'].map((name, at) => columnRow('Goal', name, { key: BigInt(at + 1) })),
      ...['lone', 'some', 'plain'].map((name) => columnRow('Goal', name)),
      columnRow('none', 'x'),
    ],
    indexes: [
      indexRow('Goal', 'lone', { ...index, name: 'lone' }),
      indexRow('Goal', 'some', { ...index, name: 'some', partial: 1n }),
      indexRow('Goal', 'plain', { ...index, name: 'plain', unique: 0n }),
    ],
    foreignKeys: [
      keyRow('child', 'x', { id: 0n, target: 'gone', to: 'id' }),
      keyRow('child', 'x', { id: 1n, target: 'goal', to: 'gone' }),
      keyRow('child', 'x', { id: 2n, target: 'goal' }),
      keyRow('child', 'x', { id: 3n, target: 'none' }),
      keyRow('child', 'x', { id: 4n, target: 'goal', to: 'some' }),
      keyRow('child', 'x', { id: 5n, target: 'goal', to: 'plain' }),
      keyRow('child', 'x', { id: 6n, target: 'goal', to: 'a' }),
      keyRow('child', 'x', { id: 7n, target: 'goal', to: 'lone' }),
      keyRow('child', 'x', { id: 8n, target: 'goal', to: 'b' }),
      keyRow('child', 'y', { id: 8n, target: 'goal', to: 'a' }),
      keyRow('child', 'x', { id: 9n, target: 'goal', to: 'lone' }),
      keyRow('child', 'y', { id: 9n, target: 'goal', to: 'a' }),
    ],
  });
  const x = { columns: ['x'] };
  expect(child?.broken).toEqual([
    { ...x, table: 'gone', references: ['id'], fault: 'missing' },
    { ...x, table: 'Goal', references: ['gone'], fault: 'missing' },
    { ...x, table: 'Goal', references: [], fault: 'keyless' },
    { ...x, table: 'none', references: [], fault: 'keyless' },
    { ...x, table: 'Goal', references: ['some'], fault: 'ambiguous' },
    { ...x, table: 'Goal', references: ['plain'], fault: 'ambiguous' },
    { ...x, table: 'Goal', references: ['A'], fault: 'ambiguous' },
    { columns: ['x', 'y'], table: 'Goal', references: ['lone', 'A'], fault: 'ambiguous' },
  ]);
});

it('reports invalid foreign keys', () => {
  const [table] = read({ ...parent, foreignKeys: [keyRow('Parent', 'Id', { to: 'id' })] });
  expect(table).not.toHaveProperty('broken');
});

it('reads as unique only an index over whole columns of all rows', () => {
  const index = { origin: 'c' as const };
  const [table] = read({
    tables: [tableRow('t')],
    columns: [columnRow('t', 'a'), columnRow('t', 'b')],
    statements: [{ type: 'index', name: 'lowered', sql: 'CREATE UNIQUE INDEX lowered ON t (a, lower(b))' }],
    indexes: [
      indexRow('t', 'a', { ...index, name: 'whole' }),
      indexRow('t', 'a', { ...index, name: 'lowered' }),
      indexRow('t', null, { ...index, name: 'lowered' }),
      indexRow('t', 'a', { ...index, name: 'some', partial: 1n }),
      indexRow('t', 'b', { ...index, name: 'plain', unique: 0n }),
      indexRow('t', 'b'),
      indexRow('t', 'a'),
    ],
  });
  expect(table?.uniques).toEqual([
    { name: 't_b_a_unique', columns: ['b', 'a'] },
    { name: 'whole', columns: ['a'] },
  ]);
  expect(table?.indexes).toEqual([
    { name: 'lowered', columns: ['a', { expression: 'lower(b)' }], unique: true },
    { name: 'plain', columns: ['b'], unique: false },
    { name: 'some', columns: ['a'], unique: true },
  ]);
});

it('omits hidden columns of virtual tables and keeps generated columns', () => {
  const [table] = read({
    tables: [tableRow('t', { type: 'virtual' })],
    columns: [
      columnRow('t', 'rank', { hidden: 1n }),
      columnRow('t', 'a', { hidden: 2n }),
      columnRow('t', 'b', { hidden: 3n }),
    ],
  });
  expect(table?.columns.map(({ name, generated }) => [name, generated?.stored])).toEqual([
    ['a', false],
    ['b', true],
  ]);
});
