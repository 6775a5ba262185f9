/** Finds the requests of accounts that receive slots: the oldest of their tiers. */
import { listPlaceholders, powerOfTwo, type Statements } from '../../execute/system-rows.js';

/** An account that is to receive slots. */
export interface Planned {
  readonly account: string;
  readonly tier: number;
  /** Most requests to find. */
  readonly count: number;
}

export interface Oldest {
  readonly ids: readonly string[];
  /** Tier of what waits then, or null. */
  readonly next: number | null;
}

/** Most accounts of one statement. */
const maxPlanned = 16;

/** Returns the oldest waiting requests of accounts in their tiers, by account; in one statement for many. */
export const findOldest = async (
  statements: Statements,
  model: string,
  planned: readonly Planned[],
): Promise<ReadonlyMap<string, Oldest>> => {
  if (planned.length === 0) return new Map();
  const chunk = planned.slice(0, maxPlanned);
  const padded = listPlaceholders(chunk).values;
  const limit = powerOfTwo(Math.max(...chunk.map(({ count }) => count)) + 1);
  const columns = 'account, id, priority, date_created';
  const some = (test: string, rest: string, name: string): string =>
    `select ${columns} from (select ${columns} from svc_requests where state = 'waiting' and model = ? ` +
    `and account = ? and priority ${test} ? order by ${rest}) ${name}`;
  const rows = await statements.query(
    padded
      .flatMap((_, at) => [
        some('=', `date_created, id limit ${limit}`, `oldest_${at}`),
        some('<', 'priority desc limit 1', `lower_${at}`),
      ])
      .join(' union all '),
    padded.flatMap(({ account, tier }) => [model, account, 0 - tier, model, account, 0 - tier]),
  );
  // those of the last account may be there several times
  const sorted = [...new Map(rows.map((row) => [String(row.id), row])).values()].toSorted(
    (a, b) => Number(a.date_created) - Number(b.date_created) || (String(a.id) < String(b.id) ? -1 : 1),
  );
  const found = chunk.map((each): [string, Oldest] => {
    const own = sorted.filter(({ account }) => String(account) === each.account);
    return [each.account, oldestOf(own, each)];
  });
  return new Map([...found, ...(await findOldest(statements, model, planned.slice(chunk.length)))]);
};

const tierOf = ({ priority }: Record<string, unknown>): number => 0 - Number(priority);

const oldestOf = (rows: readonly Record<string, unknown>[], { tier, count }: Planned): Oldest => {
  const oldest = rows.filter((row) => tierOf(row) === tier);
  const [lower] = rows.filter((row) => tierOf(row) !== tier).map(tierOf);
  const next = oldest.length > count ? tier : (lower ?? null);
  return { ids: oldest.slice(0, count).map(({ id }) => String(id)), next };
};
