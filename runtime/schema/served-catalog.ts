/**
 * The catalog that servers are built from: that of the database, without what an apply drops once all of them have
 * followed.
 */
import { introspect } from '../../generator/introspection/index.js';
import type { Catalog, Column, IntrospectOptions, Table } from '../../generator/introspection/catalog.js';
import type { Database } from '../databases/contract.js';
import { expandedApply, type SentDiff } from './apply/applies.js';
import { isDropped } from './diff/types.js';

/** Reads the catalog to build from. */
export const readServedCatalog = async (database: Database, tables: IntrospectOptions): Promise<Catalog> => {
  const catalog = await introspect(database, tables);
  const journal = catalog.tables.find(({ name }) => name === 'svc_schema_applies');
  // before `svc bootstrap` has added it, nothing was applied in phases
  if (journal?.columns.some(({ name }) => name === 'generation') !== true) return catalog;
  const row = await expandedApply(database);
  return row === undefined ? catalog : hideDropped(catalog, JSON.parse(row.diff) as SentDiff);
};

interface Dropped {
  readonly tables: ReadonlySet<string>;
  /** Table and column, joined by NUL. */
  readonly columns: ReadonlySet<string>;
}

/**
 * Removes what a diff drops. A column stays where rows without its value cannot be stored, or cannot be distinguished.
 * Pure.
 */
export const hideDropped = (catalog: Catalog, diff: SentDiff): Catalog => {
  const tables = new Set(
    diff.collections.filter((entry) => isDropped(entry.diff)).map(({ collection }) => collection),
  );
  const gone = new Set(
    diff.fields
      .filter((entry) => isDropped(entry.diff))
      .map(({ collection, field }) => `${collection}\0${field}`),
  );
  const dropped: Dropped = {
    tables,
    columns: new Set(
      catalog.tables.flatMap((table) =>
        table.columns
          .filter((column) => gone.has(`${table.name}\0${column.name}`) && isDispensable(column, table))
          .map(({ name }) => `${table.name}\0${name}`),
      ),
    ),
  };
  const { meta } = catalog;
  return {
    ...catalog,
    tables: catalog.tables
      .filter(({ name }) => !tables.has(name))
      .map((table) => withoutDropped(table, dropped)),
    meta: {
      collections: meta.collections.filter(({ collection }) => !tables.has(String(collection))),
      fields: meta.fields.filter((row) => !isRowDropped(row, ['collection', 'field'], dropped)),
      relations: meta.relations.filter(
        (row) =>
          !isRowDropped(row, ['many_collection', 'many_field'], dropped) &&
          !tables.has(String(row.one_collection)),
      ),
    },
  };
};

const isDispensable = (
  { name, nullable, default: value, autoIncrement, generated }: Column,
  { primaryKey }: Table,
): boolean =>
  (nullable || value !== null || autoIncrement || generated !== null) && primaryKey?.includes(name) !== true;

const isRowDropped = (
  row: Readonly<Record<string, unknown>>,
  [table, column]: readonly [string, string],
  { tables, columns }: Dropped,
): boolean => tables.has(String(row[table])) || columns.has(`${String(row[table])}\0${String(row[column])}`);

const withoutDropped = (table: Table, { tables, columns }: Dropped): Table => {
  const stays = (name: string): boolean => !columns.has(`${table.name}\0${name}`);
  return {
    ...table,
    columns: table.columns.filter(({ name }) => stays(name)),
    uniques: table.uniques.filter((unique) => unique.columns.every(stays)),
    foreignKeys: table.foreignKeys.filter((key) => key.columns.every(stays) && !tables.has(key.table)),
    indexes: table.indexes.filter((index) =>
      index.columns.every((part) => typeof part !== 'string' || stays(part)),
    ),
  };
};
