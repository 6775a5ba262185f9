/** Connects to MySQL and MariaDB through mysql2; rows are read directly from the packets by `rows`. */
import { isIP } from 'node:net';
import { createPool, type Pool, type PoolConnection, type PoolOptions, type ResultSetHeader } from 'mysql2';
import type { RenderedStatement } from '../../sql/fragment.js';
import type { Token } from '../../sql/select.js';
import type {
  BindValue,
  Database,
  DatabaseOptions,
  DialectName,
  Executor,
  RowLayout,
  SqlDialect,
  WriteResult,
} from '../contract.js';
import { mysql } from './dialect.js';
import { isConnectionLoss } from './errors.js';
import { mariadb } from './mariadb-dialect.js';
import { compileRows, writePacket, type MysqlProgram, type Packet } from './rows.js';
import { readColumnType, type ColumnType } from './types.js';
import { RowCollector, type RowSet } from '../../execute/row-set.js';
import { sizeHint, rememberSize } from '../../execute/size-hints.js';
import { evictStatement, findStatement } from '../statements.js';
import { acknowledged } from '../unknown-outcome.js';

export const openMysql = async (options: DatabaseOptions): Promise<Database> => {
  const pool = createPool(poolOptions(options));
  const dialect = await readDialect(pool).catch((error: unknown) => {
    pool.end(() => undefined);
    throw error;
  });
  const setup = sessionSetup(dialect.name, options.statementTimeout ?? 0);
  pool.on('connection', (connection) => {
    // queued before the first statement, which then reports a failure
    connection.query(setup, () => undefined);
  });
  // the first connection was opened before the dialect was known
  await runOn(pool, (connection) => send(connection, setup, []));
  return {
    dialect: dialect.name,
    sql: dialect,
    isConnectionLoss,
    ...createPoolExecutor(pool),
    transaction: (body) => runOn(pool, (connection) => runTransaction(connection, body)),
    locked: (name, body) => runOn(pool, (connection) => holdLock(connection, name, body)),
    close: () => new Promise((resolve) => pool.end(() => resolve())),
  };
};

export const poolOptions = ({ url, poolMax, ca }: DatabaseOptions): PoolOptions => {
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(url);
  if (protocol !== 'mysql:' || pathname.length < 2) {
    throw new Error('DATABASE_URL names no database; expected mysql://user:password@host:port/database');
  }
  const socketPath = searchParams.get('socket');
  return {
    ...(socketPath === null ? { host: hostname, port: port === '' ? 3306 : Number(port) } : { socketPath }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ...sslOptions(searchParams.get('ssl'), { ca, host: hostname }),
    connectionLimit: poolMax ?? 10,
    charset: 'utf8mb4',
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: false,
    jsonStrings: true,
    enableKeepAlive: true,
    connectTimeout: 5_000,
  };
};

/** `ssl=true` verifies the server, `ssl=no-verify` only encrypts. */
const sslOptions = (
  ssl: string | null,
  { ca, host }: { readonly ca: string | undefined; readonly host: string },
): PoolOptions => {
  if ((ssl === null || ssl === 'false') && ca === undefined) return {};
  const rejectUnauthorized = ssl !== 'no-verify';
  // for an IP address the driver would verify the name "localhost"
  const verifyIdentity = rejectUnauthorized && isIP(host) === 0;
  return { ssl: { rejectUnauthorized, verifyIdentity, ...(ca === undefined ? {} : { ca }) } };
};

/** Returns the dialect of the server at the URL, MySQL or MariaDB. */
export const dialectOf = async (options: DatabaseOptions): Promise<SqlDialect> => {
  const pool = createPool({ ...poolOptions(options), connectionLimit: 1 });
  return readDialect(pool).finally(() => pool.end(() => undefined));
};

const readDialect = async (pool: Pool): Promise<SqlDialect> => {
  const [row] = await runOn(pool, (connection) => send(connection, 'select version() as version', []));
  return String(row?.version).toLowerCase().includes('mariadb') ? mariadb : mysql;
};

/** Returns the session settings: UTC, strict mode, and a timeout in milliseconds (0 for none). */
export const sessionSetup = (dialect: DialectName, timeout: number): string =>
  [
    "set time_zone = '+00:00'",
    // an explicit key is stored even if it is 0
    "sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO'",
    ...(dialect === 'mariadb' ? [`max_statement_time = ${timeout / 1000}`] : mysqlLimits(timeout)),
  ].join(', ');

/** Returns the limits of MySQL, whose statement timeout applies only to selects; writes are limited in lock waits. */
const mysqlLimits = (timeout: number): readonly string[] => {
  const wait = Math.ceil(timeout / 1000);
  const waits = [`innodb_lock_wait_timeout = ${wait}`, `lock_wait_timeout = ${wait}`];
  return [`max_execution_time = ${timeout}`, ...(timeout === 0 ? [] : waits)];
};

const runOn = <Result>(pool: Pool, task: (connection: PoolConnection) => Promise<Result>): Promise<Result> =>
  new Promise<Result>((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (error !== null) return reject(error);
      const release =
        <Value>(complete: (value: Value) => void) =>
        (value: Value): void => {
          connection.release();
          complete(value);
        };
      task(connection).then(release(resolve), release(reject));
    });
  });

