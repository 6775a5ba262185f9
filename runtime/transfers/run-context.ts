/** Types that runs of imports and of exports share. */
import type { Executor } from '../databases/contract.js';
import type { RunContext } from '../queue/models/attempt.js';
import type { FileStore } from '../queue/requests/files.js';
import type { TransferState } from '../queue/store/transfers.js';
import type { TransferServices } from './submitter.js';

export interface RunOptions extends TransferServices {
  readonly files: FileStore;
  /** Identity of this run. */
  readonly run: string;
}

/** The part of a run's context that transfers use. */
export type TransferContext = Pick<RunContext, 'signal' | 'progress' | 'files'>;

/** Stores the progress of a run, within the transaction of a chunk. @returns false where the run must store nothing more */
export type SaveState = (executor: Executor, state: TransferState) => Promise<boolean>;

/** Thrown where another run has taken the import, or its request has ended. */
export class Superseded extends Error {}
