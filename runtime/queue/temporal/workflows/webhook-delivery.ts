/**
 * Delivers a webhook until the receiver accepts it, rejects it permanently, or the time is over. The first attempt is a
 * local activity, which costs the server nothing, because most webhooks are accepted at once; retries are an activity.
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

/** Delivers a webhook. @returns the number of attempts */
export async function webhookDelivery(input: DeliveryInput): Promise<number> {
  try {
    const attempts = await deliver(input);
    updateSearchAttributes(input, 'delivered');
    return attempts;
  } catch (error) {
    await CancellationScope.nonCancellable(() => giveUp(input));
    updateSearchAttributes(input, 'failed');
    throw toFailure(error);
  }
}

const deliver = async (input: DeliveryInput): Promise<number> => {
  const until = Date.now() + input.within;
  const first = await attemptLocally(input);
  if (first?.kind === 'accepted') return first.attempts;
  if (first?.kind === 'refused') throw refused(first.reason);
  if (first !== null) await pause(first);
  const { deliverWebhook } = proxyActivities<WebhookActivities>({
    startToCloseTimeout: '150s',
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: Math.max(1, until - Date.now()),
    // the activity counts the attempts and sets the delay of each retry
    retry: { maximumInterval: '5m' },
    summary: `POST ${input.host}`,
  });
  return deliverWebhook(input);
};

/** Makes the first attempt as a local activity. @returns null if it could not be made */
const attemptLocally = async (input: DeliveryInput): Promise<Sent | null> => {
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

const updateSearchAttributes = ({ searchable }: DeliveryInput, value: 'delivered' | 'failed'): void => {
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

/** Converts a failure of the receiver to a benign one, so that it does not count as a failure of the platform. */
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
