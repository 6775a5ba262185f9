/**
 * Executes writes: as one autocommit statement where possible, otherwise in a transaction, which is rolled
 * back where the output cannot be read.
 */
import type { Collection } from '../../contract/collection.js';
import type { Executor } from '../databases/contract.js';
import { missingItem } from '../plan/item.js';
import { isKeyGenerated } from '../plan/create-response.js';
import type { CreatePlan, DeletePlan, Key, UpdatePlan } from '../plan/write-plan.js';
import { compileInsert, type Returning } from '../sql/insert.js';
import { compileDelete, compileUpdate } from '../sql/write.js';
import { usesOwnRowOnly } from '../plan/own-row.js';
import type { RenderedStatement } from '../sql/fragment.js';
import { explainFailure, type Write } from './failures.js';
import { insertRows, isOneStatement, skippedItem } from './insert.js';
import { requireRowPermission, type RowsContext } from './row-locks.js';
import { keyList, onlyKey, type KeyList } from './key-list.js';
import type { JsonRows, RowSet } from './row-set.js';
import { requireReferences } from './references.js';
import { distinctKeys, hasAlternativeSpellings } from './stored-keys.js';
import { maxKeys, requirePermissions, type RowUpdate } from './updates.js';
import { inTransaction, toWrite, type ExecuteContext, type TransactionContext } from './write-transaction.js';
import {
  completeUpdate,
  deletePermitted,
  keyRows,
  writeCreate,
  writePermitted,
  writePermittedEach,
} from './write-tree.js';

/** Reads the output of a write: its rows, or the reason why they are not returned. */
export interface OutputReader<Output> {
  /** True where the output contains rows. */
  readonly returnsRows: boolean;
  /** True where the output is in the order of the rows that are written. */
  readonly keepsOrder: boolean;
  /** The RETURNING clause that yields the output; `null` where the output needs more than the row. */
  readonly returning: Returning | null;
  /** The same for a row whose key the database generates. */
  returningNew(): Returning | null;
  fromRows(rows: JsonRows): Output;
  /** Reads the output by key; `null`: the database generated the keys without returning them. */
  read(keys: KeyList | null, executor: Executor): Promise<Output>;
  /** Reads the output of a committed write; never fails. */
  readCommitted(keys: KeyList | null, executor: Executor): Promise<Output>;
}

/** A write with the reader of its output. */
interface PlannedWrite<Plan, Output> {
  readonly plan: Plan;
  readonly write: Write;
  readonly output: OutputReader<Output>;
}

/** Creates rows with their lists and reads the output. */
export const executeCreate = <Output>(
  plan: CreatePlan,
  output: OutputReader<Output>,
  context: ExecuteContext,
): Promise<Output> => {
  const { collection, rows, locations } = plan;
  const { allowsAutocommit, dialect } = context;
  const write = toWrite({ collection, rows, locations, action: 'create' }, context);
  if (allowsAutocommit && isPlainInsert(plan)) {
    const returning = returningOf(plan, output);
    if (returning !== null && mayReturn(plan, output))
      return insertReturning({ plan, write, output }, returning, context);
    const isOneRow = rows.length === 1;
    if (isOneRow && (!output.returnsRows || !dialect.returning))
      return insertAutocommit({ plan, write, output }, context);
  }
  const run = async (transaction: TransactionContext) => {
    await requireReferences({ creates: [plan] }, transaction);
    const keys = await writeCreate(plan, transaction);
    return keys === null ? null : keyList(keys);
  };
  return inTransaction({ write, keys: keyList([]), run, read: output.read }, context);
};

/** Returns whether one statement can return the rows as the output has them. */
const mayReturn = ({ rows }: CreatePlan, { keepsOrder }: OutputReader<unknown>): boolean =>
  rows.length === 1 || (keepsOrder && isOneStatement(rows));

