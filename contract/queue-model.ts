/** What generated code declares of the models the queue runs, and what a function runner is given. */

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
  /** How often it is tried when the platform fails: a worker, a connection. */
  readonly attempts: number;
  /** Requests that run at the same time: of the model, and of one account. */
  readonly concurrency: { readonly model: number; readonly account: number };
  /** Both describe objects. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
}

export type QueueRunner =
  /** A module that exports `run`: of the project where it begins with `./`, else of a package. */
  | { readonly kind: 'function'; readonly module: string }
  /** An inference server; `${NAME}` stands for an environment variable. */
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'STDOUT' | 'STDERR';

/** What a function model may use while it runs. */
export interface RunContext {
  /** A line of the request's log, seen by the caller. */
  log(message: string, level?: LogLevel): void;
  /**
   * Says how far the run is, and keeps it alive: when the worker ends, the next one finds the last of these in
   * `resumed`. Plain data, small.
   */
  progress(state: unknown): void;
  /** What the last `progress` of an earlier attempt said; `undefined` on a first one. */
  readonly resumed: unknown;
  /** Aborted when the caller cancels, when time is up and when the worker stops. */
  readonly signal: AbortSignal;
  /** Keeps what the run produces. */
  readonly files: RunFiles;
}

export interface RunFiles {
  /** Stores bytes and says how to reach them; the URL is signed and expires. */
  save(name: string, contentType: string, bytes: Uint8Array): Promise<SavedFile>;
}

export interface SavedFile {
  readonly url: string;
  readonly content_type: string;
  readonly file_name: string;
  /** Bytes. */
  readonly file_size: number;
}

/** What a function model throws to answer with an error of its own: the result has this status and this body. */
export class ModelError extends Error {
  readonly status: number;
  /** JSON. */
  readonly body: unknown;

  /** @param status 400 to 499; others are failures of the model */
  constructor(status: number, body: unknown) {
    super(`the model answers ${status}`);
    this.name = 'ModelError';
    this.status = status;
    this.body = body;
  }
}

/** The one export a model's module has to have: `export const run: RunModel<Input, Output> = …`. */
export type RunModel<Input, Output> = (input: Input, context: RunContext) => Promise<Output> | Output;
