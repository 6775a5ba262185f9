/**
 * Every environment variable of svc with its parser, default and description: the source of parsing, `svc
 * start --help` and the table in `docs/environment.md`.
 */
import { parseAdminPort, parseEmail, parsePublicUrl, parseToken } from './formats.js';
import {
  parseBoolean,
  parseDuration,
  parseOneOf,
  parseSize,
  parseOrigins,
  parseProxies,
  parseText,
  parseInteger,
  type Variable,
} from './values.js';
import { authVariables } from './auth-variables.js';
import { databaseVariables } from './database-variables.js';
import { limitVariables } from './limit-variables.js';
import { queueVariables } from './queue-variables.js';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logStyles = ['json', 'pretty'] as const;
export type LogStyle = (typeof logStyles)[number];

const sameSites = ['lax', 'strict', 'none'] as const;

/**
 * Variables in the order of the documentation; `<NAME>` stands for a provider that `AUTH_PROVIDERS` names.
 */
export const variables = {
  ...databaseVariables,
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
  COOKIE_SAME_SITE: {
    parse: parseOneOf(sameSites),
    default: 'lax',
    meaning:
      'SameSite of the cookies of sessions: `lax`, `strict`, or `none` for pages of other sites, which requires HTTPS',
  },
  ADMIN_PORT: {
    parse: parseAdminPort,
    default: 'off',
    meaning: 'port of `/live`, `/ready`, `/health` and `/metrics`, of servers and workers',
  },
  ADMIN_HOST: {
    parse: parseText,
    default: '127.0.0.1',
    meaning: 'address that `ADMIN_PORT` listens on, without a login: one that only your own network reaches',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    parse: parsePublicUrl,
    default: null,
    shown: 'none',
    meaning:
      'URL of an OpenTelemetry collector that receives traces by OTLP over HTTP; without it, none are recorded',
  },
  ...authVariables,
  RATE_LIMITER_ENABLED: {
    parse: parseBoolean,
    default: 'true',
    meaning: 'limits the rate of requests, except for administrators',
  },
  RATE_LIMITER_POINTS: {
    parse: parseInteger(1),
    default: '500',
    meaning: 'requests per user, or per address without one, in each window, over all processes of a host',
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
  ...limitVariables,
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
