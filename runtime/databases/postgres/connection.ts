/**
 * Connects to PostgreSQL through pg, with a pool; `client-statements` runs statements on a connection, and rows are read
 * directly from the protocol messages by `client` and `rows`.
 */
import type { Socket } from 'node:net';
import type { ChunkReader, Database, DatabaseOptions, Executor } from '../contract.js';
import { postgres } from './dialect.js';
import {
  isConnectionLoss,
  isDeadlock,
  isGivenUp,
  isSchemaChange,
  addErrorCode,
  refusalOf,
} from './errors.js';
import { RowClient } from './client.js';
import { query, readChunks, readRows, readGroup, retryIfStale, send, write } from './client-statements.js';
import { clientOptions, sessionSetup } from './options.js';
import { checkServer, createPool, defaultPoolMax, runOn, type RunOnClient } from './pool.js';
import { createSchemaTrigger } from './schema-trigger.js';
import { retryDeadlocks } from '../deadlocks.js';
import { gatherReads } from '../gathered-reads.js';
import { countPool } from '../pool-count.js';
import { endWhereSilent } from '../silent-server.js';
import { stopWith } from '../stopped-reads.js';
import { acknowledged } from '../unknown-outcome.js';
import { defaultLockWait, LockHeld, LockLost } from '../lock-held.js';

/**
 * Connects, and checks the server's version and that the schema exists.
 * @throws Error with a permanent SQLSTATE, or what pg throws where it cannot connect
 */
export const openPostgres = async (options: DatabaseOptions): Promise<Database> => {
  const sockets = new Set<Socket>();
  const pool = createPool(options, sockets);
  const reserved = createPool({ ...options, poolMax: 1 }, sockets);
  try {
    await checkServer(pool, reserved, options);
  } catch (error) {
    await Promise.all([pool.end(), reserved.end()]);
    throw error;
  }
  const count = countPool(options.poolMax ?? defaultPoolMax, options.onWait);
  const run: RunOnClient = (task) => runOn(pool, task, { count });
  return {
    dialect: postgres.name,
    sql: postgres,
    isConnectionLoss,
    isSchemaChange,
    isGivenUp,
    refusalOf,
    ...createPoolExecutor(run, options),
    reserved: createPoolExecutor(
      endWhereSilent((task) => runOn(reserved, task), sockets),
      options,
    ),
    readUntil: (signal) =>
      createReader(
        stopWith<RowClient>(signal, {
          run: (task, isSpent) => runOn(pool, task, { count, isSpent }),
          stop: (client) => client.stopStatement(),
        }),
      ),
    poolUse: () => ({ ...count.use }),
    transaction: (body) => retried(run)((client) => retryIfStale(client, () => runTransaction(client, body))),
    changeSchema: (body) =>
      run((client) =>
        runTransaction(client, async (executor) => {
          // a statement that waits for a lock lets nobody else through
          await executor.query("set local lock_timeout = '1s'");
          await executor.query('set local statement_timeout = 0');
          return body(executor);
        }),
      ),
    changeApart: (body, lockWait) =>
      onOwnConnection({ ...options, statementTimeout: 0 }, async (client) => {
        await send(client, `set lock_timeout = ${lockWait}`);
        return body(createClientExecutor(client));
      }),
    locked: (name, body, wait = defaultLockWait) => holdLock(options, { name, wait }, body),
    schemaTrigger: createSchemaTrigger(
      options,
      createPoolExecutor((task) => runOn(reserved, task), options),
    ),
    async close() {
      await Promise.all([pool.end(), reserved.end()]);
    },
  };
};

/** Runs tasks that write again after a deadlock. */
const retried =
  (run: RunOnClient): RunOnClient =>
  (task) =>
    retryDeadlocks(isDeadlock, () => run(task));

const createPoolExecutor = (
  run: RunOnClient,
  { pipeline = true }: Pick<DatabaseOptions, 'pipeline'>,
): Executor => {
  const gather = gatherReads((reads) => run((client) => readGroup(client, reads)));
  return {
    quote: postgres.quote,
    rows: (statement, layout) =>
      pipeline && layout.byKey === true
        ? gather(statement, layout)
        : run((client) => retryIfStale(client, () => readRows(client, { statement, layout }))),
    query: queryOn(run),
    write: (statement) =>
      retried(run)((client) => acknowledged(() => retryIfStale(client, () => write(client, statement)))),
    writeRows: (statement, layout) =>
      retried(run)((client) =>
        acknowledged(() => retryIfStale(client, () => readRows(client, { statement, layout }))),
      ),
  };
};

const queryOn =
  (run: RunOnClient): Executor['query'] =>
  (text, values = []) =>
    run((client) => retryIfStale(client, () => query(client, text, values)));

const createReader = (run: RunOnClient): ChunkReader => ({
  rows: (statement, layout) =>
    run((client) => retryIfStale(client, () => readRows(client, { statement, layout }))),
  query: queryOn(run),
  rowsInChunks: (statement, layout, take) =>
    run((client) => retryIfStale(client, () => readChunks(client, { statement, layout }, take))),
});

/** Runs statements sequentially and none after a failure, as PostgreSQL accepts no more in that transaction. */
const createClientExecutor = (client: RowClient): Executor => {
  let last: Promise<unknown> = Promise.resolve();
  const enqueue = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = last.then(run);
    last = result;
    result.catch(() => undefined);
    return result;
  };
  return {
    quote: postgres.quote,
    rows: (statement, layout) => enqueue(() => readRows(client, { statement, layout })),
    query: (text, values = []) => enqueue(() => query(client, text, values)),
    write: (statement) => enqueue(() => write(client, statement)),
    writeRows: (statement, layout) => enqueue(() => readRows(client, { statement, layout })),
  };
};

const runTransaction = async <Result>(
  client: RowClient,
  body: (executor: Executor) => Promise<Result>,
): Promise<Result> => {
  await send(client, 'begin');
  try {
    const result = await body(createClientExecutor(client));
    await acknowledged(() => send(client, 'commit'));
    return result;
  } catch (error) {
    // a lost connection has rolled back already
    await send(client, 'rollback').catch(() => undefined);
    throw error;
  }
};

/** Holds an advisory lock on a separate connection, so that the lock is released when the connection ends. */
const holdLock = <Result>(
  options: DatabaseOptions,
  { name, wait }: { readonly name: string; readonly wait: number },
  body: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> =>
  onOwnConnection({ ...options, statementTimeout: 0 }, async (client) => {
    await send(client, `set lock_timeout = ${wait}`);
    await acquireLock(client, `${options.schema ?? 'public'}.${name}`).catch((error: unknown) => {
      throw isLockTimeout(error) ? new LockHeld(name, wait) : error;
    });
    const lost = new AbortController();
    const end = (): void => lost.abort(new LockLost(name));
    client.on('end', end).on('error', end);
    return body(lost.signal);
  });

/** Runs `body` on a connection outside of the pool, which is closed afterwards. */
const onOwnConnection = async <Result>(
  options: DatabaseOptions,
  body: (client: RowClient) => Promise<Result>,
): Promise<Result> => {
  const client = new RowClient(clientOptions(options));
  try {
    await client.connect();
    await send(client, sessionSetup(options));
    return await body(client);
  } catch (error) {
    throw addErrorCode(error as Error);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const acquireLock = async (client: RowClient, name: string): Promise<void> => {
  await query(client, 'select pg_advisory_lock(hashtextextended(?, 0))', [name]);
};

const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown }).code === '55P03';
