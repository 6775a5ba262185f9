/** One webhook that was not accepted at first, until it is, is refused for good, or time is over. */
import { ActivityFailure, ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import { CancellationScope, proxyActivities, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { createWebhookActivities } from '../activities/webhook.js';
import { failureTypes, taskQueues, type DeliveryInput } from '../contract.js';

type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** @returns attempts that were needed */
export async function webhookDelivery(input: DeliveryInput): Promise<number> {
  const { deliverWebhook } = proxyActivities<WebhookActivities>({
    taskQueue: taskQueues.webhooks,
    startToCloseTimeout: '150s',
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: input.within,
    // the activity counts, and names the pause after each failure
    retry: { maximumInterval: '5m' },
    summary: `POST ${input.host}`,
  });
  try {
    if (input.after !== undefined) await sleep(input.after);
    const attempts = await deliverWebhook(input);
    describeState(input, 'delivered');
    return attempts;
  } catch (error) {
    await CancellationScope.nonCancellable(() => giveUp(input));
    describeState(input, 'failed');
    throw toFailure(error);
  }
}

const describeState = ({ searchable }: DeliveryInput, value: 'delivered' | 'failed'): void => {
  if (searchable !== true) return;
  upsertSearchAttributes([{ key: defineSearchAttributeKey('SvcWebhookState', 'KEYWORD'), value }]);
};

const giveUp = (input: DeliveryInput): Promise<void> => {
  const { giveUpDelivery } = proxyActivities<WebhookActivities>({
    taskQueue: taskQueues.webhooks,
    startToCloseTimeout: '30s',
    summary: 'give up',
  });
  return giveUpDelivery(input);
};

/** The receiver's doing, and of no concern to whoever watches the platform. */
const toFailure = (error: unknown): unknown => {
  if (!(error instanceof ActivityFailure)) return error;
  const { cause } = error;
  const isRefused = cause instanceof ApplicationFailure && cause.type === failureTypes.refused;
  return ApplicationFailure.create({
    message: `the receiver did not accept it: ${cause?.message ?? 'out of time'}`,
    type: isRefused ? failureTypes.refused : failureTypes.givenUp,
    nonRetryable: true,
    category: 'BENIGN',
  });
};
