/** Runs imports and exports for the queue. */
import type { BuiltInModelId } from '../queue/models/built-in.js';
import type { RunContext, RunResult } from '../queue/models/attempt.js';
import { platformOutcome } from '../queue/requests/outcome.js';
import { createId } from '../queue/store/ids.js';
import { touchTransfer } from '../queue/store/transfers.js';
import { Superseded, type RunOptions } from './run-context.js';

/** Milliseconds between the signs of a run that it is alive. */
const touchInterval = 5_000;

export type RunTransfer = (model: BuiltInModelId, context: RunContext, run?: string) => Promise<RunResult>;

/** Creates the function that runs transfers. Errors of the platform are reported, and the transfer is run again. */
export const createRunTransfer =
  (options: Omit<RunOptions, 'run'>): RunTransfer =>
  async (model, context, run = createId()) => {
    const transfer = { request: context.requestId, run };
    const alive = setInterval(() => {
      // a run that is taken over for want of signs finds out when it stores its state
      touchTransfer(options.items.database, transfer).catch(() => undefined);
    }, touchInterval);
    try {
      return await runOnce(model, context, { ...options, run });
    } catch (error) {
      context.signal.throwIfAborted();
      // nothing failed: the request was cancelled, or another run has it
      if (!(error instanceof Superseded)) context.onFailure(error);
      return { outcome: platformOutcome('runner_server_error'), retry: true };
    } finally {
      clearInterval(alive);
    }
  };

const runOnce = async (
  model: BuiltInModelId,
  context: RunContext,
  options: RunOptions,
): Promise<RunResult> => {
  if (model === 'svc/import') return (await import('./import-run.js')).runImport(context, options);
  return (await import('./export-run.js')).runExport(context, options);
};
