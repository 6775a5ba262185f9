/** One attempt to run a model: what a runner is given, and what it returns. */
import type { LogLevel, RunFiles } from '../../../contract/queue-model.js';
import type { Outcome } from '../requests/outcome.js';

export interface Run {
  readonly requestId: string;
  readonly input: unknown;
  /** What the last `progress` of an earlier attempt said. */
  readonly resumed: unknown;
  log(message: string, level?: LogLevel): void;
  progress(state: unknown): void;
  readonly files: RunFiles;
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal;
  /** Told of what a function threw: for the operator, never for the caller. */
  readonly onFailure: (error: unknown) => void;
}

/** Outcome of one attempt; `retry`: the platform broke it, another one may succeed. */
export interface Attempted {
  readonly outcome: Outcome;
  readonly retry: boolean;
}

export const final = (outcome: Outcome): Attempted => ({ outcome, retry: false });
