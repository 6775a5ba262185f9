/**
 * Writes the lists of new rows together, so that the number of statements does not grow with the number of rows: for each
 * relation, one insert for the rows of all owners.
 */
import type { Collection, ToMany } from '../../contract/collection.js';
import { bindCreate } from '../plan/owner-operands.js';
import { foreignKey } from '../plan/list-relation.js';
import { mergeCreates } from '../plan/merge-creates.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { Key, ListCreatePlan, ListPlan } from '../plan/write-plan.js';
import { compileColumnsByTuples } from '../sql/write.js';
import { chunk } from './chunk.js';
import { requireListReferences } from './references.js';
import type { ListWriting } from './write-list.js';

interface NewOwners {
  readonly collection: Collection;
  /** The keys of the new rows, by the index that lists have of their owner. */
  readonly keys: readonly Key[];
}

/** A list that consists of new rows, and its owner. */
interface NewList {
  readonly plan: ListPlan;
  readonly creates: ListCreatePlan;
  readonly owner: readonly Scalar[];
}

/** Lists by their relation. */
export type NewLists = ReadonlyMap<ToMany, readonly NewList[]>;

/**
 * Returns the lists by relation, or null where the order in which they are written one by one may matter: where they name
 * stored rows, or two relations lead to one collection.
 */
export const groupNewLists = (lists: readonly ListPlan[], owners: NewOwners): NewLists | null => {
  const groups = new Map<ToMany, NewList[]>();
  for (const plan of lists) {
    const list = toNewList(plan, owners);
    if (list === null) return null;
    const group = groups.get(plan.relation);
    if (group === undefined) groups.set(plan.relation, [list]);
    else group.push(list);
  }
  const targets = new Set([...groups.keys()].map(({ collection }) => collection));
  return targets.size === groups.size ? groups : null;
};

const toNewList = (plan: ListPlan, { collection, keys }: NewOwners): NewList | null => {
  const { relation, creates, updates, removes, ownerIndex } = plan;
  if (creates === null || updates.length > 0) return null;
  if (removes !== null && removes.keys !== 'others') return null;
  const owner = relation.references.map((name) => {
    const index = collection.key.findIndex((field) => field.name === name);
    return keys[ownerIndex]?.[index];
  });
  return owner.every((value) => value !== undefined) ? { plan, creates, owner } : null;
};

/** Owners per statement. */
const batchSize = 500;

/** Returns whether a list of new owners has rows that the caller may read, which triggers or defaults have made. */
export const haveRows = async (
  lists: readonly NewList[],
  { context }: Pick<ListWriting, 'context'>,
): Promise<boolean> => {
  const [first] = lists;
  if (first === undefined || first.plan.visible === null) return false;
  const { relation, visible: where } = first.plan;
  for (const part of chunk(lists, batchSize)) {
    const tuples = part.map(({ owner }) => owner);
    const matches = { fields: foreignKey(relation), tuples, where, ...context };
    const { text, values } = compileColumnsByTuples(relation.collection, relation.collection.key, matches);
    if ((await context.executor.query(text, values)).length > 0) return true;
  }
  return false;
};

/** Creates the rows of lists that have none so far. */
export const writeNewLists = async (
  lists: readonly NewList[],
  { writers, context }: ListWriting,
): Promise<void> => {
  const planned = lists.map(({ creates }) => creates);
  const bound = lists.map(({ creates, owner }) => bindCreate(creates, { references: owner, end: 0 }));
  const [first] = bound;
  if (first === undefined) return;
  await requireListReferences({ creates: planned }, { creates: bound }, context);
  await writers.create(mergeCreates(first, bound), context);
};
