/**
 * Opens and ends requests, each in one transaction that also assigns free slots to the next requests.
 * Workflows are notified afterwards; the sweep repeats lost notifications.
 */
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { RequestEnd } from '../contract.js';
import { createId } from '../store/ids.js';
import { batchWrites } from '../../concurrency/batch.js';
import { createSubmissionBatch, type SubmissionResult } from './submission-batch.js';
import { createModelLocks } from '../store/model-locks.js';
import type { QueueModels } from '../models/models.js';
import type { DeliveryStart, Gateway, RequestStart } from '../temporal/gateway.js';
import type { Outcome } from './outcome.js';
import { createDispatcher } from '../temporal/dispatcher.js';
import { insertDelivery, markDeliveriesStarted, type Delivery } from '../store/deliveries.js';
import type { IdempotencyKey } from '../store/idempotency.js';
import {
  endRequest,
  findRequest,
  findRequests,
  markStarted,
  toNewHead,
  type NewRequest,
  type RequestHead,
  type RequestState,
} from '../store/requests.js';
import type { Statements } from '../../execute/system-rows.js';

export interface RequestLifecycleOptions {
  readonly database: Database;
  readonly models: QueueModels;
  readonly gateway: Gateway;
  /** Milliseconds that results are kept and deliveries retried. */
  readonly resultTtl: number;
  /** Called with errors of notifications to Temporal, which the sweep repeats. */
  readonly onError: (error: unknown) => void;
}

export interface RequestLifecycle {
  /** Stores a request, assigns a slot if one is free, and starts its workflow in the background. */
  open(request: NewRequest, key: IdempotencyKey | null): Promise<SubmissionResult>;
  /** Ends a request; returns null if it has already ended or is not in the state `from`. */
  end(request: RequestHead, outcome: Outcome, from?: RequestState): Promise<RequestEnd | null>;
  /** Returns how a request ended, or null if it has not. */
  findEnd(id: string): Promise<RequestEnd | null>;
  /** Assigns free slots of a model to waiting requests. */
  fill(model: QueueModelDeclaration): Promise<void>;
  /** Ensures that the workflow of a request exists. */
  ensureStarted(request: RequestHead): Promise<void>;
  /** Starts the workflow of a delivery in the background. */
  scheduleDelivery(delivery: Delivery): void;
  /** Ensures that the workflow of a delivery exists. */
  ensureDelivery(delivery: Delivery): Promise<void>;
  /** Resolves when all urgent notifications have been sent to Temporal. */
  flush(): Promise<void>;
}

