/**
 * Acts on all requests that match a search: in the background, with progress. Where the process of an action shows no
 * sign of life for 30 seconds, a worker continues it after the last batch that was recorded.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
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
  type ActionError,
  type BulkAction,
  type NewAction,
  type OperatorAction,
} from '../store/operator-actions.js';
import { countRequests, searchRequests, type RequestSearch } from '../store/operator-search.js';
import type { RequestHead } from '../store/request-head.js';
import { applicableSearch } from './action-search.js';
import { holdClaim, takeOverAfter, type HeldClaim } from './held-claim.js';

export interface OperatorActionOptions extends CancelServices {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
}

export interface OperatorActions {
  /** Returns how many requests an action would apply to. */
  count(action: BulkAction, search: RequestSearch): Promise<number>;
  /** Stores an action and begins it in the background. */
  start(action: Omit<NewAction, 'id' | 'total' | 'created'>): Promise<OperatorAction<BulkAction>>;
  /** Continues actions whose process showed no sign of life for `takeOverAfter`; workers call it. */
  takeOver(): Promise<void>;
  /** Stops what runs in this process after its current batch; a worker continues it after `takeOverAfter`. */
  close(): Promise<void>;
}

const batchSize = 50;
const concurrency = 8;
/** Maximum errors stored per action. */
const maxErrors = 20;

/** Creates the actions of this process. */
export const createOperatorActions = (options: OperatorActionOptions): OperatorActions => {
  const { database, onError } = options;
  const running = new Map<string, Promise<void>>();
  let isClosing = false;
  const begin = (action: OperatorAction<BulkAction>, seen: number): void => {
    const claim = holdClaim({ id: action.id, seen }, options);
    const run = runAction(action, claim, { ...options, isClosing: () => isClosing })
      .catch(onError)
      .finally(() => {
        claim.stop();
        running.delete(action.id);
      });
    running.set(action.id, run);
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
      begin(action, action.created);
      return action;
    },
    async takeOver() {
      const before = Date.now() - takeOverAfter;
      // a run of this process whose claim is void ends with its batch; a later call finds its action
      for (const { id, seen } of await claimActions(database, { before, except: running })) {
        const action = await findAction(database, id);
        // others have ended when they are stored, and are never claimed
        if (action !== null) begin(action as OperatorAction<BulkAction>, seen);
      }
    },
    async close() {
      isClosing = true;
      await Promise.all(running.values());
    },
  };
};

interface RunOptions extends OperatorActionOptions {
  readonly isClosing: () => boolean;
}

/** Acts batch by batch until the search is exhausted, the process closes, or the claim is void. */
const runAction = async (
  action: OperatorAction<BulkAction>,
  claim: HeldClaim,
  options: RunOptions,
): Promise<void> => {
  const { database, isClosing } = options;
  let { position, done, failed } = action;
  const errors: ActionError[] = [...action.errors];
  while (!isClosing()) {
    const page = { limit: batchSize, ascending: true, ...(position !== null && { position }) };
    const found = await searchRequests(database, action.search, page);
    const pool = createWorkerPool({ concurrency, onFailure: options.onError });
    for (const request of found) {
      pool.add(async () => {
        if (!claim.isHeld()) return;
        const refusal = await perform(action.action, request, options).catch(toRefusal(options));
        if (refusal === null) done += 1;
        else failed += 1;
        if (refusal !== null && errors.length < maxErrors)
          errors.push({ request: request.id, message: refusal });
      });
    }
    await pool.idle();
    // requests may have been left out, which the process that takes over does
    if (!claim.isHeld()) return;
    position = found.at(-1)?.id ?? position;
    if (!(await claim.record({ position, done, failed, errors }))) return;
    if (found.length < batchSize) return void (await endAction(database, action.id, 'done'));
    // where statements are synchronous, requests would wait for the whole action without a pause
    await yieldToEventLoop();
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

/** Acts on one request. @returns the reason for a refusal, or null if done */
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
