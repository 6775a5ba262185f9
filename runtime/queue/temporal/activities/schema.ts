/** The activity that runs an apply of the schema, whose steps its heartbeats name. */
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { failureTypes, type SchemaApplyInput } from '../../contract.js';

/** Progress of an apply, as operators see it. */
export interface ApplyProgress {
  /** Statement that runs, such as `alter works`. */
  readonly step: string;
  readonly done: number;
  readonly steps: number;
}

export interface ApplyRun {
  readonly applyId: string;
  /** Identity of the process. */
  readonly worker: string;
  /** Stops it before its next step. */
  readonly signal: AbortSignal;
  /** Returns whether it was cancelled; otherwise another worker goes on with it. */
  readonly isCancelled: () => boolean;
  readonly onStep: (progress: ApplyProgress) => void;
}

/** Runs an apply to its end. An apply that is refused has ended too. @throws where it can be tried again */
export type RunSchemaApply = (run: ApplyRun) => Promise<void>;

export interface SchemaActivityOptions {
  /** Identity of the process. */
  readonly worker: string;
  /** Absent in a process that runs none. */
  readonly runSchemaApply?: RunSchemaApply;
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds between heartbeats. */
const heartbeatInterval = 1_000;

/** Creates the activity of a worker process. */
export const createSchemaActivities = ({ worker, runSchemaApply, onFailure }: SchemaActivityOptions) => ({
  async applySchema({ applyId }: SchemaApplyInput): Promise<void> {
    if (runSchemaApply === undefined)
      throw ApplicationFailure.retryable('this process runs no applies', failureTypes.platform);
    const context = Context.current();
    const isCancelled = (): boolean => context.cancellationDetails?.cancelRequested === true;
    let progress: ApplyProgress | null = null;
    const timer = setInterval(() => context.heartbeat(progress), heartbeatInterval);
    try {
      await runSchemaApply({
        applyId,
        worker,
        signal: context.cancellationSignal,
        isCancelled,
        onStep(next) {
          progress = next;
          context.heartbeat(progress);
        },
      });
    } catch (error) {
      // rejects as Temporal expects it of what was cancelled
      if (isCancelled()) return await context.cancelled;
      if (context.cancellationSignal.aborted)
        throw ApplicationFailure.retryable('the worker stops', failureTypes.workerStopped);
      // the message may contain values
      onFailure(error);
      throw ApplicationFailure.retryable('the apply was cut off', failureTypes.platform);
    } finally {
      clearInterval(timer);
    }
  },
});
