/** Checks and locks the rows of a write: whether they exist and are permitted, and their stored values. */
import type { Collection, Field } from '../../contract/collection.js';
import { missingItem, readKey } from '../plan/item.js';
import { locate } from '../plan/problem-collection.js';
import { conditionTrue, type Condition } from '../plan/types.js';
import { readValue } from '../plan/values.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { Executor, SqlDialect } from '../databases/contract.js';
import type { BindInput } from '../sql/fragment.js';
import { compileColumnsByTuples, compileRowPermission } from '../sql/write.js';
import type { Key } from '../plan/write-plan.js';
import { chunk } from './chunk.js';
import type { KeyList } from './key-list.js';
import { findStoredKeys, hasAlternativeSpellings, keyText } from './stored-keys.js';

export interface RowsContext {
  readonly dialect: SqlDialect;
  readonly executor: Executor;
  readonly input: BindInput;
}

interface Permitted extends Pick<KeyList, 'locate'> {
  readonly collection: Collection;
  readonly where: Condition;
}

/**
 * Checks and locks rows. @throws FORBIDDEN where a key is missing or may not be written, with the place of the first one if
 * the request has them
 */
export const requireRowPermission = async (
  { collection, where, locate: locateKey }: Permitted,
  keys: readonly Key[],
  context: RowsContext,
): Promise<void> => {
  if (await isRowPermitted({ collection, where }, keys, context)) return;
  const permitted =
    locateKey === undefined ? null : await findStoredKeys({ collection, where }, keys, context);
  const refused = keys.find((key) => permitted?.has(keyText(key)) === false);
  const error = missingItem(collection);
  throw refused === undefined || locateKey === undefined ? error : locate(error, locateKey(refused));
};

/** Number of rows that one statement locks. */
const maxLocked = 1_000;

/** Locks rows. @throws FORBIDDEN where a key is missing */
export const lockRows = async (
  collection: Collection,
  keys: readonly Key[],
  context: RowsContext,
): Promise<void> => {
  for (const part of chunk(keys, maxLocked))
    await requireRowPermission({ collection, where: conditionTrue }, part, context);
};

/**
 * Returns whether all keys exist and meet the condition. Where several keys may identify one row, the stored
 * keys decide.
 */
export const isRowPermitted = async (
  { collection, where }: Permitted,
  keys: readonly Key[],
  context: RowsContext,
): Promise<boolean> => {
  const { text, values } = compileRowPermission(collection, { ...context, keys, where });
  const found = await context.executor.query(text, values);
  if (found.length === keys.length) return true;
  if (found.length === 0 || !hasAlternativeSpellings(collection)) return false;
  return (await findStoredKeys({ collection, where }, keys, context)).size === keys.length;
};

/**
 * Returns the keys of the rows that have these values and meet the condition; locks them where the database
 * supports it.
 */
export const findRowsByValues = async (
  { collection, where }: Permitted,
  { fields, values }: { readonly fields: readonly Field[]; readonly values: readonly Scalar[] },
  context: RowsContext,
): Promise<readonly Key[]> => {
  const matches = { fields, tuples: [values], where, ...context };
  const statement = compileColumnsByTuples(collection, collection.key, matches);
  const rows = await context.executor.query(statement.text, statement.values);
  return rows.map((row) => toKey(collection, row));
};

/** Reads fields of a row. @throws FORBIDDEN where the row is missing or a value is not valid for its field */
export const readColumns = async (
  collection: Collection,
  { columns, key }: { readonly columns: readonly Field[]; readonly key: Key },
  context: RowsContext,
): Promise<readonly (Scalar | null)[]> => {
  const matches = { fields: collection.key, tuples: [key], where: conditionTrue, ...context };
  const statement = compileColumnsByTuples(collection, columns, matches);
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

/** Returns the key of a row by the names of its columns, with values as stored. */
export const toKey = (collection: Collection, row: Readonly<Record<string, unknown>>): Key =>
  readKey(
    collection,
    collection.key.map((field) => row[field.name]),
  );
