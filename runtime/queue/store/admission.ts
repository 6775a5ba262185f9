/**
 * Assigns the slots of a model: to synchronous runs that wait, then to waiting requests, highest priority first. Among
 * them the account with the fewest running requests comes first, then its oldest request. Slots are limited per model and per account. Runs under the lock of the model's
 * row in `svc_model_locks`, so that only one process assigns slots at a time.
 */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { findRow, findRows, insertRow, updateRows, type Statements } from '../../execute/system-rows.js';
import { findRuns, startRuns } from './runs.js';

type Slots = Pick<QueueModelDeclaration, 'id' | 'concurrency'>;

export interface AdmissionOptions {
  readonly now: number;
  /** Accounts whose requests wait although slots are free. */
  readonly isPausedAccount?: (account: string) => boolean;
  /** Returns how many more requests of accounts may run, for those that have a limit over all models. */
  readonly roomOf?: RoomOf;
}

export type RoomOf = (statements: Statements, accounts: readonly string[]) => Promise<Map<string, number>>;

/**
 * Fills the free slots of a model; must be called inside a transaction.
 * @returns ids of the admitted requests
 */
export const admit = async (
  statements: Statements,
  { id: model, concurrency }: Slots,
  { now, isPausedAccount = () => false, roomOf = async () => new Map() }: AdmissionOptions,
): Promise<readonly string[]> => {
  const running = await countRunning(statements, model);
  await admitRuns(statements, { slots: { id: model, concurrency }, running, now, isPausedAccount, roomOf });
  let free = freeSlots(concurrency, running);
  const admitted: string[] = [];
  const found = free > 0 ? await findWaiting(statements, model, isPausedAccount) : [];
  const room = await roomOf(
    statements,
    found.map(({ account }) => account),
  );
  const waiting = found.filter(({ account }) => room.get(account) !== 0);
  while (free > 0) {
    const account = chooseAccount(waiting, running, concurrency.account);
    if (account === null) break;
    const runs = running.get(account) ?? 0;
    const most = Math.min(free, concurrency.account - runs, room.get(account) ?? free);
    // several slots at a time only if no other account waits
    const limit = waiting.length === 1 ? batchSizeOf(most) : 1;
    const ids = await admitOldest(statements, { model, account, now, limit });
    admitted.push(...ids);
    running.set(account, runs + ids.length);
    const left = takeRoom(room, account, ids.length);
    free -= ids.length;
    if (ids.length < limit || left === 0) removeAccount(waiting, account);
    else await refreshAccount(statements, waiting, { model, account });
  }
  return admitted;
};

/** Takes room of an account. @returns what is left; undefined without a limit */
const takeRoom = (room: Map<string, number>, account: string, count: number): number | undefined => {
  const before = room.get(account);
  if (before === undefined) return undefined;
  room.set(account, before - count);
  return before - count;
};

const freeSlots = ({ model }: Slots['concurrency'], running: ReadonlyMap<string, number>): number =>
  model - [...running.values()].reduce((sum, count) => sum + count, 0);

interface RunAdmission {
  readonly slots: Slots;
  /** Running requests by account, to which runs are added. */
  readonly running: Map<string, number>;
  readonly now: number;
  readonly isPausedAccount: (account: string) => boolean;
  readonly roomOf: RoomOf;
}

/** Assigns slots to the synchronous runs of a model that wait. */
const admitRuns = async (
  statements: Statements,
  { slots: { id: model, concurrency }, running, now, isPausedAccount, roomOf }: RunAdmission,
): Promise<void> => {
  const add = (account: string): unknown => running.set(account, (running.get(account) ?? 0) + 1);
  const runs = await findRuns(statements, model, now);
  for (const { account, state } of runs) if (state === 'running') add(account);
  const candidates = runs.filter(({ state, account }) => state === 'waiting' && !isPausedAccount(account));
  const room = await roomOf(
    statements,
    candidates.map(({ account }) => account),
  );
  const waiting = candidates
    .filter(({ account }) => takeRoom(room, account, 1) === undefined || (room.get(account) ?? 0) >= 0)
    .map(({ id, account, created: since }) => ({ id, account, since, priority: 0 }));
  const started: string[] = [];
  for (let free = freeSlots(concurrency, running); free > 0; free -= 1) {
    const account = chooseAccount(waiting, running, concurrency.account);
    const index = waiting.findIndex((each) => each.account === account);
    if (index === -1) break;
    for (const { id } of waiting.splice(index, 1)) started.push(id);
    add(account ?? '');
  }
  await startRuns(statements, started);
};

