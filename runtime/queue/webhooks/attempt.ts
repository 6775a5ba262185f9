/** One attempt to deliver: a POST, and what its answer means. */
import { request, type Agent } from 'undici';
import { BlockedAddress } from './connector.js';

export interface AttemptOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly agent: Agent;
  /** Over name, connection, encryption and answer together. */
  readonly signal: AbortSignal;
}

export type AttemptResult =
  | { readonly kind: 'accepted'; readonly status: number }
  /** Not to be repeated. */
  | { readonly kind: 'refused'; readonly status: number | null; readonly error: string }
  /** To be repeated; `after`: milliseconds the receiver asks for. */
  | {
      readonly kind: 'failed';
      readonly status: number | null;
      readonly error: string;
      readonly after: number | null;
    };

export const attempt = async ({ url, agent, ...options }: AttemptOptions): Promise<AttemptResult> => {
  try {
    const { statusCode, headers, body } = await request(url, {
      ...options,
      method: 'POST',
      dispatcher: agent,
    });
    // what a receiver says is nobody's business: an inner one might say secrets
    body.dump({ limit: mostAnswer, signal: options.signal }).catch(() => undefined);
    return judge(statusCode, headers['retry-after']);
  } catch (error) {
    return explain(error);
  }
};

/** Bytes; after a longer answer the connection is closed. */
const mostAnswer = 4_096;

const judge = (status: number, retryAfter: string | string[] | undefined): AttemptResult => {
  if (status >= 200 && status < 300) return { kind: 'accepted', status };
  if (status >= 300 && status < 400) return { kind: 'refused', status, error: 'redirect' };
  if (status === 410) return { kind: 'refused', status, error: 'gone' };
  return { kind: 'failed', status, error: 'status', after: readRetryAfter(retryAfter) };
};

const longestWait = 3_600_000;

/** RFC 9110 §10.2.3: seconds or a date; at most an hour. */
const readRetryAfter = (value: string | string[] | undefined): number | null => {
  if (typeof value !== 'string') return null;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) || wait <= 0 ? null : Math.min(wait, longestWait);
};

const errorsByCode: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['ECONNREFUSED', 'connection_refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
]);

const explain = (error: unknown): AttemptResult => {
  if (error instanceof BlockedAddress) return { kind: 'refused', status: null, error: 'blocked_address' };
  const { name, code = '' } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return failed('timeout');
  if (code.startsWith('CERT_') || code.startsWith('ERR_TLS') || code.includes('SELF_SIGNED'))
    return failed('tls');
  return failed(errorsByCode.get(code) ?? 'connection');
};

const failed = (error: string): AttemptResult => ({ kind: 'failed', status: null, error, after: null });
