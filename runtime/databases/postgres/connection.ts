/** Connects to PostgreSQL through pg; rows are read directly from the protocol messages by `client` and `rows`. */
import { Pool } from 'pg';
import type { BindValue, Database, DatabaseOptions, Executor, RowLayout, WriteResult } from '../contract.js';
import type { RenderedStatement } from '../../sql/fragment.js';
import { runCommand, runTogether, type Prepared, type CommandOptions, type RunCommand } from './command.js';
import { postgres } from './dialect.js';
import { isConnectionLoss, isDeadlock, isGivenUp, isSchemaChange, addErrorCode, withCode } from './errors.js';
import { RowClient } from './client.js';
import { clientOptions, sessionSetup } from './options.js';
import { numberPlaceholders } from './placeholders.js';
import { compileRows, readDataRow, writeDataRow, type PostgresProgram } from './rows.js';
import { RowCollector, type RowSet } from '../../execute/row-set.js';
import { createSchemaTrigger } from './schema-trigger.js';
import { sizeHint, rememberSize } from '../../execute/size-hints.js';
import { evictStatement, findStatement } from '../statements.js';
import { retryDeadlocks } from '../deadlocks.js';
import { gatherReads, type PendingRead, type ReadGroup } from '../gathered-reads.js';
import { countPool, type PoolCount } from '../pool-count.js';
import { acknowledged } from '../unknown-outcome.js';
import { defaultLockWait, LockHeld } from '../lock-held.js';

const idleTimeout = 60_000;
const defaultPoolMax = 10;

/**
 * Connects, and checks the server's version and that the schema exists.
 * @throws Error with a permanent SQLSTATE, or what pg throws where it cannot connect
 */
