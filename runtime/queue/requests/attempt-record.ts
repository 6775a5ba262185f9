/** Records of an attempt for operators: its outcome, failure, memory, files and log. */
import type { AttemptOutcome, QueueObservation } from '../../observe.js';
import type { FailedAttempt } from '../models/attempt.js';
import type { AttemptEnd } from '../store/attempts.js';
import type { RequestHead } from '../store/request-head.js';
import type { RunFiles } from './run-files.js';
import type { RunLog } from './run-log.js';

interface RecordedAttempt {
  readonly request: RequestHead;
  readonly number: number;
  readonly log: Pick<RunLog, 'size'>;
  readonly files: Pick<RunFiles, 'count'>;
}

interface RecordOptions {
  readonly observe?: (observation: QueueObservation) => void;
  readonly onModelFailure: (failure: FailedAttempt) => void;
}

export interface AttemptRecord {
  /** Records the resident memory of the run in bytes; the largest counts. */
  onMemory(bytes: number): void;
  /** Records and reports the error of the run; the last counts. */
  onFailure(error: unknown): void;
  /** Returns the end of the attempt, and reports it. */
  toEnd(outcome: AttemptOutcome, errorType?: string | null): AttemptEnd;
}

/** Begins the record of an attempt, whose duration counts from now. */
export const beginRecord = (
  { request, number, log, files }: RecordedAttempt,
  { onModelFailure, observe = () => undefined }: RecordOptions,
): AttemptRecord => {
  const began = Date.now();
  const { id, account, model } = request;
  let failure: Error | null = null;
  let memory: number | null = null;
  return {
    onMemory(bytes) {
      memory = Math.max(memory ?? 0, bytes);
    },
    onFailure(error) {
      failure = error instanceof Error ? error : new Error(String(error));
      onModelFailure({ request: id, model, account, attempt: number, error });
    },
    toEnd(outcome, errorType = null) {
      const waitedMs = number === 1 ? began - request.created : null;
      const ms = Date.now() - began;
      observe({ kind: 'attemptFinished', model, outcome, errorType, ms, waitedMs });
      const used = { logBytes: log.size(), files: files.count() };
      return { request: id, number, outcome, errorType, error: failure, memory, ...used };
    },
  };
};
