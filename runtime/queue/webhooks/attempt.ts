/** Sends a delivery attempt with POST and interprets the response. */
import { request, type Agent } from 'undici';
import { readRetryAfter } from '../requests/retry-after.js';
import { BlockedAddress } from './connector.js';

export interface AttemptOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly agent: Agent;
  /** Aborts name resolution, connection, TLS handshake and response. */
  readonly signal: AbortSignal;
}

export type AttemptResult =
  | { readonly kind: 'accepted'; readonly status: number }
  /** The receiver rejected the delivery, which is not retried. */
  | { readonly kind: 'refused'; readonly status: number | null; readonly error: string }
  /** Retried; `after` is the `Retry-After` of the receiver in milliseconds. */
  | {
      readonly kind: 'failed';
      readonly status: number | null;
      readonly error: string;
      readonly after: number | null;
    };

/** Sends one attempt. It does not reject: a receiver that cannot be reached is a result too. */
export const attempt = async ({ url, agent, ...options }: AttemptOptions): Promise<AttemptResult> => {
  try {
    const { statusCode, headers, body } = await request(url, {
      ...options,
      method: 'POST',
      dispatcher: agent,
    });
    // discarded, because the response of an internal server may contain secrets
    body.dump({ limit: maxResponseBytes, signal: options.signal }).catch(() => undefined);
    return toResult(statusCode, headers['retry-after']);
  } catch (error) {
    return toFailure(error);
  }
};

/** Bytes of a response that are read before the connection is closed. */
const maxResponseBytes = 4_096;

const toResult = (status: number, retryAfter: string | string[] | undefined): AttemptResult => {
  if (status >= 200 && status < 300) return { kind: 'accepted', status };
  if (status >= 300 && status < 400) return { kind: 'refused', status, error: 'redirect' };
  if (status === 410) return { kind: 'refused', status, error: 'gone' };
  const after = typeof retryAfter === 'string' ? readRetryAfter(retryAfter, maxRetryAfter) : null;
  return { kind: 'failed', status, error: 'status', after };
};

/** Milliseconds. */
const maxRetryAfter = 3_600_000;

const errorsByCode: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['ECONNREFUSED', 'connection_refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
]);

const toFailure = (error: unknown): AttemptResult => {
  if (error instanceof BlockedAddress) return { kind: 'refused', status: null, error: 'blocked_address' };
  const { name, code = '' } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return failed('timeout');
  if (code.startsWith('CERT_') || code.startsWith('ERR_TLS') || code.includes('SELF_SIGNED'))
    return failed('tls');
  return failed(errorsByCode.get(code) ?? 'connection');
};

const failed = (error: string): AttemptResult => ({ kind: 'failed', status: null, error, after: null });
