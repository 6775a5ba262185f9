/** Asks PostgreSQL whether altering a table rewrites it. */
import type { ExactCost } from '../../schema/explain/table-changes.js';
import type { Database, Executor, MeasuredAlter, SchemaPrinter } from '../contract.js';
import { quoteText } from './quoting.js';
import { changeTypes } from './schema-enums.js';

/** Ends a transaction that is to leave nothing. */
class RolledBack extends Error {}

/**
 * Alters an empty copy in the temporary schema, where names of tables, types and indexes are looked up first, and rolls that
 * back. Returns null where the statements name what the copy lacks.
 */
export const measureAlter = async (
  { createTable, alterTable }: Pick<SchemaPrinter, 'createTable' | 'alterTable'>,
  { before, after }: MeasuredAlter,
  database: Database,
): Promise<ExactCost | null> => {
  const types = changeTypes([before], [after]);
  let cost: ExactCost | null = null;
  const measure = async (executor: Executor): Promise<void> => {
    const run = async (statements: readonly string[]): Promise<void> => {
      for (const text of statements) await executor.write({ text, values: [] });
    };
    const [path] = await executor.query('show search_path');
    await run([
      `set local search_path = pg_temp, ${String(path?.search_path)}`,
      // enums of its own, so that those of the database are not touched
      ...changeTypes([], [before]).first,
      ...createTable(before),
    ]);
    const former = await nodesOf(before.name, executor);
    await run([...types.labels, ...types.first, ...alterTable(before, after), ...types.last]);
    const rewrites = (await nodesOf(before.name, executor)) !== former;
    cost = { algorithm: rewrites ? 'rewrite' : 'catalog', rewrites };
    throw new RolledBack();
  };
  await database.transaction(measure).catch((error: unknown) => {
    if (database.isConnectionLoss(error)) throw error;
  });
  return cost;
};

const nodesOf = async (table: string, executor: Executor): Promise<string> => {
  const [row] = await executor.query(
    `select pg_relation_filenode(oid)::text as node from pg_class
    where relname = ${quoteText(table)} and relnamespace = pg_my_temp_schema()`,
  );
  return String(row?.node);
};
