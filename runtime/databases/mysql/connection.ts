/** Connects to MySQL and MariaDB through mysql2; rows are read directly from the packets by `rows`. */
import type { Socket } from 'node:net';
import { createPool, type Pool, type PoolConnection } from 'mysql2';
import type { ChunkReader, Database, DatabaseOptions, Executor, SqlDialect } from '../contract.js';
import { readChunks, readRows, readGroup, send, sendWrite } from './command.js';
import { mysql } from './dialect.js';
import { isConnectionLoss, isDeadlock, isGivenUp, isSchemaChange, refusalOf } from './errors.js';
import { mariadb } from './mariadb-dialect.js';
import { isolationSetup, poolOptions, sessionSetup } from './options.js';
import { retryDeadlocks } from '../deadlocks.js';
import { gatherReads } from '../gathered-reads.js';
import { removeScratch } from './scratch.js';
import { defaultLockWait, LockHeld, LockLost } from '../lock-held.js';
import { markUnconnected } from '../network-errors.js';
import { countPool, type PoolCount } from '../pool-count.js';
import { addSocket, endWhereSilent } from '../silent-server.js';
import { stopWith } from '../stopped-reads.js';
import { acknowledged } from '../unknown-outcome.js';

/**
 * Connects, and asks the server whether it is MySQL or MariaDB.
 * @throws what mysql2 throws where it cannot connect
 */
export const openMysql = async (options: DatabaseOptions): Promise<Database> => {
  const settings = poolOptions(options);
  const pool = createPool(settings);
  const dialect = await readDialect(pool).catch((error: unknown) => {
    pool.end(() => undefined);
    throw error;
  });
  const setup = sessionSetup(dialect.name, options.statementTimeout ?? 0);
  const reserved = createPool({ ...poolOptions(options), connectionLimit: 1 });
  const count = countPool(settings.connectionLimit ?? 10, options.onWait);
  const run: RunOnConnection = (task) => runOn(pool, task, { count });
  const sockets = new Set<Socket>();
  await setUpSessions([pool, reserved], { setup, sockets });
  return {
    dialect: dialect.name,
    sql: dialect,
    reserved: createPoolExecutor(
      endWhereSilent((task) => runOn(reserved, task), sockets),
      options,
    ),
    readUntil: (signal) =>
      createReader(
        stopWith<PoolConnection>(signal, {
          run: (task, isSpent) => runOn(pool, task, { count, isSpent }),
          stop: ({ threadId }) => runOn(reserved, (other) => send(other, `kill query ${threadId}`, [])),
        }),
      ),
    poolUse: () => ({ ...count.use }),
    isConnectionLoss,
    isSchemaChange,
    isGivenUp,
    refusalOf,
    ...createPoolExecutor(run, options),
    transaction: (body) => retried(run)((connection) => runTransaction(connection, body)),
    changeSchema: (body) =>
      run(async (connection) => {
        // an ALTER may take longer than a request, but waits for locks only as long as that
        await send(connection, sessionSetup(dialect.name, 0), []);
        await send(connection, `set lock_wait_timeout = ${schemaLockWait}`, []);
        try {
          return await body(createConnectionExecutor(connection));
        } finally {
          // the setup does not name it on every server
          for (const text of ['set lock_wait_timeout = default', setup])
            await send(connection, text, []).catch(() => undefined);
        }
      }),
    locked: lockOn(run),
    removeScratch: () => removeScratch({ locked: lockOn(run), query: queryOn(run) }),
    async close() {
      await Promise.all([endPool(pool), endPool(reserved)]);
    },
  };
};

interface Sessions {
  readonly setup: string;
  /** Gets the sockets of all connections. */
  readonly sockets: Set<Socket>;
}

/** Sets up the sessions of pools, of which the first has a connection that was opened before the dialect was known. */
const setUpSessions = async (
  pools: readonly [Pool, ...Pool[]],
  { setup, sockets }: Sessions,
): Promise<void> => {
  for (const pool of pools)
    pool.on('connection', (connection) => {
      addSocket(sockets, socketOf(connection));
      // queued before the first statement, which then reports a failure
      for (const text of [setup, isolationSetup]) connection.query(text, () => undefined);
    });
  await runOn(pools[0], async (connection) => {
    addSocket(sockets, socketOf(connection));
    for (const text of [setup, isolationSetup]) await send(connection, text, []);
  });
};

/** Returns what the types of the driver leave out. */
const socketOf = (connection: PoolConnection): Socket =>
  (connection as unknown as { readonly stream: Socket }).stream;

const endPool = (pool: Pool): Promise<void> => new Promise((resolve) => pool.end(() => resolve()));

/** Returns the dialect of the server at the URL, MySQL or MariaDB. */
export const dialectOf = async (options: DatabaseOptions): Promise<SqlDialect> => {
  const pool = createPool({ ...poolOptions(options), connectionLimit: 1 });
  return readDialect(pool).finally(() => pool.end(() => undefined));
};