const createPoolExecutor = (pool: Pool): Executor => ({
  quote: mysql.quote,
  rows: (statement, layout) => runOn(pool, (connection) => readRows(connection, statement, layout)),
  query: (text, values = []) => runOn(pool, (connection) => send(connection, text, values)),
  write: (statement) => runOn(pool, (connection) => acknowledged(() => sendWrite(connection, statement))),
  writeRows: (statement, layout) =>
    runOn(pool, (connection) => acknowledged(() => readRows(connection, statement, layout))),
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

/** Hashed, because MySQL limits lock names to 64 characters, as many as the name of the database may have. */
const lockName = "sha2(concat(database(), '.', ?), 224)";

const holdLock = async <Result>(
  connection: PoolConnection,
  name: string,
  body: () => Promise<Result>,
): Promise<Result> => {
  const [row] = await send(connection, `select get_lock(${lockName}, 60) as held`, [name]);
  if (Number(row?.held) !== 1) throw new Error(`the lock "${name}" was not free within 60 seconds`);
  try {
    return await body();
  } finally {
    await send(connection, `select release_lock(${lockName})`, [name]).catch(() => undefined);
  }
};

const send = (
  connection: PoolConnection,
  text: string,
  values: readonly BindValue[],
): Promise<Record<string, unknown>[]> => {
  if (values.length > 0) {
    return withStatement(connection, text, (statement, callbacks) => {
      statement.execute(values, (error, rows) =>
        resolveOrReject(callbacks, error, rows as Record<string, unknown>[]),
      );
    });
  }
  return new Promise((resolve, reject) => {
    connection.query(text, (error, rows) =>
      resolveOrReject({ resolve, reject }, error, rows as Record<string, unknown>[]),
    );
  });
};

const resolveOrReject = <Result>(
  { resolve, reject }: PromiseCallbacks<Result>,
  error: Error | null,
  result: Result,
): void => {
  if (error === null) resolve(result);
  else reject(error);
};

const sendWrite = (connection: PoolConnection, { text, values }: RenderedStatement): Promise<WriteResult> =>
  withStatement(connection, text, (statement, { resolve, reject }) => {
    statement.execute(values, (error, result) => {
      if (error === null) resolve(readResult(result as ResultSetHeader));
      else reject(error);
    });
  });

const readResult = ({ affectedRows, insertId }: ResultSetHeader): WriteResult =>
  insertId === 0 ? { affected: affectedRows } : { affected: affectedRows, generatedKey: String(insertId) };

/** A prepared statement of mysql2, whose types omit the command that `execute` returns. */
interface Statement {
  execute(values: readonly BindValue[], done: (error: Error | null, result: unknown) => void): Command;
}

/** A command reads the response packet by packet; each state is a function that returns the next one. */
interface Command {
  readField: State;
}

type State = (this: Command & { done(): null }, packet: Packet & { isEOF(): boolean }) => State | null;

const statementsOf = new WeakMap<PoolConnection, Map<string, Statement>>();

interface PromiseCallbacks<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

const withStatement = <Result>(
  connection: PoolConnection,
  text: string,
  run: (statement: Statement, callbacks: PromiseCallbacks<Result>) => void,
): Promise<Result> =>
  new Promise<Result>((resolve, fail) => {
    // for logs, because the driver does not add the text of a prepared statement
    const reject = (error: Error): void => fail(Object.assign(error, { sql: text }));
    let statements = statementsOf.get(connection);
    if (statements === undefined) statementsOf.set(connection, (statements = new Map()));
    const present = findStatement(statements, text);
    if (present !== undefined) return run(present, { resolve, reject });
    const cached = statements;
    connection.prepare(text, (error, info) => {
      if (error !== null) return reject(error);
      const statement = info as unknown as Statement;
      const evicted = evictStatement(cached);
      // through the driver, whose own cache would return the closed statement again
      if (evicted !== undefined) connection.unprepare(evicted[0]);
      cached.set(text, statement);
      run(statement, { resolve, reject });
    });
  });

/**
 * Runs a prepared statement and writes each row packet as JSON when it arrives. The states below replace those of
 * mysql2's command, which would parse every column definition and create an object per row.
 */
const readRows = (
  connection: PoolConnection,
  { text, values }: RenderedStatement,
  layout: RowLayout,
): Promise<RowSet> =>
  withStatement(connection, text, (statement, { resolve, reject }) => {
    const collector = new RowCollector(sizeHint(text), layout.limit);
    const columns: ColumnType[] = [];
    let program: MysqlProgram | null = null;
    let failure: Error | null = null;

    const row: State = function row(packet) {
      if (packet.isEOF()) return this.done();
      try {
        program ??= programFor(layout, columns);
        if (failure === null) writePacket(packet, program, collector);
      } catch (error) {
        failure = error as Error;
      }
      return row;
    };
    const readField: State = function readField(packet) {
      if (packet.isEOF()) return row;
      columns.push(readColumnType(packet));
      return readField;
    };

    const command = statement.execute(values, (error) => {
      if (error !== null || failure !== null) return reject(error ?? (failure as Error));
      rememberSize(text, collector.writer.length);
      resolve(collector.finish());
    });
    command.readField = readField;
  });

const programs = new WeakMap<readonly Token[], MysqlProgram>();

/** Returns the program of the last result with the same tokens, or compiles one if the columns have changed. */
const programFor = (layout: RowLayout, columns: readonly ColumnType[]): MysqlProgram => {
  const present = programs.get(layout.tokens);
  if (present !== undefined && isSame(present.columns, columns)) return present;
  const compiled = compileRows(layout, columns);
  programs.set(layout.tokens, compiled);
  return compiled;
};

const isSame = (left: readonly ColumnType[], right: readonly ColumnType[]): boolean =>
  left.length === right.length &&
  left.every((column, index) => {
    const other = right[index];
    return (
      column.type === other?.type &&
      column.unsigned === other.unsigned &&
      column.decimals === other.decimals &&
      column.binary === other.binary
    );
  });
