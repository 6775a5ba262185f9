/** Sets the gauges of a worker process; those of tables are read by the role `housekeeping` alone. */
import type { Database } from '../../databases/contract.js';
import type { ReadGauges } from '../../metrics/metrics.js';
import type { Children } from '../models/children/pool.js';
import type { QueueModels } from '../models/models.js';
import { readBacklog, type Backlog } from '../store/backlog.js';
import type { Receivers } from '../webhooks/receivers.js';
import type { WorkerRole } from './worker-services.js';

export interface GaugeOptions {
  readonly database: Database;
  readonly models: QueueModels;
  readonly roles: readonly WorkerRole[];
  readonly children: Pick<Children, 'use'>;
  readonly receivers: Pick<Receivers, 'use'>;
  /** Returns the activities in flight by name. */
  readonly tasks: () => ReadonlyMap<string, number>;
}

export type GaugeSetter = Parameters<ReadGauges>[0];

/** Milliseconds for which counts of tables are used again. */
const maxAge = 15_000;

/** Creates the function that sets the gauges for a scrape; counts of tables are at most 15 s old. */
export const createGauges = (options: GaugeOptions): ((tallies: GaugeSetter) => Promise<void>) => {
  const { database, models, roles } = options;
  let last: { readonly backlog: Backlog; readonly at: number } | null = null;
  const read = async (): Promise<Backlog> => {
    const now = Date.now();
    if (last === null || now - last.at >= maxAge)
      last = { backlog: await readBacklog(database, now), at: now };
    return last.backlog;
  };
  return async (tallies) => {
    setProcessGauges(tallies, options);
    if (roles.includes('housekeeping')) setBacklog(tallies, await read(), models);
  };
};

const setProcessGauges = (
  { set, clear }: GaugeSetter,
  { children, receivers, tasks }: GaugeOptions,
): void => {
  for (const [name, count] of tasks()) set('tasks', [name], count);
  clear('children');
  clear('childMemory');
  for (const { model, running, idle, memory } of children.use()) {
    set('children', [model, 'running'], running);
    set('children', [model, 'idle'], idle);
    set('childMemory', [model], memory);
  }
  const { active, open, probing } = receivers.use();
  set('webhookInFlight', [], active);
  set('webhookBreakers', ['open'], open);
  set('webhookBreakers', ['half_open'], probing);
};

/** Returns the age of a Unix time in milliseconds, in seconds; 0 for none. */
const age = (time: number | null): number => (time === null ? 0 : Math.max(0, (Date.now() - time) / 1000));

const setBacklog = ({ set, clear }: GaugeSetter, backlog: Backlog, models: QueueModels): void => {
  for (const family of ['requests', 'oldestWaiting', 'slots', 'classWorkers'] as const) clear(family);
  const idle = { waiting: 0, admitted: 0, running: 0, oldest: null };
  for (const { id, class: pool, concurrency } of models.all) {
    const count = backlog.models.find(({ model }) => model === id) ?? idle;
    for (const state of ['waiting', 'admitted', 'running'] as const)
      set('requests', [id, pool, state], count[state]);
    set('oldestWaiting', [id, pool], age(count.oldest));
    set('slots', [id, 'limit'], concurrency.model);
    set('slots', [id, 'used'], count.admitted + count.running);
    set('classWorkers', [pool], backlog.workers.get(pool) ?? 0);
  }
  set('notStarted', [], backlog.notStarted);
  set('webhookPending', [], backlog.pendingDeliveries);
  set('webhookOldest', [], age(backlog.oldestDelivery));
};
