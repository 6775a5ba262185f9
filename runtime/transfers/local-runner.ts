/**
 * Without Temporal, runs transfers in the API: a process that can read the file claims the transfer, and another takes
 * over after `takeover` milliseconds without a sign of life. Also removes expired requests and files of the whole queue.
 */
import { createId } from '../queue/store/ids.js';
import { builtInModels, type BuiltInModelId } from '../queue/models/built-in.js';
import { beginRecord } from '../queue/requests/attempt-record.js';
import { platformOutcome } from '../queue/requests/outcome.js';
import { createRunFiles } from '../queue/requests/run-files.js';
import { createRunLog } from '../queue/requests/run-log.js';
import { endAttempt, failAttempt, startAttempt } from '../queue/store/attempts.js';
import type { RequestHead } from '../queue/store/request-head.js';
import { findRequestWithInput } from '../queue/store/requests.js';
import { expire } from '../queue/store/retention.js';
import {
  claimTransfer,
  findIdleTransfers,
  releaseTransfer,
  takeoverDelay,
  type IdleTransfer,
  type TransferRun,
} from '../queue/store/transfers.js';
import type { FailedAttempt, RunContext } from '../queue/models/attempt.js';
import type { RequestLifecycle } from '../queue/requests/lifecycle.js';
import type { FileStore } from '../queue/requests/files.js';
import type { QueueSettings } from '../queue/settings.js';
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';
import { hasSource } from './files.js';
import type { RunTransfer } from './run.js';

export interface LocalRunnerOptions {
  readonly database: Database;
  readonly settings: QueueSettings;
  readonly lifecycle: RequestLifecycle;
  readonly files: FileStore;
  readonly run: RunTransfer;
  readonly observe: Observe;
  readonly onError: (error: unknown) => void;
  /** Milliseconds without a sign after which a transfer is taken over. */
  readonly takeover?: number;
}

export interface LocalRunner {
  /** Takes the transfers that wait for a process. */
  wake(): void;
  /** Stops the runs of this process; others continue them. */
  close(): Promise<void>;
}

/** Milliseconds between polls for transfers that no process runs. */
const pollInterval = 10_000;
/** Milliseconds between removals of expired requests and files. */
const expireInterval = 60 * 60_000;
/** Maximum transfers that a process runs at once. */
const maxRuns = 2;
const ids = builtInModels.map(({ id }) => id);

/** Creates the runner of this process; `takeover` is in milliseconds without a sign of life. */
export const createLocalRunner = (options: LocalRunnerOptions): LocalRunner => {
  const { database, takeover = takeoverDelay, onError } = options;
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  let polling: Promise<void> | null = null;

  const poll = async (): Promise<void> => {
    for (const idle of await findIdleTransfers(database, ids, Date.now() - takeover)) {
      if (running.size >= maxRuns || stopping.signal.aborted) return;
      const { request } = idle;
      if (running.has(request) || !(await canRun(idle, options))) continue;
      const transfer = { request, run: createId() };
      if (!(await claimTransfer(database, transfer, Date.now() - takeover))) continue;
      const done = runClaimed(transfer, options, stopping.signal)
        .catch(onError)
        .finally(() => {
          running.delete(request);
          wake();
        });
      running.set(request, done);
    }
  };
  const wake = (): void => {
    if (stopping.signal.aborted) return;
    polling = (polling ?? Promise.resolve()).then(poll).catch(onError);
  };
  const timers = [
    setInterval(wake, Math.min(pollInterval, takeover)).unref(),
    setInterval(() => void removeExpired(options).catch(onError), expireInterval).unref(),
  ];
  wake();
  return {
    wake,
    async close() {
      for (const timer of timers) clearInterval(timer);
      stopping.abort(new Error('the process stops'));
      await polling;
      await Promise.all(running.values());
    },
  };
};

/**
 * Returns whether this process can run a transfer. An import whose file is on another host is left to that host, until
 * the file has expired there too.
 */
const canRun = async (
  { request, model, created }: IdleTransfer,
  { files, settings }: LocalRunnerOptions,
): Promise<boolean> =>
  model !== 'svc/import' || created < Date.now() - settings.fileTtl || (await hasSource(files, request));

const removeExpired = async ({ database, settings, files }: LocalRunnerOptions): Promise<void> => {
  const now = Date.now();
  await files.removeBefore(now - settings.fileTtl);
  await expire(database, { before: now - settings.resultTtl, now });
};

const runClaimed = async (
  transfer: TransferRun,
  options: LocalRunnerOptions,
  signal: AbortSignal,
): Promise<void> => {
  const { database } = options;
  const found = await findRequestWithInput(database, transfer.request);
  if (found === null || found.request.state === 'ended') return;
  const { request, input } = found;
  const start = {
    request: request.id,
    attempts: request.attempts,
    worker: `api ${process.pid}`,
    now: Date.now(),
  };
  if (!(await startAttempt(database, start))) return;
  await runAttempt({ transfer, request, input: JSON.parse(input ?? 'null'), signal }, options);
};

interface Attempt {
  readonly transfer: TransferRun;
  readonly request: RequestHead;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

const runAttempt = async (attempt: Attempt, options: LocalRunnerOptions): Promise<void> => {
  const { transfer, request, signal } = attempt;
  const { database, lifecycle, run } = options;
  const number = request.attempts + 1;
  const { context, log, record } = createContext(attempt, options);
  try {
    const { outcome, retry } = await run(request.model as BuiltInModelId, context, transfer.run);
    if (!retry) {
      await log.end();
      const { errorType } = outcome;
      const end = record.toEnd(errorType === null ? 'ok' : 'error', errorType);
      await lifecycle.end(request, outcome, { attempt: end });
      return;
    }
    const maxAttempts = builtInModels.find(({ id }) => id === request.model)?.attempts ?? 1;
    if (number >= maxAttempts || !request.retry)
      await lifecycle.end(request, platformOutcome('runner_server_error'), {
        attempt: record.toEnd('error', 'runner_server_error'),
      });
    else await failAttempt(database, record.toEnd('retry'), Date.now());
  } catch (error) {
    if (!signal.aborted) throw error;
    await releaseTransfer(database, transfer);
    await endAttempt(database, record.toEnd('retry', 'worker_stopped'), Date.now());
  } finally {
    await log.end().catch(options.onError);
  }
};

const createContext = (
  { request, input, signal }: Attempt,
  { database, files, settings, observe, onError }: LocalRunnerOptions,
) => {
  const number = request.attempts + 1;
  const log = createRunLog({ statements: database, request: request.id, attempt: number });
  const runFiles = createRunFiles(request.id, { files, settings, ttl: request.filesTtl });
  const onModelFailure = ({ error }: FailedAttempt): void => onError(error);
  const record = beginRecord({ request, number, log, files: runFiles }, { observe, onModelFailure });
  const context: RunContext = {
    requestId: request.id,
    account: request.account,
    attempt: number,
    input,
    resumed: undefined,
    traceparent: request.traceparent,
    log: log.add,
    skip: log.skip,
    progress: () => undefined,
    files: runFiles,
    onMemory: record.onMemory,
    signal,
    onFailure: record.onFailure,
  };
  return { context, log, record };
};
