/** Which statements bring the system tables up to date. */
import { expect, it } from 'vitest';
import type { Catalog, Table } from '../../../generator/introspection/catalog.js';
import type { DdlPrinter } from '../../../runtime/databases/contract.js';
import { planTables } from '../../../runtime/schema/reconcile.js';
import type { SystemTable } from '../../../runtime/schema/system-tables.js';

const printer = {
  addColumn: (_table: string, { name }: { readonly name: string }) => name,
  addUnique: (_table: string, { name }: { readonly name: string }) => name,
  addIndex: (_table: string, { name }: { readonly name: string }) => name,
  addForeignKey: null,
} as unknown as DdlPrinter;

const declared: SystemTable = {
  name: 'pen',
  columns: [{ name: 'id', type: 'integer' } as never, { name: 'ink', type: 'string' } as never],
  primaryKey: ['id'],
  uniques: [{ name: 'pen_ink_unique', columns: ['ink'] }],
  indexes: [{ name: 'pen_id_index', columns: ['id'] }],
};

const keysOf = (...indexes: readonly (readonly [unique: boolean, ...columns: readonly string[]])[]) => ({
  uniques: [],
  indexes: indexes.map(([unique, ...columns]) => ({ unique, columns })),
});

const missingIn = (
  found: Pick<Table, 'uniques'> & { readonly indexes: readonly object[] },
): readonly string[] => {
  const table = { name: 'pen', columns: [{ name: 'id' }, { name: 'ink' }], foreignKeys: [], ...found };
  const catalog = { tables: [table] } as unknown as Catalog;
  return planTables([declared], catalog, printer).map(({ sql }) => sql);
};

it.each<[string, ReturnType<typeof keysOf>, readonly string[]]>([
  ['nothing is there', keysOf(), ['pen_ink_unique', 'pen_id_index']],
  ['both are there', keysOf([true, 'ink'], [false, 'id']), []],
  ['the index of a unique column is not unique', keysOf([false, 'ink'], [false, 'id']), ['pen_ink_unique']],
  ['an index has further columns', keysOf([true, 'ink'], [false, 'id', 'ink']), []],
  ['an index has the column later', keysOf([true, 'ink'], [false, 'ink', 'id']), ['pen_id_index']],
  ['a unique index has further columns', keysOf([true, 'ink', 'id'], [false, 'id']), ['pen_ink_unique']],
])('of a unique column and an index, where %s', (_, found, missing) => {
  expect(missingIn(found)).toEqual(missing);
});
