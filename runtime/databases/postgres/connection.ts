/** PostgreSQL through pg. Rows are read from the messages themselves: see `client` and `rows`. */
import { Pool } from 'pg';
import type { BindValue, Database, DatabaseOptions, Executor, RowLayout, WriteResult } from '../contract.js';
import type { RenderedStatement } from '../../sql/fragment.js';
import { ask, type Prepared, type Question } from './command.js';
import { postgres } from './dialect.js';
import { isConnectionLoss } from './errors.js';
import { RowClient } from './client.js';
import { clientOptions, sessionSetup } from './options.js';
import { numberPlaceholders } from './placeholders.js';
import { compileRows, readDataRow, writeDataRow, type PostgresProgram } from './rows.js';
import { RowCollector, type RowSet } from '../../execute/row-set.js';
import { hintOf, rememberSize } from '../../execute/size-hints.js';
import { evictStatement, findStatement } from '../statements.js';

const idleTimeout = 60_000;

export const openPostgres = async (options: DatabaseOptions): Promise<Database> => {
  const pool = createPool(options);
  try {
    await checkServer(pool, options);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    dialect: postgres.name,
    sql: postgres,
    isConnectionLoss,
    ...createPoolExecutor(pool),
    transaction: (body) => runOn(pool, (client) => runTransaction(client, body)),
    locked: (name, body) => holdLock(options, name, body),
    close: () => pool.end(),
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
    max: options.poolMax ?? 10,
    idleTimeoutMillis: idleTimeout,
    Client: PoolClient,
    onConnect: (connected) => connected.query(setup),
  });
  // an idle connection was lost: the next one is a new one
  return pool.on('error', () => undefined);
};

const oldestVersion = 15;

/** @throws Error with a code of PostgreSQL's, where waiting does not help */
const checkServer = async (pool: Pool, { schema = 'public' }: DatabaseOptions): Promise<void> => {
  const [server] = await runOn(pool, (client) =>
    query(client, "select current_setting('server_version_num') as version, current_schema() as schema", []),
  );
  const version = Math.floor(Number(server?.version) / 10_000);
  if (version < oldestVersion) {
    throw withCode(new Error(`PostgreSQL ${oldestVersion} or newer is needed; this is ${version}`), '0A000');
  }
  if (server?.schema !== schema) {
    const message = `there is no schema "${schema}" (DATABASE_SCHEMA) that the user may use`;
    throw withCode(new Error(message), '3F000');
  }
};

const runOn = <Result>(pool: Pool, task: (client: RowClient) => Promise<Result>): Promise<Result> =>
  new Promise<Result>((resolve, reject) => {
    const fail = (error: Error): void => reject(nameLoss(error));
    pool.connect((error, client, release) => {
      if (error !== undefined || client === undefined) return fail(error ?? new Error('no connection'));
      task(client as unknown as RowClient).then(
        (result) => {
          release();
          resolve(result);
        },
        (reason: Error) => {
          release(endsConnection(reason));
          fail(reason);
        },
      );
    });
  });

/** The server closes the connection behind such an error; until that is heard it would be lent again. */
const endsConnection = (error: Error): boolean => {
  const { severity = '', code = '' } = error as { severity?: string; code?: string };
  // the severity is told in the language of the server, the code is not
  return severity === 'FATAL' || severity === 'PANIC' || code.startsWith('57P');
};

const withCode = (error: Error, code: string): Error => Object.assign(error, { code });

const tlsProblem = /^(?:ERR_TLS|ERR_SSL|UNABLE_TO|CERT_|SELF_SIGNED|DEPTH_ZERO)/;

/** The driver tells some losses of a connection in words only. */
const nameLoss = (error: Error): Error => {
  const { code } = error as { code?: string };
  if (/SSL connection/.test(error.message) || tlsProblem.test(code ?? '')) {
    return withCode(error, 'HANDSHAKE_SSL_ERROR');
  }
  if (code !== undefined) return error;
  if (/^Connection terminated|not queryable/.test(error.message)) return withCode(error, 'ECONNRESET');
  return error.message === 'timeout expired' ? withCode(error, 'ETIMEDOUT') : error;
};

const createPoolExecutor = (pool: Pool): Executor => ({
  quote: postgres.quote,
  rows: (statement, layout) =>
    runOn(pool, (client) => anew(client, () => readRows(client, statement, layout))),
  query: (text, values = []) => runOn(pool, (client) => anew(client, () => query(client, text, values))),
  write: (statement) => runOn(pool, (client) => anew(client, () => write(client, statement))),
});

