/** Reads the quotas of accounts (`svc_quotas`), and what the accounts use. */
import {
  findRow,
  findRows,
  insertRow,
  listPlaceholders,
  type Statements,
} from '../../execute/system-rows.js';

export const quotaNames = [
  'queued',
  'running',
  'submitted_per_minute',
  'stored_bytes',
  'log_bytes',
  'files',
  'redeliveries_per_hour',
] as const;
export type QuotaName = (typeof quotaNames)[number];

/** Limits by name; null where there is none. */
export type Limits = Readonly<Record<QuotaName, number | null>>;

/** Returns the limits of an account: its own, then those of its role and the roles above it, then the given ones. */
export const findLimits = async (
  statements: Statements,
  account: string,
  preset: Limits,
): Promise<Limits> => {
  const [own, ofRoles, user, roles] = await Promise.all([
    findRow(statements, 'svc_quotas', { where: { user: account } }),
    findRows(statements, 'svc_quotas', { where: { user: null } }),
    findRow(statements, 'svc_users', { where: { id: account }, columns: ['role'] }),
    findRows(statements, 'svc_roles', { columns: ['id', 'parent'] }),
  ]);
  const holders = new Set<string | null>();
  for (let role = user?.role ?? null; role !== null && !holders.has(role);) {
    holders.add(role);
    role = roles.find(({ id }) => id === role)?.parent ?? null;
  }
  const levels = [own, ...[...holders].map((role) => ofRoles.find((quota) => quota.role === role))];
  const limitOf = (name: QuotaName): number | null => {
    const found = levels.map((level) => level?.[name] ?? null).find((value) => value !== null);
    return found === undefined ? preset[name] : Number(found);
  };
  return Object.fromEntries(quotaNames.map((name) => [name, limitOf(name)])) as Limits;
};

/** Active requests of an account: those that wait, and those that run or are about to. */
export interface ActiveUse {
  readonly queued: number;
  readonly running: number;
}

/** Counts the requests and synchronous runs of accounts that have not ended, by account. */
export const countActive = async (
  statements: Statements,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, ActiveUse>> => {
  if (accounts.length === 0) return new Map();
  const { placeholders, values } = listPlaceholders(accounts);
  const count = (table: string): Promise<Record<string, unknown>[]> =>
    statements.query(
      "select account, sum(case when state = 'waiting' then 1 else 0 end) as queued, count(*) as found " +
        `from ${table} where account in (${placeholders}) and state in ('waiting', 'admitted', 'running') ` +
        'group by account',
      values,
    );
  const requests = await count('svc_requests');
  const runs = await count('svc_runs');
  const uses = new Map(
    requests.map((row): [string, ActiveUse] => [
      String(row.account),
      { queued: Number(row.queued), running: runningOf(row) },
    ]),
  );
  for (const row of runs) {
    const account = String(row.account);
    const { queued, running } = uses.get(account) ?? { queued: 0, running: 0 };
    uses.set(account, { queued, running: running + runningOf(row) });
  }
  return uses;
};

const runningOf = ({ queued, found }: Record<string, unknown>): number => Number(found) - Number(queued);

/** Sizes and numbers of what is stored for an account. */
export type StoredUse = Readonly<Record<'stored_bytes' | 'log_bytes' | 'files', number>>;

/** Sums what the requests of an account keep, in bytes and files; it reads all of them. */
export const sumStored = async (statements: Statements, account: string): Promise<StoredUse> => {
  const [row] = await statements.query(
    'select sum(stored_bytes) as stored_bytes, sum(log_bytes) as log_bytes, sum(files) as files ' +
      'from svc_requests where account = ?',
    [account],
  );
  return {
    stored_bytes: Number(row?.stored_bytes ?? 0),
    log_bytes: Number(row?.log_bytes ?? 0),
    files: Number(row?.files ?? 0),
  };
};

/** Events of an account since a time: their number, and when the one with a place from the newest happened. */
export interface Recent {
  readonly count: number;
  /** Unix time in milliseconds; null if there are fewer. */
  readonly oldest: number | null;
}

const recentTables = {
  submitted_per_minute: 'svc_requests',
  redeliveries_per_hour: 'svc_redeliveries',
} as const;

/**
 * Returns the events of an account that count for a quota since a time.
 * `since` is a Unix time in milliseconds; `place` that of the event whose time is returned, 1 for the newest
 */
export const findRecent = async (
  statements: Statements,
  quota: keyof typeof recentTables,
  { account, since, place }: { readonly account: string; readonly since: number; readonly place: number },
): Promise<Recent> => {
  const table = recentTables[quota];
  const [[counted], [nth]] = await Promise.all([
    statements.query(`select count(*) as found from ${table} where account = ? and date_created > ?`, [
      account,
      since,
    ]),
    place < 1
      ? []
      : statements.query(
          `select date_created from ${table} where account = ? and date_created > ? ` +
            `order by date_created desc limit 1 offset ${place - 1}`,
          [account, since],
        ),
  ]);
  return {
    count: Number(counted?.found ?? 0),
    oldest: nth === undefined ? null : Number(nth.date_created),
  };
};

/** Records a redelivery by its owner. */
export const recordRedelivery = (
  statements: Statements,
  { id: delivery, round, account }: { readonly id: string; readonly round: number; readonly account: string },
): Promise<void> =>
  insertRow(statements, 'svc_redeliveries', { delivery, round, account, date_created: Date.now() });