const returningOf = (
  { collection, rows }: CreatePlan,
  { returning, returningNew }: OutputReader<unknown>,
): Returning | null =>
  returning === null && rows.every((row) => isKeyGenerated(collection, row)) ? returningNew() : returning;

const isPlainInsert = ({ parents, lists, stored, references }: CreatePlan): boolean =>
  parents.length === 0 && lists.length === 0 && stored.length === 0 && references.length === 0;

const insertReturning = async <Output>(
  { plan: { collection, rows }, write, output }: PlannedWrite<CreatePlan, Output>,
  returning: Returning,
  context: ExecuteContext,
): Promise<Output> => {
  const { database, dialect } = context;
  const statement = compileInsert(collection, rows, { dialect, returning: returning.text });
  const requireAll = (found: RowSet): JsonRows => {
    if (found.count < rows.length) throw skippedItem(collection);
    return found.rows;
  };
  if (rows.length > 1) {
    // a trigger may discard one row, without which the others must not stay
    const run = async ({ executor }: TransactionContext) =>
      requireAll(await readReturned(statement, returning, executor));
    const read = async (found: JsonRows) => output.fromRows(found);
    return inTransaction({ write, keys: keyList([]), run, read }, context);
  }
  const found = await explainFailure(
    () => write,
    () => readReturned(statement, returning, database),
  );
  return output.fromRows(requireAll(found));
};

const insertAutocommit = async <Output>(
  { plan: { collection, rows }, write, output }: PlannedWrite<CreatePlan, Output>,
  context: ExecuteContext,
): Promise<Output> => {
  const executor = context.database;
  const keys = await explainFailure(
    () => write,
    () => insertRows(collection, rows, { ...context, executor }),
  );
  return output.readCommitted(keys === null ? null : keyList(keys), executor);
};

/** Runs a statement that returns the rows it writes. */
const readReturned = (
  statement: RenderedStatement,
  { tokens }: Returning,
  executor: Executor,
): Promise<RowSet> =>
  executor.writeRows(statement, { tokens, keyColumns: 0, limit: Number.POSITIVE_INFINITY });

/** Updates all keys with the same values; each must exist and be permitted. */
export const executeUpdate = <Output>(
  { plan, keys }: { readonly plan: UpdatePlan; readonly keys: KeyList },
  output: OutputReader<Output>,
  context: ExecuteContext,
): Promise<Output> => {
  const { collection, where, row, location } = plan;
  const write = toWrite({ collection, rows: [row], locations: [location], action: 'update' }, context);
  const key = onlyKey(keys);
  if (key !== null && allowsOneStatement(collection, context) && isOneUpdate(plan)) {
    return executeOneUpdate({ plan, write, output }, key, context);
  }
  const run = async (transaction: TransactionContext) => {
    for (const part of keys.chunks(maxKeys)) {
      await requireReferences({ updates: [{ plan, keys: part }] }, transaction);
      await requireRowPermission({ collection, where, locate: keys.locate }, part, transaction);
    }
    const complete = await completeUpdate(plan, transaction);
    for (const part of keys.chunks(maxKeys)) {
      await writePermitted(complete, part, transaction);
      await transaction.record();
    }
    return keys;
  };
  return inTransaction({ write, keys, run, read: output.read }, context);
};

/**
 * Returns whether one statement may update or delete a row. The number of rows it reports says whether the row exists, except
 * where a trigger or rule has discarded or replaced the write: there, the row is read and locked before.
 */
const allowsOneStatement = (
  { triggers }: Collection,
  { allowsAutocommit, dialect }: ExecuteContext,
): boolean => allowsAutocommit && !(triggers && dialect.discardsWrites === true);

const executeOneUpdate = <Output>(
  { plan, write, output }: PlannedWrite<UpdatePlan, Output>,
  key: Key,
  context: ExecuteContext,
): Promise<Output> => {
  const { updateReadback } = context.dialect;
  if (updateReadback === 'returning' && output.returning !== null) {
    return updateReturning({ plan, write, output }, { key, returning: output.returning }, context);
  }
  if (!output.returnsRows || updateReadback === 'autocommit')
    return updateAutocommit({ plan, write, output }, key, context);
  const run = async ({ executor }: TransactionContext) => {
    await updateOne(plan, key, { ...context, executor });
    return keyList([key]);
  };
  return inTransaction({ write, keys: keyList([key]), run, read: output.read }, context);
};

