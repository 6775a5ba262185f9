/** Signatures of webhooks, checked by the library that receivers use. */
import { createHash, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../runtime/queue/webhooks/signature.js';

const secret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

const body = Buffer.from('{"status":"OK"}');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

const sign = (secrets: readonly string[]) =>
  signatureHeaders(
    { id: 'msg', requestId: 'req', account: 'ann', timestamp: Math.floor(Date.now() / 1000), body },
    { secrets, key: privateKey },
  );

describe('a delivery', () => {
  it('is signed with every secret of a rotation', () => {
    const [fresh, old] = [secret(), secret()];
    const headers = sign([fresh, old]);
    for (const each of [fresh, old])
      expect(new Webhook(each).verify(body.toString(), headers)).toEqual({ status: 'OK' });
    expect(() => new Webhook(secret()).verify(body.toString(), headers)).toThrow('No matching signature');
  });

  it('is signed over request, user, time and body for receivers without a secret', () => {
    const headers = sign([]);
    const hash = createHash('sha256').update(body).digest('hex');
    const text = `req\nann\n${headers['x-svc-webhook-timestamp']}\n${hash}`;
    const signature = Buffer.from(headers['x-svc-webhook-signature'] ?? '', 'hex');
    expect(verify(null, Buffer.from(text), publicKey, signature)).toBe(true);
    expect(headers['webhook-signature']).toBe('');
  });
});