export const openPostgres = async (options: DatabaseOptions): Promise<Database> => {
  const pool = createPool(options);
  try {
    await checkServer(pool, options);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const reserved = createPool({ ...options, poolMax: 1 });
  const count = countPool(options.poolMax ?? defaultPoolMax, options.onWait);
  const run: RunOnClient = (task) => runOn(pool, task, count);
  return {
    dialect: postgres.name,
    sql: postgres,
    isConnectionLoss,
    isSchemaChange,
    isGivenUp,
    ...createPoolExecutor(run, options),
    reserved: createPoolExecutor((task) => runOn(reserved, task), options),
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

const createPool = (options: DatabaseOptions): Pool => {
  // a time limit of the pool would also end the wait for a free connection
  const { connectionTimeoutMillis, ...client } = clientOptions(options);
  const setup = sessionSetup(options);
  class PoolClient extends RowClient {
    constructor() {
      super({ ...client, ...(connectionTimeoutMillis === undefined ? {} : { connectionTimeoutMillis }) });
    }
  }
  const pool = new Pool({
    max: options.poolMax ?? defaultPoolMax,
    idleTimeoutMillis: idleTimeout,
    Client: PoolClient,
    onConnect: (connected) => connected.query(setup),
  });
  // the pool replaces a lost idle connection
  return pool.on('error', () => undefined);
};

const oldestVersion = 15;

/** Checks the server version and the schema. @throws Error with a permanent SQLSTATE */
const checkServer = async (pool: Pool, { schema = 'public' }: DatabaseOptions): Promise<void> => {
  const [server] = await runOn(pool, (client) =>
    query(client, "select current_setting('server_version_num') as version, current_schema() as schema", []),
  );
  const version = Math.floor(Number(server?.version) / 10_000);
  if (version < oldestVersion) {
    throw withCode(
      new Error(`PostgreSQL ${oldestVersion} or newer is required; this is ${version}`),
      '0A000',
    );
  }
  if (server?.schema !== schema) {
    const message = `the schema "${schema}" (DATABASE_SCHEMA) does not exist or the user may not use it`;
    throw withCode(new Error(message), '3F000');
  }
};

type RunOnClient = <Result>(task: (client: RowClient) => Promise<Result>) => Promise<Result>;

const runOn = <Result>(
  pool: Pool,
  task: (client: RowClient) => Promise<Result>,
  count?: PoolCount,
): Promise<Result> =>
  new Promise<Result>((resolve, reject) => {
    const fail = (error: Error): void => reject(addErrorCode(error));
    const endWait = count?.wait();
    pool.connect((error, client, release) => {
      endWait?.(client !== undefined);
      if (error !== undefined || client === undefined) return fail(error ?? new Error('no connection'));
      task(client as unknown as RowClient).then(
        (result) => {
          release();
          count?.release();
          resolve(result);
        },
        (reason: Error) => {
          release(endsConnection(reason));
          count?.release();
          fail(reason);
        },
      );
    });
  });

/** Returns whether the server closes the connection after an error, so that the pool must not reuse it. */
const endsConnection = (error: Error): boolean => {
  const { severity = '', code = '' } = error as { severity?: string; code?: string };
  // the severity may be localized, so the code is checked as well
  return severity === 'FATAL' || severity === 'PANIC' || code.startsWith('57P');
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
  const gather = gatherReads((reads) => run((client) => readTogether(client, reads)));
  return {
    quote: postgres.quote,
    rows: (statement, layout) =>
      pipeline && layout.byKey === true
        ? gather(statement, layout)
        : run((client) => retryIfStale(client, () => readRows(client, { statement, layout }))),
    query: (text, values = []) => run((client) => retryIfStale(client, () => query(client, text, values))),
    write: (statement) =>
      retried(run)((client) => acknowledged(() => retryIfStale(client, () => write(client, statement)))),
    writeRows: (statement, layout) =>
      retried(run)((client) =>
        acknowledged(() => retryIfStale(client, () => readRows(client, { statement, layout }))),
      ),
  };
};

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

/**
 * Retries a statement that the server rejected, before executing it, because its columns have changed, or the
 * transaction that this has ended.
 */
const retryIfStale = async <Result>(client: RowClient, run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (!isStale(error)) throw error;
    await deallocateStatements(client);
    return run();
  }
};

const isStale = (error: unknown): boolean => {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return (code === '0A000' && routine === 'RevalidateCachedQuery') || code === '26000';
};

const deallocateStatements = async (client: RowClient): Promise<void> => {
  client.statements.clear();
  await send(client, 'deallocate all');
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
const holdLock = async <Result>(
  options: DatabaseOptions,
  { name, wait }: { readonly name: string; readonly wait: number },
  body: () => Promise<Result>,
): Promise<Result> => {
  const client = new RowClient(clientOptions(options));
  try {
    await client.connect();
    await send(client, `set lock_timeout = ${wait}; set statement_timeout = 0`);
    await acquireLock(client, `${options.schema ?? 'public'}.${name}`).catch((error: unknown) => {
      throw isLockTimeout(error) ? new LockHeld(name, wait) : error;
    });
    return await body();
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

const send = (client: RowClient, text: string): Promise<string> =>
  runCommand(client, { text, prepared: null, values: [], row: () => undefined });

const query = async (
  client: RowClient,
  text: string,
  values: readonly BindValue[],
): Promise<Record<string, unknown>[]> => {
  const rows: Record<string, unknown>[] = [];
  const prepared = values.length === 0 ? null : prepare(client, text);
  const row: CommandOptions['row'] = (data, columns) => rows.push(readDataRow(data, columns));
  await runCommand(client, { text, prepared, values, row });
  return rows;
};

const write = async (client: RowClient, { text, values }: RenderedStatement): Promise<WriteResult> => {
  const prepared = values.length === 0 ? null : prepare(client, text);
  const tag = await runCommand(client, { text, prepared, values, row: () => undefined });
  return { affected: Number(/\d+$/.exec(tag)?.[0] ?? 0) };
};

const readRows = async (
  client: RowClient,
  { statement: { text, values }, layout }: Pick<PendingRead, 'statement' | 'layout'>,
  run: RunCommand = runCommand,
): Promise<RowSet> => {
  const prepared = prepare(client, text);
  const collector = new RowCollector(sizeHint(text), layout);
  let program: PostgresProgram | null = null;
  const row: CommandOptions['row'] = (data) =>
    writeDataRow(data, (program ??= programFor(prepared, layout)), collector);
  await run(client, { text, prepared, values, row });
  rememberSize(text, collector.writer.neededSize);
  return collector.finish();
};

/**
 * Answers reads with the same text, one of which prepares the statement where the server has not yet. One that fails runs
 * again by itself.
 * @throws an error that ends the connection
 */
const readTogether = async (client: RowClient, reads: ReadGroup): Promise<void> => {
  const [first, ...others] = reads;
  const isPrepared = others.length > 0 && client.hasPrepared(first.statement.text);
  if (!isPrepared) await answer(client, first);
  const failed: PendingRead[] = [];
  await Promise.all(
    runTogether(client, (run) =>
      (isPrepared ? reads : others).map((read) =>
        readRows(client, read, run).then(read.resolve, () => void failed.push(read)),
      ),
    ),
  );
  for (const read of failed) await answer(client, read);
};

const answer = async (client: RowClient, read: PendingRead): Promise<void> => {
  try {
    read.resolve(await retryIfStale(client, () => readRows(client, read)));
  } catch (error) {
    read.reject(error as Error);
    if (endsConnection(error as Error)) throw error;
  }
};

const programFor = (prepared: Prepared, layout: RowLayout): PostgresProgram => {
  const { program, columns } = prepared;
  if (program?.tokens === layout.tokens && program.columns === columns) return program;
  return (prepared.program = compileRows(layout, columns));
};

const prepare = (client: RowClient, text: string): Prepared => {
  const { statements, evictedNames } = client;
  const present = findStatement(statements, text);
  if (present !== undefined) return present;
  const name = `s${client.nextStatement++}`;
  const prepared: Prepared = { name, text: numberPlaceholders(text), columns: [], program: null };
  const evicted = evictStatement(statements);
  // closed on the server together with the next statement
  if (evicted !== undefined) evictedNames.push(evicted[1].name);
  statements.set(text, prepared);
  return prepared;
};
