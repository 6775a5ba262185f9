/**
 * Executes creates whose rows may be stored already. Stored rows are looked up, not left to the database: what it calls a
 * conflict is any unique constraint on some databases. Where another transaction stores such a row meanwhile, the constraint
 * fails and the write is run again.
 */
import { ApiError, ApiErrors, invalidPayload, throwProblems } from '../../contract/errors.js';
import { compareValues } from '../plan/compare-values.js';
import { missingItem } from '../plan/item.js';
import { mergeCreates } from '../plan/merge-creates.js';
import { isRefusal } from '../plan/problem-collection.js';
import { conditionTrue } from '../plan/types.js';
import type { Key, UpsertPlan, UpsertRow } from '../plan/write-plan.js';
import { chunk } from './chunk.js';
import { keyList, type KeyList } from './key-list.js';
import { requireReferences } from './references.js';
import { isRowPermitted, type RowsContext } from './row-locks.js';
import { distinctKeys, findStoredKeys, keyText, type StoredKeys } from './stored-keys.js';
import type { OutputReader } from './write.js';
import { inTransaction, toWrite, type ExecuteContext, type TransactionContext } from './write-transaction.js';
import { maxKeys } from './updates.js';
import { writeCreate, writeRelatedEach } from './write-tree.js';

/** The outcome of a row of the payload. */
export type Outcome = 'created' | 'updated' | 'ignored';

export interface UpsertOutput<Output> {
  /** The stored rows, each once, in the order of the payload. */
  readonly rows: Output;
  /** One for each row of the payload. */
  readonly outcomes: readonly Outcome[];
}

/** Maximum number of times that a write is run while others interfere with it. */
const maxAttempts = 5;

/** Creates the rows that are not stored, and changes or ignores the others. */
export const executeUpsert = async <Output>(
  plan: UpsertPlan,
  output: OutputReader<Output>,
  context: ExecuteContext,
): Promise<UpsertOutput<Output>> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // the first attempt may fail for two rows that only the database knows to be equal, such as `a` and `A`
      return await runUpsert(plan, { output, size: attempt === 1 ? plan.rows.length : 1 }, context);
    } catch (error) {
      if (!isInterference(error, plan)) throw error;
      if (attempt === maxAttempts) throw error instanceof VanishedRow ? missingItem(plan.collection) : error;
    }
  }
};

/** A stored row that has gone before it could be locked. */
class VanishedRow extends Error {}

const isInterference = (error: unknown, { collection, fields }: UpsertPlan): boolean => {
  if (error instanceof VanishedRow) return true;
  const [problem] = error instanceof ApiErrors ? error.problems : [error];
  if (!(problem instanceof ApiError) || problem.code !== 'RECORD_NOT_UNIQUE') return false;
  const { collection: name, field } = problem.details;
  return name === collection.name && (field === null || fields.some((each) => each.name === field));
};

interface Attempt<Output> {
  readonly output: OutputReader<Output>;
  /** Maximum number of rows that are looked up by one statement. */
  readonly size: number;
}

const runUpsert = <Output>(
  plan: UpsertPlan,
  { output, size }: Attempt<Output>,
  context: ExecuteContext,
): Promise<UpsertOutput<Output>> => {
  const { collection } = plan;
  const creates = plan.rows.flatMap(({ create }) => (isRefusal(create) ? [] : [create]));
  const rows = creates.flatMap((create) => create.rows);
  const locations = creates.flatMap((create) => create.locations);
  const write = toWrite({ collection, rows, locations, action: 'create' }, context);
  const run = async (transaction: TransactionContext): Promise<State> => {
    const state: State = { keys: [], outcomes: [], areKeysKnown: true };
    for (const batch of toBatches(plan.rows, size)) await writeBatch(plan, { batch, state }, transaction);
    return state;
  };
  return inTransaction(
    {
      write,
      keys: keyList([]),
      run,
      async read({ keys, outcomes, areKeysKnown }, executor) {
        const shown = areKeysKnown
          ? await findShown(plan, { keys, outcomes }, { ...context, executor })
          : null;
        return { rows: await output.read(shown, executor), outcomes };
      },
    },
    context,
  );
};

/** Results by the index of the row. */
interface State {
  readonly keys: Key[];
  readonly outcomes: Outcome[];
  areKeysKnown: boolean;
}

