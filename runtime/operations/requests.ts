/** Handlers of `spec/operations/requests.yaml`: requests of the caller in the queue. */
import type {
  Operations,
  RequestsListInput,
  RequestsSubmitInput,
} from '../../generated/server/operations.js';
import { invalidQuery, unprocessable } from '../../contract/errors.js';
import type { Caller } from '../queue/requests/requests.js';
import type { Queue } from '../queue/queue.js';
import { wireStates } from '../queue/requests/status.js';
import { recordRedelivery } from '../queue/store/quotas.js';
import {
  findDeliveryOf,
  listAttempts,
  reopenDelivery,
  type Delivery,
  type DeliveryAttempt,
} from '../queue/store/deliveries.js';
import { logStart, parseCursor, type LogCursor } from '../queue/store/logs.js';
import { listRequests, type ListFilter } from '../queue/store/request-lists.js';
import type { RequestHead, RequestState } from '../queue/store/request-head.js';
import type { SubmitOptions } from '../queue/requests/submit.js';
import { findTargetError, type TargetPolicy } from '../queue/webhooks/target.js';
import type { OperationContext } from './context.js';
import { callerOf } from './caller.js';
import { notFound } from './not-found.js';
import { fromTime, toTime, toTimeOrNull } from './times.js';
import { throwApiError } from '../queue/requests/api-errors.js';
import type { OperationServices } from './services.js';

/** @throws INVALID_QUERY for a text that is not a cursor */
const readCursor = (after: string | undefined): LogCursor => {
  const cursor = after === undefined ? logStart : parseCursor(after);
  if (cursor === null) throw invalidQuery('"after" has to be the logs_cursor of an earlier status');
  return cursor;
};

type Names =
  | 'requestsSubmit'
  | 'requestsList'
  | 'requestsRead'
  | 'requestsStatus'
  | 'requestsResult'
  | 'requestsCancel'
  | 'requestsDeliveries'
  | 'requestsRedeliver'
  | 'queueLimits';

/** Creates the handlers. Requests of others are answered as requests that do not exist. */
export const createRequestOperations = (services: OperationServices): Pick<Operations, Names> => {
  const { database } = services;
  return {
    requestsSubmit: ({ body }, context) => submit(body, context, services),

    async queueLimits(_input, context) {
      const { quotas } = await services.loadQueue();
      return { data: [...(await quotas.describe((await callerOf(context)).account))] };
    },

    async requestsList(input, context) {
      const found = await listRequests(database, toFilter(input, await callerOf(context)));
      return { data: found.map(requestToWire) };
    },

    async requestsRead({ id }, context) {
      return { data: requestToWire((await findOwn(id, context, services)).request) };
    },

    async requestsStatus({ id, logs = false, after }, context) {
      const { requests, request } = await findOwn(id, context, services);
      const cursor = logs ? readCursor(after) : null;
      return { data: await requests.status(request, cursor).catch(throwApiError) };
    },

    async requestsResult({ id }, context) {
      const { requests, request } = await findOwn(id, context, services);
      const { status, errorType, body } = await requests.result(request).catch(throwApiError);
      return { data: { http_status: status, error_type: errorType, payload: JSON.parse(body) as unknown } };
    },

    async requestsCancel({ id }, context) {
      const { requests, request } = await findOwn(id, context, services);
      const status = await requests.cancel(request).catch(throwApiError);
      if (status === 'ALREADY_COMPLETED') throw unprocessable('the request has already ended');
      return { data: { status } };
    },

    async requestsDeliveries({ id }, context) {
      const { request } = await findOwn(id, context, services);
      const delivery = await findDeliveryOf(database, request.id);
      if (delivery === null) return { data: [] };
      return { data: [deliveryToWire(delivery, await listAttempts(database, delivery.id))] };
    },

    async requestsRedeliver({ id }, context) {
      const { request, lifecycle, quotas } = await findOwn(id, context, services);
      const delivery = await findDeliveryOf(database, request.id);
      if (delivery === null) throw unprocessable('the request has no webhook, or has not ended');
      await quotas.requireRedelivery(request.account).catch(throwApiError);
      const again = await reopenDelivery(database, delivery);
      if (again === null) throw unprocessable('the webhook is already being delivered');
      await recordRedelivery(database, again);
      lifecycle.scheduleDelivery(again);
    },
  };
};

