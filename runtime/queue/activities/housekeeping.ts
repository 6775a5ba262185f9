/** What runs on a schedule: repeats what was lost between database and Temporal, removes what has expired. */
import type { Database } from '../../execute/database.js';
import type { Desk } from '../desk.js';
import type { FileStore } from '../files.js';
import type { QueueModels } from '../models.js';
import type { Orchestrator } from '../orchestrator.js';
import { platformOutcome } from '../outcome.js';
import { findPending } from '../store/deliveries.js';
import { expire } from '../store/retention.js';
import { findHolding, findUnstarted, type RequestHead } from '../store/requests.js';

export interface HousekeepingOptions {
  readonly database: Database;
  readonly desk: Desk;
  readonly models: QueueModels;
  readonly orchestrator: Orchestrator;
  readonly files: FileStore;
  /** Milliseconds. */
  readonly resultTtl: number;
  readonly fileTtl: number;
}

export interface SweepReport {
  readonly started: number;
  readonly ended: number;
  readonly delivered: number;
}

/** Milliseconds after which something should have reached Temporal. */
const grace = 5_000;
/** Milliseconds after which a request that holds a slot is looked after. */
const audit = 60_000;
const batch = 200;

export const createHousekeepingActivities = (options: HousekeepingOptions) => ({
  async sweep(): Promise<SweepReport> {
    const { database, desk, models } = options;
    const now = Date.now();
    for (const model of models.all) await desk.fill(model);
    const unstarted = await findUnstarted(database, { before: now - grace, limit: batch });
    for (const request of unstarted) await desk.start(request);
    const pending = await findPending(database, { before: now - grace, limit: batch });
    for (const delivery of pending) await desk.deliver(delivery);
    const holding = await findHolding(database, { before: now - audit, limit: batch });
    let ended = 0;
    for (const request of holding) if (await lookAfter(request, options)) ended += 1;
    return { started: unstarted.length, ended, delivered: pending.length };
  },

  async expire(): Promise<number> {
    const { database, files, resultTtl, fileTtl } = options;
    const now = Date.now();
    await files.removeBefore(now - fileTtl);
    return expire(database, { before: now - resultTtl, now });
  },
});

/** A slot whose workflow is not there any more is given back. @returns whether it was */
const lookAfter = async (
  request: RequestHead,
  { desk, orchestrator }: HousekeepingOptions,
): Promise<boolean> => {
  const state = await orchestrator.stateOf(request.id);
  if (state === 'running') return false;
  if (state === 'gone') {
    await desk.start(request);
    return false;
  }
  await desk.end(request.id, platformOutcome('runner_scheduling_failure'));
  return true;
};
