/** Counts rows without reading a large table to its end. */
import type { Executor } from '../databases/contract.js';

export interface RowCount {
  readonly rows: number;
  /** Set where there are at least so many. */
  readonly at_least?: true;
}

/** Prints the number for people. */
export const printCount = ({ rows, at_least: isMore }: RowCount): string =>
  isMore === true ? `at least ${rows}` : String(rows);

/** Prints a number with what it counts: `printCounted(count, 'row is', 'rows are')`. */
export const printCounted = (count: RowCount, one: string, many: string): string =>
  `${printCount(count)} ${count.rows === 1 ? one : many}`;

const limit = 1_000_000;

/**
 * Counts the rows of a query up to a million.
 * @param select a SELECT without a limit
 */
export const countUpTo = async (executor: Pick<Executor, 'query'>, select: string): Promise<RowCount> => {
  const [row] = await executor.query(`select count(*) as n from (${select} limit ${limit + 1}) as counted`);
  const rows = Number(row?.n ?? 0);
  return rows > limit ? { rows: limit, at_least: true } : { rows };
};
