/** Environment → Config: read once at start, validated as a whole, frozen. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProviders, type ProviderConfig } from './providers.js';
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
} from './values.js';
import {
  logLevels,
  logStyles,
  variables,
  type LogLevel,
  type LogStyle,
  type VariableName,
} from './variables.js';

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
