/**
 * Replaces values that are not stored as they are in all rows of a plan: those of `hash` fields by argon2id hashes, those
 * of static tokens by their stored form.
 */
import type { Collection, Field } from '../../contract/collection.js';
import { hashPassword } from '../auth/passwords/hash.js';
import { isRefusal } from '../plan/problem-collection.js';
import {
  isOwnerOperand,
  type CreatePlan,
  type ListPlan,
  type ListRow,
  type ListUpdate,
  type ParentPlan,
  type UpdatePlan,
  type UpsertPlan,
} from '../plan/write-plan.js';

/** Returns the form in which a static token is stored. */
export type ToStoredToken = (token: string) => Promise<string>;

/** Replaces values in the rows of a create plan and of its lists. */
export const hashCreate = <Plan extends CreatePlan<ListRow>>(
  plan: Plan,
  toStoredToken: ToStoredToken,
): Plan | Promise<Plan> => (isStoredAsGiven(plan) ? plan : hashRows(plan, toStoredToken));

const hashRows = async <Plan extends CreatePlan<ListRow>>(
  plan: Plan,
  toStoredToken: ToStoredToken,
): Promise<Plan> => {
  const { collection, rows, parents, lists } = plan;
  return {
    ...plan,
    rows: await Promise.all(rows.map((row) => hashRow(row, collection, toStoredToken))),
    parents: await hashParents(parents, toStoredToken),
    lists: await Promise.all(lists.map((list) => hashList(list, toStoredToken))),
  };
};

/** Replaces values in the row of an update plan and in the rows of its lists. */
export const hashUpdate = async <Plan extends UpdatePlan<ListRow>>(
  plan: Plan,
  toStoredToken: ToStoredToken,
): Promise<Plan> => {
  if (isStoredAsGiven(plan)) return plan;
  const { collection, row, parents, lists } = plan;
  return {
    ...plan,
    row: await hashRow(row, collection, toStoredToken),
    parents: await hashParents(parents, toStoredToken),
    lists: await Promise.all(lists.map((list) => hashList(list, toStoredToken))),
  };
};

/** Replaces values in both cases of every row. */
export const hashUpsert = async (plan: UpsertPlan, toStoredToken: ToStoredToken): Promise<UpsertPlan> => ({
  ...plan,
  rows: await Promise.all(plan.rows.map((row) => hashAlternatives(row, toStoredToken))),
});

/** Returns whether a plan has nothing to replace: values of its collection, and related rows that may have some. */
const isStoredAsGiven = ({
  collection: { hashed, tokens },
  parents,
  lists,
}: Pick<CreatePlan<ListRow> | UpdatePlan<ListRow>, 'collection' | 'parents' | 'lists'>): boolean =>
  hashed.length === 0 && tokens.length === 0 && parents.length === 0 && lists.length === 0;

const hashRow = async <Row extends ListRow>(
  row: Row,
  { hashed, tokens }: Collection,
  toStoredToken: ToStoredToken,
): Promise<Row> => {
  if (hashed.length === 0 && tokens.length === 0) return row;
  const values = new Map(row);
  const replace = async (fields: readonly Field[], toStored: (value: string) => Promise<string>) => {
    for (const { name } of fields) {
      const value = row.get(name) ?? null;
      if (value !== null && !isOwnerOperand(value)) values.set(name, await toStored(String(value)));
    }
  };
  await replace(hashed, hashPassword);
  await replace(tokens, toStoredToken);
  return values as ListRow as Row;
};

const hashParents = (
  parents: readonly ParentPlan[],
  toStoredToken: ToStoredToken,
): Promise<readonly ParentPlan[]> =>
  Promise.all(parents.map((parent) => hashAlternatives(parent, toStoredToken)));

const hashAlternatives = async <Row extends Pick<ParentPlan, 'update' | 'create'>>(
  row: Row,
  toStoredToken: ToStoredToken,
): Promise<Row> => {
  const { update, create } = row;
  return {
    ...row,
    update: update === null || isRefusal(update) ? update : await hashUpdate(update, toStoredToken),
    create: create === null || isRefusal(create) ? create : await hashCreate(create, toStoredToken),
  };
};

const hashList = async (list: ListPlan, toStoredToken: ToStoredToken): Promise<ListPlan> => ({
  ...list,
  creates: list.creates === null ? null : await hashCreate(list.creates, toStoredToken),
  updates: await Promise.all(list.updates.map((update) => hashListUpdate(update, toStoredToken))),
});

/** Handles both plans of a listed row. Only one of them runs and they share their lists, which are handled once. */
const hashListUpdate = async (update: ListUpdate, toStoredToken: ToStoredToken): Promise<ListUpdate> => {
  const { update: present, move: taken, create: added } = update;
  const hashed = present === null ? null : await hashUpdate(present, toStoredToken);
  const create = added === null || isRefusal(added) ? added : await hashCreate(added, toStoredToken);
  if (isRefusal(taken)) return { ...update, update: hashed, create };
  const { row, collection } = taken;
  const { parents, lists } = hashed ?? taken;
  return {
    ...update,
    update: hashed,
    create,
    move: { ...taken, row: await hashRow(row, collection, toStoredToken), parents, lists },
  };
};
