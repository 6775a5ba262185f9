/** Input and output of an attempt to run a model. */
import type { LogLevel, RunFiles } from '../../../contract/queue-model.js';
import type { Outcome } from '../requests/outcome.js';

export interface RunContext {
  readonly requestId: string;
  readonly input: unknown;
  /** State passed to the last `progress` call of an earlier attempt. */
  readonly resumed: unknown;
  log(message: string, level?: LogLevel): void;
  progress(state: unknown): void;
  readonly files: RunFiles;
  /** Aborted when the run has to end early. */
  readonly signal: AbortSignal;
  /** Receives errors of functions, for the logs and never for the caller. */
  readonly onFailure: (error: unknown) => void;
}

/** Outcome of an attempt; with `retry` it failed for reasons of the platform and another attempt may succeed. */
export interface RunResult {
  readonly outcome: Outcome;
  readonly retry: boolean;
}

export const final = (outcome: Outcome): RunResult => ({ outcome, retry: false });
