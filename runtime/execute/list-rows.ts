/** What a list is about in the database: its owner's values, the rows it holds, and how their keys are stored. */
import type { Collection } from '../../contract/collection.js';
import { foreignKey, isKeyPart } from '../plan/list-relation.js';
import { conditionTrue } from '../plan/types.js';
import type { Scalar } from '../plan/values.js';
import type { Key, ListPlan } from '../plan/write-plan.js';
import { findColumns, findRowsByValues, type RowsContext } from './row-locks.js';
import { distinctKeys, findStoredKeys, hasSpellings, keyText, type StoredKeys } from './stored-keys.js';

/** A list of one owner, with the values that its rows refer to. */
export interface ListOwner {
  readonly plan: ListPlan;
  readonly owner: readonly Scalar[];
}

/** What the foreign key of a list refers to, read where it is not the owner's key. */
export const readOwner = async (
  { relation: { references } }: ListPlan,
  { collection, key }: { readonly collection: Collection; readonly key: Key },
  context: RowsContext,
): Promise<readonly (Scalar | null)[]> => {
  const places = references.map((name) => collection.key.findIndex((field) => field.name === name));
  if (!places.includes(-1)) return places.map((place) => key[place] as Scalar);
  const columns = references.flatMap((name) => collection.fields.get(name) ?? []);
  return findColumns(collection, { columns, key }, context);
};

/** Locks the rows of the list that the caller may read, as far as the plan is about rows that are there. */
export const findPresent = async (
  { plan: { relation, visible, updates, removes }, owner }: ListOwner,
  context: RowsContext,
): Promise<readonly Key[]> => {
  if (visible === null || (updates.length === 0 && removes === null)) return [];
  const rows = { collection: relation.collection, where: visible };
  return findRowsByValues(rows, { fields: foreignKey(relation), values: owner }, context);
};

/** Keys of the plan as they are stored. The database is asked only for keys that no present row has as they are. */
export const toStoredKeys = async (
  { plan: { relation, updates, removes } }: ListOwner,
  present: StoredKeys,
  context: RowsContext,
): Promise<(key: Key) => Key> => {
  const { collection } = relation;
  const removed = removes === null || removes.keys === 'others' ? [] : removes.keys;
  const named = [...updates.map(({ key }) => key), ...removed];
  const unknown = distinctKeys(named.filter((key) => !present.has(keyText(key))));
  if (unknown.length === 0 || !hasSpellings(collection)) return (key) => key;
  const stored = await findStoredKeys({ collection }, unknown, context);
  return (key) => stored.get(keyText(key)) ?? key;
};

/** A key never changes: what it holds of the owner is right already, and the rest of it can be set. */
export const isMovable = async (
  key: Key,
  { plan: { relation }, owner }: ListOwner,
  context: RowsContext,
): Promise<boolean> => {
  const { collection } = relation;
  const bound = foreignKey(relation).filter(({ name }) => isKeyPart(relation, name));
  if (bound.length === 0 || bound.length === relation.fields.length) return bound.length === 0;
  const held = bound.map(({ name }) => owner[relation.fields.indexOf(name)] as Scalar);
  const alike = { fields: [...collection.key, ...bound], values: [...key, ...held] };
  return (await findRowsByValues({ collection, where: conditionTrue }, alike, context)).length > 0;
};
