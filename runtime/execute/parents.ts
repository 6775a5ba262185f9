/** Writes the parents of a plan's rows, and sets the keys of the parents in these rows. */
import type { Field, ToOne } from '../../contract/collection.js';
import { throwProblems } from '../../contract/errors.js';
import { toStoredKey } from '../plan/many-to-any-payload.js';
import { missingItem } from '../plan/item.js';
import { mergeCreates } from '../plan/merge-creates.js';
import { isForbidden } from '../plan/parent.js';
import { isRefusal } from '../plan/problem-collection.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { CreatePlan, Key, ParentPlan, UpdatePlan, WriteRow } from '../plan/write-plan.js';
import { readStored } from './stored-checks.js';
import { findStoredKeys, keyText } from './stored-keys.js';
import type { TransactionContext } from './write-transaction.js';

/** Writes the rows of a plan in its transaction. */
export interface RowWriters {
  /** Returns the keys. @throws UNPROCESSABLE_ENTITY where the database does not tell them */
  create(plan: CreatePlan, context: TransactionContext): Promise<readonly Key[]>;
  update(plan: UpdatePlan, keys: readonly Key[], context: TransactionContext): Promise<void>;
}

/** Writes the parents, and returns the rows with their keys. */
export const writeParents = async (
  parents: readonly ParentPlan[],
  rows: readonly WriteRow[],
  { writers, context }: { readonly writers: RowWriters; readonly context: TransactionContext },
): Promise<readonly WriteRow[]> => {
  if (parents.length === 0) return rows;
  const complete = rows.map((row) => new Map(row));
  for (const [relation, group] of groupByRelation(parents)) {
    const keys = await writeGroup(relation, group, { writers, context });
    const values = await readReferences(relation, keys, context);
    group.forEach(({ rowIndex }, index) => {
      for (const [position, name] of relation.fields.entries())
        complete[rowIndex]?.set(name, toStored(relation, values[index]?.[position] ?? null));
    });
  }
  return complete;
};

const toStored = (relation: ToOne, key: Scalar | null): Scalar | null =>
  key === null ? null : toStoredKey(relation, key);

const groupByRelation = (parents: readonly ParentPlan[]): ReadonlyMap<ToOne, readonly ParentPlan[]> => {
  const groups = new Map<ToOne, ParentPlan[]>();
  for (const parent of parents) {
    const group = groups.get(parent.relation);
    if (group === undefined) groups.set(parent.relation, [parent]);
    else group.push(parent);
  }
  return groups;
};

interface Writing {
  readonly writers: RowWriters;
  readonly context: TransactionContext;
}

/** Writes the parents of one relation; new rows in one statement. Returns their keys in order. */
const writeGroup = async (
  { collection }: ToOne,
  group: readonly ParentPlan[],
  { writers, context }: Writing,
): Promise<readonly Key[]> => {
  const named = group.flatMap(({ key }) => (key === null ? [] : [key]));
  const readable = group[0]?.readable;
  const stored = new Map(
    named.length === 0 || readable === undefined
      ? []
      : await findStoredKeys({ collection, where: readable }, named, context),
  );
  const added = firstWithoutRow(group, stored);
  const created = await createRows(added, { writers, context });
  const keys = new Map(added.map((parent, index) => [parent, created[index] as Key]));
  for (const [parent, key] of keys) if (parent.key !== null) stored.set(keyText(parent.key), key);
  const found: Key[] = [];
  for (const parent of group)
    found.push(keys.get(parent) ?? (await changeRow(parent, { stored, writers, context })));
  return found;
};

/** Returns the parents to create: those without a key, and of each key that no row has the first. */
const firstWithoutRow = (
  group: readonly ParentPlan[],
  stored: ReadonlyMap<string, Key>,
): readonly ParentPlan[] => {
  const seen = new Set(stored.keys());
  return group.filter(({ key }) => {
    if (key === null) return true;
    const text = keyText(key);
    const isFirst = !seen.has(text);
    seen.add(text);
    return isFirst;
  });
};

/** Creates the rows of parents in one step. @throws FORBIDDEN where one may not be created */
const createRows = async (
  parents: readonly ParentPlan[],
  { writers, context }: Writing,
): Promise<readonly Key[]> => {
  const plans = parents.map(({ relation, create }) => {
    if (create === null) throw missingItem(relation.collection);
    return isRefusal(create) ? null : create;
  });
  throwProblems(
    parents.flatMap(({ create }) => (create !== null && isRefusal(create) ? create.problems : [])),
  );
  const known = plans.filter((plan) => plan !== null);
  const [first] = known;
  return first === undefined ? [] : writers.create(mergeCreates(first, known), context);
};

/** Changes the row of a key. @throws FORBIDDEN where it may not be changed, or else the problems of the change */
const changeRow = async (
  { relation: { collection }, key: given, update }: ParentPlan,
  { stored, writers, context }: Writing & { readonly stored: ReadonlyMap<string, Key> },
): Promise<Key> => {
  const key = given === null ? undefined : stored.get(keyText(given));
  if (key === undefined) throw missingItem(collection);
  if (update === null) return key;
  if (!isRefusal(update)) await writers.update(update, [key], context);
  else if (isForbidden(update.problems)) throw missingItem(collection);
  else throwProblems(update.problems);
  return key;
};

/** Returns the values that the foreign key refers to; reads them where they are not the key. */
const readReferences = async (
  { collection, references }: ToOne,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<readonly (readonly (Scalar | null)[])[]> => {
  const indexes = references.map((name) => collection.key.findIndex((field) => field.name === name));
  if (!indexes.includes(-1)) return keys.map((key) => indexes.map((index) => key[index] ?? null));
  const columns: readonly Field[] = references.flatMap((name) => collection.fields.get(name) ?? []);
  const found = await readStored(collection, { columns, keys }, context);
  const byKey = new Map(found.map(({ key, values }) => [keyText(key), values]));
  return keys.map((key) => references.map((name) => byKey.get(keyText(key))?.get(name) ?? null));
};
