/** Attempts of a delivery that fail: the last one is the end of it. */
import { createHash, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { createSender, type Sender } from '../../runtime/queue/webhooks/send.js';
import { maxAttempts } from '../../runtime/queue/webhooks/retries.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { rotateSigningKey, signingKeys, webhookSecrets } from '../../runtime/queue/store/secrets.js';
import { insertDelivery } from '../../runtime/queue/store/deliveries.js';
import { useServer } from '../runtime/harness/use-server.js';
import { startReceiver, type Receiver } from './receiver.js';

describe('a delivery whose receiver fails', () => {
  const server = useServer({ dialect: 'sqlite' });
  let receiver: Receiver;
  let sender: Sender;

  beforeAll(async () => {
    receiver = await startReceiver();
    sender = createSender({
      database: server().database,
      policy: { allowed: ['127.0.0.0/8'], http: true },
      userAgent: 'svc/test',
      retryDelay: () => 7,
    });
  });
  afterAll(async () => {
    await sender.close();
    await receiver.close();
  });

  const sendAfter = async (attempts: number) => {
    const delivery = await insertDelivery(server().database, {
      id: createId(),
      request: null,
      account: createId(),
      url: `${receiver.url}/`,
      created: Date.now(),
    });
    receiver.answers.push(500);
    const result = await sender.send({ ...delivery, attempts });
    const [row] = await server().database.query('select state from svc_deliveries where id = ?', [
      delivery.id,
    ]);
    return { result, state: row?.state };
  };

  it(`is attempted ${maxAttempts} times`, async () => {
    expect(await sendAfter(maxAttempts - 2)).toEqual({
      result: { kind: 'failed', reason: 'status 500', after: 7 },
      state: 'pending',
    });
    expect(await sendAfter(maxAttempts - 1)).toEqual({
      result: { kind: 'refused', reason: 'status 500' },
      state: 'failed',
    });
  });

  it('is signed with the secret of its own account, whatever is sent at the same time', async () => {
    const { database } = server();
    const accounts = [createId(), createId(), createId()];
    const deliveries = await Promise.all(
      accounts.map((account) =>
        insertDelivery(database, {
          id: createId(),
          request: null,
          account,
          url: `${receiver.url}/${account}`,
          created: Date.now(),
        }),
      ),
    );
    await Promise.all(deliveries.map((delivery) => sender.send(delivery)));
    for (const account of accounts) {
      const [secret = ''] = await webhookSecrets(database, account, Date.now());
      const sent = receiver.received.find(({ path }) => path === `/${account}`);
      const headers = sent?.headers as Record<string, string>;
      expect(() => new Webhook(secret).verify(sent?.text ?? '', headers)).not.toThrow();
    }
  });

  it('is signed with the key that is published now, also after a rotation', async () => {
    const { database } = server();
    /** Returns whether a delivery that is sent now is signed with the key that signs now. */
    const isSignedWithCurrentKey = async (): Promise<boolean> => {
      const { id, ...delivery } = await insertDelivery(database, {
        id: createId(),
        request: null,
        account: createId(),
        url: `${receiver.url}/`,
        created: Date.now(),
      });
      await sender.send({ id, ...delivery });
      const sent = receiver.received.find(({ headers }) => headers['webhook-id'] === id);
      const of = (name: string): string => String(sent?.headers[`x-svc-webhook-${name}`]);
      const hash = createHash('sha256')
        .update(sent?.text ?? '')
        .digest('hex');
      const text = [of('request-id'), of('user-id'), of('timestamp'), hash].join('\n');
      const { signer } = await signingKeys(database, Date.now());
      return verify(null, Buffer.from(text), signer.publicKey, Buffer.from(of('signature'), 'hex'));
    };
    expect(await isSignedWithCurrentKey()).toBe(true);
    await rotateSigningKey(database, { now: Date.now(), atOnce: true });
    expect(await isSignedWithCurrentKey()).toBe(true);
  });
});
