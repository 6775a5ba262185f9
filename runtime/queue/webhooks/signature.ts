/**
 * Signs deliveries in two ways. Standard Webhooks `v1`: HMAC-SHA256 with each secret of the account.
 * `X-Svc-Webhook-*`: Ed25519 over request, user, time and hash of the body, for receivers without a shared secret; the
 * public keys are served as a JWK set.
 */
import { createHash, createHmac, createPublicKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { SigningKey } from '../store/secrets.js';

export interface SignedDelivery {
  /** `webhook-id`, the same on every attempt. */
  readonly id: string;
  readonly requestId: string;
  readonly account: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  /** The exact bytes of the request body. */
  readonly body: Buffer;
}

export interface Signers {
  /** `whsec_…`, newest first. */
  readonly secrets: readonly string[];
  /** Ed25519 private key. */
  readonly key: KeyObject;
}

/** Returns the headers of a delivery with both signatures, HMAC-SHA256 (Standard Webhooks) and Ed25519. */
export const signatureHeaders = (
  signed: SignedDelivery,
  { secrets, key }: Signers,
): Record<string, string> => ({
  'webhook-id': signed.id,
  'webhook-timestamp': String(signed.timestamp),
  'webhook-signature': secrets.map((secret) => `v1,${hmac(signed, secret)}`).join(' '),
  'x-svc-webhook-request-id': signed.requestId,
  'x-svc-webhook-user-id': signed.account,
  'x-svc-webhook-timestamp': String(signed.timestamp),
  'x-svc-webhook-signature': ed25519(signed, key),
});

const hmac = ({ id, timestamp, body }: SignedDelivery, secret: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64');

const ed25519 = ({ requestId, account, timestamp, body }: SignedDelivery, key: KeyObject): string => {
  const hash = createHash('sha256').update(body).digest('hex');
  const text = `${requestId}\n${account}\n${timestamp}\n${hash}`;
  return sign(null, Buffer.from(text), key).toString('hex');
};

/** Returns the public keys as a JWK set (RFC 7517, RFC 8037). */
export const toJwks = (keys: readonly SigningKey[]): { readonly keys: readonly JsonWebKey[] } => ({
  keys: keys.map(({ id, publicKey }) => ({
    ...createPublicKey(publicKey).export({ format: 'jwk' }),
    kid: id,
    use: 'sig',
    alg: 'EdDSA',
  })),
});
