/** Describes a schema as a snapshot. Pure: the same schema yields the same bytes. */
import type { Catalog, Column, Table } from '../../../generator/introspection/catalog.js';
import { compareText, sortBy } from '../../../generator/introspection/order.js';
import type { SchemaPrinter } from '../../databases/contract.js';
import { packageVersion } from '../../config/package.js';
import { printNeutral } from '../expressions/print.js';
import type { ColumnShape, ForeignKeyShape, IndexShape, SchemaExpression, TableShape } from '../shapes.js';
import { metaOfCollection, metaOfField, metaOfRelation } from './meta.js';
import {
  snapshotVersion,
  type CollectionEntry,
  type FieldEntry,
  type FieldSchema,
  type IndexEntry,
  type Meta,
  type RelationEntry,
  type Snapshot,
  type SystemFieldEntry,
} from './types.js';

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

type Rows = readonly Meta[];

const rowsBy = (rows: Rows, ...keys: readonly string[]): ReadonlyMap<string, Meta> =>
  new Map(rows.map((row) => [keys.map((key) => String(row[key])).join('\0'), row]));

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

export const collectionSchema = (shape: TableShape): NonNullable<CollectionEntry['schema']> => ({
  name: shape.name,
  comment: shape.comment,
  charset: shape.collation === null ? null : (shape.collation.split('_')[0] ?? null),
  collation: shape.collation,
  primary_key: shape.primaryKey,
  uniques: shape.uniques,
  indexes: shape.indexes.map(toIndexEntry),
  checks: shape.checks.map(({ name, expression }) => ({ name, expression: expressionText(expression) })),
  ...(shape.options.withoutRowid === true && { without_rowid: true }),
  ...(shape.options.strict === true && { strict: true }),
});

export const expressionText = (expression: SchemaExpression): string =>
  expression.kind === 'tree' ? printNeutral(expression.tree) : expression.sql;

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

const fieldEntries = (tables: readonly Table[], schema: LiveSchema): readonly FieldEntry[] => {
  const rows = rowsBy(schema.catalog.meta.fields, 'collection', 'field');
  const shapes = new Map(schema.shapes.map((shape) => [shape.name, shape]));
  const aliases = schema.catalog.meta.fields.filter(
    (row) => !schema.systemTables.has(String(row.collection)),
  );
  return tables.flatMap((table): FieldEntry[] => {
    const shape = shapes.get(table.name);
    const names = new Set(table.columns.map(({ name }) => name));
    return [
      ...table.columns.map((column): FieldEntry => {
        const meta = metaOfField(rows.get(`${table.name}\0${column.name}`));
        return {
          collection: table.name,
          field: column.name,
          type: fieldType(column, meta),
          meta,
          schema: columnSchema(column, shape, { table: table.name, printer: schema.printer }),
        };
      }),
      ...aliases
        .filter((row) => row.collection === table.name && !names.has(String(row.field)))
        .map((row) => ({
          collection: table.name,
          field: String(row.field),
          type: 'alias',
          meta: metaOfField(row),
        })),
    ];
  });
};

const columnSchema = (
  column: Column,
  shape: TableShape | undefined,
  { table, printer }: { readonly table: string; readonly printer: SchemaPrinter },
): FieldSchema => {
  const own = shape?.columns.find(({ name }) => name === column.name);
  return shape === undefined || own === undefined
    ? viewField(column, table)
    : fieldSchema(own, shape, printer);
};

/** Describes a column of a view, which has a type and nothing else. */
const viewField = ({ name, dbType, nullable }: Column, table: string): FieldSchema => ({
  name,
  table,
  data_type: dbType,
  ...plainColumn(nullable),
});

/** Returns what a column has that has nothing but a name and a type. */
export const plainColumn = (isNullable: boolean): Omit<FieldSchema, 'name' | 'table' | 'data_type'> => ({
  default_value: null,
  max_length: null,
  numeric_precision: null,
  numeric_scale: null,
  is_nullable: isNullable,
  is_unique: false,
  is_primary_key: false,
  is_generated: false,
  generation_expression: null,
  has_auto_increment: false,
  foreign_key_table: null,
  foreign_key_column: null,
});

export const fieldSchema = (column: ColumnShape, table: TableShape, printer: SchemaPrinter): FieldSchema => {
  const { name, generated } = column;
  const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === name);
  return {
    name,
    table: table.name,
    data_type: column.dataType,
    ...printDefault(column),
    max_length: column.length,
    numeric_precision: column.precision,
    numeric_scale: column.scale,
    datetime_precision: column.fraction,
    enum_values: column.values,
    is_nullable: column.nullable,
    is_unique: isUniqueColumn(name, table),
    is_indexed: isIndexedColumn(name, table, printer),
    is_primary_key: table.primaryKey.includes(name),
    is_generated: generated !== null,
    generation_expression: generated === null ? null : expressionText(generated.expression),
    generation_kind: generated === null ? null : generated.stored ? 'stored' : 'virtual',
    has_auto_increment: column.autoIncrement !== null,
    auto_increment_kind: column.autoIncrement,
    on_update: column.onUpdate ? 'now()' : null,
    collation: column.collation,
    comment: column.comment,
    foreign_key_table: key?.table ?? null,
    foreign_key_column: key?.references[0] ?? null,
  };
};

