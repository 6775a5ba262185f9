/** What runs on a schedule: repeats what was lost between database and Temporal, removes what has expired. */
import type { Database } from '../../../databases/contract.js';
import type { RequestLifecycle } from '../../requests/lifecycle.js';
import type { FileStore } from '../../requests/files.js';
import type { QueueModels } from '../../models/models.js';
import type { Gateway } from '../gateway.js';
import { platformOutcome } from '../../requests/outcome.js';
import { createWorkerPool } from '../../../concurrency/worker-pool.js';
import { findPending } from '../../store/deliveries.js';
import { expire } from '../../store/retention.js';
import { findHolding, findUnstarted, type RequestHead } from '../../store/requests.js';

export interface HousekeepingOptions {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
  readonly models: QueueModels;
  readonly gateway: Gateway;
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

/** Milliseconds after which Temporal should have heard of it: there is time for requests that wait for a slot. */
const graces = { admitted: 5_000, waiting: 60_000, delivery: 5_000 } as const;
/** Milliseconds after which a request that holds a slot is looked after. */
const auditAfter = 60_000;
/** Calls of Temporal at a time. */
const widths = { admitted: 16, waiting: 4, delivery: 16 } as const;
const batch = 200;
/** Batches of one sweep; what is left is for the next. */
const rounds = 50;

export const createHousekeepingActivities = (options: HousekeepingOptions) => {
  const audit = createAudit(options);
  return {
    async sweep(): Promise<SweepReport> {
      const { database, lifecycle, models } = options;
      for (const model of models.all) await lifecycle.fill(model);
      const now = Date.now();
      const due = (kind: keyof typeof graces) => ({ before: now - graces[kind], limit: batch });
      const startAll = (state: 'admitted' | 'waiting'): Promise<number> =>
        repeat({
          width: widths[state],
          find: () => findUnstarted(database, { state, ...due(state) }),
          each: lifecycle.start,
        });
      const started = (await startAll('admitted')) + (await startAll('waiting'));
      const delivered = await repeat({
        width: widths.delivery,
        find: () => findPending(database, due('delivery')),
        each: lifecycle.deliver,
      });
      return { started, delivered, ended: await audit() };
    },

    async expire(): Promise<number> {
      const { database, files, resultTtl, fileTtl } = options;
      const now = Date.now();
      await files.removeBefore(now - fileTtl);
      return expire(database, { before: now - resultTtl, now });
    },
  };
};

interface Repeated<Found> {
  find(): Promise<readonly Found[]>;
  each(found: Found): Promise<void>;
  /** Calls of `each` at a time. */
  readonly width: number;
}

/**
 * Batch after batch, until nothing is left.
 * @returns how many there were
 * @throws the first failure, when the others of its batch have had their turn
 */
const repeat = async <Found>({ find, each, width }: Repeated<Found>): Promise<number> => {
  let done = 0;
  for (let round = 0; round < rounds; round += 1) {
    const found = await find();
    const failures: unknown[] = [];
    const line = createWorkerPool({ width, onFailure: (error) => failures.push(error) });
    for (const one of found) line.add(() => each(one));
    await line.idle();
    if (failures.length > 0) throw failures[0];
    done += found.length;
    if (found.length < batch) break;
  }
  return done;
};

const first = '00000000-0000-0000-0000-000000000000';

/** Looks after one batch of those that hold a slot, going on where it was the last time. */
const createAudit = (options: HousekeepingOptions): (() => Promise<number>) => {
  let after = first;
  return async () => {
    const before = Date.now() - auditAfter;
    const holding = await findHolding(options.database, { before, after, limit: batch });
    after = holding.length < batch ? first : (holding.at(-1)?.id ?? first);
    let ended = 0;
    for (const request of holding) if (await lookAfter(request, options)) ended += 1;
    return ended;
  };
};

/** A slot whose workflow is not there any more is given back. @returns whether it was */
const lookAfter = async (
  request: RequestHead,
  { lifecycle, gateway }: HousekeepingOptions,
): Promise<boolean> => {
  const state = await gateway.stateOf(request.id);
  if (state === 'running') return false;
  if (state === 'gone') {
    await lifecycle.start(request);
    return false;
  }
  await lifecycle.end(request, platformOutcome('runner_scheduling_failure'));
  return true;
};
