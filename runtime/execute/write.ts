/** Writes run: one statement where one is enough, else one transaction. Nothing is written before all is permitted. */
import type { Collection } from '../../contract/collection.js';
import { missingItem } from '../plan/item.js';
import { conditionTrue } from '../plan/types.js';
import type { CreatePlan, DeletePlan, UpdatePlan, WriteRow } from '../plan/write.js';
import { compileDelete, compileInsert, compileUpdate, looksAtRowOnly, type Returning } from '../sql/write.js';
import { chunk } from './chunk.js';
import { explainFailure } from './failures.js';
import { insertRows, skippedItem, type Key } from './insert.js';
import { requirePermitted, type RowsContext } from './row-locks.js';
import type { JsonRows } from './row-set.js';
import { keyText } from './stored-keys.js';
import {
  inTransaction,
  toWrite,
  writeStep,
  type InsideContext,
  type WriteContext,
} from './write-transaction.js';

/** Whether the row can be answered by the statement that inserts it. */
export const isReturnable = ({ rows, lists }: CreatePlan, { alone }: WriteContext): boolean =>
  alone && rows.length === 1 && lists.length === 0;

/** Inserts one row and answers it in the same statement. */
export const executeCreateReturning = async (
  plan: CreatePlan,
  returning: Returning,
  context: WriteContext,
): Promise<JsonRows> => {
  const { database, dialect } = context;
  const statement = compileInsert(plan.collection, plan.rows, { dialect, returning: returning.text });
  const layout = { tokens: returning.tokens, keyColumns: 0, limit: Number.POSITIVE_INFINITY };
  return explainFailure(
    () => toWrite({ ...plan, action: 'create' }, context),
    async () => {
      const { rows } = await database.rows(statement, layout);
      if (rows.isEmpty) throw skippedItem(plan.collection);
      return rows;
    },
  );
};

/** @returns the keys, in the order of the rows; `null` where the database made them and does not tell */
export const executeCreate = (plan: CreatePlan, context: WriteContext): Promise<readonly Key[] | null> => {
  const { collection, rows } = plan;
  const write = toWrite({ collection, rows, action: 'create' }, context);
  return isReturnable(plan, context)
    ? explainFailure(
        () => write,
        () => insertRows(collection, rows, { ...context, executor: context.database }),
      )
    : inTransaction({ ...write, keys: [] }, context, (inside) => createInside(plan, inside));
};

export const createInside = (plan: CreatePlan, context: InsideContext): Promise<readonly Key[] | null> =>
  writeStep({ ...plan, action: 'create' }, context, () => insertRows(plan.collection, plan.rows, context));

/** Keys per statement. */
const together = 1_000;

/** One set of values for all keys; every one of them has to exist and to be permitted. */
export const executeUpdate = (
  plan: UpdatePlan,
  keys: readonly Key[],
  context: WriteContext,
): Promise<void> => {
  const { collection, row, lists, where } = plan;
  const write = toWrite({ collection, rows: [row], action: 'update' }, context);
  const isPlain = context.alone && lists.length === 0 && row.size > 0 && looksAtRowOnly(where);
  if (keys.length > 1 || !isPlain) {
    return inTransaction({ ...write, keys }, context, (inside) => updateInside(plan, keys, inside));
  }
  return explainFailure(
    () => write,
    async () => {
      const { affected } = await context.database.write(
        compileUpdate(collection, row, { ...context, keys, where }),
      );
      if (affected === 0) throw missingItem(collection);
    },
  );
};

/** Values of their own for every key, in one transaction. */
export const executeUpdates = (
  updates: readonly { readonly plan: UpdatePlan; readonly key: Key }[],
  context: WriteContext,
): Promise<void> => {
  const [first] = updates;
  if (first === undefined) return Promise.resolve();
  const { collection } = first.plan;
  const rows = updates.map(({ plan }) => plan.row);
  const keys = updates.map(({ key }) => key);
  const write = toWrite({ collection, rows, action: 'update' }, context);
  return inTransaction({ ...write, keys }, context, async (inside) => {
    for (const { plan, key } of updates) await requirePermitted(plan, [key], inside);
    for (const { plan, key } of updates) await writePermitted(plan, [key], inside);
  });
};

export const updateInside = async (
  plan: UpdatePlan,
  keys: readonly Key[],
  context: InsideContext,
): Promise<void> => {
  for (const part of chunk(keys, together)) await requirePermitted(plan, part, context);
  await writePermitted(plan, keys, context);
};

const writePermitted = async (
  plan: UpdatePlan,
  keys: readonly Key[],
  context: InsideContext,
): Promise<void> => {
  await writeStep({ ...plan, rows: [plan.row], action: 'update' }, context, async () => {
    for (const part of chunk(keys, together)) await writeRows(plan, part, context);
    return keys;
  });
};

const writeRows = async (
  { collection, row }: UpdatePlan,
  keys: readonly Key[],
  context: RowsContext,
): Promise<void> => {
  if (row.size === 0) return;
  await context.executor.write(compileUpdate(collection, row, { ...context, keys, where: conditionTrue }));
};

export const executeDelete = (
  plan: DeletePlan,
  keys: readonly Key[],
  context: WriteContext,
): Promise<void> => {
  const { collection, where } = plan;
  const write = toWrite({ collection, rows: keyRows(collection, keys), action: 'delete' }, context);
  if (keys.length > 1 || !context.alone || !looksAtRowOnly(where)) {
    return inTransaction({ ...write, keys }, context, (inside) => deleteInside(plan, keys, inside));
  }
  return explainFailure(
    () => write,
    async () => {
      const { affected } = await context.database.write(
        compileDelete(collection, { ...context, keys, where }),
      );
      if (affected === 0) throw missingItem(collection);
    },
  );
};

export const deleteInside = async (
  plan: DeletePlan,
  keys: readonly Key[],
  context: InsideContext,
): Promise<void> => {
  const { collection } = plan;
  const rows = keyRows(collection, keys);
  await writeStep({ collection, rows, lists: [], action: 'delete' }, context, async () => {
    for (const part of chunk(keys, together)) await requirePermitted(plan, part, context);
    for (const part of chunk(keys, together)) {
      await context.executor.write(
        compileDelete(collection, { ...context, keys: part, where: conditionTrue }),
      );
    }
    return keys;
  });
};

const keyRows = ({ key }: Collection, keys: readonly Key[]): readonly WriteRow[] =>
  keys.map((parts) => new Map(key.map(({ name }, index) => [name, parts[index] ?? null])));

/** Each key once. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [keyText(key), key])).values(),
];
