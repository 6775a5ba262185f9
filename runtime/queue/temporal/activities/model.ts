/** The activity that runs one attempt of a model and stores its result. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { QueueObservation } from '../../../observe.js';
import type { Database } from '../../../databases/contract.js';
import type { QueueModelDeclaration } from '../../../../contract/queue-model.js';
import { failureTypes, type ModelRequestInput, type RequestEnd } from '../../contract.js';
import type { RequestLifecycle } from '../../requests/lifecycle.js';
import type { FileStore } from '../../requests/files.js';
import { checkInput } from '../../models/input.js';
import type { QueueModels } from '../../models/models.js';
import { inputVersion } from '../../requests/input-version.js';
import { platformOutcome, type Outcome } from '../../requests/outcome.js';
import { untraced, type Span, type SpanStart, type Tracing } from '../../../tracing/tracing.js';
import type { LateLogs } from '../../requests/late-logs.js';
import { beginRecord, type AttemptRecord } from '../../requests/attempt-record.js';
import { createRunFiles } from '../../requests/run-files.js';
import { createRunLog, type RunLog } from '../../requests/run-log.js';
import type { FailedAttempt, RunResult } from '../../models/attempt.js';
import type { RunModelOnce } from '../../models/run-model.js';
import type { QueueSettings } from '../../settings.js';
import { failAttempt, startAttempt, type AttemptEnd } from '../../store/attempts.js';
import { findRequestWithInput } from '../../store/requests.js';
import type { RequestHead } from '../../store/request-head.js';
import { askedDelay } from './asked-delay.js';

export interface ModelActivityOptions {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
  readonly models: QueueModels;
  readonly run: RunModelOnce;
  readonly files: FileStore;
  readonly settings: QueueSettings;
  readonly lateLogs: Pick<LateLogs, 'keep'>;
  /** Records attempts as spans. */
  readonly tracing?: Tracing;
  /** Identity of the process. */
  readonly worker: string;
  readonly observe?: (observation: QueueObservation) => void;
  readonly onFailure: (error: unknown) => void;
  readonly onModelFailure: (failure: FailedAttempt) => void;
}

/** Milliseconds between heartbeats, and between writes of log lines. */
const heartbeatInterval = 500;
/** Milliseconds before another worker may know a model that this one does not. */
const unknownModelDelay = 10_000;

/** Creates the activity of a worker process. */
export const createModelActivities = (options: ModelActivityOptions) => ({
  /**
   * Runs an attempt. A result of the model, even an error, is returned.
   * @throws ApplicationFailure for errors of the platform: one that is retried, or one whose details are the end of the
   *   request, so that the attempt is shown as failed
   */
  async runModel({ requestId, attempts, version }: ModelRequestInput): Promise<RequestEnd> {
    const { database, lifecycle, models, worker } = options;
    const found = await findRequestWithInput(database, requestId);
    if (found === null) throw requestNotFound(requestId);
    const { request } = found;
    if (request.state === 'ended') return requireEnd(requestId, lifecycle);
    const isLate = request.begun === null && request.startBefore !== null && Date.now() > request.startBefore;
    if (isLate) return endRequest(request, { outcome: platformOutcome('startup_timeout'), lifecycle });
    const model = models.find(request.model);
    if (model === undefined) throw unknownModel(request.model, worker);
    if (isForAnotherVersion(version, model, found.input)) throw unknownVersion(request.model, worker);
    if (request.attempts >= attempts) throw attemptsExhausted();
    const start = { request: requestId, attempts: request.attempts, worker, now: Date.now() };
    const started = await startAttempt(database, start);
    if (started === null) return requireEnd(requestId, lifecycle);
    for (let lost = 0; lost < started.lost; lost += 1)
      options.observe?.({ kind: 'attemptLost', model: model.id });
    const given = { ...found, model, number: request.attempts + 1, attempts };
    const { tracing = untraced } = options;
    return tracing.span(spanOf(given), (span) => attempt({ ...given, span }, options));
  },
});

interface Ending {
  readonly outcome: Outcome;
  readonly attempt?: AttemptEnd;
  readonly lifecycle: RequestLifecycle;
}

const endRequest = async (
  request: RequestHead,
  { outcome, attempt: ended, lifecycle }: Ending,
): Promise<RequestEnd> => {
  const options = ended === undefined ? {} : { attempt: ended };
  return (await lifecycle.end(request, outcome, options)) ?? requireEnd(request.id, lifecycle);
};

const requireEnd = async (requestId: string, lifecycle: RequestLifecycle): Promise<RequestEnd> => {
  const end = await lifecycle.findEnd(requestId);
  if (end === null) throw requestNotFound(requestId);
  return end;
};

const requestNotFound = (requestId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`there is no request ${requestId}`, failureTypes.platform);

/** Returns the failure of a request whose last attempt ended with its worker, before a result was stored. */
const attemptsExhausted = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable('Every attempt ended with its worker', 'runner_scheduling_failure');

/** Returns the failure that puts a request back: during a deploy, other workers know models that this one does not. */
const unknownModel = (model: string, worker: string): ApplicationFailure =>
  ApplicationFailure.create({
    message: `worker ${worker} has no model "${model}"; another one may have it`,
    type: failureTypes.unknownModel,
    nextRetryDelay: unknownModelDelay,
  });

/** Milliseconds for which a request waits for a worker of the version under which it was submitted. */
const versionPatience = 120_000;

/** Returns whether the input is refused here, but was submitted under another version of the model not long ago. */
const isForAnotherVersion = (
  version: string | undefined,
  model: QueueModelDeclaration,
  input: string | null,
): boolean => {
  if (version === undefined || version === inputVersion(model)) return false;
  if (Date.now() - Context.current().info.scheduledTimestampMs > versionPatience) return false;
  return checkInput(model, JSON.parse(input ?? 'null')).length > 0;
};

