/** Variables of the queue, its models and webhooks. */
import { parseObjectStore } from './object-store.js';
import { parseAddress, parsePublicUrl } from './formats.js';
import { parseBoolean, parseDuration, parseNetworks, parseText, type Variable } from './values.js';

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
  WEBHOOK_ALLOW_CIDRS: {
    parse: parseNetworks,
    default: '',
    shown: 'none',
    meaning: 'comma-separated private networks that webhooks may target',
  },
  WEBHOOK_ALLOW_HTTP: { parse: parseBoolean, default: 'false', meaning: 'allows webhooks to `http:` URLs' },
} as const satisfies Readonly<Record<string, Variable>>;
