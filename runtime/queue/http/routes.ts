/** Handles the routes of the queue: `/queue/…`, `/run/…`, result files and the public keys of webhook signatures. */
import type { FairQueue } from '../../concurrency/fair-queue.js';
import type { Database } from '../../databases/contract.js';
import type { QueueObservation } from '../../observe.js';
import type { RouteHandler } from '../../../contract/routes.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import type { RouteHandle } from '../../request/route.js';
import { readJson } from '../../request/body.js';
import { respondFile, respondJwks } from './public-routes.js';
import { respondRequest } from './request-routes.js';
import type { Identify } from './caller.js';
import type { FileStore } from '../requests/files.js';
import type { Caller, Requests } from '../requests/requests.js';
import type { RunHandler } from './run.js';
import type { QueueSettings } from '../settings.js';
import { QueueError } from '../requests/queue-error.js';
import type { Streams } from './stream.js';
import { rejectDryRun } from './dry-run.js';
import { readSubmitOptions } from './submit-options.js';
import { respondSubmitted } from './submit-response.js';
import { respondFailure, respondJson, errorHeaders, isExpectedError } from './respond.js';

/** Services of a process that the routes use. */
export interface RouteServices {
  readonly settings: QueueSettings;
  readonly database: Database;
  /** Bounds the requests that run and wait. */
  readonly admission: FairQueue;
  readonly observe: (observation: QueueObservation) => void;
  readonly requests: Requests;
  readonly streams: Streams;
  readonly identify: Identify;
  readonly files: FileStore;
  readonly run: RunHandler;
}

/** Returns the handlers of routes; client errors become responses, others are thrown. */
export const createRoutes =
  (services: RouteServices) =>
  (handler: QueueHandler): RouteHandle =>
  (request, segments) =>
    respond(handler, { request, segments }, services).catch(respondClientError);

/** Responds to errors of the client in the format of the queue; throws others, which the server reports. */
const respondClientError = (error: unknown): ApiResponse => {
  if (isExpectedError(error)) return respondFailure(error);
  throw error;
};

/** The handlers that routes of the queue name. */
export type QueueHandler = Extract<
  RouteHandler,
  { readonly kind: 'model' } | { readonly kind: 'files' } | { readonly kind: 'signingKeys' }
>;

/** A request with the path segments that the router matched. */
interface Routed {
  readonly request: ApiRequest;
  readonly segments: readonly string[];
}

const respond = (handler: QueueHandler, routed: Routed, services: RouteServices): Promise<ApiResponse> => {
  switch (handler.kind) {
    case 'model':
      return respondModel(handler, routed, services);
    case 'files':
      return respondFile(routed.request, routed.segments, services);
    case 'signingKeys':
      return services.admission.run(() => respondJwks(services.database));
  }
};

/** Identifies the caller after reading the body, so that access is current even if the upload takes long. */
const identify = async (request: ApiRequest, services: RouteServices): Promise<Caller> => {
  if (request.method === 'POST') await request.body();
  return services.identify(request);
};

type ModelHandler = Extract<QueueHandler, { readonly kind: 'model' }>;

const respondModel = async (
  handler: ModelHandler,
  routed: Routed,
  services: RouteServices,
): Promise<ApiResponse> => {
  const caller = await identify(routed.request, services);
  const run = (): Promise<ApiResponse> => respondTo(handler, routed, { ...services, caller });
  // a run has slots of its own, and a cancellation waits for Temporal
  if (handler.action === 'run' || handler.action === 'cancel') return run();
  return services.admission.run(run, () => caller.account);
};

const respondTo = async (
  { model, action }: ModelHandler,
  { request, segments }: Routed,
  services: CallerServices,
): Promise<ApiResponse> => {
  const { caller } = services;
  const [name = '', id = ''] = model === null ? segments : [model, ...segments];
  rejectDryRun(request);
  if (action === 'submit' || action === 'run') {
    const respondNew = action === 'submit' ? respondSubmit : respondRun;
    return respondNew(request, name, services).catch((error: unknown) => {
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

interface CallerServices extends RouteServices {
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
