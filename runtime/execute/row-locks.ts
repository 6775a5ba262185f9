/** Rows that a write is about: whether they are there and permitted, and what they hold. */
import type { Collection, Field } from '../../contract/collection.js';
import { missingItem, readKey } from '../plan/item.js';
import { conditionTrue, type Condition } from '../plan/types.js';
import { readValue, type Scalar } from '../plan/values.js';
import type { Executor, SqlDialect } from '../databases/contract.js';
import type { BindInput } from '../sql/fragment.js';
import { compileColumns, compileRowPermission } from '../sql/write.js';
import type { Key } from '../plan/write-plan.js';
import { findStoredKeys, hasSpellings } from './stored-keys.js';

export interface RowsContext {
  readonly dialect: SqlDialect;
  readonly executor: Executor;
  readonly input: BindInput;
}

interface Permitted {
  readonly collection: Collection;
  readonly where: Condition;
}

/** @throws FORBIDDEN when one of the keys is missing or may not be written */
export const requireRowPermission = async (
  { collection, where }: Permitted,
  keys: readonly Key[],
  context: RowsContext,
): Promise<void> => {
  if (!(await isRowPermitted({ collection, where }, keys, context))) throw missingItem(collection);
};

/** Whether all of the keys exist and pass. Where several may mean one row, the database says which do. */
export const isRowPermitted = async (
  { collection, where }: Permitted,
  keys: readonly Key[],
  context: RowsContext,
): Promise<boolean> => {
  const { text, values } = compileRowPermission(collection, { ...context, keys, where });
  const found = await context.executor.query(text, values);
  if (found.length === keys.length) return true;
  if (found.length === 0 || !hasSpellings(collection)) return false;
  return (await findStoredKeys({ collection, where }, keys, context)).size === keys.length;
};

/** Rows of the collection that have these values and pass; locked where the database locks rows. */
export const findRowsByValues = async (
  { collection, where }: Permitted,
  { fields, values }: { readonly fields: readonly Field[]; readonly values: readonly Scalar[] },
  context: RowsContext,
): Promise<readonly Key[]> => {
  const matches = { fields, tuples: [values], where, ...context };
  const statement = compileColumns(collection, collection.key, matches);
  const rows = await context.executor.query(statement.text, statement.values);
  return rows.map((row) => toKey(collection, row));
};

/** Values of other fields of a row. @throws FORBIDDEN where it is not there, or one of them cannot be referred to */
export const findColumns = async (
  collection: Collection,
  { columns, key }: { readonly columns: readonly Field[]; readonly key: Key },
  context: RowsContext,
): Promise<readonly (Scalar | null)[]> => {
  const matches = { fields: collection.key, tuples: [key], where: conditionTrue, ...context };
  const statement = compileColumns(collection, columns, matches);
  const [row] = await context.executor.query(statement.text, statement.values);
  if (row === undefined) throw missingItem(collection);
  return columns.map((field) => {
    const value = row[field.name];
    if (value === null) return null;
    const read = readValue(field, value);
    if (!read.ok) throw missingItem(collection);
    return read.value;
  });
};

export const toKey = (collection: Collection, row: Readonly<Record<string, unknown>>): Key =>
  readKey(
    collection,
    collection.key.map((field) => row[field.name]),
  );
