/** Finds the row that violated a constraint, by querying the database after the write was rolled back. */
import type { Collection, Field } from '../../contract/collection.js';
import { conditionTrue } from '../plan/types.js';
import type { WriteRow } from '../plan/write-plan.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { Executor, SqlDialect } from '../databases/contract.js';
import type { BindInput } from '../sql/fragment.js';
import { compileTupleCount, type TupleMatches } from '../sql/write.js';

export interface QueryContext {
  readonly executor: Executor;
  readonly dialect: SqlDialect;
}

/** Values of several fields. */
export type Tuple = readonly Scalar[];

/** Finds the first row whose values exist already, in the table or in an earlier row. */
export const findDuplicate = async (
  rows: readonly WriteRow[],
  target: { readonly collection: Collection; readonly fields: readonly Field[] },
  context: QueryContext,
): Promise<WriteRow | null> => {
  const { collection, fields } = target;
  const complete = rows.filter((row) => readTuple(row, fields) !== null);
  const seen = new Set<string>();
  const duplicate = complete.find((row) => {
    const text = JSON.stringify(readTuple(row, fields));
    return seen.has(text) || !seen.add(text);
  });
  if (duplicate !== undefined) return duplicate;
  return findFirst(
    complete,
    async (part) => (await countMatches(collection, { fields, rows: part }, context)) > 0,
  );
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
  const removed = new Set(target.removed.map((tuple) => JSON.stringify(tuple)));
  const tuples = new Map<string, Tuple>();
  const referring = rows.map((row) => {
    const tuple = readTuple(row, fields);
    const text = JSON.stringify(tuple);
    if (tuple !== null && !removed.has(text)) tuples.set(text, tuple);
    return { row, text };
  });
  const matches = { fields: references, where: conditionTrue };
  const missing = await findMissing([...tuples.values()], (part) =>
    countTuples(collection, { ...matches, tuples: part }, { ...context, input: noInput }),
  );
  const texts = new Set(missing.map((tuple) => JSON.stringify(tuple)));
  return referring.filter(({ text }) => texts.has(text)).map(({ row }) => row);
};

/**
 * Returns the values of the fields, or null where one is missing or null and the constraint does not apply.
 */
export const readTuple = (row: WriteRow, fields: readonly Field[]): Tuple | null => {
  const values = fields.map((field) => row.get(field.name) ?? null);
  return values.includes(null) ? null : (values as Tuple);
};

const countMatches = async (
  collection: Collection,
  { fields, rows }: { readonly fields: readonly Field[]; readonly rows: readonly WriteRow[] },
  context: QueryContext,
): Promise<number> => {
  const tuples = rows.map((row) => readTuple(row, fields) ?? []);
  return countTuples(collection, { fields, tuples, where: conditionTrue }, { ...context, input: noInput });
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

/** Rows per query. */
const batchSize = 1_000;

/** Finds the first matching row by bisection. `isAmong` returns whether one of the given rows matches. */
const findFirst = async <Row>(
  rows: readonly Row[],
  isAmong: (rows: readonly Row[]) => Promise<boolean>,
): Promise<Row | null> => {
  const [only] = rows;
  if (only === undefined) return null;
  if (rows.length <= batchSize && !(await isAmong(rows))) return null;
  if (rows.length === 1) return only;
  const middle = middleOf(rows);
  return (await findFirst(rows.slice(0, middle), isAmong)) ?? findFirst(rows.slice(middle), isAmong);
};

/** Finds by bisection the tuples that no row has. `count` returns how many of the given ones rows have. */
export const findMissing = async (
  tuples: readonly Tuple[],
  count: (tuples: readonly Tuple[]) => Promise<number>,
): Promise<readonly Tuple[]> => {
  if (tuples.length <= batchSize) {
    const found = tuples.length === 0 ? 0 : await count(tuples);
    if (found === 0 || found >= tuples.length) return found === 0 ? tuples : [];
  }
  const middle = middleOf(tuples);
  return [
    ...(await findMissing(tuples.slice(0, middle), count)),
    ...(await findMissing(tuples.slice(middle), count)),
  ];
};

const middleOf = ({ length }: readonly unknown[]): number => (length > batchSize ? batchSize : length >> 1);