const printDefault = ({
  default: value,
}: ColumnShape): Pick<FieldSchema, 'default_value' | 'default_kind'> => {
  if (value === null) return { default_value: null, default_kind: null };
  return {
    default_value: value.kind === 'literal' ? value.value : expressionText(value.expression),
    default_kind: value.kind,
  };
};

/** Returns whether a unique constraint or index covers this column alone. */
export const isUniqueColumn = (name: string, shape: TableShape): boolean =>
  shape.uniques.some(({ columns }) => columns.length === 1 && columns[0] === name) ||
  shape.indexes.some((index) => index.unique && isIndexOf(name, index));

export const isIndexOf = (name: string, { parts, predicate }: IndexShape): boolean =>
  parts.length === 1 && parts[0]?.column === name && predicate === null;

export const isIndexedColumn = (name: string, shape: TableShape, printer: SchemaPrinter): boolean =>
  shape.indexes.some((index) => !index.unique && isIndexOf(name, index)) ||
  (printer.indexesForeignKeys &&
    shape.foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === name));

const types: Readonly<Partial<Record<Column['type']['kind'], string>>> = { enum: 'string', set: 'csv' };

/** Specials that are types. */
const specials: ReadonlyMap<string, string> = new Map([
  ['cast-json', 'json'],
  ['cast-csv', 'csv'],
  ['cast-boolean', 'boolean'],
  ['cast-timestamp', 'timestamp'],
  ['uuid', 'uuid'],
  ['hash', 'hash'],
]);

/** Returns the type of a field, which a special may set. */
const fieldType = ({ type }: Column, meta: Meta | null): string => {
  const special = Array.isArray(meta?.special) ? meta.special.map(String) : [];
  const named = special.map((word) => specials.get(word)).find((found) => found !== undefined);
  if (named !== undefined) return named;
  if (type.kind === 'integer') return type.bits === 64 ? 'bigInteger' : 'integer';
  return types[type.kind] ?? type.kind;
};

const systemFieldEntries = ({ shapes, systemTables, printer }: LiveSchema): readonly SystemFieldEntry[] =>
  shapes
    .filter(({ name }) => systemTables.has(name))
    .flatMap((shape) =>
      shape.columns
        .filter(({ name }) => isIndexedColumn(name, shape, printer))
        .map(({ name }) => ({ collection: shape.name, field: name, schema: { is_indexed: true } }))
        .toSorted((a, b) => compareText(a.field, b.field)),
    );

const relationEntries = (tables: readonly Table[], schema: LiveSchema): readonly RelationEntry[] => {
  const rows = rowsBy(schema.catalog.meta.relations, 'many_collection', 'many_field');
  const shapes = new Map(schema.shapes.map((shape) => [shape.name, shape]));
  const keyed = new Set<string>();
  const entries = tables.flatMap(({ name }) =>
    (shapes.get(name)?.foreignKeys ?? []).map((key): RelationEntry => {
      const field = key.columns.join(',');
      keyed.add(`${name}\0${field}`);
      return {
        collection: name,
        field,
        related_collection: key.table,
        meta: metaOfRelation(rows.get(`${name}\0${field}`)),
        schema: relationSchema(name, key),
      };
    }),
  );
  const others = [...rows]
    .filter(([id, row]) => !keyed.has(id) && !schema.systemTables.has(String(row.many_collection)))
    .map(([, row]): RelationEntry => {
      const related = row.one_collection;
      return {
        collection: String(row.many_collection),
        field: String(row.many_field),
        related_collection: typeof related === 'string' ? related : null,
        meta: metaOfRelation(row),
        schema: null,
      };
    });
  return [...entries, ...others].toSorted(
    (a, b) => compareText(a.collection, b.collection) || compareText(a.field, b.field),
  );
};

export const relationSchema = (
  table: string,
  key: ForeignKeyShape,
): NonNullable<RelationEntry['schema']> => ({
  table,
  column: key.columns[0] ?? '',
  ...(key.columns.length > 1 && { columns: key.columns, references: key.references }),
  foreign_key_table: key.table,
  foreign_key_column: key.references[0] ?? '',
  constraint_name: key.name,
  on_update: key.onUpdate,
  on_delete: key.onDelete,
});
