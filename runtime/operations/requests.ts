/** Handlers of `spec/operations/requests.yaml`: requests of the caller in the queue. */
import type { Operations, RequestsSubmitInput } from '../../generated/server/operations.js';
import {
  apiError,
  invalidQuery,
  unprocessable,
  type ApiError,
  type ErrorCode,
} from '../../contract/errors.js';
import { toCaller } from '../queue/http/caller.js';
import type { Requests } from '../queue/requests/requests.js';
import { wireStates } from '../queue/requests/status.js';
import { findDeliveryOf, listAttempts, reopenDelivery } from '../queue/store/deliveries.js';
import { listRequests, type RequestHead, type RequestState } from '../queue/store/requests.js';
import type { SubmitOptions } from '../queue/http/submit-options.js';
import { findTargetError, type TargetPolicy } from '../queue/webhooks/target.js';
import { QueueError } from '../queue/http/wire.js';
import type { OperationContext } from './context.js';
import { notFound, accountOf, fromTime, toTime, toTimeOrNull } from './own.js';
import type { OperationServices } from './services.js';

type Names =
  | 'requestsSubmit'
  | 'requestsList'
  | 'requestsRead'
  | 'requestsStatus'
  | 'requestsResult'
  | 'requestsCancel'
  | 'requestsDeliveries'
  | 'requestsRedeliver';

export const createRequestOperations = (services: OperationServices): Pick<Operations, Names> => {
  const { database, loadQueue } = services;

  const findOwn = async (id: string, context: OperationContext): Promise<RequestHead> => {
    const { requests } = await loadQueue();
    const found = await requests.find(id, { account: await accountOf(context) });
    if (found === null) throw notFound('request', id);
    return found;
  };

  /** Runs a function on a request of the caller and converts errors of the queue. */
  const withOwn = async <Result>(
    id: string,
    context: OperationContext,
    run: (found: RequestHead, requests: Requests) => Promise<Result>,
  ): Promise<Result> => {
    const { requests } = await loadQueue();
    return run(await findOwn(id, context), requests).catch(throwApiError);
  };

  return {
    async requestsSubmit({ body }, context) {
      const { requests, settings } = await loadQueue();
      const caller = toCaller(await context.principal());
      const options = readOptions(body, settings.webhookPolicy);
      const submit = async () => {
        const model = requests.modelOf(body.model, caller);
        return requests.submit({ account: caller.account, model, input: body.input, options });
      };
      const { request } = await submit().catch(throwApiError);
      return { data: toWire(request) };
    },

    async requestsList({ model, status, tag, after, before, limit = 25 }, context) {
      const found = await listRequests(database, {
        account: await accountOf(context),
        limit,
        ...(model !== undefined && { model }),
        ...(status !== undefined && { states: statesOf(status) }),
        ...(tag !== undefined && { tag: toTag(tag) }),
        ...(after !== undefined && { after: fromTime('after', after, invalidQuery) }),
        ...(before !== undefined && { before: fromTime('before', before, invalidQuery) }),
      });
      return { data: found.map(toWire) };
    },

    async requestsRead({ id }, context) {
      return { data: toWire(await findOwn(id, context)) };
    },

    async requestsStatus({ id, logs = false }, context) {
      return { data: await withOwn(id, context, (found, requests) => requests.status(found, logs)) };
    },

    async requestsResult({ id }, context) {
      const { status, errorType, body } = await withOwn(id, context, (found, requests) =>
        requests.result(found),
      );
      return { data: { http_status: status, error_type: errorType, payload: JSON.parse(body) as unknown } };
    },

    async requestsCancel({ id }, context) {
      const status = await withOwn(id, context, (found, requests) => requests.cancel(found));
      if (status === 'ALREADY_COMPLETED') throw unprocessable('the request has already ended');
      return { data: { status } };
    },

    async requestsDeliveries({ id }, context) {
      const request = await findOwn(id, context);
      const delivery = await findDeliveryOf(database, request.id);
      if (delivery === null) return { data: [] };
      const attempts = await listAttempts(database, delivery.id);
      return {
        data: [
          {
            id: delivery.id,
            url: delivery.url,
            state: delivery.state,
            attempts: attempts.map(({ number, status, error, milliseconds, created }) => ({
              number,
              status,
              error,
              milliseconds,
              created_at: toTime(created),
            })),
          },
        ],
      };
    },

    async requestsRedeliver({ id }, context) {
      const request = await findOwn(id, context);
      const delivery = await findDeliveryOf(database, request.id);
      if (delivery === null) throw unprocessable('the request has no webhook, or has not ended');
      const again = await reopenDelivery(database, delivery);
      if (again === null) throw unprocessable('the webhook is already being delivered');
      const { lifecycle } = await loadQueue();
      lifecycle.scheduleDelivery(again);
    },
  };
};

type SubmitBody = RequestsSubmitInput['body'];

/** @throws UNPROCESSABLE_ENTITY for a webhook URL that is not allowed */
const readOptions = (body: SubmitBody, policy: TargetPolicy): SubmitOptions => {
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
  };
};

/** Converts errors of the queue to API errors. */
const throwApiError = (error: unknown): never => {
  throw error instanceof QueueError ? toApiError(error) : error;
};

const toApiError = ({ status, message }: QueueError): ApiError => {
  const code = errorCodes.get(status);
  return code === undefined ? unprocessable(message) : apiError(code, {}, message);
};

/** Error codes by status of the queue; other statuses become UNPROCESSABLE_ENTITY. */
const errorCodes: ReadonlyMap<number, ErrorCode> = new Map([
  [404, 'ROUTE_NOT_FOUND'],
  [410, 'GONE'],
  [429, 'REQUESTS_EXCEEDED'],
  [503, 'SERVICE_UNAVAILABLE'],
]);

const toTag = (text: string): { readonly key: string; readonly value: string } => {
  const at = text.indexOf('=');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
};

type WireState = (typeof wireStates)[RequestState];

const statesOf = (status: WireState): readonly RequestState[] =>
  (Object.keys(wireStates) as RequestState[]).filter((state) => wireStates[state] === status);

const toWire = ({ id, model, attempts, ...request }: RequestHead) => ({
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
