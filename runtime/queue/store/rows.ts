/** Rows of the queue's tables as they come from any database: whole numbers may be texts, empty is null. */
import type { Executor } from '../../databases/contract.js';

/** Statements only: what stores need of a database or of a transaction. */
export type Statements = Pick<Executor, 'query' | 'write'>;

export type Row = Readonly<Record<string, unknown>>;

export const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

export const number = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

type NewRow = Readonly<Record<string, string | number | null>>;

export const insertRow = (statements: Statements, table: string, row: NewRow): Promise<void> =>
  insertRows(statements, table, [row]);

/** Rows of the same columns, in portions of powers of two, so that few statements serve all numbers of them. */
export const insertRows = async (
  statements: Statements,
  table: string,
  rows: readonly NewRow[],
): Promise<void> => {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first);
  const portion = rows.slice(0, 2 ** Math.floor(Math.log2(rows.length)));
  const places = `(${names.map(() => '?').join(', ')})`;
  await statements.write({
    text: `insert into ${table} (${names.join(', ')}) values ${portion.map(() => places).join(', ')}`,
    values: portion.flatMap((row) => Object.values(row)),
  });
  await insertRows(statements, table, rows.slice(portion.length));
};

/** Places for a list, padded to a power of two with its last value, so that few statements serve all lengths. */
export const listOf = <Value>(
  values: readonly Value[],
): { readonly places: string; readonly values: Value[] } => {
  const padded = [...values];
  const wanted = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  while (padded.length < wanted) padded.push(padded.at(-1) as Value);
  return { places: padded.map(() => '?').join(', '), values: padded };
};
