/** Handlers of `spec/operations/operator.yaml`: the queue over all accounts, for operators. */
import type { Operations, OperatorModel, OperatorRequestsInput } from '../../generated/server/operations.js';
import { invalidQuery } from '../../contract/errors.js';
import type { Database } from '../databases/contract.js';
import { findAccount, findByEmail } from '../auth/accounts.js';
import { requestWorkflowId } from '../queue/contract.js';
import { listAttempts, findDeliveries, findDeliveriesOf, type Delivery } from '../queue/store/deliveries.js';
import { listRequestAttempts, type StoredAttempt } from '../queue/store/attempts.js';
import { isId } from '../queue/store/ids.js';
import {
  countByAccount,
  countByEndpoint,
  countByModel,
  listWorkers,
} from '../queue/store/operator-counts.js';
import { searchDeliveries, searchRequests, type RequestSearch } from '../queue/store/operator-search.js';
import { listPauses } from '../queue/store/pauses.js';
import { findRequest } from '../queue/store/requests.js';
import type { RequestHead } from '../queue/store/request-head.js';
import { traceIdOf } from '../tracing/traceparent.js';
import { requestToWire, statesOf, toTag } from './requests.js';
import { notFound } from './not-found.js';
import { fromTime, toTime, toTimeOrNull } from './times.js';
import type { OperationServices } from './services.js';

type Names =
  | 'operatorRequests'
  | 'operatorRequestsRead'
  | 'operatorDeliveries'
  | 'operatorDeliveriesRead'
  | 'operatorModels'
  | 'operatorAccounts'
  | 'operatorAccountsRead'
  | 'operatorEndpoints'
  | 'operatorWorkers';

const day = 86_400_000;
const defaultLimit = 50;

/** Creates the handlers, which require a policy with `operator_access`, or an administrator. */
export const createOperatorOperations = (services: OperationServices): Pick<Operations, Names> => ({
  ...createSearches(services),
  ...createOverviews(services),
});

type Searches = 'operatorRequests' | 'operatorRequestsRead' | 'operatorDeliveries' | 'operatorDeliveriesRead';

const createSearches = (services: OperationServices): Pick<Operations, Searches> => {
  const { database } = services;
  return {
    async operatorRequests({ limit = defaultLimit, cursor, ...filter }) {
      const page = { limit, ...(cursor !== undefined && { position: cursor }) };
      const search = await toSearch(filter, database, invalidQuery);
      const found = await searchRequests(database, search, page);
      return { data: found.map(operatorRequest) };
    },

    async operatorRequestsRead({ id }) {
      const request = isId(id) ? await findRequest(database, id) : null;
      if (request === null) throw notFound('request', id);
      const [attempts, deliveries] = await Promise.all([
        listRequestAttempts(database, id),
        findDeliveriesOf(database, id),
      ]);
      return {
        data: {
          request: operatorRequest(request),
          attempts: attempts.map(attemptToWire),
          deliveries: await Promise.all(deliveries.map((each) => deliveryToWire(each, services))),
          temporal_url: temporalUrlOf(request, services),
        },
      };
    },

    async operatorDeliveries({ limit = defaultLimit, cursor, ...filter }) {
      const search = { ...filter, ...(await accountIn(filter, database, invalidQuery)) };
      const page = { limit, ...(cursor !== undefined && { position: cursor }) };
      const found = await findDeliveries(database, await searchDeliveries(database, search, page));
      const newestFirst = [...found].sort((a, b) => (a.id < b.id ? 1 : -1));
      return { data: await Promise.all(newestFirst.map((each) => deliveryToWire(each, services))) };
    },

    async operatorDeliveriesRead({ id }) {
      const [delivery] = isId(id) ? await findDeliveries(database, [id]) : [];
      if (delivery === undefined) throw notFound('delivery', id);
      return { data: await deliveryToWire(delivery, services) };
    },
  };
};

const createOverviews = (services: OperationServices): Pick<Operations, Exclude<Names, Searches>> => {
  const { database } = services;
  return {
    operatorModels: async () => ({ data: await listModels(services) }),

    async operatorAccounts({ limit = defaultLimit }) {
      const [counts, isPaused] = await Promise.all([
        countByAccount(database, limit),
        readPaused(services, 'account'),
      ]);
      return { data: counts.map((each) => Object.assign({ paused: isPaused(each.account) }, each)) };
    },

    async operatorAccountsRead({ id }) {
      const found = await findAccount(database, id);
      if (found === null) throw notFound('account', id);
      const { quotas } = await services.loadQueue();
      const [isPaused, limits] = await Promise.all([
        readPaused(services, 'account'),
        quotas.describe(found.id),
      ]);
      return { data: { account: found.id, paused: isPaused(found.id), limits: [...limits] } };
    },

    async operatorEndpoints({ limit = defaultLimit }) {
      const [counts, isPaused] = await Promise.all([
        countByEndpoint(database, { since: Date.now() - day, limit }),
        readPaused(services, 'endpoint'),
      ]);
      return { data: counts.map((each) => Object.assign({ paused: isPaused(each.endpoint) }, each)) };
    },

    async operatorWorkers() {
      const workers = await listWorkers(database, Date.now());
      return {
        data: workers.map(({ started, seen, ...worker }) =>
          Object.assign(worker, { started_at: toTime(started), seen_at: toTime(seen) }),
        ),
      };
    },
  };
};

