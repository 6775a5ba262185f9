/** Reads the configuration from the environment: once at start, validated as a whole, frozen. */
import { ConfigError, createReader, type Environment, type ReadVariable } from './environment.js';
import type { ObjectStoreAddress } from './object-store.js';
import { readProviders, type ProviderConfig } from './providers.js';
import { readSmtp, type SmtpConfig } from './smtp.js';
import { matchesForeignHosts, type Origins } from '../network/origins.js';
import type { LogLevel, LogStyle } from './variables.js';

export interface Config {
  readonly database: {
    readonly url: string;
    /** `DATABASE_URL` is not set, and `url` is the default. */
    readonly isDefault: boolean;
    readonly poolMax: number;
    /** Milliseconds until a statement is aborted. */
    readonly statementTimeout: number;
    /** True where small reads are sent together. */
    readonly pipeline: boolean;
    /** Milliseconds that a start waits for an unavailable database. */
    readonly wait: number;
    /** PEM text; `null`: the system's certificate authorities. */
    readonly ca: string | null;
    /** PostgreSQL schema of all tables, including system tables. */
    readonly schema: string;
  };
  /** Patterns with `*`; `include: []` admits every table. */
  readonly tables: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  readonly host: string;
  readonly port: number;
  /** Origin and path prefix, without a trailing slash; `null`: derived from host and port. */
  readonly publicUrl: string | null;
  /** Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  readonly trustProxy: { readonly hops: number; readonly ranges: readonly string[] };
  /** Origins whose pages may call the API from a browser; `null`: only the server's own. */
  readonly cors: { readonly origins: Origins; readonly credentials: boolean } | null;
  /** Attribute of the cookies of sessions. */
  readonly cookieSameSite: 'lax' | 'strict' | 'none';
  /** Port of health checks and metrics; `null`: no second listener. */
  readonly adminPort: number | null;
  /** Address of that listener. */
  readonly adminHost: string;
  /** Base URL of a receiver of OTLP over HTTP, for spans; `null`: none are recorded. */
  readonly traces: string | null;
  readonly access: {
    /** Milliseconds for which an access version that was read is relied on; 0: it is read for each request. */
    readonly lease: number;
  };
  /** Milliseconds between two looks for a changed schema; 0: requested ones only. */
  readonly schemaWatch: number | 'trigger';
  /** Milliseconds for which an apply waits for hosts that do not follow, and for locks of others. */
  readonly schemaApplyWait: number;
  /** Milliseconds after which a process that does not respond is replaced; 0: never. */
  readonly watchdog: number;
  /** Signing secrets, newest first; empty: the secret in `.svc/secret`. */
  readonly secret: readonly string[];
  readonly auth: {
    /** Lifetimes in milliseconds. */
    readonly accessTtl: number;
    readonly refreshTtl: number;
    readonly sessionTtl: number;
    /** Milliseconds until a password reset link expires. */
    readonly resetTtl: number;
    /** Milliseconds until the link of an invitation expires. */
    readonly inviteTtl: number;
    readonly passwordMinLength: number;
    readonly staticTokens: 'plain' | 'hashed';
    /** Allowed pages of reset links besides the built-in one. */
    readonly resetUrls: readonly string[];
    /** The same for links of invitations. */
    readonly inviteUrls: readonly string[];
    /** Disables login with a password. */
    readonly disableDefault: boolean;
    /** Single sign-on providers. */
    readonly providers: readonly ProviderConfig[];
  };
  readonly mail: {
    readonly from: string;
    /** `null`: no mail is sent. */
    readonly smtp: SmtpConfig | null;
  };
  /** Requests per user or address; `null`: unlimited. */
  readonly rateLimit: { readonly points: number; readonly duration: number } | null;
  /** Used by `bootstrap` only. */
  readonly admin: { readonly email: string; readonly token: string | null; readonly password: string | null };
  readonly query: {
    readonly limitDefault: number;
    /** `-1`: no maximum. */
    readonly limitMax: number;
    /** Maximum for unauthenticated callers; `-1`: none. */
    readonly limitMaxPublic: number;
    readonly relationalDepth: number;
    /** Rows of all nested lists of one answer; `-1`: no maximum. */
    readonly rowsMax: number;
    /** The same for unauthenticated callers. */
    readonly rowsMaxPublic: number;
  };
  readonly requestQueue: {
    readonly max: number;
    /** Milliseconds. */
    readonly wait: number;
  };
  /** Maximum memory in bytes of the answers that a process prepares or sends at a time. */
  readonly answerBytesMax: number;
  readonly queue: {
    /** `null`: `/queue` below the public URL. */
    readonly url: string | null;
    /** `null`: `/run` below the public URL. */
    readonly runUrl: string | null;
    /** Milliseconds that results are kept and webhooks retried. */
    readonly resultTtl: number;
    /** Milliseconds that files of models are available. */
    readonly fileTtl: number;
    readonly filesDir: string;
    /** `null`: files are in `filesDir`, which servers and workers share. */
    readonly filesStore: ObjectStoreAddress | null;
    /** Milliseconds that a worker that stops waits for the models that it runs. */
    readonly drain: number;
    /** Limits of accounts without one of their own; `null`: none. */
    readonly quotas: {
      readonly queued: number | null;
      readonly running: number | null;
      readonly submitted_per_minute: number | null;
      readonly stored_bytes: number | null;
      readonly log_bytes: number | null;
      readonly files: number | null;
      readonly redeliveries_per_hour: number | null;
    };
  };
  readonly temporal: {
    /** `null`: no Temporal server; requests of the queue wait. */
    readonly address: string | null;
    readonly namespace: string | null;
    /** URL of the Temporal UI without a trailing slash. */
    readonly ui: string | null;
  };
  readonly webhooks: {
    /** Non-public networks that webhooks may target. */
    readonly allowCidrs: readonly string[];
    readonly allowHttp: boolean;
  };
  readonly graphql: {
    /** True where introspection queries are allowed. */
    readonly introspection: boolean;
    /** Maximum number of lexical tokens in a document. */
    readonly tokenLimit: number;
  };
  /** Maximum size of a request body in bytes. */
  readonly payloadMax: number;
  /** Maximum size of a schema snapshot in bytes. */
  readonly schemaMax: number;
  /** Maximum size of the file of an import in bytes. */
  readonly importMax: number;
  /** Serves `/docs` and `/graphiql`. */
  readonly explorer: boolean;
  readonly log: { readonly level: LogLevel; readonly style: LogStyle };
}

