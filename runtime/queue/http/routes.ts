/** Handles the routes of the queue: `/queue/…`, `/run/…`, result files and the public keys of webhook signatures. */
import type { Access } from '../../access/access.js';
import type { Database } from '../../databases/contract.js';
import type { QueueObservation } from '../../observe.js';
import type { RouteHandler } from '../../../contract/routes.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import type { RouteHandle } from '../../request/route.js';
import { readJson } from '../../request/body.js';
import { respondFile, respondJwks } from './public-routes.js';
import { respondRequest } from './request-routes.js';
import { createIdentify, type Caller, type Identify } from './caller.js';
import { createRequestLifecycle, type RequestLifecycle } from '../requests/lifecycle.js';
import { createFileStore } from '../requests/file-store.js';
import type { FileStore } from '../requests/files.js';
import type { FailedAttempt } from '../models/attempt.js';
import { createOperatorActions, type OperatorActions } from '../operator/actions.js';
import { builtInModels } from '../models/built-in.js';
import { createQueueModels, type QueueModels } from '../models/models.js';
import { createGateway } from '../temporal/gateway.js';
import { createQuotas, type Quotas } from '../requests/quotas.js';
import { createRequests, type Requests } from '../requests/requests.js';
import { createRunHandler, type RunHandler } from './run.js';
import type { QueueSettings } from '../settings.js';
import { QueueError } from '../requests/queue-error.js';
import { createStreams, type Streams } from './stream.js';
import { readSubmitOptions } from './submit-options.js';
import { respondSubmitted } from './submitted.js';
import { respondFailure, respondJson, errorHeaders, isClientError } from './wire.js';

export interface QueueOptions {
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly access: Access;
  readonly models: readonly QueueModelDeclaration[];
  /** Module of the functions of models, for `/run`. */
  readonly functions: string;
  readonly observe: (observation: QueueObservation) => void;
  readonly onError: (error: unknown) => void;
  readonly onModelFailure: (failure: FailedAttempt) => void;
}

export interface Queue {
  readonly lifecycle: RequestLifecycle;
  readonly quotas: Quotas;
  readonly requests: Requests;
  readonly settings: QueueSettings;
  readonly models: QueueModels;
  readonly operatorActions: OperatorActions;
  readonly identify: Identify;
  /** Returns the handler of a route; client errors become responses, others are thrown. */
  handle(handler: QueueHandler): RouteHandle;
  close(): Promise<void>;
}

/** Assembles the queue of a process, without connecting to Temporal. */
export const createQueue = (options: QueueOptions): Queue => {
  const { settings, database, access, observe, onError } = options;
  const models = createQueueModels([...options.models, ...builtInModels]);
  const { temporalAddress: address, temporalNamespace: namespace, resultTtl, secrets } = settings;
  const gateway = createGateway({ address, namespace, observe });
  const quotas = createQuotas({ database, preset: settings.quotas, observe });
  const shared = { database, models, quotas, onError };
  const lifecycle = createRequestLifecycle({ ...shared, gateway, resultTtl, observe });
  const { cancel: cancelWorkflow } = gateway;
  const requests = createRequests({ ...shared, settings, lifecycle, cancelWorkflow });
  const operatorActions = createOperatorActions({ database, lifecycle, cancelWorkflow, onError });
  const streams = createStreams({ database, settings, observe });
  const files = createFileStore(settings);
  const { runSlots: slots } = lifecycle;
  const run = createRunHandler({ ...options, files, slots });
  const services: Services = {
    settings,
    database,
    observe,
    requests,
    streams,
    identify: createIdentify({ statements: database, access, secrets }),
    files,
    run,
  };
  return {
    lifecycle,
    quotas,
    requests,
    settings,
    models,
    operatorActions,
    identify: services.identify,
    handle: (handler) => (request, segments) =>
      respond(handler, { request, segments }, services).catch(respondClientError),
    async close() {
      streams.close();
      await operatorActions.close();
      slots.close();
      await run.close();
      await lifecycle.flush();
      await gateway.close();
    },
  };
};

interface Services {
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly observe: QueueOptions['observe'];
  readonly requests: Requests;
  readonly streams: Streams;
  readonly identify: Identify;
  readonly files: FileStore;
  readonly run: RunHandler;
}

/** Responds to errors of the client; others are reported, and answered in the same format. */
const respondClientError = (error: unknown): ApiResponse => {
  if (isClientError(error)) return respondFailure(error);
  throw error;
};

export type QueueHandler = Extract<
  RouteHandler,
  { readonly kind: 'model' } | { readonly kind: 'files' } | { readonly kind: 'signingKeys' }
>;

/** A request with the path segments that the router matched. */
interface Routed {
  readonly request: ApiRequest;
  readonly segments: readonly string[];
}

const respond = (handler: QueueHandler, routed: Routed, services: Services): Promise<ApiResponse> => {
  switch (handler.kind) {
    case 'model':
      return respondModel(handler, routed, services);
    case 'files':
      return respondFile(routed.request, routed.segments, services);
    case 'signingKeys':
      return respondJwks(services.database);
  }
};

/** Identifies the caller after reading the body, so that access is current even if the upload takes long. */
const identify = async (request: ApiRequest, services: Services): Promise<Caller> => {
  if (request.method === 'POST') await request.body();
  return services.identify(request);
};

const respondModel = async (
  { model, action }: Extract<QueueHandler, { readonly kind: 'model' }>,
  { request, segments }: Routed,
  services: Services,
): Promise<ApiResponse> => {
  const [name = '', id = ''] = model === null ? segments : [model, ...segments];
  const caller = await identify(request, services);
  if (action === 'submit' || action === 'run') {
    const respondNew = action === 'submit' ? respondSubmit : respondRun;
    return respondNew(request, name, { ...services, caller }).catch((error: unknown) => {
      if (error instanceof QueueError)
        services.observe({ kind: 'submissionRefused', reason: error.errorType });
      throw error;
    });
  }
  const found = await services.requests.find(id, caller);
  if (found === null || !caller.maySee(found.model) || !isNameOf(name, found.model)) {
    return respondJson(404, { status: 'NOT_FOUND', error_type: 'not_found' }, errorHeaders('not_found'));
  }
  return respondRequest(action, { found, request }, services).catch((error: unknown) => {
    const response = respondClientError(error);
    return { ...response, headers: { ...response.headers, 'x-svc-request-id': found.id } };
  });
};

/** Returns whether a path names a model; it may omit the segments after the second one. */
const isNameOf = (name: string, model: string): boolean =>
  model === name || (name.includes('/') && model.startsWith(`${name}/`));

interface CallerServices extends Services {
  readonly caller: Caller;
}

const respondRun = async (
  request: ApiRequest,
  name: string,
  { requests, run, caller }: CallerServices,
): Promise<ApiResponse> => {
  const { account } = caller;
  return run.respond({ model: requests.modelOf(name, caller), account, request });
};

const respondSubmit = async (
  request: ApiRequest,
  name: string,
  { requests, settings, caller, observe }: CallerServices,
): Promise<ApiResponse> => {
  const model = requests.modelOf(name, caller);
  const options = readSubmitOptions(request, settings.webhookPolicy);
  const input = await readJson(request, {});
  const { account } = caller;
  const submitted = await requests.submit({ account, model, input, options });
  observe({ kind: 'submitted', model: model.id });
  return respondSubmitted(submitted, settings);
};
