/** Options of mysql2's pool, and settings of a session. */
import { isIP } from 'node:net';
import type { PoolOptions } from 'mysql2';
import type { DatabaseOptions, DialectName } from '../contract.js';

/**
 * Converts `mysql://…`, where `?socket=` names a socket, to options.
 * @throws Error for a URL without a database
 */
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

/**
 * Sets the isolation that PostgreSQL has by default. With InnoDB's own, a locking read of an empty list locks the gap in which
 * its rows would be, which other empty lists share: writes that read their lists and then fill them would wait for each other
 * until one is rolled back. No list is written on a wrong idea of its rows without that lock. The write has locked those that
 * it found, and their owner, for which a row that refers to it by a foreign key waits; a row without one counts as put into
 * the list after the write.
 */
export const isolationSetup = 'set session transaction isolation level read committed';

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
