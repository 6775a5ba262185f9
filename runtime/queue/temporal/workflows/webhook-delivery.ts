/**
 * Delivers a webhook until the receiver accepts it, rejects it permanently, or the time is over. The first attempt is a
 * local activity, which costs the server nothing, because most webhooks are accepted at once; retries are an activity. The
 * signal `resumed`, sent when an operator ends a pause, makes the next attempt at once.
 */
import { ActivityFailure, ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import {
  CancellationScope,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { createWebhookActivities } from '../activities/webhook.js';
import { failureTypes, resumedSignal, type DeliveryInput } from '../../contract.js';

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
  const unlessResumed = handleResumed();
  const first = await attemptLocally(input);
  if (first?.kind === 'accepted') return first.attempts;
  if (first?.kind === 'refused') throw refused(first.reason);
  if (first !== null) await unlessResumed(() => pause(first));
  for (;;) {
    const attempts = await unlessResumed(() => attemptRepeatedly(input, until));
    if (attempts !== null) return attempts;
  }
};

/** Handles the signal. @returns a function that runs a wait for the next attempt, and returns null if the signal ends it */
const handleResumed = () => {
  let scope: CancellationScope | null = null;
  setHandler(defineSignal(resumedSignal), () => scope?.cancel());
  return async <Result>(wait: () => Promise<Result>): Promise<Result | null> => {
    const current = new CancellationScope();
    scope = current;
    try {
      return await current.run(wait);
    } catch (error) {
      const isResumed = current.consideredCancelled && !CancellationScope.current().consideredCancelled;
      // an attempt that the signal met has ended meanwhile, and Temporal does not retry it
      if (isResumed && !isRefusal(causeOf(error))) return null;
      throw error;
    } finally {
      scope = null;
    }
  };
};

const attemptRepeatedly = (input: DeliveryInput, until: number): Promise<number> => {
  const { deliverWebhook } = proxyActivities<WebhookActivities>({
    startToCloseTimeout: '150s',
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: Math.max(1, until - Date.now()),
    // the activity counts the attempts and sets the delay of each retry
    retry: { maximumInterval: '5m' },
    // two attempts are never made at the same time
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
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
  const cause = causeOf(error);
  const isRefused = isRefusal(cause);
  if (!isRefused && !(error instanceof ActivityFailure)) return error;
  return ApplicationFailure.create({
    message: `the receiver did not accept it: ${(cause as Error).message}`,
    type: isRefused ? failureTypes.refused : failureTypes.givenUp,
    nonRetryable: true,
    category: 'BENIGN',
  });
};

const causeOf = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

const isRefusal = (cause: unknown): boolean =>
  cause instanceof ApplicationFailure && cause.type === failureTypes.refused;
