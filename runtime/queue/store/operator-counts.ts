/** Counts what operators watch: requests by model, accounts by load, endpoints by deliveries, and workers. */
import { findRow, findRows, type Statements } from '../../execute/system-rows.js';
import { lostAfter } from './workers.js';

export interface ModelCount {
  readonly model: string;
  readonly waiting: number;
  readonly admitted: number;
  /** Requests and synchronous runs. */
  readonly running: number;
  /** Unix time in milliseconds at which the oldest waiting request was created. */
  readonly oldest: number | null;
}

/** Most requests of a model and a state that are counted; where there are more, this is their number. */
const maxCounted = 2 ** 17;

/** Counts the requests of each model that have not ended, up to `most` of each state, so that a long queue costs no more. */
export const countByModel = async (
  statements: Statements,
  most: number = maxCounted,
): Promise<readonly ModelCount[]> => {
  const models = await listModels(statements);
  const counts = await Promise.all(models.map((model) => countModel(statements, model, most)));
  return counts.filter(({ waiting, admitted, running }) => waiting + admitted + running > 0);
};

/** Returns the id of each model that has had a request. */
export const listModels = async (statements: Statements): Promise<readonly string[]> => {
  const rows = await findRows(statements, 'svc_model_locks', { columns: ['model'] });
  return rows.map(({ model }) => model);
};

const countModel = async (statements: Statements, model: string, most: number): Promise<ModelCount> => {
  const states = ['waiting', 'admitted', 'running'] as const;
  const count = (state: string): string =>
    `(select count(*) from (select 1 as one from svc_requests where state = '${state}' and model = ? limit ${most}) ${state}_some)`;
  const runs = "(select count(*) from svc_runs where state = 'running' and model = ? and date_expires > ?)";
  const [row] = await statements.query(
    `select ${states.map((state) => `${count(state)} as ${state}`).join(', ')}, ${runs} as runs`,
    [...states.map(() => model), model, Date.now()],
  );
  const [waiting = 0, admitted = 0, running = 0] = states.map((state) => Number(row?.[state]));
  return {
    model,
    waiting,
    admitted,
    running: running + Number(row?.runs),
    oldest: waiting === 0 ? null : await findOldestWaiting(statements, model),
  };
};

/** Lower than every priority, which is a 32-bit integer. */
const lowestPriority = -(2 ** 31);

/** Returns when the oldest waiting request of a model was created: the first of each priority in the index is compared. */
const findOldestWaiting = async (
  statements: Statements,
  model: string,
  above: number = lowestPriority,
): Promise<number | null> => {
  const first = <Column extends 'priority' | 'date_created'>(
    column: Column,
    priority: number | { readonly above: number },
  ) =>
    findRow(statements, 'svc_requests', {
      where: { state: 'waiting', model, priority },
      columns: [column],
      order: [column],
      limit: 1,
    });
  const next = await first('priority', { above });
  if (next === undefined) return null;
  const oldest = await first('date_created', next.priority);
  const others = await findOldestWaiting(statements, model, next.priority);
  // meanwhile the requests of a priority may have received slots
  const times = [oldest?.date_created ?? null, others].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
};

export interface AccountCount {
  readonly account: string;
  readonly queued: number;
  readonly running: number;
}

const sum = (state: string): string => `sum(case when state = '${state}' then 1 else 0 end)`;

const perAccount = (table: string, condition: string): string =>
  `select account, ${sum('running')} as running, count(*) as found from ${table} where ${condition} group by account`;

/** Returns the accounts with the most requests that have not ended, and runs. */
export const countByAccount = async (
  statements: Statements,
  limit: number,
): Promise<readonly AccountCount[]> => {
  const rows = await statements.query(
    'select account, sum(running) as running, sum(found) as found from (' +
      `${perAccount('svc_requests', "state in ('waiting', 'admitted', 'running')")} union all ` +
      `${perAccount('svc_runs', 'date_expires > ?')}) counted ` +
      `group by account order by found desc, account limit ${limit}`,
    [Date.now()],
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
