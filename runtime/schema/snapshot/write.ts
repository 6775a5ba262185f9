/** Describes a schema as a snapshot. Pure: the same schema yields the same bytes. */
import type { Catalog, Table } from '../../../generator/introspection/catalog.js';
import { compareText } from '../../../contract/text-order.js';
import { sortBy } from '../../../generator/introspection/order.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import { packageVersion } from '../../config/package.js';
import type { IndexShape, TableShape } from '../shapes.js';
import { metaOfCollection, rowsBy } from './meta.js';
import {
  snapshotVersion,
  type CollectionEntry,
  type IndexEntry,
  type Snapshot,
  type SystemFieldEntry,
} from './types.js';
import { expressionText, fieldEntries, isIndexedColumn } from './write-fields.js';
import { relationEntries } from './write-relations.js';

/** A schema as it is read from a database. */
export interface LiveSchema {
  readonly catalog: Catalog;
  /** Shapes of all tables. */
  readonly shapes: readonly TableShape[];
  readonly printer: SchemaPrinter;
  /** Names of the system tables. */
  readonly systemTables: ReadonlySet<string>;
  /** Collation of the database; `null` where it has none. */
  readonly collation: string | null;
}

/** Returns the snapshot of a team's own tables; system tables are left out. */
export const schemaToSnapshot = (schema: LiveSchema): Snapshot => {
  const { catalog, systemTables } = schema;
  const own = catalog.tables.filter(({ name }) => !systemTables.has(name));
  return {
    version: snapshotVersion,
    svc: packageVersion,
    vendor: catalog.vendor,
    collections: collectionEntries(own, schema),
    fields: fieldEntries(own, schema),
    systemFields: systemFieldEntries(schema),
    relations: relationEntries(own, schema),
  };
};

const collectionEntries = (tables: readonly Table[], schema: LiveSchema): readonly CollectionEntry[] => {
  const rows = rowsBy(schema.catalog.meta.collections, 'collection');
  const shapes = new Map(schema.shapes.map((shape) => [shape.name, shape]));
  const names = new Set(tables.map(({ name }) => name));
  // folders of the data studio are collections without a table
  const folders = [...rows.keys()].filter((name) => !names.has(name) && !schema.systemTables.has(name));
  const entries = [
    ...tables.map(({ name }): CollectionEntry => {
      const shape = shapes.get(name);
      return {
        collection: name,
        meta: metaOfCollection(rows.get(name)),
        schema: shape === undefined ? { name, is_view: true } : collectionSchema(shape),
      };
    }),
    ...folders.map((name) => ({ collection: name, meta: metaOfCollection(rows.get(name)), schema: null })),
  ];
  return sortBy(entries, ({ collection }) => collection);
};

/** Returns the `schema` of a collection. */
export const collectionSchema = (shape: TableShape): NonNullable<CollectionEntry['schema']> => ({
  name: shape.name,
  comment: shape.comment,
  charset: shape.collation === null ? null : (shape.collation.split('_')[0] ?? null),
  collation: shape.collation,
  primary_key: shape.primaryKey,
  ...(shape.keyDeferrable !== undefined && { primary_key_deferrable: shape.keyDeferrable }),
  uniques: shape.uniques,
  indexes: shape.indexes.map(toIndexEntry),
  checks: shape.checks.map(({ name, expression, enforced }) => ({
    name,
    expression: expressionText(expression),
    ...(enforced === false && { enforced }),
  })),
  ...(shape.options.withoutRowid === true && { without_rowid: true }),
  ...(shape.options.strict === true && { strict: true }),
  ...(shape.incomplete !== undefined && { incomplete: shape.incomplete }),
});

const toIndexEntry = (index: IndexShape): IndexEntry => ({
  name: index.name,
  unique: index.unique,
  columns: index.parts.map(({ column, expression, descending, length }) => {
    if (column !== null && !descending && length === null) return column;
    return {
      ...(column === null ? {} : { column }),
      ...(expression === null ? {} : { expression: expressionText(expression) }),
      ...(descending && { descending }),
      ...(length === null ? {} : { length }),
    };
  }),
  ...(index.method === null ? {} : { method: index.method }),
  ...(index.predicate === null ? {} : { predicate: expressionText(index.predicate) }),
  ...(index.include.length === 0 ? {} : { include: index.include }),
  ...(index.incomplete && { incomplete: true }),
});

const systemFieldEntries = ({ shapes, systemTables, printer }: LiveSchema): readonly SystemFieldEntry[] =>
  shapes
    .filter(({ name }) => systemTables.has(name))
    .flatMap((shape) =>
      shape.columns
        .filter(({ name }) => isIndexedColumn(name, shape, printer))
        .map(({ name }) => ({ collection: shape.name, field: name, schema: { is_indexed: true } }))
        .toSorted((a, b) => compareText(a.field, b.field)),
    );
