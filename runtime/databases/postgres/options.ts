/** How a connection to PostgreSQL is opened: the address, encryption, and what every session agrees on. */
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import type { DatabaseOptions } from '../contract.js';

const connectTimeout = 5_000;

/** @throws Error saying what the URL should look like */
export const clientOptions = ({ url, ca }: DatabaseOptions): ClientConfig => {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  if (pathname.length < 2) {
    throw new Error('DATABASE_URL names no database; expected postgres://user:password@host:port/database');
  }
  return {
    // the folder of a socket takes the place of a name
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

/** As libpq reads `sslmode`: `require` encrypts, `verify-ca` asks who signed, `verify-full` for the name as well. */
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
    throw new Error(`DATABASE_URL asks for sslmode=${mode}; expected one of ${known}`);
  }
  return options === false || ca === undefined ? options : { ...options, ca };
};

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * In UTC, bounded in time, and texts in one form. Names are looked for in the schema alone, and what extensions
 * bring (types, their operators) where they were installed.
 */
export const sessionSetup = ({ schema = 'public', statementTimeout = 0 }: DatabaseOptions): string => `
  set time zone 'UTC';
  set datestyle = 'ISO, YMD';
  set intervalstyle = 'iso_8601';
  set extra_float_digits = 1;
  set jit = off;
  set bytea_output = 'hex';
  set client_min_messages = 'warning';
  set statement_timeout = ${statementTimeout};
  select set_config('search_path', concat_ws(', ', quote_ident(${literal(schema)}), (
    select string_agg(distinct quote_ident(nspname), ', ') from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace where nspname not in ('pg_catalog', ${literal(schema)})
  )), false)`;