const unknownVersion = (model: string, worker: string): ApplicationFailure =>
  ApplicationFailure.create({
    message: `worker ${worker} has another version of "${model}", which refuses the input`,
    type: failureTypes.unknownModel,
    nextRetryDelay: unknownModelDelay,
  });

interface Attempt {
  readonly model: QueueModelDeclaration;
  readonly request: RequestHead;
  /** JSON. */
  readonly input: string | null;
  readonly number: number;
  /** Maximum number of attempts. */
  readonly attempts: number;
}

interface TracedAttempt extends Attempt {
  readonly span: Span;
}

/** Returns the span of an attempt, by the conventions of messages that are processed. */
const spanOf = ({ model, request, number }: Attempt): SpanStart => ({
  name: `run ${model.id}`,
  kind: 'consumer',
  parent: request.traceparent,
  attributes: {
    'messaging.system': 'svc',
    'messaging.operation.name': 'run',
    'messaging.operation.type': 'process',
    'messaging.destination.name': model.id,
    'messaging.message.id': request.id,
    'svc.request.id': request.id,
    'svc.attempt': number,
  },
});

const attempt = async (given: TracedAttempt, options: ModelActivityOptions): Promise<RequestEnd> => {
  const { model, request, input, number, span } = given;
  const { database, run, files, settings, onFailure } = options;
  const { id: requestId, filesTtl: ttl } = request;
  const context = Context.current();
  const log = createRunLog({ statements: database, request: requestId, attempt: number });
  const heartbeat = startHeartbeat(context, log);
  const runFiles = createRunFiles(requestId, { files, settings, ttl });
  const record = beginRecord({ request, number, log, files: runFiles }, options);
  try {
    const { outcome, retry, after } = await run(model, {
      requestId,
      account: request.account,
      attempt: number,
      input: JSON.parse(input ?? 'null'),
      resumed: context.info.heartbeatDetails,
      traceparent: span.traceparent,
      log: log.add,
      skip: log.skip,
      progress: heartbeat.progress,
      onMemory: record.onMemory,
      files: runFiles,
      signal: context.cancellationSignal,
      onFailure: record.onFailure,
    });
    if (outcome.errorType !== null) span.fail(outcome.errorType);
    if (retry) return await failWith(outcome, record, { ...given, database, after });
    // a client that sees the end must also see every log line
    const { errorType } = outcome;
    const end = record.toEnd(errorType === null ? 'ok' : 'error', errorType);
    return await retryStore(async () => {
      await log.end();
      return endWith(outcome, { ...given, ...options, end });
    }, onFailure);
  } catch (error) {
    if (!context.cancellationSignal.aborted || error instanceof ApplicationFailure) throw error;
    heartbeat.send();
    const isCancelled = context.cancellationDetails?.cancelRequested === true;
    span.fail(isCancelled ? 'cancelled' : 'worker_stopped');
    const end = record.toEnd(isCancelled ? 'cancelled' : 'retry', isCancelled ? null : 'worker_stopped');
    await failAttempt(database, end, Date.now());
    if (isCancelled) throw error;
    throw ApplicationFailure.retryable('the worker stops', failureTypes.workerStopped);
  } finally {
    heartbeat.stop();
    await log.end().catch((error: unknown) => {
      onFailure(error);
      options.lateLogs.keep(log, { request: requestId, model: model.id });
    });
  }
};

interface FailingAttempt extends Attempt, Pick<RunResult, 'after'> {
  readonly database: Database;
}

/** Records an attempt that is repeated, unless it was the last. @throws ApplicationFailure */
const failWith = async (
  { errorType, body }: Outcome,
  record: AttemptRecord,
  { database, number, attempts, after }: FailingAttempt,
): Promise<never> => {
  await failAttempt(database, record.toEnd('retry', errorType), Date.now());
  const delay = askedDelay(after, Context.current().info.attempt);
  throw ApplicationFailure.create({
    message: detailOf(body),
    type: errorType ?? failureTypes.platform,
    nonRetryable: number >= attempts,
    ...(delay !== undefined && { nextRetryDelay: delay }),
  });
};

interface EndingAttempt extends Attempt, ModelActivityOptions {
  readonly end: AttemptEnd;
}

/**
 * Stores the end of a request with its last attempt.
 * @throws ApplicationFailure with the end as its details, if the model failed; message and stack stay in the database
 */
const endWith = async (outcome: Outcome, { request, lifecycle, end }: EndingAttempt): Promise<RequestEnd> => {
  const { errorType, body } = outcome;
  const ended = await endRequest(request, { outcome, attempt: end, lifecycle });
  if (errorType === null || ended.errorType !== errorType) return ended;
  const name = end.error?.name ?? null;
  throw ApplicationFailure.create({
    message: name === null ? detailOf(body) : `${detailOf(body)} (${name})`,
    type: errorType,
    nonRetryable: true,
    details: [ended],
    category: 'BENIGN',
  });
};

const detailOf = (body: unknown): string => String((body as { readonly detail?: unknown }).detail);

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
  const sendState = (): void => context.heartbeat(state);
  const timer = setInterval(() => {
    sendState();
    // lines that cannot be written wait for the next time
    log.flush().catch(() => undefined);
  }, heartbeatInterval);
  sendState();
  return {
    progress(next: unknown): void {
      state = next;
    },
    /** Sends the last progress, from which another worker goes on. */
    send: sendState,
    stop: () => clearInterval(timer),
  };
};
