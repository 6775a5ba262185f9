/** Counts what waits, for metrics; a few statements over indexes, which one process makes for all. */
import { findRows, type Statements } from '../../execute/system-rows.js';
import { countByModel, type ModelCount } from './operator-counts.js';
import { lostAfter } from './workers.js';

export interface Backlog {
  readonly models: readonly ModelCount[];
  /** Admitted requests whose workflow is not known to exist. */
  readonly notStarted: number;
  readonly pendingDeliveries: number;
  /** Unix time in milliseconds at which the oldest pending delivery was created. */
  readonly oldestDelivery: number | null;
  /** Live workers by the class that they serve. */
  readonly workers: ReadonlyMap<string, number>;
}

/** Reads the backlog at `now`, a Unix time in milliseconds. */
export const readBacklog = async (statements: Statements, now: number): Promise<Backlog> => {
  const [models, [unstarted], [deliveries], workers] = await Promise.all([
    countByModel(statements),
    statements.query(
      "select count(*) as found from svc_requests where state = 'admitted' and started = 0 and date_admitted < ?",
      [now - startGrace],
    ),
    statements.query(
      "select count(*) as found, min(date_created) as oldest from svc_deliveries where state = 'pending'",
    ),
    countWorkers(statements, now),
  ]);
  const oldest = deliveries?.oldest ?? null;
  return {
    models,
    notStarted: Number(unstarted?.found ?? 0),
    pendingDeliveries: Number(deliveries?.found ?? 0),
    oldestDelivery: oldest === null ? null : Number(oldest),
    workers,
  };
};

/** Milliseconds in which a workflow is started. */
const startGrace = 5_000;

const countWorkers = async (statements: Statements, now: number): Promise<ReadonlyMap<string, number>> => {
  const rows = await findRows(statements, 'svc_workers', {
    where: { state: 'running' },
    columns: ['classes', 'date_seen'],
  });
  const counts = new Map<string, number>();
  for (const { classes, date_seen: seen } of rows) {
    if (seen < now - lostAfter) continue;
    for (const name of new Set((classes ?? '').split(',')))
      if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
};
