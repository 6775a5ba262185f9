/** Assembles what runs applies of the schema in a worker of Temporal. */
import { ApiError, ApiErrors } from '../../contract/errors.js';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import type { RunSchemaApply } from '../queue/temporal/activities/schema.js';

/** Returns what runs applies in a worker. What refuses one is in its row, and no failure of the worker. */
export const createRunSchemaApply =
  ({ config, database }: { readonly config: Config; readonly database: Database }): RunSchemaApply =>
  async ({ applyId, worker, signal, isCancelled, onStep }) => {
    const { runQueuedApply } = await import('../schema/apply/queued-apply.js');
    try {
      await runQueuedApply(applyId, {
        database,
        tables: config.tables,
        // the row names who requested it
        user: null,
        wait: config.schemaApplyWait,
        worker,
        signal,
        isCancelled,
        onStep: ({ description: step }, progress) => onStep({ step, ...progress }),
        leavesOpen: (error) => signal.aborted || database.isConnectionLoss(error),
      });
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof ApiErrors)) throw error;
    }
  };