export const createRequestLifecycle = (options: RequestLifecycleOptions): RequestLifecycle => {
  const { database, models, gateway, resultTtl, onError } = options;
  const modelLocks = createModelLocks(database);

  const startOf = (request: RequestHead, admitted: boolean): RequestStart => {
    const model = models.find(request.model);
    return {
      requestId: request.id,
      account: request.account,
      model: request.model,
      class: model?.class ?? 'models',
      timeout: model?.timeout ?? 60_000,
      attempts: request.retry ? (model?.attempts ?? 1) : 1,
      admitted,
      startBefore: request.startBefore,
      priority: request.priority,
      summary: `${request.model} for ${request.account}`,
    };
  };

  const notifyWorkflow = (request: RequestHead): Promise<void> =>
    request.state === 'waiting'
      ? gateway.start(startOf(request, false))
      : gateway.admit(startOf(request, true));

  /**
   * A waiting request may have been cancelled before its workflow existed, so the cancellation is repeated.
   */
  const markWaiting = async ({ id }: RequestHead): Promise<void> => {
    if ((await markStarted(database, [id], 'waiting')) > 0) return;
    const now = await findRequest(database, id);
    if (now?.state === 'ended') await gateway.cancel(id, true);
  };

  const mark = async (requests: readonly RequestHead[]): Promise<void> => {
    const admitted = requests.filter(({ state }) => state === 'admitted').map(({ id }) => id);
    if (admitted.length > 0) await markStarted(database, admitted, 'admitted');
    for (const request of requests) if (request.state === 'waiting') await markWaiting(request);
  };

  const dispatcher = createDispatcher({ mark, onError });

  const notifyAdmitted = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return;
    const requests = await findRequests(database, ids).catch(onError);
    for (const request of requests ?? []) dispatcher.add(request, () => notifyWorkflow(request));
  };

  const submit = createSubmissionBatch({
    database,
    modelLocks,
    onAdmitted: (ids) => void notifyAdmitted(ids),
  });

  const deliveryStart = ({ id, request, account, round, url }: Delivery): DeliveryStart => ({
    deliveryId: id,
    requestId: request,
    account,
    round,
    within: Math.max(60_000, resultTtl),
    host: new URL(url).hostname,
  });

  const markStartedDelivery = batchWrites((ids: readonly string[]) => markDeliveriesStarted(database, ids));

  const scheduleDelivery = (delivery: Delivery): void =>
    dispatcher.addDelivery(() => gateway.deliver(deliveryStart(delivery)));

  const endLocked = async (request: RequestHead, change: Change): Promise<EndedLocked> => {
    const model = models.find(request.model);
    if (model !== undefined) {
      return modelLocks.hold(model, async ({ statements, fill }) => ({
        ended: await endWithDelivery(statements, request, change),
        admitted: await fill(),
      }));
    }
    const run = (statements: Statements) => endWithDelivery(statements, request, change);
    return { ended: await database.transaction(run), admitted: [] };
  };

  return {
    async findEnd(id) {
      const request = await findRequest(database, id);
      if (request?.state !== 'ended') return null;
      const { httpStatus, errorType, webhook } = request;
      return { httpStatus: httpStatus ?? 500, errorType, hasWebhook: webhook !== null };
    },
    flush: () => dispatcher.flush(),
    async ensureStarted(request) {
      await notifyWorkflow(request);
      await mark([request]);
    },
    async open(request, key) {
      const model = models.find(request.model);
      if (model === undefined) throw new Error(`there is no model ${request.model}`);
      const result = await submit(model, { request, key });
      if (result.kind === 'opened') {
        const head = toNewHead(request, result.admitted ? 'admitted' : 'waiting');
        // no workflow exists yet, so no signal is needed
        dispatcher.add(head, () => gateway.start(startOf(head, result.admitted)));
      }
      return result;
    },
    async end(request, outcome, from) {
      const change: Change = { outcome, from, now: Date.now() };
      const { ended, admitted } = await endLocked(request, change);
      await notifyAdmitted(admitted);
      if (ended === null) return null;
      const { delivery } = ended;
      if (delivery !== null) scheduleDelivery(delivery);
      return { httpStatus: outcome.status, errorType: outcome.errorType, hasWebhook: delivery !== null };
    },
    async fill(model) {
      await notifyAdmitted(await modelLocks.hold(model, ({ fill }) => fill()));
    },
    scheduleDelivery,
    async ensureDelivery(delivery) {
      await gateway.deliver(deliveryStart(delivery));
      await markStartedDelivery(delivery.id);
    },
  };
};

interface Change {
  readonly outcome: Outcome;
  /** State the request must be in, if set. */
  readonly from: RequestState | undefined;
  readonly now: number;
}

/** `null` if the request was not ended: it had ended already or was in another state. */
type Ended = { readonly delivery: Delivery | null } | null;

interface EndedLocked {
  readonly ended: Ended;
  /** Ids of the requests that received slots. */
  readonly admitted: readonly string[];
}

/** Ends a request and inserts its webhook delivery in the same transaction, so that neither exists alone. */
const endWithDelivery = async (
  statements: Statements,
  { id: request, account, webhook: url }: RequestHead,
  { outcome, from, now }: Change,
): Promise<Ended> => {
  const { status: httpStatus, errorType, body, headers = {} } = outcome;
  const ending = { httpStatus, errorType, headers, output: JSON.stringify(body) };
  const done = await endRequest(statements, request, ending, { now, ...(from !== undefined && { from }) });
  if (!done) return null;
  if (url === null) return { delivery: null };
  return {
    delivery: await insertDelivery(statements, { id: createId(), request, account, url, created: now }),
  };
};
