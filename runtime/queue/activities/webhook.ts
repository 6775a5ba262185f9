/** The activity that delivers a webhook which was not accepted at first; Temporal keeps the time between attempts. */
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { Database } from '../../execute/database.js';
import { failureTypes, type DeliveryInput } from '../contract.js';
import { endDeliveries, findDelivery, markDeliveryStarted } from '../store/deliveries.js';
import type { Receivers } from '../webhook/receivers.js';
import type { Sender } from '../webhook/send.js';

export interface WebhookActivityOptions {
  readonly database: Database;
  readonly sender: Sender;
  readonly receivers: Receivers;
}

export const createWebhookActivities = ({ database, sender, receivers }: WebhookActivityOptions) => ({
  /**
   * @returns attempts that were needed
   * @throws ApplicationFailure: not to be repeated (`WebhookRefused`), or to be repeated later
   */
  async deliverWebhook({ deliveryId }: DeliveryInput): Promise<number> {
    const delivery = await findDelivery(database, deliveryId);
    if (delivery === null) throw refused('the delivery is not kept any more');
    if (delivery.state !== 'pending') return delivery.attempts;
    if (receivers.isFull(delivery.url)) throw later('the receiver is busy', busyDelay());
    await markDeliveryStarted(database, deliveryId);
    const leave = receivers.enter(delivery.url);
    const sent = await withPulse(() => sender.send(delivery)).finally(leave);
    if (sent.kind === 'accepted') return delivery.attempts + 1;
    if (sent.kind === 'refused') throw refused(sent.reason);
    throw later(sent.reason, sent.after);
  },

  async giveUpDelivery({ deliveryId }: DeliveryInput): Promise<void> {
    const delivery = await findDelivery(database, deliveryId);
    if (delivery?.state === 'pending') {
      await endDeliveries(database, [deliveryId], { state: 'failed', now: Date.now() });
    }
  },
});

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
