/**
 * Who runs next. A model has so many slots, an account so many of them; a free slot goes to the highest priority
 * that waits, among equals to the account that runs least, of its requests to the oldest. Decided under the lock of
 * the model's row in `svc_model_locks`, so that processes take turns.
 */
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import { findRow, findRows, insertRow, updateRows, type Statements } from '../../execute/system-rows.js';

type Slots = Pick<QueueModelDeclaration, 'id' | 'concurrency'>;

/**
 * Fills the free slots of a model; call it inside a transaction.
 * @returns ids of the requests that were admitted
 */
export const admit = async (
  statements: Statements,
  { id: model, concurrency }: Slots,
  now: number,
): Promise<readonly string[]> => {
  const running = await countRunning(statements, model);
  let free = concurrency.model - [...running.values()].reduce((sum, count) => sum + count, 0);
  const admitted: string[] = [];
  const waiting = free > 0 ? await findWaiting(statements, model) : [];
  while (free > 0) {
    const account = chooseAccount(waiting, running, concurrency.account);
    if (account === null) break;
    const runs = running.get(account) ?? 0;
    // who waits alone takes what is left
    const most = waiting.length === 1 ? portionOf(Math.min(free, concurrency.account - runs)) : 1;
    const ids = await admitOldest(statements, { model, account, now, most });
    admitted.push(...ids);
    running.set(account, runs + ids.length);
    free -= ids.length;
    if (ids.length < most) leave(waiting, account);
    else await refresh(statements, waiting, { model, account });
  }
  return admitted;
};

/** Locks a model until the transaction ends: the first statement of one that admits. */
export const lockModel = async (statements: Statements, model: string): Promise<void> => {
  await statements.write({
    text: 'update svc_model_locks set turns = turns + 1 where model = ?',
    values: [model],
  });
};

/** Inserts the row that `lockModel` locks; of several that try at once one succeeds, which is enough. */
export const ensureModelLock = async (statements: Statements, model: string): Promise<void> => {
  const isThere = async (): Promise<boolean> =>
    (await findRow(statements, 'svc_model_locks', { where: { model } })) !== undefined;
  if (await isThere()) return;
  try {
    await insertRow(statements, 'svc_model_locks', { model, turns: 0 });
  } catch (error) {
    if (!(await isThere())) throw error;
  }
};

export interface Waiting {
  readonly account: string;
  readonly priority: number;
  /** When the oldest of the account's requests was made. */
  readonly since: number;
}

/** `null`: nobody waits, or whoever waits has as many slots as it may. */
export const chooseAccount = (
  waiting: readonly Waiting[],
  running: ReadonlyMap<string, number>,
  most: number,
): string | null => {
  const runs = ({ account }: Waiting): number => running.get(account) ?? 0;
  const [first] = waiting
    .filter((each) => runs(each) < most)
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

/** For each account the highest priority that waits. */
const findWaiting = async (statements: Statements, model: string): Promise<Waiting[]> => {
  const rows = await statements.query(
    'select account, max(priority) as priority, min(date_created) as since from svc_requests ' +
      "where state = 'waiting' and model = ? group by account",
    [model],
  );
  return rows.map((row) => ({
    account: String(row.account),
    priority: Number(row.priority),
    since: Number(row.since),
  }));
};

interface Place {
  readonly model: string;
  readonly account: string;
}

/** Rounded down to a power of two, so that few statements serve all counts. */
const portionOf = (count: number): number => 2 ** Math.floor(Math.log2(Math.min(count, 256)));

/** @returns `most` ids, or fewer where no more wait */
const admitOldest = async (
  statements: Statements,
  { model, account, now, most }: Place & { readonly now: number; readonly most: number },
): Promise<readonly string[]> => {
  const rows = await findRows(statements, 'svc_requests', {
    where: { state: 'waiting', model, account },
    columns: ['id'],
    order: ['-priority', 'date_created', 'id'],
    limit: most,
  });
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  await updateRows(statements, 'svc_requests', {
    // its workflow has yet to hear of it
    set: { state: 'admitted', started: 0, date_admitted: now },
    where: { state: 'waiting', id: ids },
  });
  return ids;
};

/** What still waits of an account whose request was just taken. */
const refresh = async (
  statements: Statements,
  waiting: Waiting[],
  { model, account }: Place,
): Promise<void> => {
  const [row] = await statements.query(
    'select max(priority) as priority, min(date_created) as since from svc_requests ' +
      "where state = 'waiting' and model = ? and account = ?",
    [model, account],
  );
  const priority = row?.priority ?? null;
  leave(waiting, account);
  if (priority !== null) waiting.push({ account, priority: Number(priority), since: Number(row?.since) });
};

const leave = (waiting: Waiting[], account: string): void => {
  waiting.splice(
    waiting.findIndex((each) => each.account === account),
    1,
  );
};
