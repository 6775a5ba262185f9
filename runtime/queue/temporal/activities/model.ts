/** The activity that runs one attempt of a model and stores its result. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { Database } from '../../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../../contract/queue-model.js';
import { failureTypes, type ModelRequestInput, type RequestEnd } from '../../contract.js';
import type { RequestLifecycle } from '../../requests/lifecycle.js';
import type { FileStore } from '../../requests/files.js';
import type { QueueModels } from '../../models/models.js';
import { platformOutcome, type Outcome } from '../../requests/outcome.js';
import { createRunFiles } from '../../requests/run-files.js';
import { createRunLog, type RunLog } from '../../requests/run-log.js';
import type { RunModelOnce } from '../../models/run-model.js';
import type { QueueSettings } from '../../settings.js';
import { startAttempt, failAttempt, findRequestWithInput } from '../../store/requests.js';
import type { RequestHead } from '../../store/request-head.js';

export interface ModelActivityOptions {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
  readonly models: QueueModels;
  readonly run: RunModelOnce;
  readonly files: FileStore;
  readonly settings: QueueSettings;
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds between heartbeats, and between writes of log lines. */
const heartbeatInterval = 500;

export const createModelActivities = (options: ModelActivityOptions) => ({
  /** Runs an attempt. @throws ApplicationFailure for errors of the platform, which are retried; model errors are results */
  async runModel({ requestId, attempts }: ModelRequestInput): Promise<RequestEnd> {
    const { database, lifecycle, models } = options;
    const found = await findRequestWithInput(database, requestId);
    if (found === null) throw requestNotFound(requestId);
    const { request } = found;
    const isLate = request.begun === null && request.startBefore !== null && Date.now() > request.startBefore;
    if (isLate) return endRequest(request, platformOutcome('startup_timeout'), lifecycle);
    if (request.state !== 'ended' && request.attempts >= attempts) throw attemptsExhausted();
    if (!(await startAttempt(database, requestId, Date.now()))) return requireEnd(requestId, lifecycle);
    const model = models.find(request.model);
    if (model === undefined)
      return endRequest(request, platformOutcome('runner_scheduling_failure'), lifecycle);
    const isLast = request.attempts + 1 >= attempts;
    return attempt({ ...found, model, isLast }, options);
  },
});

const endRequest = async (
  request: RequestHead,
  outcome: Outcome,
  lifecycle: RequestLifecycle,
): Promise<RequestEnd> => (await lifecycle.end(request, outcome)) ?? requireEnd(request.id, lifecycle);

const requireEnd = async (requestId: string, lifecycle: RequestLifecycle): Promise<RequestEnd> => {
  const end = await lifecycle.findEnd(requestId);
  if (end === null) throw requestNotFound(requestId);
  return end;
};

const requestNotFound = (requestId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`there is no request ${requestId}`, failureTypes.platform);

/** Returns the failure of a request whose last attempt ended with its worker, before a result was stored. */
const attemptsExhausted = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable('every attempt ended with its worker', 'runner_scheduling_failure');

interface Attempt {
  readonly model: QueueModelDeclaration;
  readonly request: RequestHead;
  /** JSON. */
  readonly input: string | null;
  /** Whether this is the last attempt. */
  readonly isLast: boolean;
}

const attempt = async (
  { model, request, input, isLast }: Attempt,
  options: ModelActivityOptions,
): Promise<RequestEnd> => {
  const { database, lifecycle, run, files, settings, onFailure } = options;
  const { id: requestId, filesTtl: ttl } = request;
  const context = Context.current();
  const log = createRunLog({ statements: database, request: requestId, attempt: request.attempts + 1 });
  const heartbeat = startHeartbeat(context, log);
  try {
    const { outcome, retry } = await run(model, {
      requestId,
      input: JSON.parse(input ?? 'null'),
      resumed: context.info.heartbeatDetails,
      log: log.add,
      skip: log.skip,
      progress: heartbeat.progress,
      files: createRunFiles(requestId, { files, settings, ttl }),
      signal: context.cancellationSignal,
      onFailure,
    });
    if (!retry) {
      // a client that sees the end must also see every log line
      return await retryStore(async () => {
        await log.end();
        return endRequest(request, outcome, lifecycle);
      }, onFailure);
    }
    await failAttempt(database, requestId);
    const type = outcome.errorType ?? failureTypes.platform;
    throw ApplicationFailure.create({
      message: 'the inference server cannot be used',
      type,
      nonRetryable: isLast,
    });
  } catch (error) {
    if (context.cancellationSignal.aborted && context.cancellationDetails?.cancelRequested !== true) {
      await failAttempt(database, requestId);
      throw ApplicationFailure.retryable('the worker stops', 'WorkerShutdown');
    }
    throw error;
  } finally {
    heartbeat.stop();
    await log.end().catch(onFailure);
  }
};

/** Milliseconds; less than the 30 s by which the activity timeout exceeds the timeout of the model. */
const storeTimeout = 25_000;

/** Retries storing a result, so that a short outage of the database does not make the model run again. */
const retryStore = async <Result>(
  store: () => Promise<Result>,
  onFailure: (error: unknown) => void,
): Promise<Result> => {
  const until = Date.now() + storeTimeout;
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (error instanceof ApplicationFailure || Date.now() > until) throw error;
      onFailure(error);
      await sleep(1_000);
    }
  }
};

/** Sends heartbeats with the last progress, and writes the log regularly. */
const startHeartbeat = (context: Context, log: RunLog) => {
  let state: unknown = context.info.heartbeatDetails;
  const timer = setInterval(() => {
    context.heartbeat(state);
    // lines that cannot be written wait for the next time
    log.flush().catch(() => undefined);
  }, heartbeatInterval);
  context.heartbeat(state);
  return {
    progress(next: unknown): void {
      state = next;
    },
    stop: () => clearInterval(timer),
  };
};
