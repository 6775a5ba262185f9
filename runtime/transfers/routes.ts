/** Handles the routes of imports and exports: checks the caller, stores the file, and submits a request to the queue. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Access } from '../access/access.js';
import { identifyNow } from '../access/confirmation.js';
import { requireSecondFactor, type Principal } from '../access/principal.js';
import type { Collection } from '../../contract/collection.js';
import { apiError } from '../../contract/errors.js';
import type { RouteHandler } from '../../contract/routes.js';
import type { ItemServices } from '../items/context.js';
import { forbiddenCollection } from '../plan/scope.js';
import { throwApiError } from '../queue/requests/api-errors.js';
import { readSubmitOptions } from '../queue/http/submit-options.js';
import type { SubmitOptions } from '../queue/requests/submit.js';
import { respondSubmitted } from '../queue/http/submit-response.js';
import type { Queue } from '../queue/queue.js';
import type { BuiltInModelId } from '../queue/models/built-in.js';
import { requestUrls } from '../queue/requests/status.js';
import type { Submitted } from '../queue/requests/submit.js';
import { createFileStore } from '../queue/requests/file-store.js';
import type { FileStore } from '../queue/requests/files.js';
import { createId } from '../queue/store/ids.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { decodeValue, type RouteHandle } from '../request/route.js';
import type { Observe } from '../observe.js';
import { sourceName } from './files.js';
import type { ExportInput, ImportInput } from './input.js';
import { createLocalRunner, type LocalRunner } from './local-runner.js';
import { readExportOptions, readImportOptions, toExportOptions } from './options.js';
import { receiveFile } from './receive.js';
import { createRunTransfer } from './run.js';

export type TransferHandler = Extract<RouteHandler, { readonly kind: 'transfer' }>;

export interface TransferOptions {
  readonly items: ItemServices;
  readonly access: Access;
  readonly queue: Queue;
  /** Largest file of an import in bytes. */
  readonly maxSize: number;
  readonly observe: Observe;
  readonly onError: (error: unknown) => void;
}

export interface Transfers {
  handle(handler: TransferHandler): RouteHandle;
  /** Queues an export, and returns the URL of its status. @throws FORBIDDEN, INVALID_QUERY, REQUESTS_EXCEEDED */
  startExport(request: ExportRequest): Promise<string>;
  close(): Promise<void>;
}

export interface ExportRequest {
  readonly collection: string;
  /** `{format, query?}` */
  readonly body: unknown;
  readonly principal: Principal;
  /** Address of the client. */
  readonly address: string;
}

interface Services extends TransferOptions {
  readonly files: FileStore;
  /** `null` where workers of Temporal run the transfers. */
  readonly runner: LocalRunner | null;
}

/** Creates the handlers, and where no Temporal is configured, the runner of this process. */
export const createTransfers = (options: TransferOptions): Transfers => {
  const { items, access, queue, observe, onError } = options;
  const { settings, lifecycle } = queue;
  const files = createFileStore(settings);
  const run = createRunTransfer({ items, access, files });
  const { database } = items;
  const runner =
    settings.temporalAddress === null
      ? createLocalRunner({ database, settings, lifecycle, files, run, observe, onError })
      : null;
  const services = { ...options, files, runner };
  return {
    handle: (handler) => (request, segments) => respond(handler, { request, segments }, services),
    startExport: (request) => startExport(request, services).catch(throwApiError),
    close: async () => runner?.close(),
  };
};

interface Routed {
  readonly request: ApiRequest;
  readonly segments: readonly string[];
}

const respond = async (
  { collection: name, action }: TransferHandler,
  { request, segments: [segment = ''] }: Routed,
  services: Services,
): Promise<ApiResponse> => {
  const known = name ?? decodeValue(segment);
  const collection = services.items.registry.collections.get(known);
  if (name === null || collection === undefined) {
    await identifyNow(request, services.access);
    throw forbiddenCollection(known);
  }
  const work = action === 'import' ? submitImport : submitExport;
  return work(request, collection, services).catch(throwApiError);
};

