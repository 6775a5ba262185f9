/**
 * The contract between the API, workers and workflows: names, task queues and payloads. Large data stays in
 * the database, so workflow histories hold only ids.
 */

import type { ErrorType } from './requests/outcome.js';

export const workflowTypes = {
  modelRequest: 'modelRequest',
  webhookDelivery: 'webhookDelivery',
  schemaApply: 'schemaApply',
} as const;

export const taskQueues = {
  workflows: 'svc-workflows',
  webhooks: 'svc-webhooks',
  housekeeping: 'svc-housekeeping',
  /** @param name class of the model; workers with its hardware poll this task queue */
  models: (name: string): string => `svc-${name}`,
} as const;

/** Milliseconds before the second attempt to run a model, which double with each further one up to a maximum. */
export const attemptDelays = { first: 1_000, most: 60_000 } as const;

/** The request has a slot. */
export const admittedSignal = 'admitted';

/** The pause that had postponed the delivery has ended. */
export const resumedSignal = 'resumed';

/** Search attributes of the workflows, with their types in Temporal. */
export const searchAttributes = {
  SvcModel: 'KEYWORD',
  SvcAccount: 'KEYWORD',
  SvcStatus: 'KEYWORD',
  SvcErrorType: 'KEYWORD',
  SvcHttpStatus: 'INT',
  /** Set on deliveries as well. */
  SvcRequestId: 'KEYWORD',
  /** `pending`, `delivered` or `failed`; set on deliveries only, which alone know it when it changes. */
  SvcWebhookState: 'KEYWORD',
  /** Host name of the receiver, on deliveries. */
  SvcWebhookHost: 'KEYWORD',
} as const;

export interface ModelRequestInput {
  readonly requestId: string;
  readonly account: string;
  readonly model: string;
  /** Class of the model. */
  readonly class: string;
  /** `inputVersion` of the model; absent in workflows of versions before this one. */
  readonly version?: string;
  /** Milliseconds one attempt may take. */
  readonly timeout: number;
  readonly attempts: number;
  /** True where the request has a slot; otherwise the workflow waits for the `admitted` signal. */
  readonly admitted: boolean;
  /** Unix time in milliseconds by which processing must begin. */
  readonly startBefore: number | null;
  /** True where workflows carry search attributes. */
  readonly searchable: boolean;
}

/** Returns the id of the workflow of a request: its own, and another one each time that it is run again. */
export const requestWorkflowId = ({ requestId, round }: RequestRound): string =>
  round === 1 ? requestId : `${requestId}-${round}`;

/** A request and the number of its run: 1, and one more each time that it is run again (`svc_requests.round`). */
export interface RequestRound {
  readonly requestId: string;
  readonly round: number;
}

/** The end of a request; the bodies are in the database. */
export interface RequestEnd {
  readonly httpStatus: number;
  readonly errorType: string | null;
}

export interface DeliveryInput {
  readonly deliveryId: string;
  readonly requestId: string | null;
  /** 1 for the first delivery, one more for each redelivery. */
  readonly round: number;
  /** Milliseconds within which the delivery must succeed. */
  readonly within: number;
  /** Host name of the receiver; the rest of the URL may contain secrets. */
  readonly host: string;
  /** True where the workflow carries search attributes. */
  readonly searchable: boolean;
}

export type DeliveryRound = Pick<DeliveryInput, 'deliveryId' | 'round'>;

/** Returns the workflow id of a delivery; a redelivery is another round with an id of its own. */
export const deliveryWorkflowId = ({ deliveryId, round }: DeliveryRound): string =>
  `delivery-${deliveryId}${round === 1 ? '' : `-${round}`}`;

/** An apply of the schema; its diff is in the database. */
export interface SchemaApplyInput {
  readonly applyId: string;
}

/** Returns the id of the workflow of an apply of the schema. */
export const applyWorkflowId = ({ applyId }: SchemaApplyInput): string => `schema-apply-${applyId}`;

/** The reason for which the platform ended a request. */
export interface PlatformEnd {
  readonly requestId: string;
  readonly kind: 'cancelled' | 'startTimeout' | 'failed';
  /** Error of the last attempt, if known. */
  readonly errorType?: ErrorType;
  /** Replaces the text of the error type with a more exact one. */
  readonly detail?: string;
}

/** Failure types, as shown in the Temporal UI. */
export const failureTypes = {
  platform: 'PlatformFailure',
  unknownModel: 'UnknownModel',
  workerStopped: 'WorkerShutdown',
  refused: 'WebhookRefused',
  givenUp: 'WebhookGivenUp',
} as const;
