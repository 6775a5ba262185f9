/** Writes the parents of a plan's rows, and sets the keys of the parents in these rows. */
import type { Field, ToOne } from '../../contract/collection.js';
import { throwProblems } from '../../contract/errors.js';
import { toStoredKey } from '../plan/any-payload.js';
import { missingItem } from '../plan/item.js';
import { mergeCreates } from '../plan/merge-creates.js';
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
  const keys: Key[] = [];
  const named = group.flatMap(({ key }) => (key === null ? [] : [key]));
  const readable = group[0]?.readable;
  const stored = new Map(
    named.length === 0 || readable === undefined
      ? []
      : await findStoredKeys({ collection, where: readable }, named, context),
  );
  const added: number[] = [];
  for (const [index, parent] of group.entries()) {
    if (parent.key === null) added.push(index);
    else keys[index] = await writeNamed(parent, parent.key, { stored, writers, context });
  }
  const plans = added.flatMap((index) => requirePlan(group[index]?.create ?? null));
  const [first] = plans;
  if (first === undefined) return keys;
  const created = await writers.create(mergeCreates(first, plans), context);
  added.forEach((index, position) => (keys[index] = created[position] as Key));
  return keys;
};

const requirePlan = (plan: ParentPlan['create']): readonly CreatePlan[] => {
  if (plan === null) return [];
  if (!isRefusal(plan)) return [plan];
  throwProblems(plan.problems);
  return [];
};

/** Changes the row of a key, or creates it. @throws FORBIDDEN where it may be neither changed nor created */
const writeNamed = async (
  { relation: { collection }, update, create }: ParentPlan,
  given: Key,
  { stored, writers, context }: Writing & { readonly stored: Map<string, Key> },
): Promise<Key> => {
  const key = stored.get(keyText(given));
  if (key !== undefined) {
    if (update !== null && isRefusal(update)) throw missingItem(collection);
    if (update !== null) await writers.update(update, [key], context);
    return key;
  }
  const [plan] = requirePlan(create);
  if (plan === undefined) throw missingItem(collection);
  const [created] = await writers.create(plan, context);
  if (created === undefined) throw missingItem(collection);
  stored.set(keyText(given), created);
  return created;
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
