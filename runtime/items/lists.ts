/** Lists that are written through their owner: inside its transaction, every row under its own grant. */
import type { Collection, Field, ToMany } from '../collection.js';
import type { Key } from '../execute/insert.js';
import { findColumns, findMembers } from '../execute/permitted.js';
import { findStoredKeys, hasSpellings, keyText, type StoredKeys } from '../execute/stored-keys.js';
import { createInside, deleteInside, distinctKeys, updateInside } from '../execute/write.js';
import type { InsideContext, WriteList } from '../execute/write-transaction.js';
import { missingItem } from '../plan/item.js';
import { contextBelow, isChange, readListChange, type ListChange } from '../plan/list.js';
import { ruleToCondition } from '../plan/rule.js';
import { openScope } from '../plan/scope.js';
import type { Scalar } from '../plan/values.js';
import { planCreate, planDelete, planUpdate, type WriteContext } from '../plan/write.js';
import { hashRows } from './hash.js';

/** Writes lists that stand at `planning.path`. */
export const createWriteList =
  (planning: WriteContext): WriteList =>
  async (list, { collection, keys }, context) => {
    const { relation, value } = list;
    for (const key of keys) {
      const owner = await ownerValues(relation, { collection, key }, context);
      const below = contextBelow(relation, planning, owner);
      const inside = { ...context, writeList: createWriteList(below) };
      await writeOne(readListChange(relation, value), { relation, owner, planning: below, context: inside });
    }
  };

interface ListContext {
  readonly relation: ToMany;
  /** What the list's rows hold of their owner. */
  readonly owner: readonly Scalar[];
  readonly planning: WriteContext;
  readonly context: InsideContext;
}

const writeOne = async (said: ListChange, list: ListContext): Promise<void> => {
  const { relation, planning, context } = list;
  const present = new Map((await presentKeys(list)).map((key) => [keyText(key), key]));
  const { creates, updates, removes } = await asStored(said, present, list);
  const isPresent = ({ key }: { readonly key: Key }): boolean => present.has(keyText(key));
  for (const update of updates.filter((each) => isChange(each) || !isPresent(each))) {
    await writeUpdate(update, isPresent(update), list);
  }
  if (creates.length > 0) {
    await createInside(await hashRows(planCreate(relation.collection, creates, planning)), context);
  }
  if (removes !== 'others') return removeNamed(distinctKeys(removes), present, list);
  for (const { key } of updates) present.delete(keyText(key));
  await remove([...present.values()], isOwned(relation), list);
};

/** The change with every key as it is stored. The database is asked only for keys that no present row has as they are. */
const asStored = async (
  change: ListChange,
  present: StoredKeys,
  { relation: { collection }, context }: ListContext,
): Promise<ListChange> => {
  const { updates, removes } = change;
  const named = [...updates.map(({ key }) => key), ...(removes === 'others' ? [] : removes)];
  const unknown = distinctKeys(named.filter((key) => !present.has(keyText(key))));
  if (unknown.length === 0 || !hasSpellings(collection)) return change;
  const stored = await findStoredKeys({ collection }, unknown, context);
  const toStored = (key: Key): Key => stored.get(keyText(key)) ?? key;
  return {
    ...change,
    updates: updates.map(({ key, payload }) => ({ key: toStored(key), payload })),
    removes: removes === 'others' ? removes : removes.map(toStored),
  };
};

/** Keys of the rows of the list that the caller may read: others are as if they were not there. */
const presentKeys = async ({ relation, owner, planning, context }: ListContext): Promise<readonly Key[]> => {
  const { collection } = relation;
  const grant = planning.policies.grant(collection, 'read');
  if (grant === null) return [];
  const where = ruleToCondition(grant.rows, openScope(collection, 'read', planning));
  return findMembers({ collection, where }, { fields: fieldsOf(relation), values: owner }, context);
};

const fieldsOf = ({ collection, fields }: ToMany): readonly Field[] =>
  fields.flatMap((name) => collection.fields.get(name) ?? []);

/** A row that comes from elsewhere takes the key of its new owner. */
const writeUpdate = async (
  { key, payload }: ListChange['updates'][number],
  isPresent: boolean,
  { relation, planning, context }: ListContext,
): Promise<void> => {
  const { owner: _owner, ...alone } = planning;
  if (!isPresent && isKeyed(relation)) throw missingItem(relation.collection);
  const plan = planUpdate(relation.collection, payload, isPresent ? alone : planning);
  await updateInside(await hashRows(plan), [key], context);
};

/** Whether the owner's key is part of the rows' own key: then they cannot change hands. */
const isKeyed = ({ collection, fields }: ToMany): boolean =>
  collection.key.some(({ name }) => fields.includes(name));

/** Whether rows that leave the list are deleted. */
const isOwned = (relation: ToMany): boolean => relation.deselect === 'delete' || isKeyed(relation);

/** What is asked to go by name is deleted where it cannot be without an owner. */
const removeNamed = (keys: readonly Key[], present: StoredKeys, list: ListContext): Promise<void> => {
  const { relation } = list;
  if (keys.some((key) => !present.has(keyText(key)))) throw missingItem(relation.collection);
  const isBound = fieldsOf(relation).some(({ nullable }) => nullable !== true);
  return remove(keys, isOwned(relation) || isBound, list);
};

const remove = async (
  keys: readonly Key[],
  isDeletion: boolean,
  { relation, planning, context }: ListContext,
): Promise<void> => {
  if (keys.length === 0) return;
  const { collection, fields } = relation;
  if (isDeletion) return deleteInside(planDelete(collection, planning), keys, context);
  const { owner: _owner, ...alone } = planning;
  const nobody = Object.fromEntries(fields.map((name) => [name, null]));
  await updateInside(planUpdate(collection, nobody, alone), keys, context);
};

/** What the foreign key of a list refers to, read where it is not the owner's key. */
const ownerValues = async (
  { references }: ToMany,
  { collection, key }: { readonly collection: Collection; readonly key: Key },
  context: InsideContext,
): Promise<readonly Scalar[]> => {
  const places = references.map((name) => collection.key.findIndex((field) => field.name === name));
  if (!places.includes(-1)) return places.map((place) => key[place] as Scalar);
  const columns = references.flatMap((name) => collection.fields.get(name) ?? []);
  return findColumns(collection, { columns, key }, context);
};
