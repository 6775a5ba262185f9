/** Replaces the values of `hash` fields by argon2id hashes in all rows of a plan. */
import type { Collection } from '../../contract/collection.js';
import { hashPassword } from '../auth/passwords/hash.js';
import {
  isOwnerOperand,
  type CreatePlan,
  type ListPlan,
  type ListRow,
  type ListUpdate,
  type UpdatePlan,
} from '../plan/write-plan.js';

/** Hashes values in the rows of a create plan and of its lists. */
export const hashCreate = async <Plan extends CreatePlan<ListRow>>(plan: Plan): Promise<Plan> => {
  const { collection, rows, lists } = plan;
  if (collection.hashed.length === 0 && lists.length === 0) return plan;
  return {
    ...plan,
    rows: await Promise.all(rows.map((row) => hashRow(row, collection))),
    lists: await Promise.all(lists.map(hashList)),
  };
};

/** Hashes values in the row of an update plan and in the rows of its lists. */
export const hashUpdate = async <Plan extends UpdatePlan<ListRow>>(plan: Plan): Promise<Plan> => {
  const { collection, row, lists } = plan;
  if (collection.hashed.length === 0 && lists.length === 0) return plan;
  return {
    ...plan,
    row: await hashRow(row, collection),
    lists: await Promise.all(lists.map(hashList)),
  };
};

const hashRow = async <Row extends ListRow>(row: Row, { hashed }: Collection): Promise<Row> => {
  const values = new Map(row);
  for (const { name } of hashed) {
    const value = row.get(name) ?? null;
    if (value !== null && !isOwnerOperand(value)) values.set(name, await hashPassword(String(value)));
  }
  return values as ListRow as Row;
};

const hashList = async (list: ListPlan): Promise<ListPlan> => ({
  ...list,
  creates: list.creates === null ? null : await hashCreate(list.creates),
  updates: await Promise.all(list.updates.map(hashListUpdate)),
});

/** Hashes both plans of a listed row. Only one of them runs and they share their lists, which are hashed once. */
const hashListUpdate = async (update: ListUpdate): Promise<ListUpdate> => {
  const { update: present, move: taken } = update;
  const hashed = present === null ? null : await hashUpdate(present);
  if ('problems' in taken) return { ...update, update: hashed };
  const { row, collection } = taken;
  const lists = hashed === null ? taken.lists : hashed.lists;
  return { ...update, update: hashed, move: { ...taken, row: await hashRow(row, collection), lists } };
};