/** Locks a model until the transaction ends; must be the first statement of a transaction that assigns slots. */
export const lockModel = async (statements: Statements, model: string): Promise<void> => {
  await statements.write({
    text: 'update svc_model_locks set turns = turns + 1 where model = ?',
    values: [model],
  });
};

/** Inserts the row that `lockModel` locks, unless it exists or another process inserts it at the same time. */
export const ensureModelLock = async (statements: Statements, model: string): Promise<void> => {
  const exists = async (): Promise<boolean> =>
    (await findRow(statements, 'svc_model_locks', { where: { model } })) !== undefined;
  if (await exists()) return;
  try {
    await insertRow(statements, 'svc_model_locks', { model, turns: 0 });
  } catch (error) {
    if (!(await exists())) throw error;
  }
};

/** An account with waiting requests. */
export interface WaitingAccount {
  readonly account: string;
  /** Highest priority among the account's waiting requests. */
  readonly priority: number;
  /** Unix time in milliseconds when the account's oldest waiting request was created. */
  readonly since: number;
}

/** Returns the account that receives the next slot, or null if none waits or all have reached `maxRunning`. */
export const chooseAccount = (
  waiting: readonly WaitingAccount[],
  running: ReadonlyMap<string, number>,
  maxRunning: number,
): string | null => {
  const runs = ({ account }: WaitingAccount): number => running.get(account) ?? 0;
  const [first] = waiting
    .filter((each) => runs(each) < maxRunning)
    .sort((a, b) => b.priority - a.priority || runs(a) - runs(b) || a.since - b.since);
  return first?.account ?? null;
};

const countRunning = async (statements: Statements, model: string): Promise<Map<string, number>> => {
  const rows = await statements.query(
    "select account, count(*) as running from svc_requests where state in ('admitted', 'running') and model = ? " +
      'group by account',
    [model],
  );
  return new Map(rows.map((row) => [String(row.account), Number(row.running)]));
};

/** Returns the accounts with waiting requests for a model, without paused ones. */
const findWaiting = async (
  statements: Statements,
  model: string,
  isPausedAccount: (account: string) => boolean,
): Promise<WaitingAccount[]> => {
  const rows = await statements.query(
    'select account, max(priority) as priority, min(date_created) as since from svc_requests ' +
      "where state = 'waiting' and model = ? group by account",
    [model],
  );
  const waiting = rows.map((row) => ({
    account: String(row.account),
    priority: Number(row.priority),
    since: Number(row.since),
  }));
  return waiting.filter(({ account }) => !isPausedAccount(account));
};

interface ModelAccount {
  readonly model: string;
  readonly account: string;
}

/** Rounds down to a power of two, so that few distinct statements are prepared. */
const batchSizeOf = (count: number): number => 2 ** Math.floor(Math.log2(Math.min(count, 256)));

/** Admits the oldest requests of an account. @returns `limit` ids, or fewer if fewer wait */
const admitOldest = async (
  statements: Statements,
  { model, account, now, limit }: ModelAccount & { readonly now: number; readonly limit: number },
): Promise<readonly string[]> => {
  const rows = await findRows(statements, 'svc_requests', {
    where: { state: 'waiting', model, account },
    columns: ['id'],
    order: ['-priority', 'date_created', 'id'],
    limit,
  });
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  await updateRows(statements, 'svc_requests', {
    // the workflow has not been notified yet
    set: { state: 'admitted', started: 0, date_admitted: now },
    where: { state: 'waiting', id: ids },
  });
  return ids;
};

/** Updates the entry of an account after one of its requests was admitted. */
const refreshAccount = async (
  statements: Statements,
  waiting: WaitingAccount[],
  { model, account }: ModelAccount,
): Promise<void> => {
  const [row] = await statements.query(
    'select max(priority) as priority, min(date_created) as since from svc_requests ' +
      "where state = 'waiting' and model = ? and account = ?",
    [model, account],
  );
  const priority = row?.priority ?? null;
  removeAccount(waiting, account);
  if (priority !== null) waiting.push({ account, priority: Number(priority), since: Number(row?.since) });
};

const removeAccount = (waiting: WaitingAccount[], account: string): void => {
  waiting.splice(
    waiting.findIndex((each) => each.account === account),
    1,
  );
};
