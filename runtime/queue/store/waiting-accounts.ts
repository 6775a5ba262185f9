/**
 * Stores which accounts wait for slots of a model (`svc_waiting_accounts`), so that a slot is given without reading the
 * whole queue. All writes are under the lock of the model. A row may promise more than its account has, such as after its
 * last request was released; that is found out, and the row corrected, when its turn comes. It never promises less, except
 * for requests that somebody else stored, such as an older version; `findUnlisted` finds these.
 */
import {
  deleteRows,
  findRows,
  listPlaceholders,
  updateRows,
  type Statements,
} from '../../execute/system-rows.js';

/** An account that has a request which waits. */
export interface Arrival {
  readonly account: string;
  readonly priority: number;
}

/** An account in the order of turns: lower tiers first, then lower turns. */
export interface WaitingAccount {
  readonly account: string;
  /** Negated priority of its most urgent request. */
  readonly tier: number;
  /** Turn of the model in which it last received a slot, or began to wait. */
  readonly turn: number;
}

const toWaitingAccount = ({
  account,
  tier,
  turn,
}: Readonly<Record<'account' | 'tier' | 'turn', unknown>>): WaitingAccount => ({
  account: String(account),
  tier: Number(tier),
  turn: Number(turn),
});

/** Accounts that are read together with what uses the slots: where few slots are free, no others are needed. */
export const firstAccounts = 8;

/** Selects the accounts of a model whose turn comes first. */
export const selectFirst =
  'select account, tier, turn from svc_waiting_accounts where model = ? ' +
  `order by tier, turn, account limit ${firstAccounts}`;

