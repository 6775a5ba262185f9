/** Writes run: one statement where one is enough, else one transaction. Nothing is written before all is permitted. */
import type { Collection } from '../collection.js';
import { missingItem } from '../plan/item.js';
import type { CreatePlan, DeletePlan, UpdatePlan, WriteRow } from '../plan/write.js';
import { conditionTrue, type Condition } from '../plan/types.js';
import type { SqlDialect } from '../sql/dialect.js';
import type { BindInput } from '../sql/fragment.js';
import {
  compileDelete,
  compileInsert,
  compilePermitted,
  compileUpdate,
  looksAtRowOnly,
  type Returning,
} from '../sql/write.js';
import { chunk } from './chunk.js';
import type { Database, Executor } from './database.js';
import { explainFailure, type Write } from './failures.js';
import { insertRows, type Key } from './insert.js';
import type { JsonRows } from './row-set.js';

export type { Key };

export interface WriteContext {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly input: BindInput;
  /** Part of the write: runs in its transaction, after it. */
  readonly after: ((executor: Executor) => Promise<void>) | null;
}

const toWrite = (
  collection: Collection,
  rows: readonly WriteRow[],
  { database, dialect }: WriteContext,
): Write => ({
  collection,
  rows,
  executor: database,
  dialect,
});

const inTransaction = <Result>(
  { database, after }: WriteContext,
  body: (executor: Executor) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (executor) => {
    const result = await body(executor);
    if (after !== null) await after(executor);
    return result;
  });

/** Inserts one row and answers it in the same statement. */
export const executeCreateReturning = async (
  plan: CreatePlan,
  returning: Returning,
  context: WriteContext,
): Promise<JsonRows> => {
  const { database, dialect } = context;
  const statement = compileInsert(plan.collection, plan.rows, { dialect, returning: returning.text });
  const layout = { tokens: returning.tokens, keyColumns: 0, limit: Number.POSITIVE_INFINITY };
  return explainFailure(toWrite(plan.collection, plan.rows, context), async () => {
    const { rows } = await database.rows(statement, layout);
    return rows;
  });
};

/** @returns the keys, in the order of the rows; `null` where the database made them and does not tell */
export const executeCreate = (plan: CreatePlan, context: WriteContext): Promise<readonly Key[] | null> => {
  const { collection, rows } = plan;
  const { database, dialect } = context;
  return explainFailure(toWrite(collection, rows, context), () =>
    rows.length === 1 && context.after === null
      ? insertRows(collection, rows, { executor: database, dialect })
      : inTransaction(context, (executor) => insertRows(collection, rows, { executor, dialect })),
  );
};

/** Keys per statement. */
const together = 1_000;

interface Inside extends WriteContext {
  readonly executor: Executor;
}

/** One set of values for all keys; every one of them has to exist and to be permitted. */
export const executeUpdate = (
  plan: UpdatePlan,
  keys: readonly Key[],
  context: WriteContext,
): Promise<void> => {
  const { collection, row, where } = plan;
  return explainFailure(toWrite(collection, [row], context), async () => {
    if (keys.length === 1 && row.size > 0 && context.after === null && looksAtRowOnly(where)) {
      const { affected } = await context.database.write(
        compileUpdate(collection, row, { ...context, keys, where }),
      );
      if (affected === 0) throw missingItem(collection);
      return;
    }
    await inTransaction(context, (executor) => updateAll(plan, keys, { ...context, executor }));
  });
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
  return explainFailure(toWrite(collection, rows, context), () =>
    inTransaction(context, async (executor) => {
      for (const { plan, key } of updates) await requirePermitted(plan, [key], { ...context, executor });
      for (const { plan, key } of updates) await writeRows(plan, [key], { ...context, executor });
    }),
  );
};

const updateAll = async (plan: UpdatePlan, keys: readonly Key[], context: Inside): Promise<void> => {
  for (const part of chunk(keys, together)) await requirePermitted(plan, part, context);
  for (const part of chunk(keys, together)) await writeRows(plan, part, context);
};

const writeRows = async (
  { collection, row }: UpdatePlan,
  keys: readonly Key[],
  context: Inside,
): Promise<void> => {
  if (row.size === 0) return;
  await context.executor.write(compileUpdate(collection, row, { ...context, keys, where: conditionTrue }));
};

interface Permitted {
  readonly collection: Collection;
  readonly where: Condition;
}

/** @throws FORBIDDEN when one of the keys is missing or may not be written */
const requirePermitted = async (
  { collection, where }: Permitted,
  keys: readonly Key[],
  context: Inside,
): Promise<void> => {
  const { text, values } = compilePermitted(collection, { ...context, keys, where });
  const found = await context.executor.query(text, values);
  if (found.length !== keys.length) throw missingItem(collection);
};

export const executeDelete = (
  plan: DeletePlan,
  keys: readonly Key[],
  context: WriteContext,
): Promise<void> => {
  const { collection, where } = plan;
  const rows = keys.map(
    (parts) => new Map(collection.key.map(({ name }, index) => [name, parts[index] ?? null])),
  );
  return explainFailure({ ...toWrite(collection, rows, context), deletes: true }, async () => {
    if (keys.length === 1 && context.after === null && looksAtRowOnly(where)) {
      const { affected } = await context.database.write(
        compileDelete(collection, { ...context, keys, where }),
      );
      if (affected === 0) throw missingItem(collection);
      return;
    }
    await inTransaction(context, async (executor) => {
      for (const part of chunk(keys, together)) await requirePermitted(plan, part, { ...context, executor });
      for (const part of chunk(keys, together)) {
        await executor.write(compileDelete(collection, { ...context, keys: part, where: conditionTrue }));
      }
    });
  });
};

/** Each key once. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [JSON.stringify(key), key])).values(),
];
