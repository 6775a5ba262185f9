/** Connects to SQLite through libsql with one connection for reads and one for writes, both in WAL mode. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import Libsql from 'libsql';
import type { ChunkReader, Database, DatabaseOptions, Executor, RowLayout } from '../contract.js';
import { RowChunks } from '../../execute/row-chunks.js';
import { RowCollector, type RowSet } from '../../execute/row-set.js';
import { sqlite } from './dialect.js';
import { refuseOrphans } from './orphans.js';
import { compileRows, toCell, writeCells, type LibsqlValue, type SqliteProgram } from './rows.js';
import { countPool, type PoolCount } from '../pool-count.js';
import { createStatements } from '../statements.js';
import { defaultLockWait, LockHeld } from '../lock-held.js';

type Connection = InstanceType<typeof Libsql>;
type Statement = ReturnType<Connection['prepare']>;

interface Prepared {
  readonly statement: Statement;
  /** Program of the last layout. */
  program: SqliteProgram | null;
}

/** Opens the file of `sqlite:<path>`, which it creates with its folder where it is missing. */
export const openSqlite = async ({ url, onWait }: DatabaseOptions): Promise<Database> => {
  const path = url.slice('sqlite:'.length);
  if (!path.includes(':memory:')) mkdirSync(dirname(path), { recursive: true });
  const reader = openConnection(path);
  const writer = openConnection(path);
  const count = countPool(1, onWait);
  const queue = createQueue(count);
  const reading = createExecutor(reader);
  const writing = createExecutor(writer);

  return {
    dialect: sqlite.name,
    sql: sqlite,
    isEmbedded: true,
    // reads never wait here: they run at once
    reserved: reading,
    // a signal cannot abort while a statement runs
    readUntil: (signal) => ({
      rows: async (statement, layout) => (signal.throwIfAborted(), reading.rows(statement, layout)),
      query: async (text, values) => (signal.throwIfAborted(), reading.query(text, values)),
      rowsInChunks: readChunksOf(path, signal),
    }),
    quote: sqlite.quote,
    rows: reading.rows,
    writeRows: (statement, layout) => queue(() => writing.writeRows(statement, layout)),
    query: (text, values) =>
      isRead(text) ? reading.query(text, values) : queue(() => writing.query(text, values)),
    write: (statement) => queue(() => writing.write(statement)),
    transaction: (body) =>
      queue(async () => {
        writer.exec('begin immediate');
        try {
          const result = await body(yieldBetween(writing));
          writer.exec('commit');
          return result;
        } catch (error) {
          if (writer.inTransaction) writer.exec('rollback');
          throw error;
        }
      }),
    changeSchema: (body) => queue(() => changeSchema({ writer, reader }, () => body(writing))),
    locked: (name, body, wait = defaultLockWait) => lockFile(path, { name, wait }, body),
    // reads never wait: what is counted is the one connection for writes
    poolUse: () => ({ ...count.use }),
    // there is no server
    isConnectionLoss: () => false,
    isSchemaChange: (error) => error instanceof Error && schemaMessage.test(error.message),
    isGivenUp: (error) => (error as { code?: unknown } | null)?.code === 'SQLITE_BUSY',
    refusalOf: (error) =>
      String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_READONLY') ? 'readOnly' : null,
    close: async () => {
      reader.close();
      completeFile(writer);
      writer.close();
    },
  };
};

/** Messages of statements that no longer fit the schema, which share the code of every faulty statement. */
const schemaMessage =
  /^(?:no such (?:column|table): |table .* has (?:no column named|\d+ columns) |database schema has)/;

/** Foreign keys are switched off outside of the transaction, where the pragma acts, and checked before the commit. */
const changeSchema = async <Result>(
  { writer, reader }: { readonly writer: Connection; readonly reader: Connection },
  body: () => Promise<Result>,
): Promise<Result> => {
  writer.exec('pragma foreign_keys = off');
  writer.exec('begin immediate');
  try {
    const result = await body();
    refuseOrphans(writer, reader);
    writer.exec('commit');
    return result;
  } finally {
    if (writer.inTransaction) writer.exec('rollback');
    writer.exec('pragma foreign_keys = on');
  }
};

const isRead = (text: string): boolean => /^\s*(select|with|pragma)\b/i.test(text);

/**
 * Opens a connection in WAL mode with foreign keys enforced, which waits up to ten seconds for other
 * processes.
 */
export const openConnection = (path: string): Connection => {
  const connection = new Libsql(path);
  connection.exec('pragma busy_timeout = 10000');
  connection.exec('pragma journal_mode = wal');
  connection.exec('pragma synchronous = normal');
  connection.exec('pragma foreign_keys = on');
  return connection;
};

/**
 * Copies what is in the log (`-wal`) to the file of the database, so that a copy of it alone is complete. SQLite would do so itself,
 * but the driver keeps a connection open until its statements are collected.
 */
const completeFile = (writer: Connection): void => {
  try {
    writer.exec('pragma wal_checkpoint(passive)');
  } catch {
    // what the log still has is read from there
  }
};

