/** Messages between a worker and the child processes that run function models. */
import type { LogLevel, SavedFile } from '../../../../contract/queue-model.js';

export interface RunTask {
  readonly kind: 'run';
  readonly model: string;
  readonly input: unknown;
  readonly resumed: unknown;
  readonly traceparent: string | null;
  readonly origin: RunOrigin;
}

/** The attempt that a run is, to report what it leaves running and what fails later. */
export interface RunOrigin {
  readonly request: string;
  readonly model: string;
  readonly account: string;
  readonly attempt: number;
}

/** A failure of what a run has left running. */
export interface LateFailure {
  readonly origin: RunOrigin;
  readonly error: PlainError;
}

export type ToChild =
  | RunTask
  | { readonly kind: 'abort'; readonly reason: string }
  | { readonly kind: 'saved'; readonly call: number; readonly file: SavedFile }
  | { readonly kind: 'notSaved'; readonly call: number; readonly message: string };

export interface ChildLine {
  readonly message: string;
  readonly level: LogLevel;
  /** Unix time in milliseconds. */
  readonly time: number;
}

/** An error as plain data; for operators only, because message and stack may contain anything. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** The end of a run within the child process; bodies are JSON. */
export type RunEnd =
  | { readonly kind: 'result'; readonly body: string }
  | { readonly kind: 'oversized'; readonly bytes: number }
  | { readonly kind: 'modelError'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly error: PlainError };

export type FromChild =
  | { readonly kind: 'started' }
  /** Log lines, and the number of lines before them that were left out. */
  | { readonly kind: 'log'; readonly lines: readonly ChildLine[]; readonly skipped: number }
  | { readonly kind: 'progress'; readonly state: unknown }
  /** A file to store; `spooled` is its name in the spool folder. */
  | {
      readonly kind: 'save';
      readonly call: number;
      readonly name: string;
      readonly contentType: string;
      readonly spooled: string;
    }
  | RunEnd
  | ({ readonly kind: 'late' } & LateFailure)
  /** The event loop turned after a run, so that the next one can begin. */
  | { readonly kind: 'idle' };
