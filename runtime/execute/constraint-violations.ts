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

/** Finds the first row that refers to a missing row of the target. */
export const findBrokenReference = async (
  rows: readonly WriteRow[],
  target: {
    readonly collection: Collection;
    readonly fields: readonly Field[];
    readonly references: readonly Field[];
  },
  context: QueryContext,
): Promise<WriteRow | null> => {
  const { collection, fields, references } = target;
  const referring = rows.filter((row) => readTuple(row, fields) !== null);
  const byReference = new Map(referring.map((row) => [toReferences(row, fields, references), row]));
  const found = await findFirst([...byReference.keys()], async (part) => {
    const distinct = new Set(part.map((row) => JSON.stringify(readTuple(row, references))));
    return (await countMatches(collection, { fields: references, rows: part }, context)) < distinct.size;
  });
  return found === null ? null : (byReference.get(found) ?? null);
};

/**
 * Returns the values of the fields, or null where one is missing or null and the constraint does not apply.
 */
export const readTuple = (row: WriteRow, fields: readonly Field[]): Tuple | null => {
  const values = fields.map((field) => row.get(field.name) ?? null);
  return values.includes(null) ? null : (values as Tuple);
};

const toReferences = (row: WriteRow, fields: readonly Field[], names: readonly Field[]): WriteRow =>
  new Map(fields.map((field, index) => [names[index]?.name ?? '', row.get(field.name) ?? null]));

const countMatches = async (
  collection: Collection,
  { fields, rows }: { readonly fields: readonly Field[]; readonly rows: readonly WriteRow[] },
  context: QueryContext,
): Promise<number> => {
  const tuples = rows.map((row) => readTuple(row, fields) ?? []);
  // the condition has no operands
  const input: BindInput = { values: [], keys: [], resolve: noValue, resolveQueryValue: noValue };
  return countTuples(collection, { fields, tuples, where: conditionTrue }, { ...context, input });
};

const noValue = (value: unknown): unknown => value;

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
export const findFirst = async <Row>(
  rows: readonly Row[],
  isAmong: (rows: readonly Row[]) => Promise<boolean>,
): Promise<Row | null> => {
  const [only] = rows;
  if (only === undefined) return null;
  if (rows.length <= batchSize && !(await isAmong(rows))) return null;
  if (rows.length === 1) return only;
  const middle = rows.length > batchSize ? batchSize : rows.length >> 1;
  return (await findFirst(rows.slice(0, middle), isAmong)) ?? findFirst(rows.slice(middle), isAmong);
};