/** Runs tasks sequentially, so that no other statement runs inside a transaction on the shared connection. */
const createQueue = (count: PoolCount) => {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(task: () => Promise<Result>): Promise<Result> => {
    const endWait = count.wait();
    const run = (): Promise<Result> => {
      endWait(true);
      return task().finally(count.release);
    };
    const result = last.then(run, run);
    last = result.catch(() => undefined);
    return result;
  };
};

const createExecutor = (connection: Connection): Executor => {
  const statements = createStatements<Prepared>();
  const prepare = (text: string): Prepared => {
    const present = statements.get(text);
    if (present !== undefined) return present;
    const statement = connection.prepare(text);
    statement.safeIntegers(true);
    const prepared: Prepared = { statement, program: null };
    statements.set(text, prepared);
    return prepared;
  };
  const run = <Result>(text: string, body: (prepared: Prepared) => Result): Result => {
    try {
      return body(prepare(text));
    } catch (error) {
      throw Object.assign(error as Error, { sql: text });
    }
  };
  const readRows: Executor['rows'] = async ({ text, values }, layout) =>
    run(text, (prepared) => {
      const rows = prepared.statement.raw(true).all(values) as LibsqlValue[][];
      return collect(prepared, rows, layout);
    });
  return {
    quote: sqlite.quote,
    rows: readRows,
    writeRows: readRows,
    // as objects, because the column names of a prepared statement may be older than its rows
    query: async (text, values = []) =>
      run(text, ({ statement }) => statement.raw(false).all(values) as Record<string, LibsqlValue>[]).map(
        plainRow,
      ),
    write: async ({ text, values }) => ({
      affected: run(text, ({ statement }) => statement.run(values).changes),
    }),
  };
};

/** Milliseconds for which the statements of a transaction may keep the process from other tasks. */
const maxBlocked = 20;

/** Lets other tasks run between the statements of a long transaction, because statements block the process. */
const yieldBetween = (executor: Executor): Executor => {
  let resumed = performance.now();
  const after = async <Result>(result: Promise<Result>): Promise<Result> => {
    const done = await result;
    if (performance.now() - resumed < maxBlocked) return done;
    await setImmediate();
    resumed = performance.now();
    return done;
  };
  return {
    quote: executor.quote,
    rows: (statement, layout) => after(executor.rows(statement, layout)),
    writeRows: (statement, layout) => after(executor.writeRows(statement, layout)),
    query: (text, values) => after(executor.query(text, values)),
    write: (statement) => after(executor.write(statement)),
  };
};

/**
 * Reads on a connection of its own: as long as a statement is not at its end, its connection sees the data as they were at
 * its beginning.
 */
const readChunksOf =
  (path: string, signal: AbortSignal): ChunkReader['rowsInChunks'] =>
  async ({ text, values }, layout, take) => {
    signal.throwIfAborted();
    const connection = openConnection(path);
    const chunks = new RowChunks(layout, take);
    try {
      const statement = connection.prepare(text).raw(true);
      statement.safeIntegers(true);
      const program = compileRows(layout);
      let resumed = performance.now();
      for (const row of statement.iterate(values) as Iterable<LibsqlValue[]>) {
        writeCells(row, program, chunks.collector);
        const taken = chunks.cut();
        if (taken === null && performance.now() - resumed < maxBlocked) continue;
        await (taken ?? setImmediate());
        signal.throwIfAborted();
        resumed = performance.now();
      }
    } catch (error) {
      throw Object.assign(error as Error, { sql: text });
    } finally {
      connection.close();
    }
    await chunks.end();
  };

const collect = (prepared: Prepared, rows: readonly LibsqlValue[][], layout: RowLayout): RowSet => {
  const collector = new RowCollector(4096, layout);
  if (prepared.program?.tokens !== layout.tokens) prepared.program = compileRows(layout);
  for (const row of rows) writeCells(row, prepared.program, collector);
  return collector.finish();
};

const plainRow = (row: Record<string, LibsqlValue>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]));

/** Converts integers to numbers if they are safe, otherwise to text. */
const plainValue = (value: LibsqlValue): unknown => {
  if (typeof value !== 'bigint') return toCell(value);
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
};

/** Runs `body` with an exclusive lock on a separate database file, which serves only as a lock between processes. */
const lockFile = async <Result>(
  path: string,
  { name, wait }: { readonly name: string; readonly wait: number },
  body: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const lock = new Libsql(`${path}.${name}.lock`);
  try {
    if (!(await beginExclusive(lock, wait))) throw new LockHeld(name, wait);
    // the lock of a file is this process's own
    return await body(new AbortController().signal);
  } finally {
    if (lock.inTransaction) lock.exec('rollback');
    lock.close();
  }
};

const lockRetryDelay = 100;

/**
 * Waits without blocking the process, because the holder of the lock may be in the same process. Returns whether the lock
 * was free in time.
 */
const beginExclusive = async (lock: Connection, wait: number): Promise<boolean> => {
  const until = performance.now() + wait;
  for (;;) {
    try {
      lock.exec('begin exclusive');
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error;
      if (performance.now() >= until) return false;
      await setTimeout(lockRetryDelay);
    }
  }
};
