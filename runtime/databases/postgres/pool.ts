/** Pools of connections to PostgreSQL, and what has to be true of the server that they reach. */
import type { Socket } from 'node:net';
import { Pool } from 'pg';
import type { DatabaseOptions } from '../contract.js';
import { markUnconnected } from '../network-errors.js';
import type { PoolCount } from '../pool-count.js';
import { addSocket } from '../silent-server.js';
import { RowClient } from './client.js';
import { endsConnection, query } from './client-statements.js';
import { addErrorCode, refusalOf, withCode } from './errors.js';
import { clientOptions, sessionSetup } from './options.js';

const idleTimeout = 60_000;
export const defaultPoolMax = 10;

/** @param sockets gets those of its connections */
export const createPool = (options: DatabaseOptions, sockets: Set<Socket>): Pool => {
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
    onConnect: (connected) => {
      addSocket(sockets, (connected as unknown as RowClient).stream);
      return connected.query(setup);
    },
  });
  // the pool replaces a lost idle connection
  return pool.on('error', () => undefined);
};

const oldestVersion = 15;

/**
 * Checks the server version and the schema, and that each connection is to a session of its own: settings, prepared
 * statements and locks belong to it. Behind a pooler of transactions, two open connections reach one session.
 * @throws Error with a permanent SQLSTATE
 */
export const checkServer = async (
  pool: Pool,
  reserved: Pool,
  { schema = 'public' }: DatabaseOptions,
): Promise<void> => {
  const [server] = await runOn(pool, (client) =>
    query(
      client,
      "select current_setting('server_version_num') as version, current_schema() as schema, pg_backend_pid() as session",
      [],
    ),
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
  const [other] = await runOn(reserved, (client) => query(client, 'select pg_backend_pid() as session', []));
  if (other?.session === server?.session) {
    const message =
      'DATABASE_URL leads to a pooler that lends a connection for each transaction; use the address of the server, or a pooler of sessions (pool_mode=session of PgBouncer)';
    throw withCode(new Error(message), '0A000');
  }
};

interface RunOptions {
  readonly count?: PoolCount;
  /** Returns whether the connection has to be closed. */
  readonly isSpent?: () => boolean;
}

export type RunOnClient = <Result>(task: (client: RowClient) => Promise<Result>) => Promise<Result>;

export const runOn = <Result>(
  pool: Pool,
  task: (client: RowClient) => Promise<Result>,
  { count, isSpent }: RunOptions = {},
): Promise<Result> =>
  new Promise<Result>((resolve, reject) => {
    const fail = (error: Error): void => reject(addErrorCode(error));
    const endWait = count?.wait();
    pool.connect((error, client, release) => {
      endWait?.(client !== undefined);
      if (error !== undefined || client === undefined)
        return fail(markUnconnected(error ?? new Error('no connection')));
      task(client as unknown as RowClient).then(
        (result) => {
          release(isSpent?.());
          count?.release();
          resolve(result);
        },
        (reason: Error) => {
          // after a failover, the name of the server may lead to one that takes writes
          const ends = endsConnection(reason) || refusalOf(reason) === 'readOnly';
          release(isSpent?.() === true || ends);
          count?.release();
          fail(reason);
        },
      );
    });
  });
