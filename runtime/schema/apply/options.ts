/** The parameters of an apply. */
import type { Database } from '../../databases/contract.js';
import type { LiveOptions } from '../live.js';
import type { Step } from './plan.js';

export interface ApplyOptions {
  readonly database: Database;
  readonly tables: LiveOptions['tables'];
  /** Id of the user; `null` for a command. */
  readonly user: string | null;
  /** Milliseconds for which servers that do not follow, and locks of others, are waited for. */
  readonly wait?: number;
  /** Has the schema as it is now served by this host, then runs `then`; absent where this is no server. */
  readonly serve?: ((then: () => Promise<void>) => Promise<void>) | undefined;
  /** Whether a failure leaves the apply open, so that it can be tried again. */
  readonly isResumed?: boolean;
  /** Called before every step. */
  readonly onStep?: (step: Step, progress: { readonly done: number; readonly steps: number }) => void;
}

/** Milliseconds. */
export const defaultWait = 60_000;