const readDialect = async (pool: Pool): Promise<SqlDialect> => {
  const [row] = await runOn(pool, (connection) => send(connection, 'select version() as version', []));
  return String(row?.version).toLowerCase().includes('mariadb') ? mariadb : mysql;
};

interface RunOptions {
  readonly count?: PoolCount;
  /** Returns whether the connection has to be closed. */
  readonly isSpent?: () => boolean;
}

type RunOnConnection = <Result>(task: (connection: PoolConnection) => Promise<Result>) => Promise<Result>;

const runOn = <Result>(
  pool: Pool,
  task: (connection: PoolConnection) => Promise<Result>,
  { count, isSpent }: RunOptions = {},
): Promise<Result> =>
  new Promise<Result>((resolve, reject) => {
    const endWait = count?.wait();
    pool.getConnection((error, connection) => {
      endWait?.(error === null);
      if (error !== null) return reject(markUnconnected(error));
      const release = (ends: boolean): void => {
        if (ends || isSpent?.() === true) connection.destroy();
        else connection.release();
        count?.release();
      };
      task(connection).then(
        (result) => {
          release(false);
          resolve(result);
        },
        (reason: Error) => {
          // after a failover, the name of the server may lead to one that takes writes
          release(refusalOf(reason) === 'readOnly');
          reject(reason);
        },
      );
    });
  });

/** Runs tasks that write again after a deadlock. */
const retried =
  (run: RunOnConnection): RunOnConnection =>
  (task) =>
    retryDeadlocks(isDeadlock, () => run(task));

const createPoolExecutor = (
  run: RunOnConnection,
  { pipeline = true }: Pick<DatabaseOptions, 'pipeline'>,
): Executor => {
  const runAgain = retried(run);
  const gather = gatherReads((reads) => run((connection) => readGroup(connection, reads)));
  return {
    quote: mysql.quote,
    rows: (statement, layout) =>
      pipeline && layout.byKey === true
        ? gather(statement, layout)
        : run((connection) => readRows(connection, statement, layout)),
    query: queryOn(run),
    write: (statement) => runAgain((connection) => acknowledged(() => sendWrite(connection, statement))),
    writeRows: (statement, layout) =>
      runAgain((connection) => acknowledged(() => readRows(connection, statement, layout))),
  };
};

const createReader = (run: RunOnConnection): ChunkReader => ({
  rows: (statement, layout) => run((connection) => readRows(connection, statement, layout)),
  query: queryOn(run),
  rowsInChunks: (statement, layout, take) =>
    run((connection) => readChunks(connection, { statement, layout, take })),
});

const createConnectionExecutor = (connection: PoolConnection): Executor => ({
  quote: mysql.quote,
  rows: (statement, layout) => readRows(connection, statement, layout),
  query: (text, values = []) => send(connection, text, values),
  write: (statement) => sendWrite(connection, statement),
  writeRows: (statement, layout) => readRows(connection, statement, layout),
});

const runTransaction = async <Result>(
  connection: PoolConnection,
  body: (executor: Executor) => Promise<Result>,
): Promise<Result> => {
  await send(connection, 'start transaction', []);
  try {
    const result = await body(createConnectionExecutor(connection));
    await acknowledged(() => send(connection, 'commit', []));
    return result;
  } catch (error) {
    // a lost connection has rolled back already
    await send(connection, 'rollback', []).catch(() => undefined);
    throw error;
  }
};

/** Seconds that a change of the schema waits for a lock, while everybody else waits for it. */
const schemaLockWait = 1;

/** Hashed, because MySQL limits lock names to 64 characters, as many as the name of the database may have. */
const lockName = "sha2(concat(database(), '.', ?), 224)";

const queryOn =
  (run: RunOnConnection): Executor['query'] =>
  (text, values = []) =>
    run((connection) => send(connection, text, values));

const lockOn =
  (run: RunOnConnection): Database['locked'] =>
  (name, body, wait = defaultLockWait) =>
    run((connection) => holdLock(connection, { name, wait }, body));

const holdLock = async <Result>(
  connection: PoolConnection,
  { name, wait }: { readonly name: string; readonly wait: number },
  body: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const seconds = Math.ceil(wait / 1000);
  const [row] = await send(connection, `select get_lock(${lockName}, ${seconds}) as held`, [name]);
  if (Number(row?.held) !== 1) throw new LockHeld(name, wait);
  const lost = new AbortController();
  const end = (): void => lost.abort(new LockLost(name));
  connection.on('end', end).on('error', end);
  try {
    return await body(lost.signal);
  } finally {
    connection.off('end', end).off('error', end);
    await send(connection, `select release_lock(${lockName})`, [name]).catch(() => undefined);
  }
};