const isOneUpdate = ({ row, parents, lists, stored, references, where }: UpdatePlan): boolean =>
  parents.length === 0 &&
  lists.length === 0 &&
  stored === null &&
  references.length === 0 &&
  row.size > 0 &&
  usesOwnRowOnly(where);

const updateReturning = async <Output>(
  { plan: { collection, row, where }, write, output }: PlannedWrite<UpdatePlan, Output>,
  { key, returning }: { readonly key: Key; readonly returning: Returning },
  context: ExecuteContext,
): Promise<Output> => {
  const { text, values } = compileUpdate(collection, row, { ...context, keys: [key], where });
  const statement = { text: `${text} returning ${returning.text}`, values };
  const found = await explainFailure(
    () => write,
    () => readReturned(statement, returning, context.database),
  );
  if (found.count === 0) throw missingItem(collection);
  return output.fromRows(found.count > 1 ? found.rows.first : found.rows);
};

const updateAutocommit = async <Output>(
  { plan, write, output }: PlannedWrite<UpdatePlan, Output>,
  key: Key,
  context: ExecuteContext,
): Promise<Output> => {
  const executor = context.database;
  await explainFailure(
    () => write,
    () => updateOne(plan, key, { ...context, executor }),
  );
  return output.readCommitted(keyList([key]), executor);
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
export const executeUpdates = <Output>(
  updates: readonly RowUpdate[],
  output: OutputReader<Output>,
  context: ExecuteContext,
): Promise<Output> => {
  const [first] = updates;
  const keys = updates.map(({ key }) => key);
  if (first === undefined) return output.read(keyList(keys), context.database);
  const { collection } = first.plan;
  const rows = updates.map(({ plan }) => plan.row);
  const locations = updates.map(({ plan }) => plan.location);
  const write = toWrite({ collection, rows, locations, action: 'update' }, context);
  const run = async (transaction: TransactionContext) => {
    await requireReferences(
      { updates: updates.map(({ plan, key }) => ({ plan, keys: [key] })) },
      transaction,
    );
    await requirePermissions(updates, transaction);
    // two keys of the client may be spellings of one
    if (hasAlternativeSpellings(collection))
      for (const { plan, key } of updates) await writePermitted(plan, [key], transaction);
    else await writePermittedEach(updates, transaction);
    return keyList(distinctKeys(keys));
  };
  return inTransaction({ write, keys: keyList(keys), run, read: output.read }, context);
};

/** Deletes the rows of all keys. @throws FORBIDDEN where one does not exist or is not permitted */
export const executeDelete = async (
  plan: DeletePlan,
  keys: KeyList,
  context: ExecuteContext,
): Promise<void> => {
  const { collection, where } = plan;
  const key = onlyKey(keys);
  const rows = key === null ? [] : keyRows(collection, [key]);
  const write = toWrite({ collection, rows, locations: [], action: 'delete' }, context);
  if (key === null || !allowsOneStatement(collection, context) || !usesOwnRowOnly(where)) {
    const run = async (transaction: TransactionContext) => {
      for (const part of keys.chunks(maxKeys))
        await requireRowPermission({ collection, where, locate: keys.locate }, part, transaction);
      for (const part of keys.chunks(maxKeys)) {
        await deletePermitted(plan, part, transaction);
        await transaction.record();
      }
    };
    return inTransaction({ write, keys, run, read: async () => undefined }, context);
  }
  const { affected } = await explainFailure(
    () => write,
    () => context.database.write(compileDelete(collection, { ...context, keys: [key], where })),
  );
  if (affected === 0) throw missingItem(collection);
};
