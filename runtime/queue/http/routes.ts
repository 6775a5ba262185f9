/** The queue on the wire: `/queue/…`, `/run/…`, the files of results, and the keys that signatures are checked with. */
import type { Access } from '../../access/access.js';
import { limitHeaders } from '../../access/limiter.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { Database } from '../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import { readJson } from '../../request/body.js';
import { createIdentify, type Caller, type Identify } from './caller.js';
import type { Cancellation } from '../requests/cancel.js';
import { createDesk, type Desk } from '../requests/lifecycle.js';
import {
  contentTypeOf,
  createDirectoryStore,
  isFileName,
  isSignatureOf,
  type FileStore,
} from '../requests/files.js';
import { isId } from '../store/ids.js';
import { createQueueModels } from '../models/models.js';
import { createOrchestrator } from '../temporal/gateway.js';
import { createRequests, type Requests } from '../requests/requests.js';
import { createRunDoor, type RunDoor } from './run.js';
import type { QueueSettings } from '../settings.js';
import { requestUrls } from '../requests/status.js';
import type { RequestHead } from '../store/requests.js';
import { signingKeys } from '../store/secrets.js';
import { createStreams, type Streams } from './stream.js';
import { readSubmitOptions } from './submit-options.js';
import { toJwks } from '../webhooks/signature.js';
import { answerJson, answerRefusal, errorHeaders, jsonType, refuse, Refused } from './wire.js';

export interface QueueOptions {
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly access: Access;
  readonly models: readonly QueueModelDeclaration[];
  /** Modules of function models: what `/run` calls. */
  readonly loadFunctions: () => Promise<Readonly<Record<string, () => Promise<unknown>>>>;
  readonly onLoss: (error: unknown) => void;
}

export interface Queue {
  readonly desk: Desk;
  readonly requests: Requests;
  readonly settings: QueueSettings;
  /** Errors of the caller are answers; others are thrown. */
  answer(request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}

export const createQueue = (options: QueueOptions): Queue => {
  const { settings, database, access, onLoss } = options;
  const models = createQueueModels(options.models);
  const orchestrator = createOrchestrator({
    address: settings.temporalAddress,
    namespace: settings.temporalNamespace,
  });
  const { resultTtl, secrets } = settings;
  const desk = createDesk({ database, models, orchestrator, resultTtl, onLoss });
  const { cancel: cancelWorkflow } = orchestrator;
  const requests = createRequests({ settings, database, models, desk, cancelWorkflow, onLoss });
  const streams = createStreams(database, settings);
  const services: Services = {
    settings,
    database,
    requests,
    streams,
    identify: createIdentify({ statements: database, access, secrets }),
    files: createDirectoryStore(settings.filesDir),
    run: createRunDoor(options),
  };
  return {
    desk,
    requests,
    settings,
    answer: (request) => respond(request, services).catch(toAnswer),
    async close() {
      streams.close();
      await desk.settle();
      await orchestrator.close();
    },
  };
};

interface Services {
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly requests: Requests;
  readonly streams: Streams;
  readonly identify: Identify;
  readonly files: FileStore;
  readonly run: RunDoor;
}

/** What the pipeline of the data plane throws is told in the words of the queue. */
const toAnswer = (error: unknown): ApiResponse => {
  if (error instanceof Refused) return answerRefusal(error);
  if (error instanceof ApiError && error.code === 'REQUESTS_EXCEEDED') return answerExceeded(error);
  if (error instanceof ApiErrors || (error instanceof ApiError && error.status < 500)) {
    const { status, message } = error instanceof ApiError ? error : { status: 400, message: error.message };
    return answerRefusal(refuse(status, message, 'bad_request'));
  }
  throw error;
};

const answerExceeded = (error: ApiError): ApiResponse => {
  const answer = answerRefusal(refuse(error.status, error.message, 'rate_limit'));
  return { ...answer, headers: { ...answer.headers, ...limitHeaders(error) } };
};

const respond = (request: ApiRequest, services: Services): Promise<ApiResponse> => {
  const { path } = request;
  if (path.startsWith('/queue/')) return respondQueue(request, services);
  if (path.startsWith('/run/')) return respondRun(request, services);
  if (path.startsWith('/files/')) return respondFile(request, services);
  return respondJwks(services);
};

/** A body may take its time: who sends it is asked when all of it is there. */
const identify = async (request: ApiRequest, services: Services): Promise<Caller> => {
  if (request.method === 'POST') await request.body();
  return services.identify(request);
};

const respondQueue = async (request: ApiRequest, services: Services): Promise<ApiResponse> => {
  const caller = await identify(request, services);
  const [name = '', rest] = splitOnce(request.path.slice('/queue/'.length), '/requests/');
  if (rest === null) return respondSubmit(request, withoutSlash(name), { ...services, caller });
  const { id = '', action = '' } = /^(?<id>[^/]+)(?<action>\/.*)?$/.exec(rest)?.groups ?? {};
  const found = await services.requests.find(id, caller);
  if (found === null || !caller.maySee(found.model) || !isNameOf(name, found.model)) {
    return answerJson(404, { status: 'NOT_FOUND' });
  }
  return respondRequest(`${methodOf(request)} ${withoutSlash(action)}`, { found, request }, services);
};

const methodOf = ({ method }: ApiRequest): string => (method === 'HEAD' ? 'GET' : method);

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

const splitOnce = (text: string, by: string): readonly [string, string | null] => {
  const at = text.indexOf(by);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + by.length)];
};

