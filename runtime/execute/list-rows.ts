/** The database state of a list: its owner's values, the rows in it, and the stored form of their keys. */
import type { Collection, Field } from '../../contract/collection.js';
import { foreignKey, isKeyPart } from '../plan/list-relation.js';
import { conditionTrue } from '../plan/types.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { Key, ListPlan } from '../plan/write-plan.js';
import { compileColumnsByTuples, compileHighest } from '../sql/write.js';
import { readColumns, findRowsByValues, toKey, type RowsContext } from './row-locks.js';
import {
  distinctKeys,
  findStoredKeys,
  hasAlternativeSpellings,
  keyText,
  type StoredKeys,
} from './stored-keys.js';

/** A list of one owner, and the owner's values that its rows refer to. */
export interface ListOwner {
  readonly plan: ListPlan;
  readonly owner: readonly Scalar[];
}

/**
 * Returns the values that the foreign key of a list refers to; reads them where they are not the owner's key.
 */
export const readOwner = async (
  { relation: { references } }: ListPlan,
  { collection, key }: { readonly collection: Collection; readonly key: Key },
  context: RowsContext,
): Promise<readonly (Scalar | null)[]> => {
  const indexes = references.map((name) => collection.key.findIndex((field) => field.name === name));
  if (!indexes.includes(-1)) return indexes.map((index) => key[index] as Scalar);
  const columns = references.flatMap((name) => collection.fields.get(name) ?? []);
  return readColumns(collection, { columns, key }, context);
};

/** A stored row of a list. */
export interface StoredListRow {
  readonly key: Key;
  /** The stored position, where the list has positions. */
  readonly position: unknown;
}

/**
 * Returns and locks the rows of the list that the caller may read, by the text of their key; none where the plan only
 * creates rows.
 */
export const findListRows = async (
  { plan: { relation, visible, updates, removes }, owner }: ListOwner,
  context: RowsContext,
): Promise<Map<string, StoredListRow>> => {
  if (visible === null || (updates.length === 0 && removes === null)) return new Map();
  const { collection, sortField } = relation;
  const ordered = updates.some(({ position }) => position !== null)
    ? collection.fields.get(sortField ?? '')
    : undefined;
  const columns = ordered === undefined ? collection.key : [...collection.key, ordered];
  const matches = { fields: foreignKey(relation), tuples: [owner], where: visible, ...context };
  const { text, values } = compileColumnsByTuples(collection, columns, matches);
  const rows = await context.executor.query(text, values);
  return new Map(
    rows.map((row) => {
      const key = toKey(collection, row);
      return [keyText(key), { key, position: ordered === undefined ? null : row[ordered.name] }];
    }),
  );
};

/** Returns the last position among the rows of the list that the caller may read; 0 where there is none. */
export const findEnd = async (
  { plan: { relation, visible }, owner }: ListOwner,
  field: Field,
  context: RowsContext,
): Promise<number> => {
  if (visible === null) return 0;
  const matches = { fields: foreignKey(relation), tuples: [owner], where: visible, ...context };
  const { text, values } = compileHighest(relation.collection, field, matches);
  const [row] = await context.executor.query(text, values);
  return Number(row?.last ?? 0);
};

/** The stored form of the keys that a plan names. */
export interface NamedKeys {
  toStored(key: Key): Key;
  /** Returns whether there is a row with the key, in this list or elsewhere; only for keys with a plan to create it. */
  isUsed(key: Key): boolean;
}

/** Looks up the keys that no row of the list has, where they may have another form, or no row. */
export const findNamedKeys = async (
  { plan: { relation, updates, removes } }: ListOwner,
  present: ReadonlyMap<string, StoredListRow>,
  context: RowsContext,
): Promise<NamedKeys> => {
  const { collection } = relation;
  const removed = removes === null || removes.keys === 'others' ? [] : removes.keys;
  const named = [...updates.map(({ key }) => key), ...removed];
  const unknown = distinctKeys(named.filter((key) => !present.has(keyText(key))));
  const isLookedUp = hasAlternativeSpellings(collection) || updates.some(({ create }) => create !== null);
  const stored: StoredKeys =
    unknown.length === 0 || !isLookedUp ? new Map() : await findStoredKeys({ collection }, unknown, context);
  return {
    toStored: (key) => stored.get(keyText(key)) ?? key,
    isUsed: (key) => present.has(keyText(key)) || stored.has(keyText(key)),
  };
};

/**
 * Returns whether a row can be moved to the owner. Fields that belong to its key are never changed and must
 * equal the owner's values already.
 */
export const isMovable = async (
  key: Key,
  { plan: { relation }, owner }: ListOwner,
  context: RowsContext,
): Promise<boolean> => {
  const { collection } = relation;
  const bound = foreignKey(relation).filter(({ name }) => isKeyPart(relation, name));
  if (bound.length === 0 || bound.length === relation.fields.length) return bound.length === 0;
  const values = bound.map(({ name }) => owner[relation.fields.indexOf(name)] as Scalar);
  const matches = { fields: [...collection.key, ...bound], values: [...key, ...values] };
  return (await findRowsByValues({ collection, where: conditionTrue }, matches, context)).length > 0;
};
