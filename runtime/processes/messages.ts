/** Messages between the supervisor and its processes. */
import type { WindowCounts } from '../access/limiter.js';
import type { Snapshot } from '../metrics/tallies.js';
import type { BuildResult, BuildTask } from './build.js';

/**
 * Milliseconds for which a process that is replaced may answer its last requests: those that apply a schema, or wait for a
 * model, take long.
 */
export const retireLimit = 3_600_000;

/** Messages from a process to the supervisor. */
export type Report =
  | Ready
  | { readonly kind: 'readiness'; readonly ready: boolean }
  /** The event loop turns; sent at intervals from `ready` on. */
  | { readonly kind: 'beat' }
  /** A connection has been taken. */
  | { readonly kind: 'taken'; readonly id: number }
  /** No more connections are taken. */
  | { readonly kind: 'closing' }
  /** Asks for the build of the schema as it is now. */
  | CheckRequest
  /** The build of a `serve` message is served, or could not be loaded. */
  | { readonly kind: 'serving'; readonly directory: string }
  /** A spare process has loaded all but the build. */
  | { readonly kind: 'spare' }
  /** The finding of a spare process that checked the schema; `id`: that of the request, or null. */
  | Finding
  /** Asks for a build. */
  | BuildRequest
  /** The metrics of the process: the answer to `measure`, and once more when it ends. */
  | { readonly kind: 'measured'; readonly snapshot: Snapshot }
  /** Counts of the rate limiter of the process. */
  | ({ readonly kind: 'counted' } & WindowCounts)
  | Failed;

export interface Ready {
  readonly kind: 'ready';
  readonly url: string;
  readonly collections: number;
  readonly directory: string;
  /** Generation of the schema that the build was made from; 0 where the process was given the build. */
  readonly generation: number;
}

export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
  readonly refusal: boolean;
}

export interface BuildRequest {
  readonly kind: 'build';
  readonly id: number;
  readonly task: BuildTask;
}

export interface CheckRequest {
  readonly kind: 'check';
  readonly id: number;
  readonly forced: boolean;
}

export interface Finding {
  readonly kind: 'found';
  readonly id: number | null;
  /** The build of the schema as it is now, or the last that could be made. */
  readonly directory: string;
  /** Generation of the schema that this build is of. */
  readonly generation: number;
  /** The reason for which there is no build of the present schema; null where there is one. */
  readonly failure: string | null;
}

/** An order to serve this build, of that generation of the schema; `failure`: why the schema as it is now has none. */
export interface ServeInstruction {
  readonly kind: 'serve';
  readonly directory: string;
  readonly generation: number;
  readonly failure: string | null;
}

/** Messages from the supervisor to a process. */
export type Instruction =
  | ServeInstruction
  /** The answer to a `check`. */
  | { readonly kind: 'checked'; readonly id: number; readonly failure: string | null }
  /** The answer to a `build`. */
  | { readonly kind: 'built'; readonly id: number; readonly result: BuildResult }
  /** Sums of the counts of the rate limiters of the other processes. */
  | ({ readonly kind: 'counts' } & WindowCounts)
  /** Report the metrics. */
  | { readonly kind: 'measure' }
  /** Requests to a spare process. */
  | CheckRequest
  /** End, when the clients have gone to other processes. */
  | { readonly kind: 'retire' };