/**
 * Reads and validates every variable.
 * @throws ConfigError listing every fault
 */
export const loadConfig = (environment: Environment): Config => {
  const faults: string[] = [];
  const read = createReader(environment, faults);
  const config: Config = {
    database: readDatabase(read, environment),
    tables: { include: read('TABLES_INCLUDE'), exclude: read('TABLES_EXCLUDE') },
    host: read('HOST'),
    port: read('PORT'),
    publicUrl: read('PUBLIC_URL'),
    trustProxy: read('TRUST_PROXY'),
    cors: readCors(read, faults),
    cookieSameSite: read('COOKIE_SAME_SITE'),
    adminPort: read('ADMIN_PORT'),
    adminHost: read('ADMIN_HOST'),
    traces: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    access: { lease: read('ACCESS_LEASE') },
    schemaWatch: read('SCHEMA_WATCH'),
    schemaApplyWait: read('SCHEMA_APPLY_WAIT'),
    watchdog: read('WATCHDOG'),
    secret: read('SECRET') ?? [],
    auth: readAuth(read, faults),
    mail: { from: read('EMAIL_FROM'), smtp: readSmtp(read) },
    rateLimit: readRateLimit(read),
    admin: { email: read('ADMIN_EMAIL'), token: read('ADMIN_TOKEN'), password: read('ADMIN_PASSWORD') },
    query: readQueryLimits(read),
    requestQueue: { max: read('REQUEST_QUEUE_MAX'), wait: read('REQUEST_QUEUE_WAIT') },
    answerBytesMax: read('ANSWER_BYTES_MAX'),
    queue: readQueue(read),
    temporal: {
      address: read('TEMPORAL_ADDRESS'),
      namespace: read('TEMPORAL_NAMESPACE'),
      ui: read('TEMPORAL_UI_URL'),
    },
    webhooks: { allowCidrs: read('WEBHOOK_ALLOW_CIDRS'), allowHttp: read('WEBHOOK_ALLOW_HTTP') },
    graphql: { introspection: read('GRAPHQL_INTROSPECTION'), tokenLimit: read('GRAPHQL_TOKEN_LIMIT') },
    payloadMax: read('MAX_PAYLOAD_SIZE'),
    schemaMax: read('SCHEMA_MAX_SIZE'),
    importMax: read('IMPORT_MAX_SIZE'),
    explorer: read('EXPLORER'),
    log: {
      level: read('LOG_LEVEL'),
      style: read('LOG_STYLE') ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    },
  };
  if (isSamePort(config)) faults.push(`ADMIN_PORT is "${config.port}", as PORT is; expected another port`);
  if (faults.length > 0) throw new ConfigError(faults);
  return freeze(config);
};