/** An id that no account has. */
const unknownAccount = '00000000-0000-0000-0000-000000000000';

const readPaused = async ({ database }: OperationServices, kind: string) => {
  const names = new Set(
    (await listPauses(database)).filter((each) => each.kind === kind).map(({ name }) => name),
  );
  return (name: string): boolean => names.has(name);
};

/** Returns the models of the spec, then those that only requests name. */
const listModels = async (services: OperationServices): Promise<OperatorModel[]> => {
  const { models } = await services.loadQueue();
  const [counts, workers, isPausedModel, isPausedClass] = await Promise.all([
    countByModel(services.database),
    listWorkers(services.database, Date.now()),
    readPaused(services, 'model'),
    readPaused(services, 'class'),
  ]);
  const known = models.all.map(({ id }) => id);
  const names = [...known, ...counts.map(({ model }) => model).filter((name) => !known.includes(name))];
  return names.map((id) => {
    const model = models.find(id);
    const count = counts.find((each) => each.model === id);
    const serving = workers.filter(
      ({ state, classes }) => state === 'running' && model !== undefined && classes.includes(model.class),
    );
    return {
      id,
      class: model?.class ?? null,
      slots: model?.concurrency.model ?? null,
      waiting: count?.waiting ?? 0,
      admitted: count?.admitted ?? 0,
      running: count?.running ?? 0,
      oldest_at: toTimeOrNull(count?.oldest ?? null),
      workers: serving.length,
      paused: isPausedModel(id) || (model !== undefined && isPausedClass(model.class)),
    };
  });
};

export type OperatorFilter = Omit<OperatorRequestsInput, 'limit' | 'cursor'>;

/**
 * Converts the filter of an operator to a search of requests.
 * @throws the error of `toError` for a time that cannot be read, or an account that is neither id nor e-mail address
 */
export const toSearch = async (
  { status, error_type, http_status, delivery, tag, trace_id, after, before, ...same }: OperatorFilter,
  database: Database,
  toError: (reason: string) => Error,
): Promise<RequestSearch> => ({
  ...same,
  ...(await accountIn(same, database, toError)),
  ...(status !== undefined && { states: statesOf(status) }),
  ...(error_type !== undefined && { errorType: error_type }),
  ...(http_status !== undefined && { httpStatus: http_status }),
  ...(delivery !== undefined && { deliveryState: delivery }),
  ...(tag !== undefined && { tag: toTag(tag) }),
  ...(trace_id !== undefined && { traceId: trace_id }),
  ...(after !== undefined && { after: fromTime('after', after, toError) }),
  ...(before !== undefined && { before: fromTime('before', before, toError) }),
});

/** Returns the id of the account that a filter names by id or e-mail address, or one that nobody has; empty without. */
const accountIn = async (
  { account }: Pick<OperatorFilter, 'account'>,
  database: Database,
  toError: (reason: string) => Error,
): Promise<{ readonly account?: string }> => {
  if (account === undefined || isId(account)) return {};
  if (!account.includes('@')) throw toError('"account" has to be the id or the e-mail address of an account');
  return { account: (await findByEmail(database, account))?.id ?? unknownAccount };
};

/** Returns the page of a request's workflow in the Temporal UI, or null if the URL of that is not set. */
const temporalUrlOf = ({ id, round }: RequestHead, { config }: OperationServices): string | null => {
  const { ui, namespace } = config.temporal;
  if (ui === null) return null;
  const workflow = requestWorkflowId({ requestId: id, round });
  return `${ui}/namespaces/${encodeURIComponent(namespace ?? 'default')}/workflows/${workflow}`;
};

const operatorRequest = (request: RequestHead) => {
  const { account, round, webhook, traceparent } = request;
  const trace_id = traceparent === null ? null : traceIdOf(traceparent);
  return { ...requestToWire(request), account, round, webhook, trace_id };
};

const attemptToWire = ({ error, begun, ended, errorType: error_type, ...attempt }: StoredAttempt) => ({
  ...attempt,
  error_type,
  error: error?.name ?? null,
  message: error?.message ?? null,
  stack: error?.stack ?? null,
  begun_at: toTime(begun),
  ended_at: toTimeOrNull(ended),
});

const deliveryToWire = async (delivery: Delivery, { database }: OperationServices) => {
  const { id, request, account, url, state, round, next, postponed, created, ended } = delivery;
  const attempts = await listAttempts(database, id);
  return {
    id,
    request,
    account,
    url,
    state,
    round,
    next_at: toTimeOrNull(next),
    postponed,
    created_at: toTime(created),
    ended_at: toTimeOrNull(ended),
    attempts: attempts.map(({ created: at, ...attempt }) =>
      Object.assign(attempt, { created_at: toTime(at) }),
    ),
  };
};
