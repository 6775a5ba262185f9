/**
 * Executes writes: as one autocommit statement where possible, otherwise in a transaction, which is rolled
 * back where the response cannot be read.
 */
import type { Executor } from '../databases/contract.js';
import { missingItem } from '../plan/item.js';
import type { CreatePlan, DeletePlan, Key, UpdatePlan } from '../plan/write-plan.js';
import { compileDelete, compileInsert, compileUpdate, usesOwnRowOnly, type Returning } from '../sql/write.js';
import type { RenderedStatement } from '../sql/fragment.js';
import { explainFailure, type Write } from './failures.js';
import { insertRows, skippedItem } from './insert.js';
import { requireRowPermission, type RowsContext } from './row-locks.js';
import type { JsonRows } from './row-set.js';
import { distinctKeys } from './stored-keys.js';
import { inTransaction, toWrite, type ExecuteContext, type TransactionContext } from './write-transaction.js';
import { keyRows, writeCreate, writeDelete, writePermitted, writeUpdate } from './write-tree.js';

/** How the response of a write is read. */
export interface AnswerPlan<Answer> {
  /** Whether the response contains rows. */
  readonly isRead: boolean;
  /** The RETURNING clause that yields the response; `null` where the response needs more than the row. */
  readonly returning: Returning | null;
  ofRow(row: JsonRows): Answer;
  /** Reads the response by key; `null`: the database generated the keys without returning them. */
  read(keys: readonly Key[] | null, executor: Executor): Promise<Answer>;
  /** Reads the response of a committed write; never fails. */
  readStored(keys: readonly Key[] | null, executor: Executor): Promise<Answer>;
}

/** A write and how its response is read. */
interface PlannedWrite<Plan, Answer> {
  readonly plan: Plan;
  readonly write: Write;
  readonly answer: AnswerPlan<Answer>;
}

export const executeCreate = <Answer>(
  plan: CreatePlan,
  answer: AnswerPlan<Answer>,
  context: ExecuteContext,
): Promise<Answer> => {
  const { alone, dialect } = context;
  const write = toWrite({ ...plan, action: 'create' }, context);
  if (alone && plan.rows.length === 1 && plan.lists.length === 0) {
    if (answer.returning !== null) return insertReturning({ plan, write, answer }, answer.returning, context);
    if (!answer.isRead || !dialect.returning) return insertAutocommit({ plan, write, answer }, context);
  }
  const run = (inside: TransactionContext) => writeCreate(plan, inside);
  return inTransaction({ write, keys: [], run, answer: answer.read }, context);
};

const insertReturning = async <Answer>(
  { plan: { collection, rows }, write, answer }: PlannedWrite<CreatePlan, Answer>,
  returning: Returning,
  { database, dialect }: ExecuteContext,
): Promise<Answer> => {
  const statement = compileInsert(collection, rows, { dialect, returning: returning.text });
  const row = await explainFailure(
    () => write,
    () => readReturned(statement, returning, database),
  );
  if (row.isEmpty) throw skippedItem(collection);
  return answer.ofRow(row);
};

const insertAutocommit = async <Answer>(
  { plan: { collection, rows }, write, answer }: PlannedWrite<CreatePlan, Answer>,
  context: ExecuteContext,
): Promise<Answer> => {
  const executor = context.database;
  const keys = await explainFailure(
    () => write,
    () => insertRows(collection, rows, { ...context, executor }),
  );
  return answer.readStored(keys, executor);
};

/** Runs a statement that returns the row it writes. */
const readReturned = async (
  statement: RenderedStatement,
  { tokens }: Returning,
  executor: Executor,
): Promise<JsonRows> => {
  const { rows } = await executor.writeRows(statement, {
    tokens,
    keyColumns: 0,
    limit: Number.POSITIVE_INFINITY,
  });
  return rows;
};

/** Updates all keys with the same values; each must exist and be permitted. */
export const executeUpdate = <Answer>(
  { plan, keys }: { readonly plan: UpdatePlan; readonly keys: readonly Key[] },
  answer: AnswerPlan<Answer>,
  context: ExecuteContext,
): Promise<Answer> => {
  const { collection, row } = plan;
  const write = toWrite({ collection, rows: [row], action: 'update' }, context);
  const [key] = keys;
  if (key !== undefined && keys.length === 1 && context.alone && isOneUpdate(plan)) {
    return executeOneUpdate({ plan, write, answer }, key, context);
  }
  const run = async (inside: TransactionContext) => {
    await writeUpdate(plan, keys, inside);
    return keys;
  };
  return inTransaction({ write, keys, run, answer: answer.read }, context);
};

