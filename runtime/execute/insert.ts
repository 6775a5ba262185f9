/** Rows inserted, and the keys they got: given back by the database, known before, or counted. */
import type { Collection, Field } from '../../contract/collection.js';
import { unprocessable } from '../../contract/errors.js';
import { readValue, type Scalar } from '../plan/values.js';
import type { Key, WriteRow } from '../plan/write-plan.js';
import type { Executor, SqlDialect } from '../databases/contract.js';
import { compileInsert } from '../sql/write.js';
import { chunk } from './chunk.js';

export interface InsertContext {
  readonly executor: Executor;
  readonly dialect: SqlDialect;
}

/** @returns the keys, in the order of the rows; `null` where the database made them and does not tell */
export const insertRows = async (
  collection: Collection,
  rows: readonly WriteRow[],
  context: InsertContext,
): Promise<readonly Key[] | null> => {
  const insert = context.dialect.returning ? insertReturning : insertTelling;
  const keys: Key[] = [];
  let isTold = true;
  for (const group of groupByColumns(rows)) {
    const part = group.map((index) => rows[index] as WriteRow);
    const found = await insert(collection, part, context);
    if (found === null) isTold = false;
    else group.forEach((index, place) => (keys[index] = found[place] as Key));
  }
  return isTold ? keys : null;
};

/** Values per statement: fewer than the smallest limit of a database (`maxValues` of `sql/fragment`). */
const maxValues = 30_000;
const maxRows = 1_000;

/** Places of rows that name the same columns, in chunks. */
const groupByColumns = (rows: readonly WriteRow[]): readonly (readonly number[])[] => {
  const groups = new Map<string, number[]>();
  rows.forEach((row, index) => {
    const columns = [...row.keys()].sort().join('\0');
    const group = groups.get(columns);
    if (group === undefined) groups.set(columns, [index]);
    else group.push(index);
  });
  return [...groups.values()].flatMap((group) => {
    const width = rows[group[0] ?? 0]?.size ?? 0;
    return chunk(group, width === 0 ? 1 : Math.min(maxRows, Math.floor(maxValues / width)));
  });
};

const insertReturning = async (
  collection: Collection,
  rows: readonly WriteRow[],
  { executor, dialect }: InsertContext,
): Promise<readonly Key[]> => {
  const returning = collection.key.map((field) => dialect.quote(field.name)).join(', ');
  const { text, values } = compileInsert(collection, rows, { dialect, returning });
  const found = await executor.query(text, values);
  if (found.length < rows.length) throw skippedItem(collection);
  return found.map((row) => collection.key.map((field) => toScalar(field, row[field.name])));
};

/** What a trigger or a rule leaves out was not made, though nothing failed. */
export const skippedItem = ({ name }: Collection): Error =>
  unprocessable(`the database does not keep the item: a trigger or a rule of "${name}" leaves it out`);

/** Where an insert gives nothing back, the key is in the row, or made before it, or counted. */
const insertTelling = async (
  collection: Collection,
  rows: readonly WriteRow[],
  context: InsertContext,
): Promise<readonly Key[] | null> => {
  const { executor, dialect } = context;
  const whole = await makeKeys(collection, rows, executor);
  const { generatedKey: counted } = await executor.write(
    compileInsert(collection, whole, { dialect, returning: null }),
  );
  const missing = collection.key.filter(({ name }) => whole[0]?.has(name) !== true);
  if (missing.length === 0) return whole.map((row) => keyOf(collection, row));
  if (missing.length > 1 || missing[0]?.auto !== true || counted === undefined) return null;
  const step = whole.length === 1 ? 0n : await readStep(counted, context);
  if (step === null) return null;
  return whole.map((row, index) => keyOf(collection, row, BigInt(counted) + step * BigInt(index)));
};

const keyOf = (collection: Collection, row: WriteRow, counted?: bigint): Key =>
  collection.key.map((field) => row.get(field.name) ?? toScalar(field, String(counted)));

/** The rows with the keys that the database would make by itself, as far as it can be asked for them. */
const makeKeys = async (
  { key }: Collection,
  rows: readonly WriteRow[],
  executor: Executor,
): Promise<readonly WriteRow[]> => {
  const missing = key.filter(({ name }) => rows[0]?.has(name) !== true);
  const made = missing.filter(({ keyDefault }) => keyDefault !== undefined);
  const fixed = missing.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, toScalar(field, field.default)] as const],
  );
  if (made.length + fixed.length === 0) return rows;
  const makes = `select ${made.map(({ keyDefault }, index) => `${keyDefault} as k${index}`).join(', ')}`;
  const found = made.length === 0 ? [] : await executor.query(rows.map(() => makes).join(' union all '));
  return rows.map((row, place) => {
    const cells = made.map(
      (field, index) => [field.name, toScalar(field, found[place]?.[`k${index}`])] as const,
    );
    return new Map([...row, ...fixed, ...cells]);
  });
};

/** A key as the database spells it. */
const toScalar = (field: Field, value: unknown): Scalar => {
  if (Buffer.isBuffer(value)) return field.type === 'boolean' ? value[0] === 1 : value;
  const read = readValue(field, value);
  if (read.ok) return read.value;
  throw new Error(`the database gave the key "${field.name}" a value that is not ${read.expected}`);
};

/** By how much the keys of one statement differ; `null` where `counted` is not the first: a trigger made them. */
const readStep = async (counted: string, { executor, dialect }: InsertContext): Promise<bigint | null> => {
  const [row] = await executor.query(dialect.keyStep ?? '');
  return String(row?.first) === counted ? BigInt(String(row?.step)) : null;
};
