/** Handles `/run`: runs a model within the HTTP request, without storage, retries or webhooks; a disconnect cancels it. */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import { readJson } from '../../request/body.js';
import type { AttemptOutcome, QueueObservation } from '../../observe.js';
import type { FileStore } from '../requests/files.js';
import type { Quotas } from '../requests/quotas.js';
import { partError, queueError, QueueError } from '../requests/queue-error.js';
import { createRunFiles } from '../requests/run-files.js';
import type { RunSlots } from '../requests/run-slots.js';
import { createId } from '../store/ids.js';
import type { QueueSettings } from '../settings.js';
import { platformOutcome } from '../requests/outcome.js';
import { final, type FailedAttempt, type RunResult } from '../models/attempt.js';
import type { Children } from '../models/children/pool.js';
import type { checkInput } from '../models/input.js';
import type { RunModelOnce } from '../models/run-model.js';
import { readSubmitOptions } from './submit-options.js';
import { respondJson, errorHeaders } from './respond.js';

/** Runs models within HTTP requests. */
export interface RunHandler {
  /** Responds with the model's status, headers and body. @throws QueueError 422, 429, 499, 504 */
  respond(run: RequestedRun): Promise<ApiResponse>;
  close(): Promise<void>;
}

/** A run that the caller may start. */
export interface RequestedRun {
  readonly model: QueueModelDeclaration;
  readonly account: string;
  readonly request: ApiRequest;
}

/** Settings and services that runs use. */
export interface RunHandlerOptions {
  readonly settings: QueueSettings;
  /** Module of the functions of models. */
  readonly functions: string;
  readonly files: FileStore;
  readonly slots: RunSlots;
  readonly quotas: Pick<Quotas, 'requireSubmit'>;
  readonly observe: (observation: QueueObservation) => void;
  readonly onModelFailure: (failure: FailedAttempt) => void;
}

/** Milliseconds that a run waits for a slot, if its caller sets no other limit. */
const defaultWait = 5_000;

/** Creates the handler; what runs models is loaded with the first request. */
export const createRunHandler = (options: RunHandlerOptions): RunHandler => {
  let runner: Promise<Runner> | null = null;
  return {
    async respond({ model, account, request }) {
      rejectWebhook(request);
      const { filesTtl, startTimeout, traceparent } = readSubmitOptions(
        request,
        options.settings.webhookPolicy,
      );
      const input = await readJson(request, {});
      const { run, findErrors } = await (runner ??= loadRunner(options));
      const requestId = createId();
      const detail = findErrors(model, input);
      if (detail.length > 0) {
        return toResponse(requestId, final({ status: 422, body: { detail }, errorType: null }));
      }
      await options.quotas.requireSubmit(account);
      const signal = request.closeSignal();
      const within = startTimeout === null ? defaultWait : startTimeout * 1000;
      const release = await options.slots.acquire({ model, account, within, signal });
      if (release === null) throw signal.aborted ? clientDisconnected() : noSlot(model, startTimeout);
      try {
        return await respondRun(
          run,
          { requestId, model, account, input, signal, filesTtl, traceparent },
          options,
        );
      } finally {
        await release();
      }
    },
    close: async () => (await runner)?.children.close(),
  };
};

interface StartedRun {
  readonly requestId: string;
  readonly model: QueueModelDeclaration;
  readonly account: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly filesTtl: number | null;
  readonly traceparent: string | null;
}

const respondRun = async (
  run: RunModelOnce,
  { requestId, model, account, input, signal, filesTtl: ttl, traceparent }: StartedRun,
  { files, settings, observe, onModelFailure }: RunHandlerOptions,
): Promise<ApiResponse> => {
  const began = Date.now();
  const finish = (outcome: AttemptOutcome, errorType: string | null = null): void =>
    observe({
      kind: 'attemptFinished',
      model: model.id,
      outcome,
      errorType,
      ms: Date.now() - began,
      waitedMs: null,
    });
  try {
    const attempted = await run(model, {
      requestId,
      account,
      attempt: 0,
      input,
      resumed: undefined,
      traceparent,
      log: () => undefined,
      skip: () => undefined,
      progress: () => undefined,
      onMemory: () => undefined,
      files: createRunFiles(requestId, { files, settings, ttl }),
      signal,
      onFailure: (error) =>
        onModelFailure({ request: requestId, model: model.id, account, attempt: 0, error }),
    });
    const { errorType } = attempted.outcome;
    finish(errorType === null ? 'ok' : 'error', errorType);
    return toResponse(requestId, attempted);
  } catch (error) {
    if (!signal.aborted) throw error;
    finish('cancelled');
    return toResponse(requestId, { outcome: platformOutcome('client_disconnected'), retry: false });
  }
};

const rejectWebhook = ({ query }: ApiRequest): void => {
  if (!new URLSearchParams(query).has('svc_webhook')) return;
  const where = ['query', 'svc_webhook'];
  throw partError(where, 'webhooks need the queue; submit to /queue/ instead', 'value_error.webhook');
};

const clientDisconnected = (): QueueError => queueError(499, 'The caller left', 'client_disconnected');

/** Returns the error of a run for which no slot became free in time. */
const noSlot = ({ id }: QueueModelDeclaration, startTimeout: number | null): QueueError => {
  if (startTimeout !== null) return queueError(504, 'The request did not start in time', 'startup_timeout');
  return new QueueError(
    429,
    `no slot of ${id} became free: your account or others have them, or it is paused`,
    {
      errorType: 'concurrent_requests_limit',
      headers: { 'retry-after': '1' },
    },
  );
};

const toResponse = (requestId: string, { outcome, retry, after }: RunResult): ApiResponse =>
  respondJson(outcome.status, outcome.body, {
    ...outcome.headers,
    'x-svc-request-id': requestId,
    ...(retry && { 'x-svc-needs-retry': '1' }),
    ...(after !== undefined && { 'retry-after': String(Math.ceil(after / 1000)) }),
    ...errorHeaders(outcome.errorType),
  });

interface Runner {
  readonly run: RunModelOnce;
  readonly findErrors: typeof checkInput;
  readonly children: Children;
}

const loadRunner = async ({
  functions,
  files: { spool },
  observe,
  onModelFailure,
}: RunHandlerOptions): Promise<Runner> => {
  const [{ checkInput: findErrors }, { createRunner }, ...functionModules] = await Promise.all([
    import('../models/input.js'),
    import('../models/run-model.js'),
    import('../models/function-runner.js'),
    import('../models/children/pool.js'),
  ]);
  const [{ createFunctionRunner, toLateFailure }, { createChildren }] = functionModules;
  const children = createChildren({
    functions,
    spool,
    onExit: (model, cause) => observe({ kind: 'childEnded', model, cause }),
    onLimit: (by) => observe({ kind: 'memoryLimited', by }),
    onLate: (late) => onModelFailure(toLateFailure(late)),
  });
  return { children, findErrors, run: createRunner({ runFunction: createFunctionRunner(children) }) };
};
