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
  parseList,
  parseOneOf,
  parseOrigins,
  parseProxies,
  parseSize,
  parseText,
  parseUrls,
  parseWhole,
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
    meaning: 'PostgreSQL: the schema that is served; the system tables are in it as well',
  },
  DATABASE_POOL_MAX: {
    parse: parseWhole(2, 1000),
    default: '10',
    meaning: 'connections per process, at least 2',
  },
  DATABASE_STATEMENT_TIMEOUT: {
    parse: parseDuration,
    default: '30s',
    meaning: 'a statement that runs longer is stopped; `0` for never',
  },
  DATABASE_WAIT: {
    parse: parseDuration,
    default: '30s',
    meaning: 'how long a start waits for a database that is not up',
  },
  TABLES_INCLUDE: {
    parse: parseList,
    default: '',
    shown: 'all',
    meaning: 'comma-separated table names to serve, `*` stands for anything',
  },
  TABLES_EXCLUDE: {
    parse: parseList,
    default: '',
    shown: 'none',
    meaning: 'the same for tables to leave out; wins over include',
  },
  HOST: {
    parse: parseText,
    default: '127.0.0.1',
    meaning: 'address to listen on; `0.0.0.0` for every interface',
  },
  PORT: { parse: parseWhole(0, 65_535), default: '8080', meaning: 'port to listen on; `0` for a free one' },
  PUBLIC_URL: {
    parse: parsePublicUrl,
    default: null,
    shown: 'from host and port',
    meaning: 'URL clients use; may carry a path prefix',
  },
  TRUST_PROXY: {
    parse: parseProxies,
    default: 'off',
    meaning: 'proxies in front: how many, or comma-separated addresses and CIDR ranges',
  },
  CORS_ORIGIN: {
    parse: parseOrigins,
    default: 'off',
    meaning: 'origins whose pages may call the API: a list, `https://*.shop.example`, or `true` for all',
  },
  CORS_CREDENTIALS: {
    parse: parseBoolean,
    default: 'false',
    meaning: 'lets these pages act by cookie; not with `true` or a pattern that matches foreign domains',
  },
  ADMIN_PORT: {
    parse: parseAdminPort,
    default: 'off',
    meaning: 'second listener with `/live` and `/ready`, for probes',
  },
  SECRET: {
    parse: parseSecret,
    default: null,
    shown: '.svc/secret',
    meaning: 'signs tokens, at least 32 bytes; `new,old` while it is being changed',
    secret: true,
  },
  ACCESS_TOKEN_TTL: {
    parse: parseDuration,
    default: '15m',
    meaning: 'how long an access token of a login holds',
  },
  REFRESH_TOKEN_TTL: {
    parse: parseDuration,
    default: '7d',
    meaning: 'how long a login lasts without being refreshed',
  },
  SESSION_COOKIE_TTL: {
    parse: parseDuration,
    default: '1d',
    meaning: 'the same for a login that lives in a cookie alone',
  },
  PASSWORD_RESET_TTL: {
    parse: parseDuration,
    default: '1d',
    meaning: 'how long the link to a new password holds',
  },
  PASSWORD_RESET_URL_ALLOW_LIST: {
    parse: parseUrls,
    default: '',
    shown: 'none',
    meaning: 'comma-separated URLs that `reset_url` may be, compared by origin and path',
  },
  AUTH_DISABLE_DEFAULT: { parse: parseBoolean, default: 'false', meaning: 'nobody logs in with a password' },
  AUTH_PROVIDERS: {
    parse: parseList,
    default: '',
    shown: 'none',
    meaning: 'comma-separated names of single sign-on providers, each set up by `AUTH_<NAME>_…`',
  },
  ...providerVariables,
  EMAIL_FROM: { parse: parseText, default: 'no-reply@example.com', meaning: 'sender of mails' },
  EMAIL_SMTP_HOST: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'server that takes mails; without one none is sent',
  },
  EMAIL_SMTP_PORT: {
    parse: parseWhole(1, 65_535),
    default: null,
    shown: '587, else 465',
    meaning: 'its port; 465 where `EMAIL_SMTP_SECURE` is on',
  },
  EMAIL_SMTP_USER: { parse: parseText, default: null, shown: 'none', meaning: 'name to log in with' },
  EMAIL_SMTP_PASSWORD: {
    parse: parseText,
    default: null,
    shown: 'none',
    meaning: 'password to log in with',
    secret: true,
  },
  EMAIL_SMTP_SECURE: {
    parse: parseBoolean,
    default: 'false',
    meaning: 'TLS from the first byte; otherwise as soon as the server offers it',
  },
  RATE_LIMITER_ENABLED: {
    parse: parseBoolean,
    default: 'true',
    meaning: 'limits requests, except those of administrators',
  },
  RATE_LIMITER_POINTS: {
    parse: parseWhole(1),
    default: '500',
    meaning: 'requests of one user, else of one address, within the duration, in each process',
  },
  RATE_LIMITER_DURATION: {
    parse: parseDuration,
    default: '1',
    meaning: 'the duration: seconds, or as in `1m`',
  },
  ADMIN_EMAIL: {
    parse: parseEmail,
    default: 'admin@example.com',
    meaning: '`svc bootstrap`: the first administrator',
  },
  ADMIN_TOKEN: {
    parse: parseToken,
    default: null,
    shown: 'random, printed once',
    meaning: '`svc bootstrap`: static token of that administrator',
    secret: true,
  },
  ADMIN_PASSWORD: {
    parse: parseText,
    default: null,
    shown: 'random, printed once',
    meaning: '`svc bootstrap`: password of that administrator',
    secret: true,
  },
  QUERY_LIMIT_DEFAULT: {
    parse: parseWhole(-1),
    default: '100',
    meaning: 'rows of a list when `limit` is not given',
  },
  QUERY_LIMIT_MAX: {
    parse: parseWhole(-1),
    default: '-1',
    meaning: 'most rows a caller may ask for; `-1` for no maximum',
  },
  QUERY_LIMIT_MAX_PUBLIC: {
    parse: parseWhole(-1),
    default: '1000',
    meaning: 'the same for callers without a token',
  },
  MAX_RELATIONAL_DEPTH: {
    parse: parseWhole(1, 100),
    default: '10',
    meaning: 'how deep `fields`, `filter` and `sort` may nest',
  },
  MAX_PAYLOAD_SIZE: { parse: parseSize, default: '1mb', meaning: 'largest request body' },
  ...queueVariables,
  GRAPHQL_INTROSPECTION: {
    parse: parseBoolean,
    default: 'true',
    meaning: 'lets callers see the GraphQL schema, each as far as they may use it',
  },
  GRAPHQL_TOKEN_LIMIT: {
    parse: parseWhole(1),
    default: '5000',
    meaning: 'words and signs that a GraphQL document may have',
  },
  EXPLORER: {
    parse: parseBoolean,
    default: 'false',
    meaning: 'serves `/docs` and `/graphiql`; on in the demo',
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
