/** Counts what operators watch: requests by model, accounts by load, endpoints by deliveries, and workers. */
import { findRows, type Statements } from '../../execute/system-rows.js';
import { lostAfter } from './workers.js';

export interface ModelCount {
  readonly model: string;
  readonly waiting: number;
  readonly admitted: number;
  readonly running: number;
  /** Unix time in milliseconds at which the oldest waiting request was created. */
  readonly oldest: number | null;
}

/** Counts the requests of each model that have not ended. */
export const countByModel = async (statements: Statements): Promise<readonly ModelCount[]> => {
  const rows = await statements.query(
    'select model, state, count(*) as found, min(date_created) as oldest from svc_requests ' +
      "where state in ('waiting', 'admitted', 'running') group by model, state",
    [],
  );
  const counts = new Map<string, ModelCount>();
  for (const { model, state, found, oldest } of rows) {
    const name = String(model);
    const known = counts.get(name) ?? { model: name, waiting: 0, admitted: 0, running: 0, oldest: null };
    counts.set(name, {
      ...known,
      [String(state)]: Number(found),
      ...(state === 'waiting' && { oldest: Number(oldest) }),
    });
  }
  return [...counts.values()];
};

export interface AccountCount {
  readonly account: string;
  readonly queued: number;
  readonly running: number;
}

/** Returns the accounts with the most requests that have not ended. */
export const countByAccount = async (
  statements: Statements,
  limit: number,
): Promise<readonly AccountCount[]> => {
  const rows = await statements.query(
    "select account, sum(case when state = 'running' then 1 else 0 end) as running, count(*) as found " +
      "from svc_requests where state in ('waiting', 'admitted', 'running') group by account " +
      `order by found desc, account limit ${limit}`,
    [],
  );
  return rows.map(({ account, running, found }) => ({
    account: String(account),
    running: Number(running),
    queued: Number(found) - Number(running),
  }));
};

export interface EndpointCount {
  readonly account: string;
  readonly endpoint: string;
  readonly pending: number;
  readonly failed: number;
  readonly delivered: number;
}

const sum = (state: string): string => `sum(case when state = '${state}' then 1 else 0 end)`;

/** Returns the endpoints with the most deliveries that are pending or failed, since a time in milliseconds. */
export const countByEndpoint = async (
  statements: Statements,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly EndpointCount[]> => {
  const rows = await statements.query(
    `select account, origin, ${sum('pending')} as pending, ${sum('failed')} as failed, ` +
      `${sum('delivered')} as delivered from svc_deliveries where date_created > ? and origin is not null ` +
      `group by account, origin order by failed desc, pending desc, origin limit ${limit}`,
    [since],
  );
  return rows.map(({ account, origin, pending, failed, delivered }) => ({
    account: String(account),
    endpoint: String(origin),
    pending: Number(pending),
    failed: Number(failed),
    delivered: Number(delivered),
  }));
};

/** Returns the worker processes, those that were lost included, for an hour. */
export const listWorkers = async (statements: Statements, now: number) => {
  const rows = await findRows(statements, 'svc_workers', { order: ['id'] });
  return rows.map(({ date_seen: seen, date_started: started, ...row }) => ({
    id: row.id,
    version: row.version,
    roles: row.roles.split(','),
    classes: (row.classes ?? '').split(',').filter((name) => name !== ''),
    state: stateOf({ ...row, isLost: seen < now - lostAfter }),
    tasks: row.tasks,
    started,
    seen,
  }));
};

interface Seen {
  readonly isLost: boolean;
  readonly drain: number;
  readonly state: string;
}

const stateOf = ({ isLost, drain, state }: Seen): 'running' | 'draining' | 'lost' => {
  if (isLost) return 'lost';
  return drain === 1 || state === 'draining' ? 'draining' : 'running';
};
