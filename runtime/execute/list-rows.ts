/** The database state of a list: its owner's values, the rows in it, and the stored form of their keys. */
import type { Collection } from '../../contract/collection.js';
import { foreignKey, isKeyPart } from '../plan/list-relation.js';
import { conditionTrue } from '../plan/types.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { Key, ListPlan } from '../plan/write-plan.js';
import { readColumns, findRowsByValues, type RowsContext } from './row-locks.js';
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

/** Returns and locks the rows of the list that the caller may read; none where the plan only creates rows. */
export const findListRows = async (
  { plan: { relation, visible, updates, removes }, owner }: ListOwner,
  context: RowsContext,
): Promise<readonly Key[]> => {
  if (visible === null || (updates.length === 0 && removes === null)) return [];
  const rows = { collection: relation.collection, where: visible };
  return findRowsByValues(rows, { fields: foreignKey(relation), values: owner }, context);
};

/**
 * Returns a function from the plan's keys to their stored form. Only keys that no row of the list has are
 * looked up.
 */
export const toStoredKeys = async (
  { plan: { relation, updates, removes } }: ListOwner,
  present: StoredKeys,
  context: RowsContext,
): Promise<(key: Key) => Key> => {
  const { collection } = relation;
  const removed = removes === null || removes.keys === 'others' ? [] : removes.keys;
  const named = [...updates.map(({ key }) => key), ...removed];
  const unknown = distinctKeys(named.filter((key) => !present.has(keyText(key))));
  if (unknown.length === 0 || !hasAlternativeSpellings(collection)) return (key) => key;
  const stored = await findStoredKeys({ collection }, unknown, context);
  return (key) => stored.get(keyText(key)) ?? key;
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
