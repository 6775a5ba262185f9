/**
 * Keys and indexes are in a snapshot twice: as lists of the collection, and as flags of the fields, which alone are there in
 * snapshots of others. Where the two disagree, the one that differs from the target was edited and counts. Pure.
 */
import type { SchemaPrinter } from '../../databases/contract.js';
import { columnsIn } from '../expressions/tree.js';
import type { IndexShape, SchemaExpression, TableShape } from '../shapes.js';
import { isIndexedColumn, isIndexOf, isUniqueColumn } from './write-fields.js';
import type { FieldEntry, FieldSchema } from './types.js';

interface KeyContext {
  readonly entries: readonly (FieldEntry & { readonly schema: FieldSchema })[];
  /** The table as it is. */
  readonly current: TableShape | undefined;
  readonly printer: SchemaPrinter;
}

/**
 * Returns the table with keys and indexes that agree with its columns; those of columns that it lacks are
 * left out.
 */
export const completeKeys = (table: TableShape, context: KeyContext): TableShape => {
  const names = new Set(table.columns.map(({ name }) => name));
  const kept: TableShape = {
    ...table,
    primaryKey: completePrimaryKey(table, context),
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
  { entries, current }: KeyContext,
): readonly string[] => {
  const flagged = entries.filter(({ schema }) => schema.is_primary_key === true).map(({ field }) => field);
  const isSame = flagged.length === primaryKey.length && flagged.every((name) => primaryKey.includes(name));
  if (isSame) return primaryKey;
  const listChanged = primaryKey.length > 0 && primaryKey.join('\0') !== current?.primaryKey.join('\0');
  return listChanged ? primaryKey : flagged;
};

const completeField = (
  table: TableShape,
  { field, schema }: KeyContext['entries'][number],
  { current, printer }: KeyContext,
): TableShape => {
  const isKey = table.primaryKey.length === 1 && table.primaryKey[0] === field;
  const wasUnique = current !== undefined && isUniqueColumn(field, current);
  const unique = isKey ? table : completeUnique(table, field, { flag: schema.is_unique, was: wasUnique });
  const isReference = table.foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === field);
  if (schema.is_indexed === undefined || (isReference && printer.indexesForeignKeys)) return unique;
  const wasIndexed = current !== undefined && isIndexedColumn(field, current, printer);
  return completeIndex(unique, field, { flag: schema.is_indexed, was: wasIndexed, printer });
};

interface Flag {
  readonly flag: boolean | undefined;
  /** The flag in the target. */
  readonly was: boolean;
}

const completeUnique = (table: TableShape, field: string, { flag, was }: Flag): TableShape => {
  if (flag === undefined || flag === was || flag === isUniqueColumn(field, table)) return table;
  if (flag) {
    const added = { name: `${table.name}_${field}_unique`, columns: [field] };
    return { ...table, uniques: byName([...table.uniques, added]) };
  }
  return {
    ...table,
    uniques: table.uniques.filter(({ columns }) => columns.length !== 1 || columns[0] !== field),
    indexes: table.indexes.filter((index) => !index.unique || !isIndexOf(field, index)),
  };
};

const completeIndex = (
  table: TableShape,
  field: string,
  { flag, was, printer }: Flag & { readonly printer: SchemaPrinter },
): TableShape => {
  if (flag === was || flag === isIndexedColumn(field, table, printer)) return table;
  if (flag !== true) {
    return { ...table, indexes: table.indexes.filter((index) => index.unique || !isIndexOf(field, index)) };
  }
  const added: IndexShape = {
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
