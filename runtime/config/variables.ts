/** The one list of what may be set in the environment: help texts and the README are checked against it. */
import { providerVariables } from './providers.js';
import type { Variable } from './values.js';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logStyles = ['json', 'pretty'] as const;
export type LogStyle = (typeof logStyles)[number];

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
    meaning: 'requests of one user, else of one address, within the duration, in each process',
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

export type VariableName = (typeof variables)[number]['name'];
