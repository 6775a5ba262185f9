/** The parameters of an apply. */
import { apiError, type ApiError } from '../../../contract/errors.js';
import type { Database } from '../../databases/contract.js';
import type { ActivityEntry } from '../../execute/activity.js';
import type { LiveOptions } from '../live-schema.js';
import type { Step } from './plan.js';

export interface ApplyOptions {
  readonly database: Database;
  readonly tables: LiveOptions['tables'];
  /** Id of the user; `null` for a command. */
  readonly user: string | null;
  /** Client of the request; absent for a command. */
  readonly client?: ActivityEntry['client'];
  /** Milliseconds for which servers that do not follow, and locks of others, are waited for. */
  readonly wait?: number;
  /** Has the schema as it is now served by this host, then runs `then`; absent where this is no server. */
  readonly serve?: ((then: () => Promise<void>) => Promise<void>) | undefined;
  /** True where a failure leaves the apply open, so that it can be tried again. */
  readonly leavesOpen?: (error: unknown) => boolean;
  /** Stops the apply before its next step. */
  readonly signal?: AbortSignal;
  /** Returns whether the signal means that the apply is given up; otherwise another process goes on with it. */
  readonly isCancelled?: () => boolean;
  /** The worker of Temporal that runs it, as operators see it; absent elsewhere. */
  readonly worker?: string;
  /** Has applies run by workers of Temporal; absent where none is configured. */
  readonly workflows?: ApplyWorkflows | undefined;
  /** Milliseconds within which a worker of Temporal begins, or this process runs the apply. */
  readonly takeLimit?: number;
  /** Called with the id of the apply when it has been checked and recorded. */
  readonly onQueued?: (id: string) => void;
  /** Called before every step. */
  readonly onStep?: (step: Step, progress: { readonly done: number; readonly steps: number }) => void;
}

/** The workflows that run applies, by id. */
export interface ApplyWorkflows {
  /** Starts the workflow of an apply unless it exists. @throws Error where Temporal does not answer */
  start(id: string): Promise<void>;
  /** Cancels the workflow of an apply, if it exists. */
  cancel(id: string): Promise<void>;
}

/** Milliseconds. */
export const defaultWait = 60_000;

/** Creates the error of an apply that cannot go on now; clients see the reason. */
export const unavailable = (reason: string): ApiError =>
  apiError('SERVICE_UNAVAILABLE', { service: 'schema' }, reason);
