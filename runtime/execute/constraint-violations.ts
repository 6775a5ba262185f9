/** Which of the written rows a constraint refused: asked of the database after the write was undone. */
import type { Collection, Field } from '../../contract/collection.js';
import type { WriteRow } from '../plan/write-plan.js';
import type { Scalar } from '../plan/values.js';
import type { Executor, SqlDialect } from '../databases/contract.js';
import { compileMatches } from '../sql/write.js';

export interface Stored {
  readonly executor: Executor;
  readonly dialect: SqlDialect;
}

type Tuple = readonly Scalar[];

/** The first row whose values of the fields are there already, in the table or in a row before it. */
export const findRepeated = async (
  rows: readonly WriteRow[],
  target: { readonly collection: Collection; readonly fields: readonly Field[] },
  stored: Stored,
): Promise<WriteRow | null> => {
  const { collection, fields } = target;
  const whole = rows.filter((row) => readTuple(row, fields) !== null);
  const seen = new Set<string>();
  const again = whole.find((row) => {
    const text = JSON.stringify(readTuple(row, fields));
    return seen.has(text) || !seen.add(text);
  });
  if (again !== undefined) return again;
  return findFirst(
    whole,
    async (part) => (await countMatches(collection, { fields, rows: part }, stored)) > 0,
  );
};

/** The first row whose fields refer to no row of the target. */
export const findDangling = async (
  rows: readonly WriteRow[],
  target: {
    readonly collection: Collection;
    readonly fields: readonly Field[];
    readonly references: readonly Field[];
  },
  stored: Stored,
): Promise<WriteRow | null> => {
  const { collection, fields, references } = target;
  const referring = rows.filter((row) => readTuple(row, fields) !== null);
  const renamed = new Map(referring.map((row) => [rename(row, fields, references), row]));
  const found = await findFirst([...renamed.keys()], async (part) => {
    const distinct = new Set(part.map((row) => JSON.stringify(readTuple(row, references))));
    return (await countMatches(collection, { fields: references, rows: part }, stored)) < distinct.size;
  });
  return found === null ? null : (renamed.get(found) ?? null);
};

/** `null` where a part is missing or null: then the constraint does not hold. */
const readTuple = (row: WriteRow, fields: readonly Field[]): Tuple | null => {
  const values = fields.map((field) => row.get(field.name) ?? null);
  return values.includes(null) ? null : (values as Tuple);
};

const rename = (row: WriteRow, fields: readonly Field[], names: readonly Field[]): WriteRow =>
  new Map(fields.map((field, index) => [names[index]?.name ?? '', row.get(field.name) ?? null]));

const countMatches = async (
  collection: Collection,
  { fields, rows }: { readonly fields: readonly Field[]; readonly rows: readonly WriteRow[] },
  { executor, dialect }: Stored,
): Promise<number> => {
  const tuples = rows.map((row) => readTuple(row, fields) ?? []);
  const { text, values } = compileMatches(collection, { fields, tuples, dialect });
  const [row] = await executor.query(text, values);
  return Number(row?.count);
};

/** Rows asked for at once. */
const together = 1_000;

/** By halves: `isAmong` says whether one of the rows is meant. */
const findFirst = async <Row>(
  rows: readonly Row[],
  isAmong: (rows: readonly Row[]) => Promise<boolean>,
): Promise<Row | null> => {
  const [only] = rows;
  if (only === undefined) return null;
  if (rows.length <= together && !(await isAmong(rows))) return null;
  if (rows.length === 1) return only;
  const middle = rows.length > together ? together : rows.length >> 1;
  return (await findFirst(rows.slice(0, middle), isAmong)) ?? findFirst(rows.slice(middle), isAmong);
};
