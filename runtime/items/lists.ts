/** Lists that are written through their owner: inside its transaction, every row under its own grant. */
import type { Collection, Field, ToMany } from '../../contract/collection.js';
import type { Key } from '../execute/insert.js';
import { findColumns, findMembers } from '../execute/row-locks.js';
import { findStoredKeys, hasSpellings, keyText, type StoredKeys } from '../execute/stored-keys.js';
import { createInside, deleteInside, distinctKeys, updateInside } from '../execute/write.js';
import type { InsideContext, WriteList } from '../execute/write-transaction.js';
import { invalidPayload } from '../../contract/errors.js';
import { missingItem } from '../plan/item.js';
import { contextBelow, isChange, readListChange, type ListChange } from '../plan/list.js';
import { ruleToCondition } from '../plan/rule.js';
import { openScope } from '../plan/scope.js';
import { conditionTrue } from '../plan/types.js';
import type { Scalar } from '../plan/values.js';
import { planCreate, planDelete, planUpdate, type WriteContext } from '../plan/write.js';
import { hashRows } from './hash.js';

/** Writes lists that stand at `planning.path`. */
export const createWriteList =
  (planning: WriteContext): WriteList =>
  async (list, { collection, keys }, context) => {
    const { relation, value } = list;
    const said = readListChange(relation, value);
    for (const key of keys) {
      const owner = await ownerValues(relation, { collection, key }, context);
      if (!isComplete(owner)) {
        if (namesRows(said)) throw rowsOfNull(relation, { collection, owner, planning });
        continue;
      }
      const below = contextBelow(relation, planning, owner);
      const inside = { ...context, writeList: createWriteList(below) };
      await writeOne(said, { relation, owner, planning: below, context: inside });
    }
  };

interface ListContext {
  readonly relation: ToMany;
  /** What the list's rows hold of their owner. */
  readonly owner: readonly Scalar[];
  readonly planning: WriteContext;
  readonly context: InsideContext;
}

const isComplete = (owner: readonly (Scalar | null)[]): owner is readonly Scalar[] => !owner.includes(null);

const namesRows = ({ creates, updates, removes }: ListChange): boolean =>
  creates.length + updates.length > 0 || (removes !== 'others' && removes.length > 0);

interface Incomplete {
  readonly collection: Collection;
  readonly owner: readonly (Scalar | null)[];
  readonly planning: WriteContext;
}

/** Nothing refers to null. The field is named to who may use it. */
const rowsOfNull = (
  { name, references }: ToMany,
  { collection, owner, planning: { policies } }: Incomplete,
): Error => {
  const lacking = references[owner.indexOf(null)] ?? '';
  const isKnown = (['read', 'update'] as const).some(
    (action) => policies.grant(collection, action)?.fields.has(lacking) === true,
  );
  return invalidPayload(`"${name}" needs a value in ${isKnown ? `"${lacking}"` : 'a field of its owner'}`);
};

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

const isKeyPart = ({ collection }: ToMany, name: string): boolean =>
  collection.key.some((field) => field.name === name);

/** A row that comes from elsewhere takes the key of its new owner, as far as its own key says nothing of it. */
const writeUpdate = async (
  { key, payload }: ListChange['updates'][number],
  isPresent: boolean,
  list: ListContext,
): Promise<void> => {
  const { relation, planning, context } = list;
  const { owner = new Map(), ...alone } = planning;
  if (!isPresent && !(await isMovable(key, list))) throw missingItem(relation.collection);
  const taken = new Map([...owner].filter(([name]) => !isKeyPart(relation, name)));
  const plan = planUpdate(relation.collection, payload, isPresent ? alone : { ...alone, owner: taken });
  await updateInside(await hashRows(plan), [key], context);
};

/** A key never changes: what it holds of the owner is right already, and the rest of it can be set. */
const isMovable = async (key: Key, { relation, owner, context }: ListContext): Promise<boolean> => {
  const { collection } = relation;
  const bound = fieldsOf(relation).filter(({ name }) => isKeyPart(relation, name));
  if (bound.length === 0 || bound.length === relation.fields.length) return bound.length === 0;
  const held = bound.map(({ name }) => owner[relation.fields.indexOf(name)] as Scalar);
  const alike = { fields: [...collection.key, ...bound], values: [...key, ...held] };
  return (await findMembers({ collection, where: conditionTrue }, alike, context)).length > 0;
};

/** What is set to null where a row is let go: one null ends the relation, and others may hold on to the rest. */
const looseOf = (relation: ToMany): readonly Field[] =>
  fieldsOf(relation).filter(
    ({ name, nullable, generated }) => nullable === true && generated !== true && !isKeyPart(relation, name),
  );

/** Whether rows that leave the list are deleted: where the relation says so, or their key is of their owner. */
const isOwned = (relation: ToMany): boolean =>
  relation.deselect === 'delete' ||
  (looseOf(relation).length === 0 && relation.fields.some((name) => isKeyPart(relation, name)));

/** What is asked to go by name is deleted where it cannot be without an owner. */
const removeNamed = (keys: readonly Key[], present: StoredKeys, list: ListContext): Promise<void> => {
  const { relation } = list;
  if (keys.some((key) => !present.has(keyText(key)))) throw missingItem(relation.collection);
  return remove(keys, isOwned(relation) || looseOf(relation).length === 0, list);
};

const remove = async (
  keys: readonly Key[],
  isDeletion: boolean,
  { relation, planning, context }: ListContext,
): Promise<void> => {
  if (keys.length === 0) return;
  const { collection } = relation;
  if (isDeletion) return deleteInside(planDelete(collection, planning), keys, context);
  const { owner: _owner, ...alone } = planning;
  const loose = looseOf(relation);
  // where none may be null, the refusal names them all
  const freed = loose.length > 0 ? loose : fieldsOf(relation);
  const nobody = Object.fromEntries(freed.map(({ name }) => [name, null]));
  await updateInside(planUpdate(collection, nobody, alone), keys, context);
};

/** What the foreign key of a list refers to, read where it is not the owner's key. */
const ownerValues = async (
  { references }: ToMany,
  { collection, key }: { readonly collection: Collection; readonly key: Key },
  context: InsideContext,
): Promise<readonly (Scalar | null)[]> => {
  const places = references.map((name) => collection.key.findIndex((field) => field.name === name));
  if (!places.includes(-1)) return places.map((place) => key[place] as Scalar);
  const columns = references.flatMap((name) => collection.fields.get(name) ?? []);
  return findColumns(collection, { columns, key }, context);
};
