/** Runs writes to see what they would do: every transaction is rolled back. */
import type { Collection } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { Database, Executor } from '../databases/contract.js';
import { BrokenReference } from './failures.js';

/** Carries the result of a transaction through its rollback. */
class RolledBack<Result> extends Error {
  readonly result: Result;
  constructor(result: Result) {
    super('rolled back');
    this.result = result;
  }
}

/**
 * Returns a database whose transactions return their result and store nothing, for writes of `collections`.
 * @throws INVALID_QUERY where a table does not support transactions
 */
export const withRollback = (database: Database, collections: ReadonlySet<Collection>): Database => ({
  ...database,
  async transaction<Result>(body: Parameters<typeof database.transaction<Result>>[0]): Promise<Result> {
    await requireTransactions(database, collections);
    try {
      return await database.transaction(async (executor) => {
        const { checkDeferred } = database.sql;
        const broken = await countDeferred(database, executor);
        const result = await body(executor);
        if (checkDeferred !== undefined) await executor.query(checkDeferred);
        if ((await countDeferred(database, executor)) > broken) throw new BrokenReference();
        throw new RolledBack(result);
      });
    } catch (error) {
      if (error instanceof RolledBack) return (error as RolledBack<Result>).result;
      throw error;
    }
  },
});

/** Counts the rows that violate deferred foreign keys: those of before do not make a commit fail. */
const countDeferred = async ({ sql }: Database, executor: Executor): Promise<number> => {
  if (sql.countDeferred === undefined) return 0;
  const [row] = await executor.query(sql.countDeferred);
  return Number(row?.count);
};

const requireTransactions = async (
  { sql, query }: Database,
  collections: ReadonlySet<Collection>,
): Promise<void> => {
  if (sql.tablesWithoutTransactions === undefined) return;
  const names = new Set((await query(sql.tablesWithoutTransactions)).map(({ name }) => name));
  const table = [...collections].find(({ name }) => names.has(name));
  if (table !== undefined)
    throw invalidQuery(
      `"dry_run" is not possible: the table of "${table.name}" does not support transactions`,
    );
};
