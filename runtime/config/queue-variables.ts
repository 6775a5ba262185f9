/** Variables of the queue, its models and webhooks. */
import { parseAddress, parsePublicUrl } from './formats.js';
import { parseBoolean, parseDuration, parseNetworks, parseText, type Variable } from './values.js';

export const queueVariables = {
  TEMPORAL_ADDRESS: {
    parse: parseAddress,
    default: null,
    shown: 'none',
    meaning: '`host:port` of the Temporal server; without one requests of the queue wait',
  },
  TEMPORAL_NAMESPACE: {
    parse: parseText,
    default: null,
    shown: 'default',
    meaning: 'its namespace; `TEMPORAL_API_KEY` and `TEMPORAL_TLS_…` as for its own tools',
  },
  QUEUE_URL: {
    parse: parsePublicUrl,
    default: null,
    shown: 'PUBLIC_URL/queue',
    meaning: 'URL clients reach the queue at, where it is another one; its host is recognised',
  },
  RUN_URL: {
    parse: parsePublicUrl,
    default: null,
    shown: 'PUBLIC_URL/run',
    meaning: 'the same for models that are run at once',
  },
  QUEUE_RESULT_TTL: {
    parse: parseDuration,
    default: '7d',
    meaning: 'how long results are kept and webhooks tried',
  },
  QUEUE_FILE_TTL: {
    parse: parseDuration,
    default: '24h',
    meaning: 'how long files that models produce can be fetched',
  },
  QUEUE_FILES_DIR: {
    parse: parseText,
    default: '.svc/files',
    meaning: 'folder of these files, shared by API and workers',
  },
  WEBHOOK_ALLOW_CIDRS: {
    parse: parseNetworks,
    default: '',
    shown: 'none',
    meaning: 'comma-separated networks that webhooks may go to although they are not public',
  },
  WEBHOOK_ALLOW_HTTP: { parse: parseBoolean, default: 'false', meaning: 'webhooks may go to `http:` URLs' },
} as const satisfies Readonly<Record<string, Variable>>;