/** The path may leave out what follows the second segment of the model, or a later one. */
const isNameOf = (name: string, model: string): boolean =>
  model === name || (name.includes('/') && model.startsWith(`${name}/`));

const respondSubmit = async (
  request: ApiRequest,
  name: string,
  { requests, settings, caller }: Services & { readonly caller: Caller },
): Promise<ApiResponse> => {
  const model = requests.modelOf(name, caller);
  if (request.method !== 'POST') throw refuse(405, 'requests are submitted by POST');
  const options = readSubmitOptions(request, settings.webhookPolicy);
  const input = await readJson(request, {});
  const { account } = caller;
  const { request: made, position } = await requests.submit({ account, model, input, options });
  const body = {
    status: 'IN_QUEUE',
    request_id: made.id,
    ...requestUrls(made, settings),
    queue_position: position,
    gateway_request_id: made.id,
  };
  return answerJson(200, body, { 'x-svc-request-id': made.id });
};

interface Asked {
  readonly found: RequestHead;
  readonly request: ApiRequest;
}

const wantsLogs = ({ query }: ApiRequest): boolean =>
  /^(1|true)$/i.test(new URLSearchParams(query).get('logs') ?? '');

const respondRequest = async (
  action: string,
  { found, request }: Asked,
  { requests, streams }: Services,
): Promise<ApiResponse> => {
  const headers = { 'x-svc-request-id': found.id };
  switch (action) {
    case 'GET /status':
      return answerJson(
        found.state === 'ended' ? 200 : 202,
        await requests.status(found, wantsLogs(request)),
        headers,
      );
    case 'GET /status/stream':
      return {
        status: 200,
        headers: {
          ...headers,
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache, no-transform',
        },
        body: streams.follow(found.id, wantsLogs(request)),
      };
    case 'GET ':
    case 'GET /response': {
      const { status, errorType, headers: own, body } = await requests.result(found);
      return {
        status,
        headers: { 'content-type': jsonType, ...own, ...headers, ...errorHeaders(errorType) },
        body,
      };
    }
    case 'PUT /cancel': {
      const status = await requests.cancel(found);
      return answerJson(cancelStatuses[status], { status }, headers);
    }
    default:
      throw refuse(404, `${request.method} ${request.path} is not served`);
  }
};

const cancelStatuses: Readonly<Record<Cancellation, number>> = {
  OK: 200,
  CANCELLATION_REQUESTED: 202,
  ALREADY_COMPLETED: 400,
};

const respondRun = async (request: ApiRequest, services: Services): Promise<ApiResponse> => {
  const caller = await identify(request, services);
  const model = services.requests.modelOf(withoutSlash(request.path.slice('/run/'.length)), caller);
  if (request.method !== 'POST') throw refuse(405, 'models are run by POST');
  return services.run(model, request);
};

/** The signature says who may: files have no other owner. */
const respondFile = async (
  { path, query }: ApiRequest,
  { files, settings }: Services,
): Promise<ApiResponse> => {
  const [, , request = '', name = '', ...rest] = path.split('/');
  const parameters = new URLSearchParams(query);
  const expires = Number(parameters.get('expires'));
  const isNamed = isId(request) && isFileName(name) && rest.length === 0;
  const signed = { request, name, expires };
  if (!isNamed || !isSignatureOf(signed, parameters.get('signature') ?? '', settings.secrets)) {
    throw refuse(404, 'there is no such file');
  }
  const file = expires * 1000 > Date.now() ? await files.read(request, name) : null;
  if (file === null) throw refuse(404, 'the file is not kept any more');
  return {
    status: 200,
    headers: {
      'content-type': contentTypeOf(name),
      'content-length': String(file.size),
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: file.stream,
  };
};

/** Public keys are for everybody, in pages of any origin as well. */
const respondJwks = async ({ database }: Services): Promise<ApiResponse> => {
  const { published } = await signingKeys(database, Date.now());
  return answerJson(200, toJwks(published), {
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
  });
};
