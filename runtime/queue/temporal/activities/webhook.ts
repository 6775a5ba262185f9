/** The activities that deliver a webhook; Temporal keeps the time between attempts. */
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { Database } from '../../../databases/contract.js';
import { failureTypes, type DeliveryInput } from '../../contract.js';
import { findById } from '../../../concurrency/batch.js';
import { endDeliveries, findDeliveries } from '../../store/deliveries.js';
import type { Receivers } from '../../webhooks/receivers.js';
import type { Sender, Sent } from '../../webhooks/send.js';

export interface WebhookActivityOptions {
  readonly database: Database;
  readonly sender: Sender;
  readonly receivers: Receivers;
}

export const createWebhookActivities = ({ database, sender, receivers }: WebhookActivityOptions) => {
  const findDelivery = findById((ids) => findDeliveries(database, ids));

  const attempt = async (deliveryId: string): Promise<Sent> => {
    const delivery = await findDelivery(deliveryId);
    if (delivery === null) return { kind: 'refused', reason: 'the delivery is not kept any more' };
    const { state, attempts } = delivery;
    if (state === 'delivered') return { kind: 'accepted', attempts };
    if (state === 'failed') return { kind: 'refused', reason: 'the delivery was given up' };
    const leave = await receivers.enter(delivery.url);
    if (leave === null) return { kind: 'failed', reason: 'the receiver is busy', after: busyDelay() };
    return sender.send(delivery).finally(leave);
  };

  return {
    /** One attempt, as a local activity: what came of it is a result. */
    attemptWebhook: ({ deliveryId }: DeliveryInput): Promise<Sent> => attempt(deliveryId),

    /**
     * @returns attempts that were needed
     * @throws ApplicationFailure: not to be repeated (`WebhookRefused`), or to be repeated later
     */
    async deliverWebhook({ deliveryId }: DeliveryInput): Promise<number> {
      const sent = await withPulse(() => attempt(deliveryId));
      if (sent.kind === 'accepted') return sent.attempts;
      if (sent.kind === 'refused') throw refused(sent.reason);
      throw later(sent.reason, sent.after);
    },

    async giveUpDelivery({ deliveryId }: DeliveryInput): Promise<void> {
      const delivery = await findDelivery(deliveryId);
      if (delivery?.state === 'pending') {
        await endDeliveries(database, [deliveryId], { state: 'failed', now: Date.now() });
      }
    },
  };
};

/** Milliseconds before a receiver that has enough to do is asked again. */
const busyDelay = (): number => {
  const { attempt } = Context.current().info;
  return Math.round(2_000 * 2 ** Math.min(attempt, 7) * (0.75 + Math.random() / 2));
};

/** Says every while that this worker still lives: another one need not wait for the time of a whole attempt. */
const withPulse = async <Result>(body: () => Promise<Result>): Promise<Result> => {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), 2_000);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
};

const later = (message: string, nextRetryDelay: number): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'WebhookFailed', category: 'BENIGN', nextRetryDelay });

const refused = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: failureTypes.refused, nonRetryable: true, category: 'BENIGN' });
