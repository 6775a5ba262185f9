/** Variables of the queue, its models and webhooks. */
import { parseObjectStore } from './object-store.js';
import { parseAddress, parsePublicUrl } from './formats.js';
import {
  parseBoolean,
  parseDuration,
  parseInteger,
  parseNetworkTexts,
  parseSize,
  parseText,
  type Parse,
  type Variable,
} from './values.js';

/** A quota of accounts for which neither they nor their roles set one. */
const quota = (meaning: string, parse: Parse<number> = parseInteger(0)) => ({
  parse,
  default: null,
  shown: 'none',
  meaning: `${meaning}, unless \`svc_quotas\` says otherwise`,
});

export const queueVariables = {
  TEMPORAL_ADDRESS: {
    parse: parseAddress,
    default: null,
    shown: 'none',
    meaning: '`host:port` of the Temporal server; without it, requests of the queue wait',
  },
  TEMPORAL_NAMESPACE: {
    parse: parseText,
    default: null,
    shown: 'default',
    meaning: "Temporal namespace; `TEMPORAL_API_KEY` and `TEMPORAL_TLS_…` work as in Temporal's own tools",
  },
  TEMPORAL_UI_URL: {
    parse: parsePublicUrl,
    default: null,
    shown: 'none',
    meaning: 'URL of the Temporal UI, to which the page of operators links',
  },
  QUEUE_URL: {
    parse: parsePublicUrl,
    default: null,
    shown: 'PUBLIC_URL/queue',
    meaning: 'public URL of the queue, if it has its own host',
  },
  RUN_URL: {
    parse: parsePublicUrl,
    default: null,
    shown: 'PUBLIC_URL/run',
    meaning: 'public URL of synchronous runs, if it has its own host',
  },
  QUEUE_RESULT_TTL: {
    parse: parseDuration,
    default: '7d',
    meaning: 'how long results are kept and webhooks are retried',
  },
  QUEUE_FILE_TTL: {
    parse: parseDuration,
    default: '24h',
    meaning: 'how long files of results can be downloaded',
  },
  QUEUE_FILES_DIR: {
    parse: parseText,
    default: '.svc/files',
    meaning: 'folder of the files of results, shared by servers and workers; local with `QUEUE_FILES_URL`',
  },
  QUEUE_FILES_URL: {
    parse: parseObjectStore,
    default: null,
    shown: 'none',
    meaning:
      'S3-compatible store of the files of results: `https://key:secret@host/bucket/prefix?region=…`; `&public=` is the origin that clients use',
    secret: true,
  },
  WORKER_DRAIN: {
    parse: parseDuration,
    default: '10m',
    meaning: 'how long a worker that stops waits for the models that it runs, before others take them over',
  },
  QUEUE_QUOTA_QUEUED: quota('waiting requests of an account; more are refused'),
  QUEUE_QUOTA_RUNNING: quota('requests of an account that run, over all models; more wait'),
  QUEUE_QUOTA_SUBMITTED_PER_MINUTE: quota('requests that an account submits in a minute'),
  QUEUE_QUOTA_STORED_BYTES: quota('size of the inputs and results of an account', parseSize),
  QUEUE_QUOTA_LOG_BYTES: quota('size of the log lines of an account', parseSize),
  QUEUE_QUOTA_FILES: quota('files of results of an account'),
  QUEUE_QUOTA_REDELIVERIES_PER_HOUR: quota('webhooks that an account may have redelivered in an hour'),
  WEBHOOK_ALLOW_CIDRS: {
    parse: parseNetworkTexts,
    default: '',
    shown: 'none',
    meaning: 'comma-separated private networks that webhooks may target',
  },
  WEBHOOK_ALLOW_HTTP: { parse: parseBoolean, default: 'false', meaning: 'allows webhooks to `http:` URLs' },
} as const satisfies Readonly<Record<string, Variable>>;