/** One statement after the other, none after one that failed: PostgreSQL takes no more in its transaction. */
const createClientExecutor = (client: RowClient): Executor => {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = last.then(run);
    last = result;
    result.catch(() => undefined);
    return result;
  };
  return {
    quote: postgres.quote,
    rows: (statement, layout) => inTurn(() => readRows(client, statement, layout)),
    query: (text, values = []) => inTurn(() => query(client, text, values)),
    write: (statement) => inTurn(() => write(client, statement)),
  };
};

/** A statement whose columns have changed since it was prepared is refused before it does anything. */
const anew = async <Result>(client: RowClient, run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run();
  } catch (error) {
    if (!isStale(error)) throw error;
    await forgetStatements(client);
    return run();
  }
};

const isStale = (error: unknown): boolean => {
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return (code === '0A000' && routine === 'RevalidateCachedQuery') || code === '26000';
};

const forgetStatements = async (client: RowClient): Promise<void> => {
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
    await send(client, 'commit');
    return result;
  } catch (error) {
    // a lost connection has rolled back already
    await send(client, 'rollback').catch(() => undefined);
    if (isStale(error)) await forgetStatements(client).catch(() => undefined);
    throw error;
  }
};

/** On a connection of its own, which gives the lock back however it ends. */
const holdLock = async <Result>(
  options: DatabaseOptions,
  name: string,
  body: () => Promise<Result>,
): Promise<Result> => {
  const client = new RowClient(clientOptions(options));
  try {
    await client.connect();
    await send(client, "set lock_timeout = '60s'; set statement_timeout = 0");
    await takeLock(client, `${options.schema ?? 'public'}.${name}`);
    return await body();
  } catch (error) {
    throw nameLoss(error as Error);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const takeLock = async (client: RowClient, name: string): Promise<void> => {
  try {
    await query(client, 'select pg_advisory_lock(hashtextextended(?, 0))', [name]);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '55P03') throw error;
    throw new Error(`the lock "${name}" was not free within 60 seconds`, { cause: error });
  }
};

const send = (client: RowClient, text: string): Promise<string> =>
  ask(client, { text, prepared: null, values: [], row: () => undefined });

const query = async (
  client: RowClient,
  text: string,
  values: readonly BindValue[],
): Promise<Record<string, unknown>[]> => {
  const rows: Record<string, unknown>[] = [];
  const prepared = values.length === 0 ? null : prepare(client, text);
  const row: Question['row'] = (data, columns) => rows.push(readDataRow(data, columns));
  await ask(client, { text, prepared, values, row });
  return rows;
};

const write = async (client: RowClient, { text, values }: RenderedStatement): Promise<WriteResult> => {
  const prepared = values.length === 0 ? null : prepare(client, text);
  const tag = await ask(client, { text, prepared, values, row: () => undefined });
  return { affected: Number(/\d+$/.exec(tag)?.[0] ?? 0) };
};

const readRows = async (
  client: RowClient,
  { text, values }: RenderedStatement,
  layout: RowLayout,
): Promise<RowSet> => {
  const prepared = prepare(client, text);
  const collector = new RowCollector(hintOf(text), layout.limit);
  let program: PostgresProgram | null = null;
  const row: Question['row'] = (data) =>
    writeDataRow(data, (program ??= programFor(prepared, layout)), collector);
  await ask(client, { text, prepared, values, row });
  rememberSize(text, collector.writer.length);
  return collector.finish();
};

const programFor = (prepared: Prepared, layout: RowLayout): PostgresProgram => {
  const { program, columns } = prepared;
  if (program?.tokens === layout.tokens && program.columns === columns) return program;
  return (prepared.program = compileRows(layout, columns));
};

const prepare = (client: RowClient, text: string): Prepared => {
  const { statements, dropped } = client;
  const present = findStatement(statements, text);
  if (present !== undefined) return present;
  const name = `s${client.nextStatement++}`;
  const prepared: Prepared = { name, text: numberPlaceholders(text), columns: [], program: null };
  const evicted = evictStatement(statements);
  // the server is told with the statement that takes its place
  if (evicted !== undefined) dropped.push(evicted[1].name);
  statements.set(text, prepared);
  return prepared;
};
