import { vi } from 'vitest';
import type { Database, Executor } from '../../../runtime/databases/contract.js';

/** Returns the texts of the statements that run in transactions of the database meanwhile, in order. */
export const recordStatements = async (
  database: Database,
  run: () => Promise<unknown>,
): Promise<readonly string[]> => {
  const { transaction } = database;
  const texts: string[] = [];
  const recorded = (executor: Executor): Executor => ({
    ...executor,
    query: (text, values) => executor.query(record(text), values),
    write: (statement) => (record(statement.text), executor.write(statement)),
    rows: (statement, layout) => (record(statement.text), executor.rows(statement, layout)),
    writeRows: (statement, layout) => (record(statement.text), executor.writeRows(statement, layout)),
  });
  const record = (text: string): string => (texts.push(text), text);
  const spy = vi
    .spyOn(database, 'transaction')
    .mockImplementation((body) => transaction((executor) => body(recorded(executor))));
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
  return texts;
};