/** Returns whether both listeners would take one port; 0 is a free one for each. */
const isSamePort = ({ host, port, adminHost, adminPort }: Config): boolean => {
  if (port !== adminPort || port === 0) return false;
  return host === adminHost || [host, adminHost].some((each) => each === '0.0.0.0' || each === '::');
};

const readDatabase = (read: ReadVariable, environment: Environment): Config['database'] => ({
  url: read('DATABASE_URL'),
  isDefault: !environment.DATABASE_URL && !environment.DATABASE_URL_FILE,
  poolMax: read('DATABASE_POOL_MAX'),
  statementTimeout: read('DATABASE_STATEMENT_TIMEOUT'),
  pipeline: read('DATABASE_PIPELINE'),
  wait: read('DATABASE_WAIT'),
  ca: read('DATABASE_CA'),
  schema: read('DATABASE_SCHEMA'),
});

const readAuth = (read: ReadVariable, faults: string[]): Config['auth'] => ({
  accessTtl: read('ACCESS_TOKEN_TTL'),
  refreshTtl: read('REFRESH_TOKEN_TTL'),
  sessionTtl: read('SESSION_COOKIE_TTL'),
  resetTtl: read('PASSWORD_RESET_TTL'),
  inviteTtl: read('USER_INVITE_TTL'),
  passwordMinLength: read('PASSWORD_MIN_LENGTH'),
  staticTokens: read('STATIC_TOKENS'),
  resetUrls: read('PASSWORD_RESET_URL_ALLOW_LIST'),
  inviteUrls: read('USER_INVITE_URL_ALLOW_LIST'),
  disableDefault: read('AUTH_DISABLE_DEFAULT'),
  providers: readProviders(read('AUTH_PROVIDERS'), {
    read: (variable, prefix) => read(variable, variable.replace('AUTH_<NAME>_', prefix)),
    faults,
  }),
});

const readQueryLimits = (read: ReadVariable): Config['query'] => ({
  limitDefault: read('QUERY_LIMIT_DEFAULT'),
  limitMax: read('QUERY_LIMIT_MAX'),
  limitMaxPublic: read('QUERY_LIMIT_MAX_PUBLIC'),
  relationalDepth: read('MAX_RELATIONAL_DEPTH'),
  rowsMax: read('QUERY_ROWS_MAX'),
  rowsMaxPublic: read('QUERY_ROWS_MAX_PUBLIC'),
});

const readQueue = (read: ReadVariable): Config['queue'] => ({
  url: read('QUEUE_URL'),
  runUrl: read('RUN_URL'),
  resultTtl: read('QUEUE_RESULT_TTL'),
  fileTtl: read('QUEUE_FILE_TTL'),
  filesDir: read('QUEUE_FILES_DIR'),
  filesStore: read('QUEUE_FILES_URL'),
  drain: read('WORKER_DRAIN'),
  quotas: {
    queued: read('QUEUE_QUOTA_QUEUED'),
    running: read('QUEUE_QUOTA_RUNNING'),
    submitted_per_minute: read('QUEUE_QUOTA_SUBMITTED_PER_MINUTE'),
    stored_bytes: read('QUEUE_QUOTA_STORED_BYTES'),
    log_bytes: read('QUEUE_QUOTA_LOG_BYTES'),
    files: read('QUEUE_QUOTA_FILES'),
    redeliveries_per_hour: read('QUEUE_QUOTA_REDELIVERIES_PER_HOUR'),
  },
});

const readCors = (read: ReadVariable, faults: string[]): Config['cors'] => {
  const origins = read('CORS_ORIGIN');
  const credentials = read('CORS_CREDENTIALS');
  const foreign = origins === 'all' ? 'true' : origins.find(matchesForeignHosts);
  if (credentials && foreign !== undefined) {
    faults.push(
      `CORS_CREDENTIALS is on, but CORS_ORIGIN has "${foreign}", which would let third-party pages act as your users; list your own origins`,
    );
  }
  return origins.length === 0 ? null : { origins, credentials };
};

const readRateLimit = (read: ReadVariable): Config['rateLimit'] => {
  const points = read('RATE_LIMITER_POINTS');
  const duration = read('RATE_LIMITER_DURATION');
  return read('RATE_LIMITER_ENABLED') ? { points, duration } : null;
};

const freeze = <Value extends object>(value: Value): Value => {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null) freeze(part as object);
  return Object.freeze(value);
};
