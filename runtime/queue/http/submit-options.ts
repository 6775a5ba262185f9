/** Parses the query and headers of a submission; all errors are reported together. */
import type { ApiRequest } from '../../request/api-request.js';
import { readTraceparent } from '../../tracing/traceparent.js';
import type { Detail } from '../requests/outcome.js';
import { findTargetError, type TargetPolicy } from '../webhooks/target.js';
import { QueueError } from '../requests/queue-error.js';
import type { SubmitOptions } from '../requests/submit.js';

/** Reads the options of a submission from query string and headers. @throws QueueError 422 with all problems */
export const readSubmitOptions = (
  { query, headers }: Pick<ApiRequest, 'query' | 'headers'>,
  policy: TargetPolicy,
): SubmitOptions => {
  const details: Detail[] = [];
  const parameters = new URLSearchParams(query);
  const read = createReader(details);
  const header = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  const options: SubmitOptions = {
    webhook: read(['query', 'svc_webhook'], parameters.get('svc_webhook'), parseWebhook(policy)),
    maxQueueLength: read(
      ['query', 'svc_max_queue_length'],
      parameters.get('svc_max_queue_length'),
      parseLength,
    ),
    idempotencyKey: read(['header', 'Idempotency-Key'], header('Idempotency-Key'), parseKey),
    startTimeout: read(
      ['header', 'X-Svc-Request-Start-Timeout'],
      header('X-Svc-Request-Start-Timeout') ?? header('X-Svc-Request-Timeout'),
      parseTimeout,
    ),
    priority: header('X-Svc-Queue-Priority') === 'low' ? -1 : 0,
    retry: !/^(1|true|yes)$/i.test(header('X-Svc-No-Retry') ?? ''),
    storeIo: header('X-Svc-Store-IO') !== '0',
    filesTtl: read(
      ['header', 'X-Svc-Object-Lifecycle-Preference'],
      header('X-Svc-Object-Lifecycle-Preference'),
      parseLifecycle,
    ),
    tags: read(['header', 'X-Svc-Tags'], header('X-Svc-Tags'), parseTags),
    traceparent: readTraceparent(headers['traceparent']),
  };
  details.push(...findUnknown(parameters));
  if (details.length > 0) throw new QueueError(422, details);
  return options;
};

const known: readonly string[] = ['svc_webhook', 'svc_max_queue_length'];

/** A misspelled parameter is reported: a webhook that nobody sends would be missed only later. Others belong to callers. */
const findUnknown = (parameters: URLSearchParams): readonly Detail[] =>
  [...parameters.keys()]
    .filter((name) => /^svc/i.test(name) && !known.includes(name))
    .map((name) => ({
      loc: ['query', name],
      msg: `unknown; expected ${known.join(' or ')}`,
      type: 'value_error.unknown',
    }));

/** Parses a value. @throws Error with a message that names the expected format */
type Parse<Value> = (text: string) => Value;

const createReader =
  (details: Detail[]) =>
  <Value>(loc: readonly string[], text: string | null, parse: Parse<Value>): Value | null => {
    if (text === null) return null;
    try {
      return parse(text);
    } catch (error) {
      details.push({ loc, msg: (error as Error).message, type: `value_error.${typeOf(loc)}` });
      return null;
    }
  };

const typeOf = (loc: readonly string[]): string =>
  (loc.at(-1) ?? '')
    .toLowerCase()
    .replace(/^(x-svc-|svc_)/, '')
    .replaceAll('-', '_');

const parseWebhook =
  (policy: TargetPolicy): Parse<string> =>
  (text) => {
    const refusal = findTargetError(text, policy);
    if (refusal !== null) throw new Error(refusal);
    return new URL(text).href;
  };

const parseLength: Parse<number> = (text) => {
  if (!/^\d{1,9}$/.test(text)) throw new Error('expected a whole number, 0 or more');
  return Number(text);
};

const parseKey: Parse<string> = (text) => {
  if (text === '' || text.length > 255) throw new Error('expected 1 to 255 characters');
  return text;
};

const parseTimeout: Parse<number> = (text) => {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0.1)) throw new Error('expected seconds, more than 0.1');
  return Math.min(seconds, 7 * 86_400);
};

/** Largest 32-bit integer, the range of the database column; 68 years. */
const maxSeconds = 2 ** 31 - 1;

/** Ignores the other members of the preference: they concern access control, which files here do not have. */
const parseLifecycle: Parse<number | null> = (text) => {
  const { expiration_duration_seconds: seconds = null } = parseObject(text);
  if (seconds === null) return null;
  if (Number.isInteger(seconds) && Number(seconds) > 0) return Math.min(Number(seconds), maxSeconds);
  throw new Error('expected {"expiration_duration_seconds": n} with a whole number, 1 or more');
};

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>;
  } catch {
    // reported below
  }
  throw new Error('expected a JSON object');
};

const maxTags = 10;

const parseTags: Parse<string> = (text) => {
  if (text.length > 1024) throw new Error('expected at most 1024 characters');
  const pairs = text.split(',').map((pair): [string, string] => {
    const [, key = '', value = ''] = /^\s*([a-z0-9._-]{1,64})=(.{0,256})$/.exec(pair) ?? [];
    if (key === '' || key.startsWith('svc.')) {
      throw new Error('expected key=value, joined by commas; keys of small letters, digits and ._-');
    }
    return [key, value];
  });
  if (pairs.length > maxTags) throw new Error(`expected at most ${maxTags} pairs`);
  return JSON.stringify(Object.fromEntries(pairs));
};
