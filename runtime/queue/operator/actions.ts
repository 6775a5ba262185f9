/** Acts on all requests that match a search: in the background, with progress, and taken over if its process ends. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWorkerPool } from '../../concurrency/worker-pool.js';
import type { Database } from '../../databases/contract.js';
import { cancel, type CancelServices } from '../requests/cancel.js';
import { QueueError } from '../requests/queue-error.js';
import type { RequestLifecycle } from '../requests/lifecycle.js';
import { findDeliveryOf, reopenDelivery } from '../store/deliveries.js';
import { createId } from '../store/ids.js';
import {
  claimActions,
  endAction,
  findAction,
  insertAction,
  recordProgress,
  type ActionError,
  type BulkAction,
  type NewAction,
  type OperatorAction,
} from '../store/operator-actions.js';
import { countRequests, searchRequests, type RequestSearch } from '../store/operator-search.js';
import type { RequestHead } from '../store/request-head.js';
import { applicableSearch } from './applicable.js';

export interface OperatorActionOptions extends CancelServices {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
}

export interface OperatorActions {
  /** Returns how many requests an action would meet. */
  count(action: BulkAction, search: RequestSearch): Promise<number>;
  /** Stores an action and begins it in the background. */
  start(action: Omit<NewAction, 'id' | 'total' | 'created'>): Promise<OperatorAction>;
  /** Goes on with actions whose process reported nothing for `takeOverAfter`. */
  takeOver(): Promise<void>;
  /** Stops what runs in this process after its current batch; another process goes on with it. */
  close(): Promise<void>;
}

const takeOverAfter = 30_000;
const batchSize = 50;
const concurrency = 8;
/** Errors that are kept. */
const maxErrors = 20;

/** Creates the actions of this process, which also continues those whose process has ended. */
export const createOperatorActions = (options: OperatorActionOptions): OperatorActions => {
  const { database, onError } = options;
  const running = new Set<Promise<void>>();
  let isClosing = false;
  const begin = (action: OperatorAction): void => {
    const run = runAction(action, { ...options, isClosing: () => isClosing })
      .catch(onError)
      .finally(() => running.delete(run));
    running.add(run);
  };
  return {
    count: (action, search) => countRequests(database, applicableSearch(action, search)),
    async start(given) {
      const search = applicableSearch(given.action, given.search);
      const total = await countRequests(database, search);
      const action = await insertAction(database, {
        ...given,
        search,
        total,
        id: createId(),
        created: Date.now(),
      });
      begin(action);
      return action;
    },
    async takeOver() {
      for (const id of await claimActions(database, Date.now() - takeOverAfter)) {
        const action = await findAction(database, id);
        if (action !== null) begin(action);
      }
    },
    async close() {
      isClosing = true;
      await Promise.all(running);
    },
  };
};

interface RunOptions extends OperatorActionOptions {
  readonly isClosing: () => boolean;
}

const runAction = async (action: OperatorAction, options: RunOptions): Promise<void> => {
  const { database, isClosing } = options;
  let { position, done, failed } = action;
  const errors: ActionError[] = [...action.errors];
  while (!isClosing()) {
    const page = { limit: batchSize, ascending: true, ...(position !== null && { position }) };
    const found = await searchRequests(database, action.search, page);
    const pool = createWorkerPool({ concurrency, onFailure: options.onError });
    for (const request of found) {
      pool.add(async () => {
        const refusal = await perform(action.action, request, options).catch(toRefusal(options));
        if (refusal === null) done += 1;
        else failed += 1;
        if (refusal !== null && errors.length < maxErrors)
          errors.push({ request: request.id, message: refusal });
      });
    }
    await pool.idle();
    position = found.at(-1)?.id ?? position;
    if (!(await recordProgress(database, action.id, { position, done, failed, errors }))) return;
    if (found.length < batchSize) return void (await endAction(database, action.id, 'done'));
    // where statements are synchronous, requests would wait for the whole action without a pause
    await nextTurn();
  }
};

/** Unexpected errors are reported; the operator sees that there was one. */
const toRefusal =
  ({ onError }: OperatorActionOptions) =>
  (error: unknown): string => {
    if (error instanceof QueueError) return error.message;
    onError(error);
    return 'an unexpected error occurred; see the log';
  };

/** Acts on one request. @returns why not, or null if it was done */
const perform = async (
  action: BulkAction,
  request: RequestHead,
  options: OperatorActionOptions,
): Promise<string | null> => {
  const { database, lifecycle } = options;
  switch (action) {
    case 'cancel':
      return (await cancel(request, options)) === 'ALREADY_COMPLETED' ? 'it has already ended' : null;
    case 'retry':
      return (await lifecycle.rerun(request)) ? null : 'it has not ended, or its input is not kept any more';
    case 'release':
      return (await lifecycle.release(request)) ? null : 'it does not wait any more';
    case 'redeliver': {
      const delivery = await findDeliveryOf(database, request.id);
      if (delivery === null) return 'it has no webhook';
      const again = await reopenDelivery(database, delivery);
      if (again === null) return 'its webhook is already being delivered';
      lifecycle.scheduleDelivery(again);
      return null;
    }
  }
};
