/** Scheduled activities: repeat lost notifications of Temporal, free orphaned slots, and delete expired data. */
import type { QueueObservation } from '../../../observe.js';
import type { Database } from '../../../databases/contract.js';
import type { RequestLifecycle } from '../../requests/lifecycle.js';
import type { FileStore } from '../../requests/files.js';
import type { QueueModels } from '../../models/models.js';
import type { Gateway } from '../gateway.js';
import type { OperatorActions } from '../../operator/actions.js';
import { platformOutcome } from '../../requests/outcome.js';
import { createWorkerPool } from '../../../concurrency/worker-pool.js';
import { loseAttempt } from '../../store/attempts.js';
import { deleteLostWorkers, findLostAttempts } from '../../store/workers.js';
import { findWaitingAccount } from '../../store/deliveries.js';
import { failDelivery, findStarted, returnDelivery } from '../../store/started-deliveries.js';
import { lowestId } from '../../store/ids.js';
import { expire } from '../../store/retention.js';
import { deleteExpiredRuns } from '../../store/runs.js';
import { findOverdue, findSlotHolders, findUnstarted } from '../../store/request-lists.js';
import type { RequestHead } from '../../store/request-head.js';
import { withHeartbeat } from './heartbeat.js';

export interface HousekeepingOptions {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
  readonly models: QueueModels;
  readonly gateway: Gateway;
  readonly files: FileStore;
  readonly operatorActions: Pick<OperatorActions, 'takeOver'>;
  /** Milliseconds. */
  readonly resultTtl: number;
  readonly fileTtl: number;
  readonly observe?: (observation: QueueObservation) => void;
}

export interface SweepReport {
  readonly started: number;
  readonly ended: number;
  readonly delivered: number;
}

/** Milliseconds before a missing notification is repeated; waiting requests are less urgent. */
const gracePeriods = { admitted: 5_000, waiting: 60_000, delivery: 5_000 } as const;
/** Milliseconds after which the workflow of an admitted request or of a delivery is checked. */
const auditAfter = 60_000;
/** Deliveries that a sweep checks: those to receivers that fail can be many, for days. */
const auditedDeliveries = 50;
/** Maximum concurrent calls of Temporal. */
const maxConcurrentCalls = { admitted: 16, waiting: 4 } as const;
const batchSize = 200;
/** Maximum batches per sweep; the next sweep continues. */
const maxBatches = 50;
/** Accounts whose deliveries a sweep resumes. */
const maxAccounts = 1_000;

/** Creates the activities; each reports `jobFinished` and its duration. */
export const createHousekeepingActivities = (options: HousekeepingOptions) => {
  const audit = createAudit(options);
  const auditDeliveries = createDeliveryAudit(options);
  const resumeDeliveries = createResumption(options);
  const job = createJob(options);
  return {
    sweep: job('sweep', async (): Promise<SweepReport> => {
      const { database, lifecycle, models } = options;
      await deleteExpiredRuns(database, Date.now());
      await returnLost(options, Date.now());
      await endOverdue(options, Date.now());
      await options.operatorActions.takeOver();
      for (const model of models.all) await lifecycle.fill(model);
      const now = Date.now();
      const known = models.all.map(({ id }) => id);
      const due = (kind: 'admitted' | 'waiting') => ({
        before: now - gracePeriods[kind],
        limit: batchSize,
      });
      const startAll = (state: 'admitted' | 'waiting'): Promise<number> =>
        processBatches({
          width: maxConcurrentCalls[state],
          find: () => findUnstarted(database, { state, models: known, ...due(state) }),
          each: lifecycle.ensureStarted,
        });
      const started = known.length === 0 ? 0 : (await startAll('admitted')) + (await startAll('waiting'));
      await auditDeliveries();
      return { started, delivered: await resumeDeliveries(), ended: await audit() };
    }),

    expire: job('expire', async (): Promise<number> => {
      const { database, files, resultTtl, fileTtl } = options;
      const now = Date.now();
      await files.removeBefore(now - fileTtl);
      await deleteLostWorkers(database, now);
      return expire(database, { before: now - resultTtl, now });
    }),
  };
};

/** Reports how a job ended. */
const createJob =
  ({ observe = () => undefined }: Pick<HousekeepingOptions, 'observe'>) =>
  <Result>(name: string, run: () => Promise<Result>) =>
  async (): Promise<Result> => {
    const began = performance.now();
    const report = (status: 'ok' | 'failed'): void =>
      observe({ kind: 'jobFinished', job: name, status, ms: performance.now() - began });
    try {
      const result = await withHeartbeat(run);
      report('ok');
      return result;
    } catch (error) {
      report('failed');
      observe({ kind: 'jobFailed', job: name, error });
      throw error;
    }
  };

