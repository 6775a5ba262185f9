/** Notifies Temporal of stored requests and deliveries. The sweep repeats notifications that are lost. */
import type { QueueObservation } from '../../observe.js';
import type { Database } from '../../databases/contract.js';
import { batchWrites } from '../../concurrency/batch.js';
import type { QueueModels } from '../models/models.js';
import { inputVersion } from './input-version.js';
import { markDeliveriesStarted, type Delivery } from '../store/deliveries.js';
import { findRequest, findRequests, markStarted } from '../store/requests.js';
import type { RequestHead } from '../store/request-head.js';
import { createDeliveryStarts } from './delivery-starts.js';
import { createResumedDeliveries, type ResumedDeliveries } from './resumed-deliveries.js';
import { createDispatcher } from '../temporal/dispatcher.js';
import type { DeliveryStart, Gateway, RequestStart } from '../temporal/gateway.js';

export interface NotifierOptions {
  readonly database: Database;
  readonly models: QueueModels;
  readonly gateway: Gateway;
  /** Milliseconds that results are kept and deliveries retried. */
  readonly resultTtl: number;
  /** Called with errors of notifications to Temporal, which the sweep repeats. */
  readonly observe?: (observation: QueueObservation) => void;
  readonly onError: (error: unknown) => void;
}

export interface Notifier {
  /** Starts the workflow of a request that was stored just now, in the background. */
  startNew(request: RequestHead): void;
  /** Notifies the workflows of requests that received slots, in the background. */
  notifyAdmitted(ids: readonly string[]): Promise<void>;
  /** Ensures that the workflow of a request exists, unless this process does not know the model. */
  ensureStarted(request: RequestHead): Promise<void>;
  /** Starts the workflow of a delivery in the background, or later where its account has many. */
  scheduleDelivery(delivery: Delivery): void;
  /** Starts the workflows of deliveries of an account that wait in the database; see `DeliveryStarts`. */
  resumeDeliveries(account: string): Promise<number>;
  /** Has deliveries attempted that have waited for the end of a pause, in the background. */
  signalResumed: ResumedDeliveries['add'];
  /** Resolves when all urgent notifications have been sent to Temporal. */
  flush(): Promise<void>;
}

/** Creates the notifier; failures in the background go to `onError`. */
export const createNotifier = (given: NotifierOptions): Notifier => {
  const { database, observe = () => undefined, onError } = given;
  const gateway = observeStarts(given.gateway, observe);
  const options = { ...given, gateway };
  const mark = (requests: readonly RequestHead[]): Promise<void> => markNotified(requests, options);
  const dispatcher = createDispatcher({ mark, onError });
  const markDelivery = batchWrites((ids: readonly string[]) => markDeliveriesStarted(database, ids));
  const deliveries = createDeliveryStarts({
    database,
    async start(delivery, isWaiting) {
      const start = toDeliveryStart(delivery, options);
      const isSent = await dispatcher.sendDelivery(() => gateway.deliver(start));
      // the first attempt records the others
      if (isSent && isWaiting) await markDelivery(delivery.id);
    },
    onError,
  });
  const resumed = createResumedDeliveries({ database, signal: gateway.resumeDelivery, onError });
  return {
    startNew(request) {
      const start = toRequestStart(request, options);
      // no workflow exists yet, so no signal is needed
      if (start !== null) dispatcher.add(request, () => gateway.start(start));
    },
    async notifyAdmitted(ids) {
      if (ids.length === 0) return;
      for (const request of (await findRequests(database, ids).catch(onError)) ?? []) {
        const start = toRequestStart(request, options);
        if (start !== null) dispatcher.add(request, () => notifyWorkflow(request, start, gateway));
      }
    },
    async ensureStarted(request) {
      const start = toRequestStart(request, options);
      if (start === null) return;
      await notifyWorkflow(request, start, gateway);
      await mark([request]);
    },
    scheduleDelivery: (delivery) => deliveries.add(delivery),
    resumeDeliveries: (account) => deliveries.resume(account),
    signalResumed: resumed.add,
    async flush() {
      await Promise.all([resumed.stop(), deliveries.stop(), dispatcher.flush()]);
    },
  };
};

/** Reports how long the starts of workflows take. */
const observeStarts = (gateway: Gateway, observe: (observation: QueueObservation) => void): Gateway => {
  const timed =
    <Input>(start: (input: Input) => Promise<void>) =>
    async (input: Input): Promise<void> => {
      const began = performance.now();
      const report = (status: 'ok' | 'failed'): void =>
        observe({ kind: 'workflowStarted', ms: performance.now() - began, status });
      try {
        await start(input);
      } catch (error) {
        report('failed');
        throw error;
      }
      report('ok');
    };
  return {
    ...gateway,
    start: timed(gateway.start),
    admit: timed(gateway.admit),
    deliver: timed(gateway.deliver),
  };
};

const notifyWorkflow = (
  { state }: RequestHead,
  start: RequestStart,
  gateway: Pick<Gateway, 'start' | 'admit'>,
): Promise<void> => (state === 'waiting' ? gateway.start(start) : gateway.admit(start));

/**
 * Returns null for a model that this process does not know: its class and limits are known to processes of another
 * version, whose sweep starts it.
 */
const toRequestStart = (request: RequestHead, { models }: NotifierOptions): RequestStart | null => {
  const model = models.find(request.model);
  if (model === undefined) return null;
  return {
    requestId: request.id,
    round: request.round,
    account: request.account,
    model: request.model,
    class: model.class,
    version: inputVersion(model),
    timeout: model.timeout,
    // those of earlier rounds are counted as well
    attempts: (request.round === 1 ? 0 : request.attempts) + (request.retry ? model.attempts : 1),
    admitted: request.state !== 'waiting',
    startBefore: request.startBefore,
    priority: request.priority,
    summary: `${request.model} for ${request.account}`,
  };
};

const toDeliveryStart = (
  { id, request, account, round, url }: Delivery,
  { resultTtl }: NotifierOptions,
): DeliveryStart => ({
  deliveryId: id,
  requestId: request,
  account,
  round,
  within: Math.max(60_000, resultTtl),
  host: new URL(url).hostname,
});

/** Stores that Temporal knows the states of requests. */
const markNotified = async (requests: readonly RequestHead[], options: NotifierOptions): Promise<void> => {
  const admitted = requests.filter(({ state }) => state === 'admitted').map(({ id }) => id);
  if (admitted.length > 0) await markStarted(options.database, admitted, 'admitted');
  for (const request of requests) if (request.state === 'waiting') await markWaiting(request, options);
};

/** A waiting request may have been cancelled before its workflow existed, so the cancellation is repeated. */
const markWaiting = async (
  { id, round }: RequestHead,
  { database, gateway }: Pick<NotifierOptions, 'database' | 'gateway'>,
): Promise<void> => {
  if ((await markStarted(database, [id], 'waiting')) > 0) return;
  const now = await findRequest(database, id);
  if (now?.state === 'ended') await gateway.cancel({ requestId: id, round }, true);
};