const executeOneUpdate = <Answer>(
  { plan, write, answer }: PlannedWrite<UpdatePlan, Answer>,
  key: Key,
  context: ExecuteContext,
): Promise<Answer> => {
  const { updateAnswer } = context.dialect;
  if (updateAnswer === 'returned' && answer.returning !== null) {
    return updateReturning({ plan, write, answer }, { key, returning: answer.returning }, context);
  }
  if (!answer.isRead || updateAnswer === 'after')
    return updateAutocommit({ plan, write, answer }, key, context);
  const run = async ({ executor }: TransactionContext) => {
    await updateOne(plan, key, { ...context, executor });
    return [key];
  };
  return inTransaction({ write, keys: [key], run, answer: answer.read }, context);
};

const isOneUpdate = ({ row, lists, where }: UpdatePlan): boolean =>
  lists.length === 0 && row.size > 0 && usesOwnRowOnly(where);

const updateReturning = async <Answer>(
  { plan: { collection, row, where }, write, answer }: PlannedWrite<UpdatePlan, Answer>,
  { key, returning }: { readonly key: Key; readonly returning: Returning },
  context: ExecuteContext,
): Promise<Answer> => {
  const { text, values } = compileUpdate(collection, row, { ...context, keys: [key], where });
  const statement = { text: `${text} returning ${returning.text}`, values };
  const found = await explainFailure(
    () => write,
    () => readReturned(statement, returning, context.database),
  );
  if (found.isEmpty) throw missingItem(collection);
  return answer.ofRow(found);
};

const updateAutocommit = async <Answer>(
  { plan, write, answer }: PlannedWrite<UpdatePlan, Answer>,
  key: Key,
  context: ExecuteContext,
): Promise<Answer> => {
  const executor = context.database;
  await explainFailure(
    () => write,
    () => updateOne(plan, key, { ...context, executor }),
  );
  return answer.readStored([key], executor);
};

/** Updates one row. @throws FORBIDDEN where the row is missing or may not be updated */
const updateOne = async (
  { collection, row, where }: UpdatePlan,
  key: Key,
  context: RowsContext,
): Promise<void> => {
  const statement = compileUpdate(collection, row, { ...context, keys: [key], where });
  const { affected } = await context.executor.write(statement);
  if (affected === 0) throw missingItem(collection);
};

/** Updates each key with its own values, in one transaction. */
export const executeUpdates = <Answer>(
  updates: readonly { readonly plan: UpdatePlan; readonly key: Key }[],
  answer: AnswerPlan<Answer>,
  context: ExecuteContext,
): Promise<Answer> => {
  const [first] = updates;
  const keys = updates.map(({ key }) => key);
  if (first === undefined) return answer.read(keys, context.database);
  const { collection } = first.plan;
  const rows = updates.map(({ plan }) => plan.row);
  const write = toWrite({ collection, rows, action: 'update' }, context);
  const run = async (inside: TransactionContext) => {
    for (const { plan, key } of updates) await requireRowPermission(plan, [key], inside);
    for (const { plan, key } of updates) await writePermitted(plan, [key], inside);
    return distinctKeys(keys);
  };
  return inTransaction({ write, keys, run, answer: answer.read }, context);
};

export const executeDelete = async (
  plan: DeletePlan,
  keys: readonly Key[],
  context: ExecuteContext,
): Promise<void> => {
  const { collection, where } = plan;
  const write = toWrite({ collection, rows: keyRows(collection, keys), action: 'delete' }, context);
  if (keys.length > 1 || !context.alone || !usesOwnRowOnly(where)) {
    const run = (inside: TransactionContext) => writeDelete(plan, keys, inside);
    return inTransaction({ write, keys, run, answer: async () => undefined }, context);
  }
  const { affected } = await explainFailure(
    () => write,
    () => context.database.write(compileDelete(collection, { ...context, keys, where })),
  );
  if (affected === 0) throw missingItem(collection);
};
