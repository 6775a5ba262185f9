/**
 * Environment → Config: read once at start, validated as a whole, frozen.
 * `variables` is the one list of what may be set; help texts and the README are checked against it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerVariables, readProviders, type ProviderConfig } from './config/providers.js';
import {
  parseBoolean,
  parseDuration,
  parseList,
  parseNetworks,
  parseOneOf,
  parseProxies,
  parseSize,
  parseText,
  parseUrls,
  parseWhole,
  type Parse,
  type Variable,
} from './config/values.js';

export interface Config {
  readonly database: {
    readonly url: string;
    readonly poolMax: number;
    /** Milliseconds. */
    readonly statementTimeout: number;
    /** Milliseconds a start waits for a database that is not up yet. */
    readonly wait: number;
    /** PEM text; `null`: the system's authorities. */
    readonly ca: string | null;
    /** PostgreSQL: where the tables are, those of the system included. */
    readonly schema: string;
  };
  /** Patterns with `*`; `include: []` admits every table. */
  readonly tables: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  readonly host: string;
  readonly port: number;
  /** Without trailing slash, possibly with a path prefix; `null`: derived from host and port. */
  readonly publicUrl: string | null;
  /** Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` count. */
  readonly trustProxy: { readonly hops: number; readonly ranges: readonly string[] };
  /** Port of `/live` and `/ready`; `null`: no second listener. */
  readonly adminPort: number | null;
  /** What tokens are signed with, the newest first; empty: the secret in `.svc/secret`. */
  readonly secret: readonly string[];
  readonly auth: {
    /** Milliseconds, as the next two. */
    readonly accessTtl: number;
    readonly refreshTtl: number;
    readonly sessionTtl: number;
    /** Milliseconds that a link to a new password holds. */
    readonly resetTtl: number;
    /** Pages that such a link may lead to instead of our own. */
    readonly resetUrls: readonly string[];
    /** Nobody logs in with a password. */
    readonly disableDefault: boolean;
    /** Where somebody else says who people are. */
    readonly providers: readonly ProviderConfig[];
  };
  readonly mail: {
    readonly from: string;
    /** `null`: no mail is sent. */
    readonly smtp: SmtpConfig | null;
  };
  /** Requests of one user or address; `null`: any number. */
  readonly rateLimit: { readonly points: number; readonly duration: number } | null;
  /** Used by `bootstrap` only. */
  readonly admin: { readonly email: string; readonly token: string | null; readonly password: string | null };
  readonly query: {
    readonly limitDefault: number;
    /** `-1`: no maximum. */
    readonly limitMax: number;
    /** The maximum for callers without identity; `-1`: none. */
    readonly limitMaxPublic: number;
    readonly relationalDepth: number;
  };
  readonly queue: {
    /** `null`: `/queue` below the public URL. */
    readonly url: string | null;
    /** `null`: `/run` below the public URL. */
    readonly runUrl: string | null;
    /** Milliseconds that results are kept and webhooks tried. */
    readonly resultTtl: number;
    /** Milliseconds that files of models can be fetched. */
    readonly fileTtl: number;
    readonly filesDir: string;
  };
  readonly temporal: {
    /** `null`: none; requests of the queue wait. */
    readonly address: string | null;
    readonly namespace: string | null;
  };
  readonly webhooks: {
    /** Networks that are not public and allowed all the same. */
    readonly allowCidrs: readonly string[];
    readonly allowHttp: boolean;
  };
  readonly graphql: {
    /** Whether schemas are shown. */
    readonly introspection: boolean;
    /** Words and signs of a document. */
    readonly tokenLimit: number;
  };
  /** Bytes of a request body. */
  readonly payloadMax: number;
  /** Serves `/docs` and `/graphiql`. */
  readonly explorer: boolean;
  readonly log: { readonly level: LogLevel; readonly style: LogStyle };
}

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string | null;
  /** TLS from the first byte; else as soon as the server offers it. */
  readonly secure: boolean;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logStyles = ['json', 'pretty'] as const;
type LogStyle = (typeof logStyles)[number];

