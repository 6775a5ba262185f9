/** Variables of the database, and of what is read from it. */
import { parseCertificate, parseDatabaseUrl } from './formats.js';
import {
  parseBoolean,
  parseDuration,
  parseShortDuration,
  parseList,
  parseText,
  parseInteger,
  type Variable,
} from './values.js';

export const databaseVariables = {
  DATABASE_URL: {
    parse: parseDatabaseUrl,
    default: 'sqlite:.svc/data.db',
    meaning: '`sqlite:PATH`, `mysql://user:password@host:port/database` or `postgres://…`',
    secret: true,
  },
  DATABASE_CA: {
    parse: parseCertificate,
    default: null,
    shown: '—',
    meaning: 'certificate authority of the database: PEM text or the path of a PEM file',
  },
  DATABASE_SCHEMA: {
    parse: parseText,
    default: 'public',
    meaning: 'PostgreSQL: the served schema, which also holds the system tables',
  },
  DATABASE_POOL_MAX: {
    parse: parseInteger(2, 1000),
    default: '10',
    meaning: 'connections per process, at least 2; one more reads the access version',
  },
  DATABASE_STATEMENT_TIMEOUT: {
    parse: parseDuration,
    default: '30s',
    meaning: 'aborts statements that run longer; `0` disables it',
  },
  DATABASE_PIPELINE: {
    parse: parseBoolean,
    default: 'true',
    meaning:
      'sends reads of single items that come at once together; `false` for a proxy that takes one statement at a time',
  },
  DATABASE_WAIT: {
    parse: parseDuration,
    default: '30s',
    meaning: 'how long a start waits for an unavailable database',
  },
  ACCESS_LEASE: {
    parse: parseShortDuration(5_000),
    default: '200ms',
    meaning:
      'how long a process relies on the permissions that it has read, at most `5s`; `0`: it reads them for each request',
  },
  WATCHDOG: {
    parse: parseDuration,
    default: '10s',
    meaning: 'replaces a process that has not responded for so long; `0` disables it',
  },
  SCHEMA_WATCH: {
    parse: (text: string): number | 'trigger' =>
      text === 'trigger' ? text : text === 'off' ? 0 : parseDuration(text),
    default: '2s',
    meaning:
      'how often a server looks for a changed schema; `off`: only when requested or when a statement fails; `trigger`: when PostgreSQL notifies it, after `svc schema watch --install`',
  },
  SCHEMA_APPLY_WAIT: {
    parse: parseDuration,
    default: '60s',
    meaning: 'how long an apply waits for hosts that do not serve the new schema, and for locks of others',
  },
  TABLES_INCLUDE: {
    parse: parseList,
    default: '',
    shown: 'all',
    meaning: 'comma-separated tables to serve; `*` matches any text',
  },
  TABLES_EXCLUDE: {
    parse: parseList,
    default: '',
    shown: 'none',
    meaning: 'comma-separated tables to omit; takes precedence over `TABLES_INCLUDE`',
  },
} as const satisfies Readonly<Record<string, Variable>>;
