/** Input and output of an attempt to run a model. */
import type { LogLevel } from '../../../contract/queue-model.js';
import type { Outcome } from '../requests/outcome.js';
import type { RunFiles } from '../requests/run-files.js';

export interface RunContext {
  readonly requestId: string;
  /** User to whom the request belongs. */
  readonly account: string;
  /** 0 for a synchronous run. */
  readonly attempt: number;
  readonly input: unknown;
  /** State passed to the last `progress` call of an earlier attempt. */
  readonly resumed: unknown;
  /** Trace and span of the run, for servers that it calls; null if it belongs to no trace. */
  readonly traceparent: string | null;
  /** @param time Unix time in milliseconds; now if absent */
  log(message: string, level?: LogLevel, time?: number): void;
  /** Counts log lines that were left out at this point. */
  skip(lines: number): void;
  progress(state: unknown): void;
  readonly files: RunFiles;
  /** Reports the memory of the run's process in bytes, again and again. */
  readonly onMemory: (bytes: number) => void;
  /** Aborted when the run has to end early. */
  readonly signal: AbortSignal;
  /** Receives the error of a function or of a connection, for operators and never for the caller. */
  readonly onFailure: (error: unknown) => void;
}

/** An attempt that threw, whose process ended, or whose inference server could not be reached; for logs. */
export interface FailedAttempt {
  readonly request: string;
  readonly model: string;
  readonly account: string;
  /** 0 for a synchronous run. */
  readonly attempt: number;
  readonly error: unknown;
  /** True where what the attempt had left running failed, after its end. */
  readonly late?: true;
}

/** Outcome of an attempt; with `retry` it failed for reasons of the platform and another attempt may succeed. */
export interface RunResult {
  readonly outcome: Outcome;
  readonly retry: boolean;
  /** Milliseconds before which an inference server does not want another attempt. */
  readonly after?: number | undefined;
}

/** Returns a result that is not retried. */
export const final = (outcome: Outcome): RunResult => ({ outcome, retry: false });
