/**
 * Every environment variable of svc with its parser, default and description: the source of parsing, `svc
 * start --help` and the table in `docs/environment.md`.
 */
import {
  parseAdminPort,
  parseCertificate,
  parseDatabaseUrl,
  parseEmail,
  parsePublicUrl,
  parseSecret,
  parseToken,
} from './formats.js';
import { providerVariables } from './provider-variables.js';
import { queueVariables } from './queue-variables.js';
import {
  parseBoolean,
  parseDuration,
  parseShortDuration,
  parseList,
  parseOneOf,
  parseOrigins,
  parseProxies,
  parseSize,
  parseText,
  parseUrls,
  parseInteger,
  type Variable,
} from './values.js';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logStyles = ['json', 'pretty'] as const;
export type LogStyle = (typeof logStyles)[number];

/**
 * Variables in the order of the documentation; `<NAME>` stands for a provider that `AUTH_PROVIDERS` names.
 */
export const variables = {
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
  HOST: {
    parse: parseText,
    default: '127.0.0.1',
    meaning: 'address to listen on; `0.0.0.0` for every interface',
  },
  PORT: { parse: parseInteger(0, 65_535), default: '8080', meaning: 'port to listen on; `0` for a free one' },
  PUBLIC_URL: {
    parse: parsePublicUrl,
    default: null,
    shown: 'from host and port',
    meaning: 'URL that clients use, optionally with a path prefix',
  },
  TRUST_PROXY: {
    parse: parseProxies,
    default: 'off',
    meaning: 'reverse proxies: their number, or comma-separated addresses and CIDR ranges',
  },
  CORS_ORIGIN: {
    parse: parseOrigins,
    default: 'off',
    meaning:
      'origins whose pages may call the API: a comma-separated list with `*` in host names, or `true` for all',
  },
  CORS_CREDENTIALS: {
    parse: parseBoolean,
    default: 'false',
    meaning: 'lets these pages send cookies; not with `true` or a pattern that matches third-party domains',
  },
  ADMIN_PORT: {
    parse: parseAdminPort,
    default: 'off',
    meaning: 'port of `/live` and `/ready`, for health checks',
  },
  SECRET: {
    parse: parseSecret,
    default: null,
    shown: '.svc/secret',
    meaning: 'signs tokens; at least 32 bytes; `new,old` during a rotation',
    secret: true,
  },
  ACCESS_TOKEN_TTL: {
    parse: parseDuration,
    default: '15m',
    meaning: 'lifetime of access tokens',
  },
  REFRESH_TOKEN_TTL: {
    parse: parseDuration,
    default: '7d',
    meaning: 'lifetime of refresh tokens',
  },
  SESSION_COOKIE_TTL: {
    parse: parseDuration,
    default: '1d',
    meaning: 'lifetime of session cookies',
  },
  PASSWORD_RESET_TTL: {
    parse: parseDuration,
    default: '1d',
    meaning: 'lifetime of password reset links',
  },
  PASSWORD_RESET_URL_ALLOW_LIST: {
    parse: parseUrls,
    default: '',
    shown: 'none',
    meaning: 'comma-separated URLs allowed as `reset_url`, compared by origin and path',
  },
  AUTH_DISABLE_DEFAULT: { parse: parseBoolean, default: 'false', meaning: 'disables login with a password' },
  AUTH_PROVIDERS: {
    parse: parseList,
    default: '',
    shown: 'none',
    meaning: 'comma-separated names of single sign-on providers, configured by `AUTH_<NAME>_…`',
  },
  ...providerVariables,
  EMAIL_FROM: { parse: parseText, default: 'no-reply@example.com', meaning: 'sender address of mails' },
  EMAIL_SMTP_HOST: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'SMTP server; without it, no mail is sent',
  },
  EMAIL_SMTP_PORT: {
    parse: parseInteger(1, 65_535),
    default: null,
    shown: '587, or 465 with `EMAIL_SMTP_SECURE`',
    meaning: 'port of the SMTP server',
  },
  EMAIL_SMTP_USER: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'user name at the SMTP server',
  },
  EMAIL_SMTP_PASSWORD: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'password at the SMTP server',
    secret: true,
  },
  EMAIL_SMTP_SECURE: {
    parse: parseBoolean,
    default: 'false',
    meaning: 'uses TLS from the start; otherwise STARTTLS, if the server offers it',
  },
  RATE_LIMITER_ENABLED: {
    parse: parseBoolean,
    default: 'true',
    meaning: 'limits the rate of requests, except for administrators',
  },
  RATE_LIMITER_POINTS: {
    parse: parseInteger(1),
    default: '500',
    meaning: 'requests per user, or per address without one, in each window and process',
  },
  RATE_LIMITER_DURATION: {
    parse: parseDuration,
    default: '1',
    meaning: 'length of the window: seconds, or with a unit such as `1m`',
  },
  ADMIN_EMAIL: {
    parse: parseEmail,
    default: 'admin@example.com',
    meaning: '`svc bootstrap`: e-mail address of the first administrator',
  },
  STATIC_TOKENS: {
    parse: parseOneOf(['plain', 'hashed']),
    default: 'plain',
    meaning: 'how static tokens are stored; `hashed`: as a hash keyed with `SECRET`, see `svc bootstrap`',
  },
  PASSWORD_MIN_LENGTH: {
    parse: parseInteger(1, 128),
    default: '8',
    meaning: 'minimum number of characters of a new password',
  },
  ADMIN_TOKEN: {
    parse: parseToken,
    default: null,
    shown: 'random, printed once',
    meaning: '`svc bootstrap`: static token of the administrator',
    secret: true,
  },
  ADMIN_PASSWORD: {
    parse: parseText,
    default: null,
    shown: 'random, printed once',
    meaning: '`svc bootstrap`: password of the administrator',
    secret: true,
  },
  QUERY_LIMIT_DEFAULT: {
    parse: parseInteger(-1),
    default: '100',
    meaning: 'items of a list without `limit`',
  },
  QUERY_LIMIT_MAX: {
    parse: parseInteger(-1),
    default: '-1',
    meaning: 'maximum of `limit`; `-1` for none',
  },
  QUERY_LIMIT_MAX_PUBLIC: {
    parse: parseInteger(-1),
    default: '1000',
    meaning: 'maximum of `limit` for unauthenticated callers; `-1` for none',
  },
  QUERY_ROWS_MAX: {
    parse: parseInteger(-1),
    default: '100000',
    meaning: 'items of all nested lists of one answer; `-1` for no maximum',
  },
  QUERY_ROWS_MAX_PUBLIC: {
    parse: parseInteger(-1),
    default: '10000',
    meaning: 'the same for unauthenticated callers',
  },
  ANSWER_BYTES_MAX: {
    parse: parseSize,
    default: '256mb',
    meaning:
      'memory of all answers that a process prepares or sends at a time; a caller gets a quarter of it',
  },
  REQUEST_QUEUE_MAX: {
    parse: parseInteger(0),
    default: '1000',
    meaning: 'requests to items and GraphQL that wait in a process; further ones get 503',
  },
  REQUEST_QUEUE_WAIT: {
    parse: parseDuration,
    default: '5s',
    meaning: 'how long such a request waits before it gets 503',
  },
  MAX_RELATIONAL_DEPTH: {
    parse: parseInteger(1, 100),
    default: '10',
    meaning: 'maximum depth of relations in `fields`, `filter` and `sort`',
  },
  MAX_PAYLOAD_SIZE: { parse: parseSize, default: '1mb', meaning: 'maximum size of a request body' },
  SCHEMA_MAX_SIZE: {
    parse: parseSize,
    default: '50mb',
    meaning: 'maximum size of a schema snapshot or difference',
  },
  ...queueVariables,
  GRAPHQL_INTROSPECTION: {
    parse: parseBoolean,
    default: 'true',
    meaning: 'allows GraphQL introspection, limited to what the caller may use',
  },
  GRAPHQL_TOKEN_LIMIT: {
    parse: parseInteger(1),
    default: '5000',
    meaning: 'maximum number of tokens in a GraphQL document',
  },
  EXPLORER: {
    parse: parseBoolean,
    default: 'false',
    meaning: 'serves `/docs` and `/graphiql`; `true` in the demo',
  },
  LOG_LEVEL: { parse: parseOneOf(logLevels), default: 'info', meaning: `one of ${logLevels.join(', ')}` },
  LOG_STYLE: {
    parse: parseOneOf(logStyles),
    default: null,
    shown: 'pretty on a terminal, else json',
    meaning: '`json` or `pretty`',
  },
} as const satisfies Readonly<Record<string, Variable>>;

type Variables = typeof variables;
export type VariableName = keyof Variables;
export type ProviderVariable = Extract<VariableName, `AUTH_<NAME>_${string}`>;

/** Type of a parsed variable; includes `null` only where it has no default. */
export type ValueOf<Name extends VariableName> =
  | ReturnType<Variables[Name]['parse']>
  | (Variables[Name]['default'] extends null ? null : never);

/** A variable as documentation shows it. */
export interface ShownVariable {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

/** Variables as documentation and help texts show them, in order. */
export const shownVariables: readonly ShownVariable[] = Object.entries<Variable>(variables).map(
  ([name, { default: preset, shown, meaning }]) => ({ name, default: shown ?? preset ?? 'none', meaning }),
);
