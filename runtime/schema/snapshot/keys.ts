/**
 * Keys and indexes are in a snapshot twice: as lists of the collection, and as flags of the fields, which alone are there in
 * snapshots of others. What one of them has is wanted, so that the same snapshot always means the same. Pure.
 */
import type { SchemaPrinter } from '../../databases/contract.js';
import { columnsIn } from '../expressions/tree.js';
import type { ColumnShape, IndexShape, SchemaExpression, TableShape } from '../shapes.js';
import { isIndexedColumn, isIndexOf, isUniqueColumn } from './write-fields.js';
import type { CollectionSchema, FieldEntry, FieldSchema, Snapshot } from './types.js';

/** Keys and indexes as a collection lists them. */
export const keyLists = ['primary_key', 'uniques', 'indexes'] as const;

/** Returns the snapshot without the flags of a collection's fields, so that its lists count. */
export const withoutKeyFlags = (snapshot: Snapshot, collection: string): Snapshot => ({
  ...snapshot,
  fields: snapshot.fields.map((entry) => {
    if (entry.collection !== collection || !entry.schema) return entry;
    const { is_primary_key: _key, is_unique: _unique, is_indexed: _indexed, ...schema } = entry.schema;
    return { ...entry, schema: schema as FieldSchema };
  }),
});

/** Returns the snapshot without the lists of a collection, so that the flags of its fields count. */
export const withoutKeyLists = (snapshot: Snapshot, collection: string): Snapshot => ({
  ...snapshot,
  collections: snapshot.collections.map((entry) => {
    if (entry.collection !== collection || entry.schema === null) return entry;
    const { primary_key: _key, uniques: _uniques, indexes: _indexes, ...schema } = entry.schema;
    return { ...entry, schema };
  }),
});

interface KeyContext {
  readonly entries: readonly (FieldEntry & { readonly schema: FieldSchema })[];
  /** The table as it is. */
  readonly current: TableShape | undefined;
  /** Says which lists were sent; those of the table are the target's where they were not. */
  readonly schema: Pick<CollectionSchema, 'primary_key' | 'uniques' | 'indexes'>;
  readonly printer: SchemaPrinter;
}

/**
 * Returns the table with keys and indexes that agree with its columns; those of columns that it lacks are
 * left out.
 */
export const completeKeys = (table: TableShape, context: KeyContext): TableShape => {
  const names = new Set(table.columns.map(({ name }) => name));
  const primaryKey = completePrimaryKey(table, context);
  const toKey = (column: ColumnShape): ColumnShape => {
    // whatever a snapshot says, no database has nulls in a primary key
    const key = { ...column, nullable: false };
    return primaryKey.length === 1 ? (context.printer.normalizeKey?.(key, table.options) ?? key) : key;
  };
  const kept: TableShape = {
    ...table,
    primaryKey,
    columns: table.columns.map((column) => (primaryKey.includes(column.name) ? toKey(column) : column)),
    uniques: table.uniques.filter(({ columns }) => columns.every((column) => names.has(column))),
    indexes: table.indexes.filter((index) => namesIn(index).every((column) => names.has(column))),
    checks: table.checks.filter((check) => namesOf(check.expression).every((column) => names.has(column))),
  };
  return context.entries.reduce((shape, entry) => completeField(shape, entry, context), kept);
};

const namesOf = (expression: SchemaExpression): readonly string[] =>
  expression.kind === 'tree' ? columnsIn(expression.tree) : [];

const namesIn = ({ parts, include, predicate }: IndexShape): readonly string[] => [
  ...parts.flatMap(({ column, expression }) => column ?? (expression === null ? [] : namesOf(expression))),
  ...include,
  ...(predicate === null ? [] : namesOf(predicate)),
];

const completePrimaryKey = (
  { primaryKey }: TableShape,
  { entries, schema }: KeyContext,
): readonly string[] => {
  const flags = entries.filter((entry) => entry.schema.is_primary_key !== undefined);
  if (flags.length === 0 || (schema.primary_key?.length ?? 0) > 0) return primaryKey;
  const flagged = flags.filter((entry) => entry.schema.is_primary_key).map(({ field }) => field);
  const isSame = flagged.length === primaryKey.length && flagged.every((name) => primaryKey.includes(name));
  return isSame ? primaryKey : flagged;
};

const completeField = (
  table: TableShape,
  { field, schema }: KeyContext['entries'][number],
  context: KeyContext,
): TableShape => {
  const { is_unique: isUnique, is_indexed: isIndexed, foreign_key_table: target } = schema;
  const { printer } = context;
  const isKey = table.primaryKey.length === 1 && table.primaryKey[0] === field;
  const unique =
    isKey || isUnique === undefined ? table : completeUnique(table, field, { ...context, isUnique });
  // an edit that takes a relation out leaves the flag of its index, and its target, in the field
  const isReference =
    (target ?? null) !== null ||
    table.foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === field);
  if (isIndexed === undefined || (isReference && printer.indexesForeignKeys)) return unique;
  return completeIndex(unique, field, { ...context, isIndexed });
};

const completeUnique = (
  table: TableShape,
  field: string,
  { isUnique, schema, current }: KeyContext & { readonly isUnique: boolean },
): TableShape => {
  if (isUnique === isUniqueColumn(field, table)) return table;
  if (isUnique) {
    const present = current?.uniques.find(({ columns }) => columns.length === 1 && columns[0] === field);
    const added = present ?? { name: `${table.name}_${field}_unique`, columns: [field] };
    return { ...table, uniques: byName([...table.uniques, added]) };
  }
  return {
    ...table,
    uniques: table.uniques.filter(
      ({ columns }) => schema.uniques !== undefined || columns.length !== 1 || columns[0] !== field,
    ),
    indexes: table.indexes.filter(
      (index) => schema.indexes !== undefined || !index.unique || !isIndexOf(field, index),
    ),
  };
};

const completeIndex = (
  table: TableShape,
  field: string,
  { isIndexed, schema, current, printer }: KeyContext & { readonly isIndexed: boolean },
): TableShape => {
  if (isIndexed === isIndexedColumn(field, table, printer)) return table;
  if (!isIndexed) {
    return {
      ...table,
      indexes: table.indexes.filter(
        (index) => schema.indexes !== undefined || index.unique || !isIndexOf(field, index),
      ),
    };
  }
  const present = current?.indexes.find((index) => !index.unique && isIndexOf(field, index));
  const added: IndexShape = present ?? {
    name: `${table.name}_${field}_index`,
    unique: false,
    method: null,
    parts: [{ column: field, expression: null, descending: false, length: null }],
    predicate: null,
    include: [],
    incomplete: false,
  };
  return { ...table, indexes: byName([...table.indexes, added]) };
};

const byName = <Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