/** Returns requests whose worker died to the queue; Temporal runs them again. */
const returnLost = async ({ database, observe }: HousekeepingOptions, now: number): Promise<void> => {
  for (const lost of await findLostAttempts(database, { now, limit: batchSize })) {
    if (await loseAttempt(database, lost, now)) observe?.({ kind: 'attemptLost', model: lost.model });
  }
};

/** Ends requests that did not start in time long ago: their workflows, which should have, are lost. */
const endOverdue = async ({ database, lifecycle }: HousekeepingOptions, now: number): Promise<void> => {
  for (const request of await findOverdue(database, { before: now - auditAfter, limit: batchSize }))
    await lifecycle.end(request, platformOutcome('startup_timeout'), { from: 'waiting' });
};

interface BatchOptions<Found> {
  find(): Promise<readonly Found[]>;
  each(found: Found): Promise<void>;
  /** Maximum concurrent calls of `each`. */
  readonly width: number;
}

/**
 * Processes batches until none is left.
 * @returns the number of processed items
 * @throws the first error of a batch, after all of its items have been processed
 */
const processBatches = async <Found>({ find, each, width }: BatchOptions<Found>): Promise<number> => {
  let done = 0;
  for (let round = 0; round < maxBatches; round += 1) {
    const found = await find();
    const failures: unknown[] = [];
    const pool = createWorkerPool({ concurrency: width, onFailure: (error) => failures.push(error) });
    for (const one of found) pool.add(() => each(one));
    await pool.idle();
    if (failures.length > 0) throw failures[0];
    done += found.length;
    if (found.length < batchSize) break;
  }
  return done;
};

/**
 * Returns a function that starts deliveries that wait in the database, at most for `maxAccounts` accounts; it continues from
 * the previous call. It returns their number.
 */
const createResumption = ({ database, lifecycle }: HousekeepingOptions): (() => Promise<number>) => {
  let after = lowestId;
  return async () => {
    const before = Date.now() - gracePeriods.delivery;
    let started = 0;
    for (let count = 0; count < maxAccounts; count += 1) {
      const account = await findWaitingAccount(database, { after, before });
      after = account ?? lowestId;
      if (account === null) break;
      started += await lifecycle.resumeDeliveries(account);
    }
    return started;
  };
};

interface AuditRange {
  readonly before: number;
  readonly after: string;
  readonly limit: number;
}

/** Returns a function that finds rows to check, at most `limit`, and continues from the previous call. */
const createTurns = <Row extends { readonly id: string }>(
  limit: number,
  find: (range: AuditRange) => Promise<readonly Row[]>,
): (() => Promise<readonly Row[]>) => {
  let after = lowestId;
  return async () => {
    const found = await find({ before: Date.now() - auditAfter, after, limit });
    after = found.length < limit ? lowestId : (found.at(-1)?.id ?? lowestId);
    return found;
  };
};

/** Returns a function that checks one batch of admitted requests. */
const createAudit = (options: HousekeepingOptions): (() => Promise<number>) => {
  const findNext = createTurns(batchSize, (range) => findSlotHolders(options.database, range));
  return async () => {
    let ended = 0;
    for (const request of await findNext()) if (await repairRequest(request, options)) ended += 1;
    return ended;
  };
};

/** Restarts a missing workflow, and ends a request whose workflow has closed. @returns whether the request was ended */
const repairRequest = async (
  request: RequestHead,
  { lifecycle, gateway }: HousekeepingOptions,
): Promise<boolean> => {
  const state = await gateway.stateOf({ requestId: request.id, round: request.round });
  if (state === 'running') return false;
  if (state === 'gone') {
    await lifecycle.ensureStarted(request);
    return false;
  }
  await lifecycle.end(request, platformOutcome('runner_scheduling_failure'));
  return true;
};

/** Returns a function that checks some of the started deliveries. */
const createDeliveryAudit = ({ database, gateway }: HousekeepingOptions): (() => Promise<void>) => {
  const findNext = createTurns(auditedDeliveries, (range) => findStarted(database, range));
  return async () => {
    for (const delivery of await findNext()) {
      const state = await gateway.stateOfDelivery({ deliveryId: delivery.id, round: delivery.round });
      // Temporal has lost it, or an operator has terminated it
      if (state === 'gone') await returnDelivery(database, delivery);
      if (state === 'closed') await failDelivery(database, delivery, Date.now());
    }
  };
};