/** Every environment variable that svc reads. */
export const variables = [
  {
    name: 'DATABASE_URL',
    default: 'sqlite:.svc/data.db',
    meaning: '`sqlite:PATH`, `mysql://user:password@host:port/database` or `postgres://…`',
    secret: true,
  },
  {
    name: 'DATABASE_CA',
    default: '—',
    meaning: 'certificate authority of the database: PEM text or the path of a PEM file',
  },
  {
    name: 'DATABASE_SCHEMA',
    default: 'public',
    meaning: 'PostgreSQL: the schema that is served; the system tables are in it as well',
  },
  { name: 'DATABASE_POOL_MAX', default: '10', meaning: 'connections per process, at least 2' },
  {
    name: 'DATABASE_STATEMENT_TIMEOUT',
    default: '30s',
    meaning: 'a statement that runs longer is stopped; `0` for never',
  },
  { name: 'DATABASE_WAIT', default: '30s', meaning: 'how long a start waits for a database that is not up' },
  {
    name: 'TABLES_INCLUDE',
    default: 'all',
    meaning: 'comma-separated table names to serve, `*` stands for anything',
  },
  { name: 'TABLES_EXCLUDE', default: 'none', meaning: 'the same for tables to leave out; wins over include' },
  { name: 'HOST', default: '127.0.0.1', meaning: 'address to listen on; `0.0.0.0` for every interface' },
  { name: 'PORT', default: '8080', meaning: 'port to listen on; `0` for a free one' },
  { name: 'PUBLIC_URL', default: 'from host and port', meaning: 'URL clients use; may carry a path prefix' },
  {
    name: 'TRUST_PROXY',
    default: 'off',
    meaning: 'proxies in front: how many, or comma-separated addresses and CIDR ranges',
  },
  { name: 'ADMIN_PORT', default: 'off', meaning: 'second listener with `/live` and `/ready`, for probes' },
  {
    name: 'SECRET',
    default: '.svc/secret',
    meaning: 'signs tokens, at least 32 bytes; `new,old` while it is being changed',
    secret: true,
  },
  { name: 'ACCESS_TOKEN_TTL', default: '15m', meaning: 'how long an access token of a login holds' },
  { name: 'REFRESH_TOKEN_TTL', default: '7d', meaning: 'how long a login lasts without being refreshed' },
  { name: 'SESSION_COOKIE_TTL', default: '1d', meaning: 'the same for a login that lives in a cookie alone' },
  { name: 'PASSWORD_RESET_TTL', default: '1d', meaning: 'how long the link to a new password holds' },
  {
    name: 'PASSWORD_RESET_URL_ALLOW_LIST',
    default: 'none',
    meaning: 'comma-separated URLs that `reset_url` may be, compared by origin and path',
  },
  { name: 'AUTH_DISABLE_DEFAULT', default: 'false', meaning: 'nobody logs in with a password' },
  {
    name: 'AUTH_PROVIDERS',
    default: 'none',
    meaning: 'comma-separated names of single sign-on providers, each set up by `AUTH_<NAME>_…`',
  },
  ...providerVariables,
  { name: 'EMAIL_FROM', default: 'no-reply@example.com', meaning: 'sender of mails' },
  { name: 'EMAIL_SMTP_HOST', default: 'none', meaning: 'server that takes mails; without one none is sent' },
  {
    name: 'EMAIL_SMTP_PORT',
    default: '587, else 465',
    meaning: 'its port; 465 where `EMAIL_SMTP_SECURE` is on',
  },
  { name: 'EMAIL_SMTP_USER', default: 'none', meaning: 'name to log in with' },
  { name: 'EMAIL_SMTP_PASSWORD', default: 'none', meaning: 'password to log in with', secret: true },
  {
    name: 'EMAIL_SMTP_SECURE',
    default: 'false',
    meaning: 'TLS from the first byte; otherwise as soon as the server offers it',
  },
  {
    name: 'RATE_LIMITER_ENABLED',
    default: 'true',
    meaning: 'limits requests, except those of administrators',
  },
  {
    name: 'RATE_LIMITER_POINTS',
    default: '500',
    meaning: 'requests of one user, else of one address, within the duration',
  },
  { name: 'RATE_LIMITER_DURATION', default: '1', meaning: 'the duration: seconds, or as in `1m`' },
  { name: 'ADMIN_EMAIL', default: 'admin@example.com', meaning: '`svc bootstrap`: the first administrator' },
  {
    name: 'ADMIN_TOKEN',
    default: 'random, printed once',
    meaning: '`svc bootstrap`: static token of that administrator',
    secret: true,
  },
  {
    name: 'ADMIN_PASSWORD',
    default: 'random, printed once',
    meaning: '`svc bootstrap`: password of that administrator',
    secret: true,
  },
  { name: 'QUERY_LIMIT_DEFAULT', default: '100', meaning: 'rows of a list when `limit` is not given' },
  { name: 'QUERY_LIMIT_MAX', default: '-1', meaning: 'most rows a caller may ask for; `-1` for no maximum' },
  { name: 'QUERY_LIMIT_MAX_PUBLIC', default: '1000', meaning: 'the same for callers without a token' },
  { name: 'MAX_RELATIONAL_DEPTH', default: '10', meaning: 'how deep `fields`, `filter` and `sort` may nest' },
  { name: 'MAX_PAYLOAD_SIZE', default: '1mb', meaning: 'largest request body' },
  {
    name: 'TEMPORAL_ADDRESS',
    default: 'none',
    meaning: '`host:port` of the Temporal server; without one requests of the queue wait',
  },
  {
    name: 'TEMPORAL_NAMESPACE',
    default: 'default',
    meaning: 'its namespace; `TEMPORAL_API_KEY` and `TEMPORAL_TLS_…` as for its own tools',
  },
  {
    name: 'QUEUE_URL',
    default: 'PUBLIC_URL/queue',
    meaning: 'URL clients reach the queue at, where it is another one; its host is recognised',
  },
  {
    name: 'RUN_URL',
    default: 'PUBLIC_URL/run',
    meaning: 'the same for models that are run at once',
  },
  { name: 'QUEUE_RESULT_TTL', default: '7d', meaning: 'how long results are kept and webhooks tried' },
  { name: 'QUEUE_FILE_TTL', default: '24h', meaning: 'how long files that models produce can be fetched' },
  {
    name: 'QUEUE_FILES_DIR',
    default: '.svc/files',
    meaning: 'folder of these files, shared by API and workers',
  },
  {
    name: 'WEBHOOK_ALLOW_CIDRS',
    default: 'none',
    meaning: 'comma-separated networks that webhooks may go to although they are not public',
  },
  { name: 'WEBHOOK_ALLOW_HTTP', default: 'false', meaning: 'webhooks may go to `http:` URLs' },
  {
    name: 'GRAPHQL_INTROSPECTION',
    default: 'true',
    meaning: 'lets callers see the GraphQL schema, each as far as they may use it',
  },
  {
    name: 'GRAPHQL_TOKEN_LIMIT',
    default: '5000',
    meaning: 'words and signs that a GraphQL document may have',
  },
  { name: 'EXPLORER', default: 'false', meaning: 'serves `/docs` and `/graphiql`; on in the demo' },
  { name: 'LOG_LEVEL', default: 'info', meaning: `one of ${logLevels.join(', ')}` },
  { name: 'LOG_STYLE', default: 'pretty on a terminal, else json', meaning: '`json` or `pretty`' },
] as const satisfies readonly Variable[];

