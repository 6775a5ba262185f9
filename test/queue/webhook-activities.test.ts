/** Delivery activities, for every outcome of sending. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../runtime/databases/contract.js';
import type { DeliveryInput } from '../../runtime/queue/contract.js';
import { findDeliveries, insertDelivery } from '../../runtime/queue/store/deliveries.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { createWebhookActivities } from '../../runtime/queue/temporal/activities/webhook.js';
import { createReceivers, type Permit } from '../../runtime/queue/webhooks/receivers.js';
import type { Sender, SendResult } from '../../runtime/queue/webhooks/send.js';
import { createTestDatabase } from '../databases.js';
import { systemTemplate } from '../templates.js';

const row = {
  id: 'd',
  request: null,
  account: 'ann',
  url: 'http://receiver:81/',
  state: 'pending',
  round: 1,
  attempted: 2,
  date_created: 0,
  date_ended: null,
};

interface Given {
  /** One that answers with the rows below by default. */
  readonly database?: Database;
  readonly rows?: readonly object[];
  readonly pauses?: readonly object[];
  send?(): Promise<SendResult>;
}

/** Activities with one permit for each receiver; attempts do not wait for it. */
const createActivities = ({
  database,
  rows = [row],
  pauses = [],
  send = async () => ({ kind: 'accepted', attempts: 3 }),
}: Given) => {
  const receivers = createReceivers({ maxPerReceiver: 1, maxWaiting: 0 });
  const sent: string[] = [];
  const activities = createWebhookActivities({
    database:
      database ??
      ({
        quote: (name: string) => name,
        query: async (text: string) => (text.includes('svc_pauses') ? pauses : rows),
        write: async () => ({ affected: 1 }),
      } as unknown as Database),
    sender: {
      send: ({ id }) => {
        sent.push(id);
        return send();
      },
      close: async () => undefined,
    } satisfies Sender,
    receivers,
  });
  return { activities, receivers, sent };
};

const delivery = { deliveryId: 'd', round: 1 } as DeliveryInput;

describe('the slot of an attempt', () => {
  it.each<[string, Given['send']]>([
    ['is given back when it ends', undefined],
    ['is given back when sending throws', () => Promise.reject(new Error('no database'))],
  ])('%s', async (_, send) => {
    const { activities, receivers } = createActivities({ ...(send !== undefined && { send }) });
    await activities.attemptWebhook(delivery).catch(() => undefined);
    expect((await receivers.acquire(row)).kind).toBe('permit');
  });

  it('is no failure of the receiver where sending throws', async () => {
    const { activities, sent } = createActivities({ send: () => Promise.reject(new Error('no database')) });
    for (let attempt = 0; attempt < 30; attempt += 1)
      await activities.attemptWebhook(delivery).catch(() => undefined);
    expect(sent).toHaveLength(30);
  });

  it('is acquired before sending, later if none is free', async () => {
    const { activities, receivers, sent } = createActivities({});
    const permit = (await receivers.acquire(row)) as Permit;
    const environment = new MockActivityEnvironment({ attempt: 1 });
    const answer = await environment.run(() => activities.attemptWebhook(delivery));
    expect(answer).toEqual({ kind: 'failed', reason: 'the receiver is busy', after: expect.any(Number) });
    permit.release('ok');
    expect(await activities.attemptWebhook(delivery)).toEqual({ kind: 'accepted', attempts: 3 });
    expect(sent).toEqual(['d']);
  });

  it.each([
    ['is gone', [], { kind: 'refused' }],
    ['was delivered', [{ ...row, state: 'delivered' }], { kind: 'accepted', attempts: 2 }],
    ['was given up', [{ ...row, state: 'failed' }], { kind: 'refused' }],
    ['was started again meanwhile', [{ ...row, round: 2 }], { kind: 'refused' }],
  ])('is not acquired for a delivery that %s', async (_, rows, answer) => {
    const { activities, sent } = createActivities({ rows });
    expect(await activities.attemptWebhook(delivery)).toMatchObject(answer);
    expect(sent).toEqual([]);
  });

  it.each([
    ['endpoint', 'http://receiver:81'],
    ['account', 'ann'],
  ])('is not acquired while an operator has paused its %s', async (kind, name) => {
    const { activities, sent } = createActivities({ pauses: [{ kind, name }] });
    expect(await activities.attemptWebhook(delivery)).toMatchObject({
      kind: 'failed',
      reason: 'paused by an operator',
    });
    expect(sent).toEqual([]);
  });
});

describe('giving up', () => {
  it('ends a pending delivery, but not one that was started again meanwhile', async () => {
    const { database, drop } = await createTestDatabase('sqlite', {
      template: await systemTemplate('sqlite'),
    });
    try {
      const { activities } = createActivities({ database });
      const ids = [createId(), createId()];
      const url = 'http://receiver:81/';
      for (const id of ids)
        await insertDelivery(database, { id, request: null, account: createId(), url, created: 0 });
      const values = [ids[1] ?? ''];
      await database.write({ text: 'update svc_deliveries set round = 2 where id = ?', values });
      for (const deliveryId of ids) await activities.giveUpDelivery({ ...delivery, deliveryId });
      const states = new Map((await findDeliveries(database, ids)).map(({ id, state }) => [id, state]));
      expect(ids.map((id) => states.get(id))).toEqual(['failed', 'pending']);
    } finally {
      await drop();
    }
  });
});
