/** The activity that runs a model: one attempt, from the slot to the stored result. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { Database } from '../../../databases/contract.js';
import type { LogLevel, QueueModelDeclaration } from '../../../../contract/queue-model.js';
import { failureTypes, type ModelRequestInput, type RequestEnd } from '../../contract.js';
import type { RequestLifecycle } from '../../requests/lifecycle.js';
import type { FileStore } from '../../requests/files.js';
import type { QueueModels } from '../../models/models.js';
import { platformOutcome, type Outcome } from '../../requests/outcome.js';
import { runFiles } from '../../http/run.js';
import type { RunModelOnce } from '../../models/run-model.js';
import type { QueueSettings } from '../../settings.js';
import { insertLogs, type LogLine } from '../../store/logs.js';
import { beginAttempt, breakAttempt, findRequestWithInput, type RequestHead } from '../../store/requests.js';

export interface ModelActivityOptions {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
  readonly models: QueueModels;
  readonly run: RunModelOnce;
  readonly files: FileStore;
  readonly settings: QueueSettings;
  readonly onFailure: (error: unknown) => void;
}

/** A step of Temporal's clock for heartbeats, and of the log's way to the database. */
const beat = 500;

export const createModelActivities = (options: ModelActivityOptions) => ({
  /** @throws ApplicationFailure of the platform, to be tried again; what the model says is a result */
  async runModel({ requestId, attempts }: ModelRequestInput): Promise<RequestEnd> {
    const { database, lifecycle, models } = options;
    const found = await findRequestWithInput(database, requestId);
    if (found === null) throw gone(requestId);
    const { request } = found;
    const isLate = request.begun === null && request.startBefore !== null && Date.now() > request.startBefore;
    if (isLate) return conclude(request, platformOutcome('startup_timeout'), lifecycle);
    if (request.state !== 'ended' && request.attempts >= attempts) throw exhausted();
    if (!(await beginAttempt(database, requestId, Date.now()))) return ended(requestId, lifecycle);
    const model = models.find(request.model);
    if (model === undefined)
      return conclude(request, platformOutcome('runner_scheduling_failure'), lifecycle);
    const isLast = request.attempts + 1 >= attempts;
    return attempt({ ...found, model, isLast }, options);
  },
});

const conclude = async (
  request: RequestHead,
  outcome: Outcome,
  lifecycle: RequestLifecycle,
): Promise<RequestEnd> => (await lifecycle.end(request, outcome)) ?? ended(request.id, lifecycle);

const ended = async (requestId: string, lifecycle: RequestLifecycle): Promise<RequestEnd> => {
  const end = await lifecycle.endOf(requestId);
  if (end === null) throw gone(requestId);
  return end;
};

const gone = (requestId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`there is no request ${requestId}`, failureTypes.platform);

/** Its last worker was gone before it could say so. */
const exhausted = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable('every attempt ended with its worker', 'runner_scheduling_failure');

interface Attempt {
  readonly model: QueueModelDeclaration;
  readonly request: RequestHead;
  /** JSON. */
  readonly input: string | null;
  /** Whether there is none after it. */
  readonly isLast: boolean;
}

const attempt = async (
  { model, request, input, isLast }: Attempt,
  options: ModelActivityOptions,
): Promise<RequestEnd> => {
  const { database, lifecycle, run, files, settings, onFailure } = options;
  const { id: requestId, filesTtl: ttl } = request;
  const context = Context.current();
  const pulse = createPulse(context, requestId, options);
  try {
    const { outcome, retry } = await run(model, {
      requestId,
      input: JSON.parse(input ?? 'null'),
      resumed: context.info.heartbeatDetails,
      log: pulse.log,
      progress: pulse.progress,
      files: runFiles(requestId, { files, settings, ttl }),
      signal: context.cancellationSignal,
      onFailure,
    });
    // who learns of the end learns of every line
    await pulse.flush();
    if (!retry) return await patiently(() => conclude(request, outcome, lifecycle), onFailure);
    await breakAttempt(database, requestId);
    const type = outcome.errorType ?? failureTypes.platform;
    throw ApplicationFailure.create({
      message: 'the inference server cannot be used',
      type,
      nonRetryable: isLast,
    });
  } catch (error) {
    if (context.cancellationSignal.aborted && context.cancellationDetails?.cancelRequested !== true) {
      await breakAttempt(database, requestId);
      throw ApplicationFailure.retryable('the worker stops', 'WorkerShutdown');
    }
    throw error;
  } finally {
    await pulse.stop();
  }
};

/** Milliseconds: less than what the workflow gives beyond the time of the model. */
const patience = 25_000;

/** The result is there: that the database is away for a while is no reason to run the model again. */
const patiently = async <Result>(
  store: () => Promise<Result>,
  onFailure: (error: unknown) => void,
): Promise<Result> => {
  const until = Date.now() + patience;
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

/** Sends heartbeats with the last progress, and logs in batches. */
const createPulse = (context: Context, request: string, { database, onFailure }: ModelActivityOptions) => {
  let state: unknown = context.info.heartbeatDetails;
  let lines: LogLine[] = [];
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    const batch = lines;
    lines = [];
    if (batch.length === 0) return writing;
    writing = writing.then(() => insertLogs(database, batch)).catch(onFailure);
    return writing;
  };
  const timer = setInterval(() => {
    context.heartbeat(state);
    void flush();
  }, beat);
  context.heartbeat(state);
  return {
    flush,
    log(message: string, level: LogLevel = 'INFO'): void {
      lines.push({ request, level, message: message.slice(0, 8_000), time: Date.now() });
      if (lines.length >= 100) void flush();
    },
    progress(next: unknown): void {
      state = next;
    },
    stop(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
};
