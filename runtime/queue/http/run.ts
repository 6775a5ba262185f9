/** Handles `/run`: runs a model within the HTTP request, without storage, retries or webhooks; a disconnect cancels it. */
import type { QueueModelDeclaration, RunFiles, RunModel } from '../../../contract/queue-model.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import { readJson } from '../../request/body.js';
import { createDirectoryStore, isFileName, signFile, type FileStore } from '../requests/files.js';
import { createId } from '../store/ids.js';
import type { QueueSettings } from '../settings.js';
import { platformOutcome } from '../requests/outcome.js';
import type { RunResult } from '../models/attempt.js';
import type { RunModelOnce } from '../models/run-model.js';
import { readSubmitOptions } from './submit-options.js';
import { respondJson, errorHeaders, queueError, partError } from './wire.js';

export type RunHandler = (model: QueueModelDeclaration, request: ApiRequest) => Promise<ApiResponse>;

export interface RunHandlerOptions {
  readonly settings: QueueSettings;
  readonly loadFunctions: () => Promise<Readonly<Record<string, () => Promise<unknown>>>>;
  readonly onError: (error: unknown) => void;
}

export const createRunHandler = ({ settings, loadFunctions, onError }: RunHandlerOptions): RunHandler => {
  const acquire = createRunLimit();
  const files = createDirectoryStore(settings.filesDir);
  let runner: Promise<RunModelOnce> | null = null;
  return async (model, request) => {
    rejectWebhook(request);
    const { filesTtl: ttl } = readSubmitOptions(request, settings.webhookPolicy);
    const input = await readJson(request, {});
    const release = acquire(model);
    const signal = request.closeSignal();
    const requestId = createId();
    try {
      const run = await (runner ??= loadRunner(loadFunctions));
      const attempted = await run(model, {
        requestId,
        input,
        resumed: undefined,
        log: () => undefined,
        progress: () => undefined,
        files: createRunFiles(requestId, { files, settings, ttl }),
        signal,
        onFailure: onError,
      });
      return toResponse(requestId, attempted);
    } catch (error) {
      if (signal.aborted) {
        return toResponse(requestId, { outcome: platformOutcome('client_disconnected'), retry: false });
      }
      throw error;
    } finally {
      release();
    }
  };
};

const rejectWebhook = ({ query }: ApiRequest): void => {
  if (!new URLSearchParams(query).has('svc_webhook')) return;
  const where = ['query', 'svc_webhook'];
  throw partError(where, 'webhooks need the queue; submit to /queue/ instead', 'value_error.webhook');
};

/** Limits concurrent runs per model. @returns a function that frees the slot @throws 429 at the limit */
const createRunLimit = (): ((model: QueueModelDeclaration) => () => void) => {
  const running = new Map<string, number>();
  return ({ id, concurrency }) => {
    const count = running.get(id) ?? 0;
    if (count >= concurrency.model) {
      throw queueError(429, `${count} requests are already running`, 'concurrent_requests_limit');
    }
    running.set(id, count + 1);
    return () => running.set(id, (running.get(id) ?? 1) - 1);
  };
};

const toResponse = (requestId: string, { outcome, retry }: RunResult): ApiResponse =>
  respondJson(outcome.status, outcome.body, {
    ...outcome.headers,
    'x-svc-request-id': requestId,
    ...(retry && { 'x-svc-needs-retry': '1' }),
    ...errorHeaders(outcome.errorType),
  });

const loadRunner = async (loadFunctions: RunHandlerOptions['loadFunctions']): Promise<RunModelOnce> => {
  const [{ createRunner }, functions] = await Promise.all([
    import('../models/run-model.js'),
    loadFunctions(),
  ]);
  return createRunner(async (model) => toFunction(model, await functions[model]?.()));
};

/** Checks the type of a loaded module. @throws Error when it does not export a function `run` */
export const toFunction = (model: string, loaded: unknown): { readonly run: RunModel<unknown, unknown> } => {
  if (typeof loaded === 'object' && loaded !== null && 'run' in loaded && typeof loaded.run === 'function') {
    return loaded as { readonly run: RunModel<unknown, unknown> };
  }
  throw new Error(`the module of the model ${model} does not export a function "run"`);
};

export interface RunFilesOptions {
  readonly files: FileStore;
  readonly settings: Pick<QueueSettings, 'publicUrl' | 'secrets' | 'fileTtl'>;
  /** Lifetime in seconds requested by the caller; `null` for the retention of the server. */
  readonly ttl: number | null;
}

/** Returns the file API of a run: it stores files and returns signed URLs. */
export const createRunFiles = (request: string, { files, settings, ttl }: RunFilesOptions): RunFiles => ({
  async save(name, contentType, bytes) {
    if (!isFileName(name)) throw new Error('a file name has letters, digits and "._-", and no path');
    await files.write(request, name, bytes);
    const lasts = ttl === null ? settings.fileTtl : Math.min(settings.fileTtl, ttl * 1000);
    const expires = Math.ceil((Date.now() + lasts) / 1000);
    return {
      url: settings.publicUrl() + signFile({ request, name, expires }, settings.secrets[0] as Buffer),
      content_type: contentType,
      file_name: name,
      file_size: bytes.byteLength,
    };
  },
});