interface OwnRequest extends Pick<Queue, 'requests' | 'lifecycle' | 'quotas'> {
  readonly request: RequestHead;
}

/** Returns a request of the caller, and the queue that it is in. @throws ROUTE_NOT_FOUND when there is none */
const findOwn = async (
  id: string,
  context: OperationContext,
  { loadQueue }: OperationServices,
): Promise<OwnRequest> => {
  const { requests, lifecycle, quotas } = await loadQueue();
  const caller = await callerOf(context);
  const request = await requests.find(id, caller);
  if (request === null || !caller.maySee(request.model)) throw notFound('request', id);
  return { request, requests, lifecycle, quotas };
};

const submit = async (body: SubmitBody, context: OperationContext, { loadQueue }: OperationServices) => {
  const { requests, settings } = await loadQueue();
  const caller = await callerOf(context);
  const options = readOptions(body, settings.webhookPolicy, context);
  const store = async () => {
    const model = requests.modelOf(body.model, caller);
    return requests.submit({ account: caller.account, model, input: body.input, options });
  };
  const { request } = await store().catch(throwApiError);
  return { data: requestToWire(request) };
};

/** @throws INVALID_QUERY for a time that cannot be read */
const toFilter = (
  { model, status, tag, after, before, limit = 25 }: RequestsListInput,
  { account, models }: Caller,
): ListFilter => ({
  account,
  limit,
  ...(models !== null && { models }),
  ...(model !== undefined && { model }),
  ...(status !== undefined && { states: statesOf(status) }),
  ...(tag !== undefined && { tag: toTag(tag) }),
  ...(after !== undefined && { after: fromTime('after', after, invalidQuery) }),
  ...(before !== undefined && { before: fromTime('before', before, invalidQuery) }),
});

const deliveryToWire = (
  { id, url, state, next, postponed }: Delivery,
  attempts: readonly DeliveryAttempt[],
) => ({
  id,
  url,
  state,
  next_at: state === 'pending' ? toTimeOrNull(next) : null,
  postponed,
  attempts: attempts.map(({ number, status, error, milliseconds, created }) => ({
    number,
    status,
    error,
    milliseconds,
    created_at: toTime(created),
  })),
});

type SubmitBody = RequestsSubmitInput['body'];

/** @throws UNPROCESSABLE_ENTITY for a webhook URL that is not allowed */
const readOptions = (
  body: SubmitBody,
  policy: TargetPolicy,
  { client: { traceparent } }: OperationContext,
): SubmitOptions => {
  const refusal = body.webhook === undefined ? null : findTargetError(body.webhook, policy);
  if (refusal !== null) throw unprocessable(refusal);
  return {
    webhook: body.webhook === undefined ? null : new URL(body.webhook).href,
    maxQueueLength: body.max_queue_length ?? null,
    idempotencyKey: body.idempotency_key ?? null,
    startTimeout: body.start_timeout ?? null,
    priority: body.priority === 'low' ? -1 : 0,
    retry: body.retry ?? true,
    storeIo: body.store_io ?? true,
    filesTtl: body.files_ttl ?? null,
    tags: body.tags === undefined ? null : JSON.stringify(body.tags),
    traceparent,
  };
};

/** Parses `key=value`. */
export const toTag = (text: string): { readonly key: string; readonly value: string } => {
  const at = text.indexOf('=');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
};

type WireState = (typeof wireStates)[RequestState];

/** Returns the states that a public status stands for. */
export const statesOf = (status: WireState): readonly RequestState[] =>
  (Object.keys(wireStates) as RequestState[]).filter((state) => wireStates[state] === status);

/** Returns a request as its owner sees it. */
export const requestToWire = ({ id, model, attempts, ...request }: RequestHead) => ({
  id,
  model,
  status: wireStates[request.state],
  http_status: request.httpStatus,
  error_type: request.errorType,
  attempts,
  tags: request.tags === null ? null : (JSON.parse(request.tags) as Record<string, string>),
  created_at: toTime(request.created),
  begun_at: toTimeOrNull(request.begun),
  ended_at: toTimeOrNull(request.ended),
});
