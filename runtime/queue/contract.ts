/**
 * What API, workers and workflows agree on: names, task queues, and what travels in histories. Everything large stays
 * in the database, so a history holds ids only.
 */

import type { ErrorType } from './requests/outcome.js';

export const workflowTypes = {
  modelRequest: 'modelRequest',
  webhookDelivery: 'webhookDelivery',
} as const;

export const taskQueues = {
  workflows: 'svc-workflows',
  webhooks: 'svc-webhooks',
  housekeeping: 'svc-housekeeping',
  /** @param name class of the model: workers with its hardware listen here */
  models: (name: string): string => `svc-${name}`,
} as const;

export const admittedSignal = 'admitted';

/** Search attributes an operator finds requests by, with their types in Temporal. */
export const searchAttributes = {
  SvcModel: 'KEYWORD',
  SvcAccount: 'KEYWORD',
  SvcStatus: 'KEYWORD',
  SvcErrorType: 'KEYWORD',
  SvcHttpStatus: 'INT',
  /** Also of deliveries, as the next one. */
  SvcRequestId: 'KEYWORD',
  /** `none`, `pending`, `delivered`, `failed`; that of a request stays as its end left it. */
  SvcWebhookState: 'KEYWORD',
} as const;

export interface ModelRequestInput {
  readonly requestId: string;
  readonly account: string;
  readonly model: string;
  /** Class of the model. */
  readonly class: string;
  /** Milliseconds one attempt may take. */
  readonly timeout: number;
  readonly attempts: number;
  /** Whether a slot is there already; else the workflow waits for its signal. */
  readonly admitted: boolean;
  /** Milliseconds since 1970 before which processing has to begin. */
  readonly startBefore: number | null;
  /** Whether workflows carry search attributes. */
  readonly searchable: boolean;
}

/** How a request ended; the bodies are in the database. */
export interface RequestEnd {
  readonly httpStatus: number;
  readonly errorType: string | null;
  /** Whether there is a webhook to deliver. */
  readonly hasWebhook: boolean;
}

export interface DeliveryInput {
  readonly deliveryId: string;
  readonly requestId: string | null;
  /** Counts redeliveries. */
  readonly round: number;
  /** Milliseconds within which it has to arrive. */
  readonly within: number;
  /** Of the receiver, without anything secret. */
  readonly host: string;
  /** Whether the workflow carries search attributes. */
  readonly searchable: boolean;
}

export const deliveryWorkflowId = ({
  deliveryId,
  round,
}: Pick<DeliveryInput, 'deliveryId' | 'round'>): string =>
  `delivery-${deliveryId}${round === 1 ? '' : `-${round}`}`;

/** Why the platform ended a request. */
export interface PlatformEnd {
  readonly requestId: string;
  readonly kind: 'cancelled' | 'startTimeout' | 'failed';
  /** What broke the last attempt, where that is known. */
  readonly errorType?: ErrorType;
}

/** Types of failures, as they read in the Temporal UI. */
export const failureTypes = {
  platform: 'PlatformFailure',
  refused: 'WebhookRefused',
  givenUp: 'WebhookGivenUp',
} as const;
