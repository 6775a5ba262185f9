/** Declarations of queue models, and the interface of function models. */

export interface QueueModelDeclaration {
  /** `demo/image`: its path below `/queue/` and `/run/`. */
  readonly id: string;
  readonly title: string;
  readonly access: 'user' | 'admin';
  readonly runner: QueueRunner;
  /** Task queue of the workers that run it. */
  readonly class: string;
  /** Milliseconds one attempt may take. */
  readonly timeout: number;
  /** Maximum attempts after failures of the platform: a worker, a connection. */
  readonly attempts: number;
  /** Maximum concurrent requests, per model and per account. */
  readonly concurrency: { readonly model: number; readonly account: number };
  /** JSON Schemas of objects. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
}

export type QueueRunner =
  | FunctionRunner
  /** An inference server; `${NAME}` stands for an environment variable. */
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** A part of svc, which other routes than those of the queue submit requests to. */
  | { readonly kind: 'builtIn' };

/** Matches the address of an inference server, as a model has it. */
export const upstreamAddress = /^(https?:\/\/|\$\{[A-Z_][A-Z0-9_]*\})/;

/** A function that runs in a process of its own. */
export interface FunctionRunner {
  readonly kind: 'function';
  /** A module that exports `run`: a project file if it begins with `./`, otherwise a package. */
  readonly module: string;
  /** Maximum bytes of memory of the process and its descendants. */
  readonly memory: number;
  /** Names of environment variables that are passed on although they are withheld from other models. */
  readonly environment: readonly string[];
}

export const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'STDOUT', 'STDERR'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Services available to a function model while it runs. */
export interface RunContext {
  /** Writes to the request's log, which the caller can read. A level that does not exist, as from JavaScript, is INFO. */
  log(message: string, level?: LogLevel): void;
  /**
   * Reports progress. If the worker stops, the next attempt receives the latest state in `resumed`.
   * @param state plain data, of at most 1 MB as JSON
   * @throws Error for a state that is no JSON, or too long
   */
  progress(state: unknown): void;
  /** Latest state that an earlier attempt reported; `undefined` on the first attempt. */
  readonly resumed: unknown;
  /**
   * `traceparent` of the run (W3C Trace Context), for servers that the model calls; `null` if it belongs to no trace.
   */
  readonly traceparent: string | null;
  /** Aborted when the caller cancels, on timeout, and when the worker stops. */
  readonly signal: AbortSignal;
  /** Stores files that the run produces. */
  readonly files: RunFiles;
}

export interface RunFiles {
  /** Stores bytes and returns their signed URL, which expires. */
  save(name: string, contentType: string, bytes: Uint8Array): Promise<SavedFile>;
}

export interface SavedFile {
  readonly url: string;
  readonly content_type: string;
  readonly file_name: string;
  /** Bytes. */
  readonly file_size: number;
}

/** Error that a function model throws to return a custom status and body. */
export class ModelError extends Error {
  readonly status: number;
  /** JSON. */
  readonly body: unknown;

  /**
   * @param status 400 to 499; others are failures of the model
   * @param body JSON; an object with `detail`, as of other errors, if absent
   */
  constructor(status: number, body: unknown = { detail: 'The model refuses the request' }) {
    super(`the model answers ${status}`);
    this.name = 'ModelError';
    this.status = status;
    this.body = body;
  }
}

/** Required export of a model's module: `export const run: RunModel<Input, Output> = …`. */
export type RunModel<Input, Output> = (input: Input, context: RunContext) => Promise<Output> | Output;
