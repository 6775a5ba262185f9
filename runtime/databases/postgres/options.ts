/** Builds the options of a PostgreSQL connection: address, TLS and session settings. */
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import type { DatabaseOptions } from '../contract.js';

const connectTimeout = 5_000;

/** Parses the database URL. @throws Error with the expected format */
export const clientOptions = ({ url, ca }: DatabaseOptions): ClientConfig => {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  if (pathname.length < 2) {
    throw new Error('DATABASE_URL names no database; expected postgres://user:password@host:port/database');
  }
  return {
    // `host` in the query is the directory of a Unix socket
    host: searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    port: port === '' ? 5432 : Number(port),
    ...(username === '' ? {} : { user: decodeURIComponent(username) }),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ssl: sslOptions(searchParams.get('sslmode'), ca),
    application_name: 'svc',
    keepAlive: true,
    connectionTimeoutMillis: connectTimeout,
  };
};

/**
 * TLS options by `sslmode`, as in libpq: `require` only encrypts, `verify-ca` verifies the certificate authority,
 * `verify-full` the host name as well.
 */
const sslModes = new Map<string, ConnectionOptions | false>([
  ['disable', false],
  ['require', { rejectUnauthorized: false }],
  ['verify-ca', { rejectUnauthorized: true, checkServerIdentity: () => undefined }],
  ['verify-full', { rejectUnauthorized: true }],
]);

const sslOptions = (mode: string | null, ca: string | undefined): ConnectionOptions | false => {
  const options = sslModes.get(mode ?? (ca === undefined ? 'disable' : 'verify-full'));
  if (options === undefined) {
    const known = [...sslModes.keys()].join(', ');
    throw new Error(`DATABASE_URL has sslmode=${mode}; expected one of ${known}`);
  }
  return options === false || ca === undefined ? options : { ...options, ca };
};

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Settings on which the meaning of values in statements depends. */
export const pins: readonly string[] = [
  "set time zone 'UTC'",
  "set datestyle = 'ISO, YMD'",
  "set intervalstyle = 'iso_8601'",
  'set extra_float_digits = 1',
];

/**
 * Returns the session settings: UTC, fixed output formats, the statement timeout, and a search path of the schema and
 * of the schemas of extensions, whose types and operators are needed. Statements see what is committed when they run: to an older
 * snapshot, a table that was rewritten meanwhile is empty (postgresql.org/docs/current/mvcc-caveats.html).
 */
export const sessionSetup = ({ schema = 'public', statementTimeout = 0 }: DatabaseOptions): string => `
  ${pins.join('; ')};
  set default_transaction_isolation = 'read committed';
  set jit = off;
  set bytea_output = 'hex';
  set client_min_messages = 'warning';
  set statement_timeout = ${statementTimeout};
  select set_config('search_path', concat_ws(', ', quote_ident(${literal(schema)}), (
    select string_agg(distinct quote_ident(nspname), ', ') from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace where nspname not in ('pg_catalog', ${literal(schema)})
  )), false)`;
