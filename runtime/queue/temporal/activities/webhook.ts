/** The activities that deliver a webhook; Temporal schedules the retries. */
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { QueueObservation } from '../../../observe.js';
import type { Database } from '../../../databases/contract.js';
import { failureTypes, type DeliveryInput } from '../../contract.js';
import { findById } from '../../../concurrency/batch.js';
import { watchPauses } from '../../store/pauses.js';
import {
  findDeliveries,
  scheduleNext,
  type Delivery,
  type DeliveryPostponement,
} from '../../store/deliveries.js';
import { failDelivery } from '../../store/started-deliveries.js';
import type { DeliveryOutcome } from '../../webhooks/breaker.js';
import type { Receivers } from '../../webhooks/receivers.js';
import type { Sender, SendResult } from '../../webhooks/send.js';
import { withHeartbeat } from './heartbeat.js';

export interface WebhookActivityOptions {
  readonly database: Database;
  readonly sender: Sender;
  readonly receivers: Pick<Receivers, 'acquire'>;
  readonly observe?: (observation: QueueObservation) => void;
}

/** Milliseconds that a delivery is postponed while an operator has paused its account or endpoint. */
const pauseDelay = 30_000;

/** Creates the activities. An attempt that fails throws, by which Temporal schedules the next one. */
export const createWebhookActivities = (options: WebhookActivityOptions) => {
  const { database, observe = () => undefined } = options;
  const pauses = watchPauses(database);
  const findDelivery = findById((ids) => findDeliveries(database, ids));

  /** Records why and until when no attempt is made, which its owner can read; the attempts stay as many. */
  const postpone = async (
    { id }: Delivery,
    postponed: DeliveryPostponement,
    after: number,
  ): Promise<SendResult> => {
    observe({ kind: 'webhookPostponed', reason: postponed });
    // only what is shown depends on it
    await scheduleNext(database, { id, next: Date.now() + after, postponed }).catch(() => undefined);
    return { kind: 'failed', reason: postponeReasons[postponed], after };
  };

  const attempt = async ({ deliveryId, round }: DeliveryInput): Promise<SendResult> => {
    const delivery = await findDelivery(deliveryId);
    if (delivery === null) return { kind: 'refused', reason: 'the delivery has expired' };
    const { state, attempts } = delivery;
    if (delivery.round !== round) return { kind: 'refused', reason: 'it was started again' };
    if (state === 'delivered') return { kind: 'accepted', attempts };
    if (state === 'failed') return { kind: 'refused', reason: 'the delivery was given up' };
    const paused = await pauses.read();
    if (paused.has('endpoint', new URL(delivery.url).origin) || paused.has('account', delivery.account))
      return postpone(delivery, 'paused', jitter(pauseDelay));
    return sendInSlot(delivery, { ...options, postpone });
  };

  return {
    /** Makes one attempt, as a local activity, and returns failures as results. */
    attemptWebhook: (input: DeliveryInput): Promise<SendResult> => attempt(input),

    /**
     * Makes one attempt.
     * @returns the number of attempts made
     * @throws ApplicationFailure, either permanent (`WebhookRefused`) or with the delay of the next retry
     */
    async deliverWebhook(input: DeliveryInput): Promise<number> {
      const sent = await withHeartbeat(() => attempt(input));
      if (sent.kind === 'accepted') return sent.attempts;
      if (sent.kind === 'refused') throw permanentFailure(sent.reason);
      throw retryLater(sent.reason, sent.after);
    },

    // one that was started again meanwhile is not this workflow's to end
    giveUpDelivery: ({ deliveryId, round }: DeliveryInput): Promise<void> =>
      failDelivery(database, { id: deliveryId, round }, Date.now()),
  };
};

const postponeReasons: Readonly<Record<DeliveryPostponement, string>> = {
  paused: 'paused by an operator',
  receiver_busy: 'the receiver is busy',
  receiver_failing: 'the receiver failed too often',
};

/** Records why and until when no attempt is made. */
type Postpone = (delivery: Delivery, postponed: DeliveryPostponement, after: number) => Promise<SendResult>;

interface SendOptions extends Pick<WebhookActivityOptions, 'sender' | 'receivers'> {
  readonly postpone: Postpone;
}

/** Sends a delivery in a slot of its receiver, or postpones it where none is free. */
const sendInSlot = async (
  delivery: Delivery,
  { sender, receivers, postpone }: SendOptions,
): Promise<SendResult> => {
  const slot = await receivers.acquire(delivery);
  if (slot.kind === 'postponed') return postpone(delivery, slot.reason, slot.after ?? busyDelay());
  let end: DeliveryOutcome = 'unknown';
  try {
    const sent = await sender.send(delivery);
    end = attemptEnds[sent.kind];
    return sent;
  } finally {
    slot.release(end);
  }
};

/** A permanent refusal, such as a redirect, costs no time and is no reason to postpone others. */
const attemptEnds: Readonly<Record<SendResult['kind'], DeliveryOutcome>> = {
  accepted: 'ok',
  refused: 'unknown',
  failed: 'failed',
};

const jitter = (ms: number): number => Math.round(ms * (0.75 + Math.random() / 2));

/** Returns the milliseconds before a retry to a busy receiver. */
const busyDelay = (): number => {
  const { attempt } = Context.current().info;
  return jitter(2_000 * 2 ** Math.min(attempt, 7));
};

const retryLater = (message: string, nextRetryDelay: number): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'WebhookFailed', category: 'BENIGN', nextRetryDelay });

const permanentFailure = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: failureTypes.refused, nonRetryable: true, category: 'BENIGN' });
