/**
 * Verifies webhooks of the API. Deliveries have two signatures: one with the secret of the account (Standard Webhooks),
 * and one that can be verified with the API's public keys.
 */

/** The body of a webhook. */
export interface WebhookNotification<Payload = unknown> {
  readonly request_id: string;
  readonly gateway_request_id: string;
  readonly status: 'OK' | 'ERROR';
  /** The result, or the details of the error. */
  readonly payload: Payload | null;
  /** `Invalid status code: <status>` for a failed request. */
  readonly error: string | null;
  /** Reason why there is no payload. */
  readonly payload_error?: string;
}

/** A request as received. The body must be the original bytes, not parsed and serialized again. */
export interface ReceivedWebhook {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
}

export type VerifierOptions = (
  | {
      /** `whsec_…`; several during a rotation. */
      readonly secret: string | readonly string[];
    }
  | {
      /** URL of the API, whose keys are read from `/.well-known/jwks.json`. */
      readonly url: string;
      /** Replaces the global `fetch`. */
      readonly fetch?: typeof fetch | undefined;
    }
) & {
  /** Maximum difference of the webhook's time from the current time, in seconds; 300 by default. */
  readonly tolerance?: number | undefined;
};

/** Thrown for a webhook that the API did not send, or not within the tolerance. */
export class WebhookError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookError';
  }
}

/**
 * Creates a function that verifies webhooks with a secret or with the public keys of the API.
 *
 * @example
 * const verify = createWebhookVerifier({ url: 'https://api.example.com' });
 * const { request_id, status, payload } = await verify({ headers: request.headers, body });
 *
 * @throws WebhookError
 */
export const createWebhookVerifier = (options: VerifierOptions) => {
  const { tolerance = 300 } = options;
  const check = 'secret' in options ? checkSecrets([options.secret].flat()) : checkKeys(options);
  return async <Payload = unknown>(received: ReceivedWebhook): Promise<WebhookNotification<Payload>> => {
    const body = typeof received.body === 'string' ? encode(received.body) : received.body;
    const header = readerOf(received.headers);
    const { time, isValid } = await check(header, body);
    if (!(Math.abs(Date.now() / 1000 - time) <= tolerance)) {
      throw new WebhookError('the time of the webhook is not within the tolerance; check the clock');
    }
    if (!isValid) throw new WebhookError('the signature of the webhook is wrong');
    return JSON.parse(new TextDecoder().decode(body)) as WebhookNotification<Payload>;
  };
};

type Header = (name: string) => string;

interface Checked {
  /** Seconds since 1970. */
  readonly time: number;
  readonly isValid: boolean;
}

type Check = (header: Header, body: Uint8Array) => Promise<Checked>;

const readerOf =
  (headers: ReceivedWebhook['headers']): Header =>
  (name) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value === 'string') return value;
    throw new WebhookError(`the header "${name}" is missing`);
  };

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Concatenates buffers into a new one, which is never a shared buffer. */
const join = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
};

/** Verifies an HMAC-SHA256 of id, time and body (Standard Webhooks). */
const checkSecrets =
  (secrets: readonly string[]): Check =>
  async (header, body) => {
    const time = header('webhook-timestamp');
    const text = join(encode(`${header('webhook-id')}.${time}.`), body);
    const signatures = header('webhook-signature')
      .split(' ')
      .filter((signature) => signature.startsWith('v1,'))
      .map((signature) => fromBase64(signature.slice('v1,'.length)));
    const keys = await Promise.all(secrets.map(toHmacKey));
    const checks = keys.flatMap((key) =>
      signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, text)),
    );
    return { time: Number(time), isValid: (await Promise.all(checks)).includes(true) };
  };

const toHmacKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'raw',
    fromBase64(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );

/** Verifies an Ed25519 signature of request id, user id, time and the hash of the body. */
const checkKeys = ({ url, fetch = globalThis.fetch }: Extract<VerifierOptions, { url: string }>): Check => {
  const keys = createKeyStore(`${url.replace(/\/+$/, '')}/.well-known/jwks.json`, fetch);
  return async (header, body) => {
    const time = header('x-svc-webhook-timestamp');
    const hash = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', join(body))));
    const ids = [header('x-svc-webhook-request-id'), header('x-svc-webhook-user-id')];
    const text = encode([...ids, time, hash].join('\n'));
    const signature = fromHex(header('x-svc-webhook-signature'));
    const isSigned = async (some: readonly CryptoKey[]): Promise<boolean> => {
      const checks = some.map((key) => crypto.subtle.verify('Ed25519', key, signature, text));
      return (await Promise.all(checks)).includes(true);
    };
    const isValid = (await isSigned(await keys.known())) || (await isSigned(await keys.renewed()));
    return { time: Number(time), isValid };
  };
};

/** Milliseconds after which keys are read again: always, and when no key matches a signature. */
const [keysTtl, minKeysAge] = [86_400_000, 300_000];

const createKeyStore = (url: string, fetch: typeof globalThis.fetch) => {
  let keys: Promise<readonly CryptoKey[]> | null = null;
  let read = 0;
  const renew = (after: number): Promise<readonly CryptoKey[]> => {
    if (keys !== null && Date.now() - read < after) return keys;
    read = Date.now();
    const loading = readKeys(url, fetch);
    keys = loading;
    loading.catch(() => {
      keys = null;
    });
    return loading;
  };
  return { known: () => renew(keysTtl), renewed: () => renew(minKeysAge) };
};

const readKeys = async (url: string, fetch: typeof globalThis.fetch): Promise<readonly CryptoKey[]> => {
  const response = await fetch(url);
  if (!response.ok) throw new WebhookError(`${url} gives no keys (status ${response.status})`);
  const { keys } = (await response.json()) as { readonly keys: readonly JsonWebKey[] };
  return Promise.all(
    keys
      .filter(({ crv }) => crv === 'Ed25519')
      .map(({ kty = '', crv = '', x = '' }) =>
        crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']),
      ),
  );
};

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  if (text === '') throw new WebhookError('a secret or signature is empty');
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookError('a secret or signature is not Base64');
  }
};

const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
