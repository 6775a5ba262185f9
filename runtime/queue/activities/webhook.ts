/** The activity that delivers a webhook: one attempt; Temporal keeps the time between them. */
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { Database } from '../../execute/database.js';
import { failureTypes, type DeliveryInput } from '../contract.js';
import {
  endDelivery,
  findDelivery,
  insertAttempt,
  markDeliveryStarted,
  type Delivery,
} from '../store/deliveries.js';
import { findRequest, readBodies } from '../store/requests.js';
import { signingKeys, webhookSecrets } from '../store/secrets.js';
import { attempt, type AttemptResult } from '../webhook/attempt.js';
import { testBody, webhookBody } from '../webhook/body.js';
import type { Resolve } from '../webhook/connector.js';
import { createReceiverAgent } from '../webhook/connector.js';
import { attemptTimeout, retryDelay } from '../webhook/retries.js';
import { signatureHeaders, type Signers } from '../webhook/signature.js';
import { refusalOf, type TargetPolicy } from '../webhook/target.js';

export interface WebhookActivityOptions {
  readonly database: Database;
  readonly policy: TargetPolicy;
  /** How names become addresses; the system's way where absent. */
  readonly resolve?: Resolve;
  /** Milliseconds until the next attempt. */
  readonly retryDelay?: typeof retryDelay;
  readonly userAgent: string;
}

export const createWebhookActivities = (options: WebhookActivityOptions) => ({
  /**
   * @returns attempts that were needed
   * @throws ApplicationFailure: not to be repeated (`WebhookRefused`), or to be repeated later
   */
  async deliverWebhook({ deliveryId }: DeliveryInput): Promise<number> {
    const { database } = options;
    const delivery = await findDelivery(database, deliveryId);
    if (delivery === null) throw refused('the delivery is not kept any more');
    const { attempt: number } = Context.current().info;
    if (delivery.state !== 'pending') return number;
    if (number === 1) await markDeliveryStarted(database, deliveryId);
    const began = Date.now();
    const result = await withPulse(() => send(delivery, number, options));
    await insertAttempt(database, delivery.id, {
      number,
      status: result.status,
      error: result.kind === 'accepted' ? null : result.error,
      milliseconds: Date.now() - began,
      created: began,
    });
    if (result.kind === 'accepted') {
      await endDelivery(database, delivery.id, { state: 'delivered', now: Date.now() });
      return number;
    }
    const reason = result.status === null ? result.error : `status ${result.status}`;
    if (result.kind === 'refused') throw refused(reason);
    throw ApplicationFailure.create({
      message: reason,
      type: 'WebhookFailed',
      category: 'BENIGN',
      nextRetryDelay: (options.retryDelay ?? retryDelay)(number, result.after),
    });
  },

  async giveUpDelivery({ deliveryId }: DeliveryInput): Promise<void> {
    const delivery = await findDelivery(options.database, deliveryId);
    if (delivery?.state === 'pending') {
      await endDelivery(options.database, deliveryId, { state: 'failed', now: Date.now() });
    }
  },
});

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

const refused = (reason: string): ApplicationFailure =>
  ApplicationFailure.create({
    message: reason,
    type: failureTypes.refused,
    nonRetryable: true,
    category: 'BENIGN',
  });

const send = async (
  delivery: Delivery,
  number: number,
  { database, policy, resolve, userAgent }: WebhookActivityOptions,
): Promise<AttemptResult> => {
  if (refusalOf(delivery.url, policy) !== null)
    return { kind: 'refused', status: null, error: 'blocked_address' };
  const body = await bodyOf(delivery, database);
  if (body === null) return { kind: 'refused', status: null, error: 'expired' };
  const now = Date.now();
  const timestamp = Math.floor(now / 1000);
  const { id, account } = delivery;
  const signed = { id, requestId: delivery.request ?? id, account, timestamp, body };
  const limit = attemptTimeout(number);
  const agent = createReceiverAgent({
    policy,
    connectTimeout: limit,
    ...(resolve !== undefined && { resolve }),
  });
  try {
    return await attempt({
      url: delivery.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signatureHeaders(signed, await signersOf(database, account, now)),
      },
      body,
      agent,
      signal: AbortSignal.timeout(limit),
    });
  } finally {
    agent.destroy().catch(() => undefined);
  }
};

const signersOf = async (database: Database, account: string, now: number): Promise<Signers> => {
  const [secrets, { signer }] = await Promise.all([
    webhookSecrets(database, account, now),
    signingKeys(database, now),
  ]);
  return { secrets, key: signer };
};

/** `null`: the request is not kept any more. */
const bodyOf = async ({ id, request }: Delivery, database: Database): Promise<Buffer | null> => {
  if (request === null) return testBody(id);
  const head = await findRequest(database, request);
  if (head?.httpStatus === null || head === null) return null;
  const { output } = await readBodies(database, request);
  return webhookBody({ id: request, httpStatus: head.httpStatus, output });
};
