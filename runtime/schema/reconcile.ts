/** Compares declared with existing system tables and returns the missing statements. Additive and pure. */
import type { Catalog, Table } from '../../generator/introspection/catalog.js';
import type { DdlPrinter } from '../databases/contract.js';
import { foreignKeysOf, type NamedColumns, type SystemTable } from './system-tables.js';

export interface DdlStep {
  /** Description for the log: `create svc_users`. */
  readonly description: string;
  readonly sql: string;
}

/**
 * Plans steps in an order that always works: tables and columns, keys and indexes, then foreign keys. Never
 * drops or retypes anything. Empty if the tables are as declared.
 */
export const planTables = (
  tables: readonly SystemTable[],
  catalog: Catalog,
  printer: DdlPrinter,
): readonly DdlStep[] => {
  const present = new Map(catalog.tables.map((table) => [table.name, table]));
  const steps = tables.flatMap((table) => {
    const found = present.get(table.name);
    return found === undefined ? createSteps(table, printer) : extendSteps(table, found, printer);
  });
  return [...steps, ...tables.flatMap((table) => foreignKeySteps(table, present.get(table.name), printer))];
};

const createSteps = (table: SystemTable, printer: DdlPrinter): DdlStep[] => [
  { description: `create ${table.name}`, sql: printer.createTable(table, foreignKeysOf(table)) },
  ...(printer.separateIndexes ? table.indexes.map((index) => indexStep(table, index, printer)) : []),
];

const extendSteps = (table: SystemTable, found: Table, printer: DdlPrinter): DdlStep[] => {
  const columns = new Set(found.columns.map((column) => column.name));
  return [
    ...table.columns
      .filter((column) => !columns.has(column.name))
      .map((column) => ({
        description: `add ${table.name}.${column.name}`,
        sql: printer.addColumn(table.name, column),
      })),
    ...table.uniques
      .filter((unique) => !isUnique(found, unique))
      .map((unique) => ({ description: `add ${unique.name}`, sql: printer.addUnique(table.name, unique) })),
    ...table.indexes
      .filter((index) => !isIndexed(found, index))
      .map((index) => indexStep(table, index, printer)),
  ];
};

const indexStep = (table: SystemTable, index: NamedColumns, printer: DdlPrinter): DdlStep => ({
  description: `add ${index.name}`,
  sql: printer.addIndex(table.name, index),
});

const foreignKeySteps = (table: SystemTable, found: Table | undefined, printer: DdlPrinter): DdlStep[] => {
  const add = printer.addForeignKey;
  if (add === null) return [];
  const present = new Set((found?.foreignKeys ?? []).map((key) => key.columns.join()));
  return foreignKeysOf(table)
    .filter((key) => !present.has(key.column))
    .map((key) => ({ description: `add ${key.name}`, sql: add(table.name, key) }));
};

const isUnique = (found: Table, unique: NamedColumns): boolean =>
  [...found.uniques, ...found.indexes.filter((index) => index.unique)].some(
    (key) => key.columns.join() === unique.columns.join(),
  );

/** Returns whether a key begins with the columns of an index, and so serves the same statements. */
const isIndexed = (found: Table, { columns }: NamedColumns): boolean =>
  [...found.uniques, ...found.indexes].some(
    (key) => key.columns.slice(0, columns.length).join() === columns.join(),
  );
