/** Handles `/run`: runs a model within the HTTP request, without storage, retries or webhooks; a disconnect cancels it. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import { readJson } from '../../request/body.js';
import { createDirectoryStore } from '../requests/files.js';
import { partError, queueError } from '../requests/queue-error.js';
import { createRunFiles } from '../requests/run-files.js';
import { createId } from '../store/ids.js';
import type { QueueSettings } from '../settings.js';
import { platformOutcome } from '../requests/outcome.js';
import type { RunResult } from '../models/attempt.js';
import { toFunction } from '../models/load-function.js';
import type { RunModelOnce } from '../models/run-model.js';
import { readSubmitOptions } from './submit-options.js';
import { respondJson, errorHeaders } from './wire.js';

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
