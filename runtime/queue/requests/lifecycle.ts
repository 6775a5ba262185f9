/**
 * Opens and ends requests, each in one transaction that also assigns free slots to the next requests.
 * Workflows are notified afterwards; the sweep repeats lost notifications.
 */
import type { RequestEnd } from '../contract.js';
import { createId } from '../store/ids.js';
import { createSubmissionBatch, type SubmissionResult } from './submission-batch.js';
import { createModelLocks, type ModelLocks } from '../store/model-locks.js';
import { createFills, type Fills } from './fills.js';
import { createNotifier, type Notifier, type NotifierOptions } from './notifier.js';
import type { Outcome } from './outcome.js';
import type { Quotas } from './quotas.js';
import { createRunSlots, type RunSlots } from './run-slots.js';
import { endAttempt, type AttemptEnd } from '../store/attempts.js';
import { insertDelivery, type Delivery } from '../store/deliveries.js';
import type { IdempotencyKey } from '../store/idempotency.js';
import { admitRequest, endRequest, findRequest, reopenRequest } from '../store/requests.js';
import { removeIdleAccount } from '../store/waiting-accounts.js';
import { toNewHead, type NewRequest, type RequestHead, type RequestState } from '../store/request-head.js';
import type { Statements } from '../../execute/system-rows.js';

export interface RequestLifecycle
  extends
    Pick<Notifier, 'ensureStarted' | 'scheduleDelivery' | 'resumeDeliveries' | 'signalResumed' | 'flush'>,
    Pick<Fills, 'fill' | 'fillResumed'> {
  /** Stores a request, assigns a slot if one is free, and starts its workflow in the background. */
  open(request: NewRequest, key: IdempotencyKey | null): Promise<SubmissionResult>;
  /** Ends a request; returns null if it has already ended or is not in the state `from`. */
  end(request: RequestHead, outcome: Outcome, options?: EndOptions): Promise<RequestEnd | null>;
  /** Returns how a request ended, or null if it has not. */
  findEnd(id: string): Promise<RequestEnd | null>;
  /** Runs a request that has ended again from the start. @returns false if it has not, or its input has expired */
  rerun(request: RequestHead): Promise<boolean>;
  /** Gives a waiting request a slot although none is free. @returns false if it does not wait any more */
  release(request: RequestHead): Promise<boolean>;
  readonly runSlots: RunSlots;
}

export interface EndOptions {
  /** State the request must be in. */
  readonly from?: RequestState;
  /** The attempt that ends with the request. */
  readonly attempt?: AttemptEnd;
}

export interface LifecycleOptions extends NotifierOptions {
  readonly quotas: Quotas;
}

/** Creates the lifecycle of requests in a database; all processes share its locks. */
export const createRequestLifecycle = (options: LifecycleOptions): RequestLifecycle => {
  const { database, models, quotas } = options;
  const modelLocks = createModelLocks(database, (statements, accounts) =>
    quotas.remainingOf(statements, 'running', accounts),
  );
  const notifier = createNotifier(options);
  const { notifyAdmitted } = notifier;
  const onAdmitted = (ids: readonly string[]): void => void notifyAdmitted(ids);
  const submit = createSubmissionBatch({ database, modelLocks, quotas, onAdmitted });
  const { fill, fillResumed, fillOthers } = createFills({ ...options, modelLocks, notifyAdmitted });
  return {
    ...notifier,
    runSlots: createRunSlots({ database, modelLocks, onAdmitted, onError: options.onError }),
    findEnd: async (id) => endOf(await findRequest(database, id)),
    async open(request, key) {
      const model = models.find(request.model);
      if (model === undefined) throw new Error(`there is no model ${request.model}`);
      const result = await submit(model, { request, key });
      if (result.kind === 'opened')
        notifier.startNew(toNewHead(request, result.admitted ? 'admitted' : 'waiting'));
      return result;
    },
    async end(request, outcome, given = {}) {
      const change: Change = { ...given, outcome, now: Date.now() };
      const { ended, admitted } = await endLocked(request, change, { ...options, modelLocks });
      await notifyAdmitted(admitted);
      if (ended === null) return null;
      fillOthers(request).catch(options.onError);
      const { delivery } = ended;
      if (delivery !== null) notifier.scheduleDelivery(delivery);
      return { httpStatus: outcome.status, errorType: outcome.errorType };
    },
    async rerun(request) {
      const model = models.find(request.model);
      // the sweep finds it when its model is known again
      if (model === undefined) return reopenRequest(database, request);
      const admitted = await modelLocks.hold(model, async ({ statements, fill: assign }) =>
        (await reopenRequest(statements, request)) ? assign([request]) : null,
      );
      if (admitted === null) return false;
      if (!admitted.includes(request.id)) {
        const waiting = await findRequest(database, request.id);
        if (waiting?.state === 'waiting') notifier.startNew(waiting);
      }
      await notifyAdmitted(admitted);
      return true;
    },
    async release({ id }) {
      if (!(await admitRequest(database, id, Date.now()))) return false;
      await notifyAdmitted([id]);
      return true;
    },
    fill,
    fillResumed,
  };
};

const endOf = (request: RequestHead | null): RequestEnd | null => {
  if (request?.state !== 'ended') return null;
  const { httpStatus, errorType } = request;
  return { httpStatus: httpStatus ?? 500, errorType };
};

interface Change extends EndOptions {
  readonly outcome: Outcome;
  readonly now: number;
}

/** `null` if the request was not ended: it had ended already or was in another state. */
type Ended = { readonly delivery: Delivery | null } | null;

interface EndedLocked {
  readonly ended: Ended;
  /** Ids of the requests that received slots. */
  readonly admitted: readonly string[];
}

const endLocked = async (
  request: RequestHead,
  change: Change,
  { database, models, modelLocks }: Pick<NotifierOptions, 'database' | 'models'> & { modelLocks: ModelLocks },
): Promise<EndedLocked> => {
  const model = models.find(request.model);
  if (model !== undefined) {
    return modelLocks.hold(model, async ({ statements, fill }) => {
      const ended = await endWithDelivery(statements, request, change);
      if (request.state === 'waiting') await removeIdleAccount(statements, request);
      return { ended, admitted: await fill() };
    });
  }
  const run = (statements: Statements) => endWithDelivery(statements, request, change);
  return { ended: await database.transaction(run), admitted: [] };
};

/** Ends a request and inserts its webhook delivery in the same transaction, so that neither exists alone. */
const endWithDelivery = async (
  statements: Statements,
  { id: request, account, webhook: url }: RequestHead,
  { outcome, from, attempt, now }: Change,
): Promise<Ended> => {
  const { status: httpStatus, errorType, body, headers = {} } = outcome;
  const ending = { httpStatus, errorType, headers, output: JSON.stringify(body) };
  const done = await endRequest(statements, request, ending, { now, ...(from !== undefined && { from }) });
  if (attempt !== undefined) await endAttempt(statements, attempt, now);
  if (!done) return null;
  if (url === null) return { delivery: null };
  return {
    delivery: await insertDelivery(statements, { id: createId(), request, account, url, created: now }),
  };
};
