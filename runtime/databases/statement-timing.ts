/** Reports how long the statements of a database take, and which fail. */
import type { Observe, StatementKind } from '../observe.js';
import type { Database, Executor, Reader } from './contract.js';

/**
 * Returns the database, which reports each statement, and each transaction as one, as `statementFinished`.
 * Results and errors pass unchanged.
 */
export const measureDatabase = (database: Database, observe: Observe): Database => {
  const measure = <Result>(operation: StatementKind, run: () => Promise<Result>): Promise<Result> => {
    const began = performance.now();
    const report = (error: unknown): void => {
      const failure = error === null ? null : database.isConnectionLoss(error) ? 'lost' : 'other';
      observe({ kind: 'statementFinished', operation, ms: performance.now() - began, failure });
    };
    const running = run();
    running.then(() => report(null), report);
    return running;
  };
  const measureReader = (reader: Reader): Reader => ({
    rows: (statement, layout) => measure('read', () => reader.rows(statement, layout)),
    query: (text, values) => measure('read', () => reader.query(text, values)),
  });
  const measureExecutor = (executor: Executor): Executor => ({
    quote: executor.quote,
    ...measureReader(executor),
    write: (statement) => measure('write', () => executor.write(statement)),
    writeRows: (statement, layout) => measure('write', () => executor.writeRows(statement, layout)),
  });
  return {
    ...database,
    ...measureExecutor(database),
    reserved: measureExecutor(database.reserved),
    readUntil: (signal) => {
      const reader = database.readUntil(signal);
      return {
        ...measureReader(reader),
        rowsInChunks: (statement, layout, take) =>
          measure('read', () => reader.rowsInChunks(statement, layout, take)),
      };
    },
    transaction: (body) => measure('transaction', () => database.transaction(body)),
  };
};
