/**
 * One webhook, until its receiver accepts it, refuses it for good, or time is over. Most are accepted at once: the
 * first attempt is made where this workflow begins, which costs the server nothing. Those after it are an activity's.
 */
import { ActivityFailure, ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { createWebhookActivities } from '../activities/webhook.js';
import { failureTypes, type DeliveryInput } from '../../contract.js';

type WebhookActivities = ReturnType<typeof createWebhookActivities>;
type Sent = Awaited<ReturnType<WebhookActivities['attemptWebhook']>>;

/** @returns attempts that were needed */
export async function webhookDelivery(input: DeliveryInput): Promise<number> {
  try {
    const attempts = await deliver(input);
    describeState(input, 'delivered');
    return attempts;
  } catch (error) {
    await CancellationScope.nonCancellable(() => giveUp(input));
    describeState(input, 'failed');
    throw toFailure(error);
  }
}

const deliver = async (input: DeliveryInput): Promise<number> => {
  const until = Date.now() + input.within;
  const first = await attemptAtOnce(input);
  if (first?.kind === 'accepted') return first.attempts;
  if (first?.kind === 'refused') throw refused(first.reason);
  if (first !== null) await pause(first);
  const { deliverWebhook } = proxyActivities<WebhookActivities>({
    startToCloseTimeout: '150s',
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: Math.max(1, until - Date.now()),
    // the activity counts, and names the pause after each failure
    retry: { maximumInterval: '5m' },
    summary: `POST ${input.host}`,
  });
  return deliverWebhook(input);
};

/** `null`: it could not be made here. */
const attemptAtOnce = async (input: DeliveryInput): Promise<Sent | null> => {
  const { attemptWebhook } = proxyLocalActivities<WebhookActivities>({
    startToCloseTimeout: '30s',
    retry: { maximumAttempts: 1 },
    summary: `POST ${input.host}`,
  });
  try {
    return await attemptWebhook(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
};

const pause = ({ reason, after }: Extract<Sent, { readonly kind: 'failed' }>): Promise<void> => {
  setCurrentDetails(`first attempt: ${reason}`);
  return sleep(after, { summary: `pause after: ${reason}` });
};

const describeState = ({ searchable }: DeliveryInput, value: 'delivered' | 'failed'): void => {
  if (!searchable) return;
  upsertSearchAttributes([{ key: defineSearchAttributeKey('SvcWebhookState', 'KEYWORD'), value }]);
};

const giveUp = (input: DeliveryInput): Promise<void> => {
  const { giveUpDelivery } = proxyActivities<WebhookActivities>({
    startToCloseTimeout: '30s',
    summary: 'give up',
  });
  return giveUpDelivery(input);
};

const refused = (reason: string): ApplicationFailure =>
  ApplicationFailure.create({ message: reason, type: failureTypes.refused });

/** The receiver's doing, and of no concern to whoever watches the platform. */
const toFailure = (error: unknown): unknown => {
  if (isCancellation(error)) return error;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const isRefused = cause instanceof ApplicationFailure && cause.type === failureTypes.refused;
  if (!isRefused && !(error instanceof ActivityFailure)) return error;
  return ApplicationFailure.create({
    message: `the receiver did not accept it: ${(cause as Error).message}`,
    type: isRefused ? failureTypes.refused : failureTypes.givenUp,
    nonRetryable: true,
    category: 'BENIGN',
  });
};