interface RequiredPermission {
  readonly collection: Collection;
  readonly action: 'create' | 'read';
}

type Submitter = Principal & { readonly user: NonNullable<Principal['user']> };

const identify = async (
  request: ApiRequest,
  need: RequiredPermission,
  { access }: Services,
): Promise<Submitter> => requireSubmitter(await identifyNow(request, access), need);

/** Returns the submitter. @throws INVALID_CREDENTIALS without a user; FORBIDDEN without the right */
const requireSubmitter = (principal: Principal, { collection, action }: RequiredPermission): Submitter => {
  requireSecondFactor(principal);
  if (principal.policies.grant(collection, action) === null) throw forbiddenCollection(collection.name);
  const { user } = principal;
  if (user === null)
    throw apiError('INVALID_CREDENTIALS', {}, 'imports and exports belong to a user; send a token');
  return { ...principal, user };
};

const submitImport = async (
  request: ApiRequest,
  collection: Collection,
  services: Services,
): Promise<ApiResponse> => {
  const { queue, files, maxSize } = services;
  const need = { collection, action: 'create' } as const;
  await identify(request, need, services);
  const options = readImportOptions(request);
  const submit = readSubmitOptions(request, queue.settings.webhookPolicy);
  const { spooled, size, sha256 } = await receiveFile(request, { spool: files.spool, maxSize });
  const id = createId();
  try {
    // rights may have changed during the upload
    const { user } = await identify(request, need, services);
    await files.adopt({ request: id, name: sourceName, spooled });
    const address = request.address();
    const input: ImportInput = { collection: collection.name, ...options, size, sha256, address };
    const submission = { id, account: user.id, input, options: submit };
    return respondSubmitted(await submitTo('svc/import', submission, services), queue.settings);
  } catch (error) {
    await rm(join(files.spool, spooled), { force: true });
    await files.remove(id, sourceName);
    throw error;
  }
};

const submitExport = async (
  request: ApiRequest,
  collection: Collection,
  services: Services,
): Promise<ApiResponse> => {
  const need = { collection, action: 'read' } as const;
  await identify(request, need, services);
  const options = await readExportOptions(request);
  const submit = readSubmitOptions(request, services.queue.settings.webhookPolicy);
  const { user } = await identify(request, need, services);
  const input: ExportInput = { collection: collection.name, ...options, address: request.address() };
  const submission = { id: createId(), account: user.id, input, options: submit };
  return respondSubmitted(await submitTo('svc/export', submission, services), services.queue.settings);
};

const startExport = async (
  { collection: name, body, principal, address }: ExportRequest,
  services: Services,
): Promise<string> => {
  const collection = services.items.registry.collections.get(name);
  if (collection === undefined || collection.system || collection.singleton) throw forbiddenCollection(name);
  const { user } = requireSubmitter(principal, { collection, action: 'read' });
  const input: ExportInput = { collection: name, ...toExportOptions(body), address };
  const { settings } = services.queue;
  const options = readSubmitOptions({ query: '', headers: {} }, settings.webhookPolicy);
  const submission = { id: createId(), account: user.id, input, options };
  const { request } = await submitTo('svc/export', submission, services);
  return requestUrls(request, settings).status_url;
};

interface Submission {
  readonly id: string;
  readonly account: string;
  readonly input: ImportInput | ExportInput;
  readonly options: SubmitOptions;
}

const submitTo = async (
  modelId: BuiltInModelId,
  submission: Submission,
  { queue, files, runner }: Services,
): Promise<Submitted> => {
  const model = queue.models.find(modelId);
  if (model === undefined) throw new Error(`there is no model ${modelId}`);
  const submitted = await queue.requests.submit({ ...submission, model });
  // the request of an earlier submission with the same key has a file of its own
  if (submitted.request.id !== submission.id) await files.remove(submission.id, sourceName);
  runner?.wake();
  return submitted;
};