/** Returns the keys of the created rows, and of the stored ones whose unique values the caller may read. */
const findShown = async (
  { collection, shown }: UpsertPlan,
  { keys, outcomes }: Pick<State, 'keys' | 'outcomes'>,
  context: RowsContext,
): Promise<KeyList> => {
  if (shown.kind === 'true') return keyList(distinctKeys(keys));
  const found = distinctKeys(keys.filter((_, index) => outcomes[index] !== 'created'));
  const readable =
    shown.kind === 'false'
      ? new Map()
      : await findStoredKeys({ collection, where: shown, isLocked: false }, found, context);
  const created = new Set(keys.filter((_, index) => outcomes[index] === 'created').map(keyText));
  const isShown = (key: Key): boolean => created.has(keyText(key)) || readable.has(keyText(key));
  return keyList(distinctKeys(keys).filter(isShown));
};

/** Indexes of rows that are written together: of rows with the same values, each is in a batch of its own, in order. */
type Batch = readonly number[];

const toBatches = (rows: readonly UpsertRow[], size: number): readonly Batch[] => {
  const counts = new Map<string, number>();
  const batches: number[][] = [];
  for (const [index, { tuple }] of rows.entries()) {
    const text = tuple === null ? null : keyText(tuple);
    const before = text === null ? 0 : (counts.get(text) ?? 0);
    if (text !== null) counts.set(text, before + 1);
    (batches[before] ??= []).push(index);
  }
  return size === 1 ? rows.map((_, index) => [index]) : batches;
};

/** A row of the payload; `key` is that of its stored row, if there is one. */
interface FoundRow {
  readonly index: number;
  readonly row: UpsertRow;
  readonly key: Key | null;
}

const writeBatch = async (
  plan: UpsertPlan,
  { batch, state }: { readonly batch: Batch; readonly state: State },
  context: TransactionContext,
): Promise<void> => {
  const found = await findRows(plan, batch, context);
  throwProblems(found.flatMap((each) => findProblems(each, plan)));
  const created = found.filter(({ key }) => key === null);
  for (const { index, row, key } of found) {
    state.outcomes[index] = key === null ? 'created' : row.update === null ? 'ignored' : 'updated';
    if (key !== null) state.keys[index] = key;
  }
  await updateRows(plan, found, context);
  const keys = await createRows(created, context);
  if (keys === null) state.areKeysKnown = false;
  created.forEach(({ index }, position) => (state.keys[index] = keys?.[position] ?? []));
};

const findRows = async (
  { collection, fields, rows }: UpsertPlan,
  batch: Batch,
  context: TransactionContext,
): Promise<readonly FoundRow[]> => {
  const tuples = batch.flatMap((index) => {
    const tuple = rows[index]?.tuple ?? null;
    return tuple === null ? [] : [tuple];
  });
  const stored: StoredKeys =
    tuples.length === 0
      ? new Map()
      : await findStoredKeys({ collection, fields, isLocked: false }, tuples, context);
  return batch.map((index) => {
    const row = rows[index] as UpsertRow;
    return { index, row, key: (row.tuple === null ? null : stored.get(keyText(row.tuple))) ?? null };
  });
};

/** Returns the problems of a row: of its create where no row is stored, of its update otherwise. */
const findProblems = (
  { row: { create, update, key: given }, key }: FoundRow,
  { collection, fields }: UpsertPlan,
): readonly ApiError[] => {
  const plan = key === null ? create : update;
  if (plan !== null && isRefusal(plan)) return plan.problems;
  if (key === null || update === null) return [];
  const changed = collection.key.find((field, index) => {
    const value = given.get(field.name) ?? null;
    return value !== null && !fields.includes(field) && compareValues(field, key[index], value) !== 0;
  });
  if (changed === undefined) return [];
  return [
    invalidPayload(
      `"${changed.name}" is the key of an item of "${collection.name}" and cannot be changed; leave it out`,
    ),
  ];
};

const updateRows = async (
  { collection }: UpsertPlan,
  found: readonly FoundRow[],
  context: TransactionContext,
): Promise<void> => {
  const updates = found.flatMap(({ key, row: { update } }) =>
    key === null || update === null || isRefusal(update) ? [] : [{ plan: update, key }],
  );
  const keys = distinctKeys(updates.map(({ key }) => key));
  for (const part of chunk(keys, maxKeys)) {
    if (!(await isRowPermitted({ collection, where: conditionTrue }, part, context))) throw new VanishedRow();
  }
  await requireReferences({ updates: updates.map(({ plan, key }) => ({ plan, keys: [key] })) }, context);
  await writeRelatedEach(updates, context);
};

/** Returns the keys of the created rows, or null where the database does not return them. */
const createRows = async (
  created: readonly FoundRow[],
  context: TransactionContext,
): Promise<readonly Key[] | null> => {
  const plans = created.flatMap(({ row: { create } }) => (isRefusal(create) ? [] : [create]));
  const [first] = plans;
  if (first === undefined) return [];
  const plan = mergeCreates(first, plans);
  await requireReferences({ creates: [plan] }, context);
  return writeCreate(plan, context);
};
