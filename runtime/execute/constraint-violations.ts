/** Finds the rows that violate a constraint, by querying the database after the write was rolled back. */
import type { Collection, Field } from '../../contract/collection.js';
import { conditionTrue } from '../plan/types.js';
import type { WriteRow } from '../plan/write-plan.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { Executor, SqlDialect } from '../databases/contract.js';
import type { BindInput } from '../sql/fragment.js';
import { compileTupleCount, type TupleMatches } from '../sql/write.js';
import { chunk } from './chunk.js';
import type { RowsContext } from './row-locks.js';
import { findStoredKeys, keyText, type StoredKeys } from './stored-keys.js';

export interface QueryContext {
  readonly executor: Executor;
  readonly dialect: SqlDialect;
}

/** Values of several fields. */
export type Tuple = readonly Scalar[];

/** Finds the rows whose values exist already, in the table or in an earlier row. */
export const findDuplicates = async (
  rows: readonly WriteRow[],
  target: { readonly collection: Collection; readonly fields: readonly Field[] },
  context: QueryContext,
): Promise<readonly WriteRow[]> => {
  const tuples = new Map<string, Tuple>();
  const named = rows.flatMap((row) => {
    const tuple = readTuple(row, target.fields);
    if (tuple === null) return [];
    const text = keyText(tuple);
    const isRepeated = tuples.has(text);
    tuples.set(text, tuple);
    return [{ row, text, isRepeated }];
  });
  const unused = await findUnused(tuples, target, context);
  return named.filter(({ text, isRepeated }) => isRepeated || !unused.has(text)).map(({ row }) => row);
};

/** Finds the rows that refer to a missing row of the target. */
export const findBrokenReferences = async (
  rows: readonly WriteRow[],
  target: {
    readonly collection: Collection;
    readonly fields: readonly Field[];
    readonly references: readonly Field[];
    /** Values of rows that the rollback has removed, so that references to them were not broken. */
    readonly removed: readonly Tuple[];
  },
  context: QueryContext,
): Promise<readonly WriteRow[]> => {
  const { collection, fields, references } = target;
  const removed = new Set(target.removed.map(keyText));
  const tuples = new Map<string, Tuple>();
  const referring = rows.map((row) => {
    const tuple = readTuple(row, fields);
    const text = tuple === null ? '' : keyText(tuple);
    if (tuple !== null && !removed.has(text)) tuples.set(text, tuple);
    return { row, text };
  });
  const missing = await findUnused(tuples, { collection, fields: references }, context);
  return referring.filter(({ text }) => missing.has(text)).map(({ row }) => row);
};

/**
 * Returns the values of the fields, or null where one is missing or null and the constraint does not apply.
 */
export const readTuple = (row: WriteRow, fields: readonly Field[]): Tuple | null => {
  const values = fields.map((field) => row.get(field.name) ?? null);
  return values.includes(null) ? null : (values as Tuple);
};

/** Returns the texts of the tuples that no row has. */
const findUnused = async (
  tuples: ReadonlyMap<string, Tuple>,
  target: { readonly collection: Collection; readonly fields: readonly Field[] },
  context: QueryContext,
): Promise<ReadonlySet<string>> => {
  const matches = { ...target, where: conditionTrue };
  const unused = await findMissing([...tuples.values()], matches, { ...context, input: noInput });
  return new Set(unused.map(keyText));
};

const noValue = (value: unknown): unknown => value;

/** The input of conditions without operands. */
const noInput: BindInput = { values: [], keys: [], resolve: noValue, resolveQueryValue: noValue };

/** Counts the tuples that rows matching the condition have. */
export const countTuples = async (
  collection: Collection,
  matches: Omit<TupleMatches, 'dialect' | 'input'>,
  { executor, dialect, input }: QueryContext & Pick<TupleMatches, 'input'>,
): Promise<number> => {
  const { text, values } = compileTupleCount(collection, { ...matches, dialect, input });
  const [row] = await executor.query(text, values);
  return Number(row?.count);
};

/** Tuples per count. */
const batchSize = 1_000;

/** Finds the tuples that no row has which meets the condition. */
export const findMissing = async (
  tuples: readonly Tuple[],
  { collection, ...matches }: Pick<TupleMatches, 'fields' | 'where'> & { readonly collection: Collection },
  context: RowsContext,
): Promise<readonly Tuple[]> => {
  const missing: Tuple[] = [];
  for (const part of chunk(tuples, batchSize)) {
    const count = await countTuples(collection, { ...matches, tuples: part }, context);
    if (count >= part.length) continue;
    const rows = { collection, ...matches, isLocked: false };
    const found = count === 0 ? noKeys : await findStoredKeys(rows, part, context);
    for (const tuple of part) if (!found.has(keyText(tuple))) missing.push(tuple);
  }
  return missing;
};

const noKeys: StoredKeys = new Map();