/** Returns the accounts whose turn comes first, at most `limit`, without the first `offset` of them. */
export const findNextAccounts = async (
  statements: Statements,
  model: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly WaitingAccount[]> => {
  const rows = await findRows(statements, 'svc_waiting_accounts', {
    where: { model },
    columns: ['account', 'tier', 'turn'],
    order: ['tier', 'turn', 'account'],
    limit,
    offset,
  });
  return rows.map(toWaitingAccount);
};

/** Returns those of some accounts that are listed. */
export const findListed = async (
  statements: Statements,
  model: string,
  accounts: readonly string[],
): Promise<readonly WaitingAccount[]> => {
  const rows = await findRows(statements, 'svc_waiting_accounts', {
    where: { model, account: accounts },
    columns: ['account', 'tier', 'turn'],
  });
  return rows.map(toWaitingAccount);
};

/** Changes of an assignment of slots; each account is in one of the lists. */
export interface AssignmentChanges {
  /** Accounts that begin to wait. */
  readonly added: readonly Pick<WaitingAccount, 'account' | 'tier'>[];
  /** Accounts that were given slots and still wait: their next turn comes after those of all others. */
  readonly served: readonly string[];
  /** Accounts that do not wait any more. */
  readonly removed: readonly string[];
  /** Accounts in another tier than before. */
  readonly moved: readonly Pick<WaitingAccount, 'account' | 'tier'>[];
}

/** Stores the changes of one assignment of slots, as the present turn of the model. */
export const storeAssignment = async (
  statements: Statements,
  model: string,
  { added, served, removed, moved }: AssignmentChanges,
): Promise<void> => {
  if (removed.length > 0) await deleteRows(statements, 'svc_waiting_accounts', { model, account: removed });
  for (const { account, tier } of moved)
    await updateRows(statements, 'svc_waiting_accounts', { set: { tier }, where: { model, account } });
  if (served.length > 0) {
    const list = listPlaceholders(served);
    await statements.write({
      text:
        'update svc_waiting_accounts set turn = (select turns from svc_model_locks where model = ?) ' +
        `where model = ? and account in (${list.placeholders})`,
      values: [model, model, ...list.values],
    });
  }
  await insertAccounts(statements, model, added);
};

/** Inserts rows in chunks of powers of two, so that few statements serve all numbers of them. */
const insertAccounts = async (
  statements: Statements,
  model: string,
  added: AssignmentChanges['added'],
): Promise<void> => {
  if (added.length === 0) return;
  const chunk = added.slice(0, 2 ** Math.floor(Math.log2(added.length)));
  const row = '(?, ?, ?, (select turns from svc_model_locks where model = ?))';
  await statements.write({
    text: `insert into svc_waiting_accounts (model, account, tier, turn) values ${chunk.map(() => row).join(', ')}`,
    values: chunk.flatMap(({ account, tier }) => [model, account, tier, model]),
  });
  await insertAccounts(statements, model, added.slice(chunk.length));
};

/** Removes an account of which no request waits any more. */
export const removeIdleAccount = async (
  statements: Statements,
  { model, account }: { readonly model: string; readonly account: string },
): Promise<void> => {
  await statements.write({
    text:
      'delete from svc_waiting_accounts where model = ? and account = ? and not exists ' +
      "(select 1 from svc_requests where state = 'waiting' and model = ? and account = ?)",
    values: [model, account, model, account],
  });
};

export interface Unlisted {
  readonly accounts: readonly Arrival[];
  /** Account after which the next page begins; null after the last. */
  readonly next: string | null;
}

/** Listed accounts of a page, those of one statement, and entries that are read at once between two of them. */
const pageSize = 64;
const chunkSize = 16;
const maxBetween = 16;
/** Bounds of all accounts. */
const [lowest, highest] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * Looks for accounts with waiting requests that are not listed, or not in the tier of these, among the first accounts after
 * `after`; where there are many, later calls find the others. It reads the index between one listed account and the next,
 * where nothing else is, so its cost does not depend on the length of the queue.
 */
export const findUnlisted = async (
  statements: Statements,
  model: string,
  after: string | null = null,
): Promise<Unlisted> => {
  const first = after ?? lowest;
  const listed = await findRows(statements, 'svc_waiting_accounts', {
    where: { model, account: { above: first } },
    columns: ['account', 'tier'],
    order: ['account'],
    limit: pageSize,
  });
  const next = listed.length < pageSize ? null : (listed.at(-1)?.account ?? null);
  const ends = next === null ? [...listed, { account: highest, tier: 0 }] : listed;
  const gaps = ends.map(({ account, tier }, at) => ({
    after: ends[at - 1]?.account ?? first,
    account,
    tier,
  }));
  const found = new Map<string, number>();
  for (const { account, priority } of await readGaps(statements, model, gaps))
    found.set(account, Math.max(priority, found.get(account) ?? priority));
  return { accounts: [...found].map(([account, priority]) => ({ account, priority })), next };
};

interface Gap {
  readonly after: string;
  /** Account at its end, which is listed in this tier. */
  readonly account: string;
  readonly tier: number;
}

const selectSome = (test: string, limit: number, name: string): string =>
  "select account, priority from (select account, priority from svc_requests where state = 'waiting' " +
  `and model = ? and ${test} limit ${limit}) ${name}`;

/** Reads requests of accounts in gaps, and those above the tier of the account at the end of each. */
const readGaps = async (
  statements: Statements,
  model: string,
  gaps: readonly Gap[],
): Promise<readonly Arrival[]> => {
  if (gaps.length === 0) return [];
  // as many as a power of two, so that few distinct statements are prepared
  const chunk = listPlaceholders(gaps.slice(0, chunkSize)).values;
  const rows = await statements.query(
    chunk
      .flatMap((_, at) => [
        selectSome('account > ? and account < ?', maxBetween, `between_${at}`),
        selectSome('account = ? and priority > ?', 1, `above_${at}`),
      ])
      .join(' union all '),
    chunk.flatMap(({ after, account, tier }) => [model, after, account, model, account, -tier]),
  );
  return [
    ...rows.map(({ account, priority }) => ({ account: String(account), priority: Number(priority) })),
    ...(await readGaps(statements, model, gaps.slice(chunkSize))),
  ];
};