type VariableName = (typeof variables)[number]['name'];

export type Environment = Readonly<Record<string, string | undefined>>;

/** What was wrong with the environment: every fault at once, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(['the environment cannot be used:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Reads `.env` of `directory` into the environment; what is set already wins. */
export const loadEnvironment = (directory: string): Environment => {
  const file = join(directory, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
};

/**
 * Reads and validates every variable.
 * @throws ConfigError naming every fault
 */
export const loadConfig = (environment: Environment): Config => {
  const faults: string[] = [];
  const readAny = createReader(environment, faults);
  const read: Read = readAny;
  const config: Config = {
    database: {
      url: read('DATABASE_URL', parseDatabaseUrl, 'sqlite:.svc/data.db'),
      poolMax: read('DATABASE_POOL_MAX', parseWhole(2, 1000), 10),
      statementTimeout: read('DATABASE_STATEMENT_TIMEOUT', parseDuration, 30_000),
      wait: read('DATABASE_WAIT', parseDuration, 30_000),
      ca: read('DATABASE_CA', parseCertificate, null),
      schema: read('DATABASE_SCHEMA', parseText, 'public'),
    },
    tables: {
      include: read('TABLES_INCLUDE', parseList, []),
      exclude: read('TABLES_EXCLUDE', parseList, []),
    },
    host: read('HOST', parseText, '127.0.0.1'),
    port: read('PORT', parseWhole(0, 65_535), 8080),
    publicUrl: read('PUBLIC_URL', parsePublicUrl, null),
    trustProxy: read('TRUST_PROXY', parseProxies, { hops: 0, ranges: [] }),
    adminPort: read('ADMIN_PORT', parseAdminPort, null),
    secret: read('SECRET', parseSecret, []),
    auth: {
      accessTtl: read('ACCESS_TOKEN_TTL', parseDuration, 15 * 60_000),
      refreshTtl: read('REFRESH_TOKEN_TTL', parseDuration, 7 * 86_400_000),
      sessionTtl: read('SESSION_COOKIE_TTL', parseDuration, 86_400_000),
      resetTtl: read('PASSWORD_RESET_TTL', parseDuration, 86_400_000),
      resetUrls: read('PASSWORD_RESET_URL_ALLOW_LIST', parseUrls, []),
      disableDefault: read('AUTH_DISABLE_DEFAULT', parseBoolean, false),
      providers: readProviders(read('AUTH_PROVIDERS', parseList, []), { read: readAny, faults }),
    },
    mail: { from: read('EMAIL_FROM', parseText, 'no-reply@example.com'), smtp: readSmtp(read) },
    rateLimit: readRateLimit(read),
    admin: {
      email: read('ADMIN_EMAIL', parseEmail, 'admin@example.com'),
      token: read('ADMIN_TOKEN', parseToken, null),
      password: read('ADMIN_PASSWORD', parseText, null),
    },
    query: {
      limitDefault: read('QUERY_LIMIT_DEFAULT', parseWhole(-1), 100),
      limitMax: read('QUERY_LIMIT_MAX', parseWhole(-1), -1),
      limitMaxPublic: read('QUERY_LIMIT_MAX_PUBLIC', parseWhole(-1), 1000),
      relationalDepth: read('MAX_RELATIONAL_DEPTH', parseWhole(1, 100), 10),
    },
    queue: {
      url: read('QUEUE_URL', parsePublicUrl, null),
      runUrl: read('RUN_URL', parsePublicUrl, null),
      resultTtl: read('QUEUE_RESULT_TTL', parseDuration, 7 * 86_400_000),
      fileTtl: read('QUEUE_FILE_TTL', parseDuration, 86_400_000),
      filesDir: read('QUEUE_FILES_DIR', parseText, join('.svc', 'files')),
    },
    temporal: {
      address: read('TEMPORAL_ADDRESS', parseAddress, null),
      namespace: read('TEMPORAL_NAMESPACE', parseText, null),
    },
    webhooks: {
      allowCidrs: read('WEBHOOK_ALLOW_CIDRS', parseNetworks, []),
      allowHttp: read('WEBHOOK_ALLOW_HTTP', parseBoolean, false),
    },
    graphql: {
      introspection: read('GRAPHQL_INTROSPECTION', parseBoolean, true),
      tokenLimit: read('GRAPHQL_TOKEN_LIMIT', parseWhole(1), 5000),
    },
    payloadMax: read('MAX_PAYLOAD_SIZE', parseSize, 1024 * 1024),
    explorer: read('EXPLORER', parseBoolean, false),
    log: {
      level: read('LOG_LEVEL', parseOneOf(logLevels), 'info'),
      style: read('LOG_STYLE', parseOneOf(logStyles), process.stdout.isTTY ? 'pretty' : 'json'),
    },
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return freeze(config);
};

const readRateLimit = (read: Read): Config['rateLimit'] => {
  const points = read('RATE_LIMITER_POINTS', parseWhole(1), 500);
  const duration = read('RATE_LIMITER_DURATION', parseDuration, 1_000);
  return read('RATE_LIMITER_ENABLED', parseBoolean, true) ? { points, duration } : null;
};

const readSmtp = (read: Read): SmtpConfig | null => {
  const host = read('EMAIL_SMTP_HOST', parseText, '');
  const secure = read('EMAIL_SMTP_SECURE', parseBoolean, false);
  const port = read('EMAIL_SMTP_PORT', parseWhole(1, 65_535), secure ? 465 : 587);
  const user = read<string | null>('EMAIL_SMTP_USER', parseText, null);
  const password = read<string | null>('EMAIL_SMTP_PASSWORD', parseText, null);
  return host === '' ? null : { host, port, user, password, secure };
};

type Read = <Value>(name: VariableName, parse: Parse<Value>, fallback: Value) => Value;

const secrets = new Set<string>(variables.filter((entry) => 'secret' in entry).map((entry) => entry.name));

const isSecret = (name: string): boolean => secrets.has(name) || /^AUTH_.+_CLIENT_SECRET$/.test(name);

const createReader =
  (environment: Environment, faults: string[]) =>
  <Value>(name: string, parse: Parse<Value>, fallback: Value): Value => {
    try {
      const value = textOf(environment, name);
      return value === undefined ? fallback : parse(value);
    } catch (error) {
      const shown = isSecret(name) ? '' : ` is "${environment[name] ?? ''}":`;
      faults.push(`${name}${shown} ${(error as Error).message}`);
      return fallback;
    }
  };

/** An empty variable counts as not set, as in compose files. */
const textOf = (environment: Environment, name: string): string | undefined => {
  const value = environment[name] || undefined;
  const file = isSecret(name) ? environment[`${name}_FILE`] || undefined : undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new Error(`is set twice, also as ${name}_FILE; keep one`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Error(`cannot be read from the file "${file}" of ${name}_FILE`);
  }
};

const parseDatabaseUrl: Parse<string> = (value) => {
  if (/^sqlite:./.test(value)) return value;
  const expected = 'expected sqlite:PATH, mysql://… or postgres://user:password@host:port/database';
  if (!URL.canParse(value)) throw new Error(`is not a URL; ${expected}`);
  const url = new URL(value);
  if (!/^(?:mysql|postgres|postgresql):$/.test(url.protocol))
    throw new Error(`begins with "${url.protocol}"; ${expected}`);
  if (url.pathname.length < 2) throw new Error(`names no database; ${expected}`);
  return value;
};

const parseCertificate: Parse<string> = (value) => {
  if (value.startsWith('-----BEGIN')) return value;
  try {
    return readFileSync(value, 'utf8');
  } catch {
    throw new Error('expected PEM text or the path of a readable PEM file');
  }
};

const parsePublicUrl: Parse<string> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new Error('expected http://host[:port][/prefix] or https://…');
  }
  return value.replace(/\/+$/, '');
};

const parseAddress: Parse<string> = (value) => {
  if (!/^[^\s/]+:\d{1,5}$/.test(value)) throw new Error('expected host:port');
  return value;
};

const parseAdminPort: Parse<number | null> = (value) =>
  value === 'off' ? null : parseWhole(0, 65_535)(value);

const parseEmail: Parse<string> = (value) => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Error('expected an e-mail address');
  return value;
};

/** RFC 6750 §2.1: what fits into an Authorization header. */
const parseToken: Parse<string> = (value) => {
  if (!/^[\w.~+/-]{8,255}=*$/.test(value)) {
    throw new Error('expected 8 to 255 characters out of letters, digits and -._~+/');
  }
  return value;
};

const parseSecret: Parse<readonly string[]> = (value) => {
  const secrets = parseList(value);
  if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret) < 32)) {
    throw new Error('expected at least 32 bytes; openssl rand -base64 48 makes them');
  }
  return secrets;
};

const freeze = <Value extends object>(value: Value): Value => {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null) freeze(part as object);
  return Object.freeze(value);
};
