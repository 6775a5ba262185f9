/**
 * A turn of a model: which accounts receive its free slots, and what that changes in `svc_waiting_accounts`. It reads only
 * the accounts that can receive one of them.
 */
import { listPlaceholders, type Statements } from '../../execute/system-rows.js';
import type { RoomOf } from './admission.js';
import {
  findListed,
  findNextAccounts,
  storeTurn,
  type Arrival,
  type WaitingAccount,
} from './waiting-accounts.js';

export interface TurnOptions {
  readonly model: string;
  readonly free: number;
  /** Running requests by account, to which those that receive slots are added. */
  readonly running: Map<string, number>;
  /** Most running requests of an account. */
  readonly maxRunning: number;
  /** Accounts of requests that the same transaction has stored. */
  readonly arrived: readonly Arrival[];
  readonly isPausedAccount: (account: string) => boolean;
  readonly roomOf: RoomOf;
}

export interface Turn {
  /** True where all accounts that wait take part; otherwise what is planned first is all that is certain. */
  readonly isWhole: boolean;
  /** Returns how many slots each account is to receive, as if it had enough requests of its tier. */
  plan(free: number): ReadonlyMap<string, number>;
  /** Finds the requests that receive planned slots. @returns ids, fewer where fewer wait */
  serve(plan: ReadonlyMap<string, number>): Promise<readonly string[]>;
  /** Stores what has changed. */
  store(): Promise<void>;
}

/** Opens the turn of a model; see `Turn`. */
export const openTurn = async (statements: Statements, options: TurnOptions): Promise<Turn> => {
  const { model, running, maxRunning, arrived } = options;
  const { accounts, isWhole, limits } = await findCandidates(statements, options);
  const places = new Map(accounts.map((each): [string, Place] => [each.account, placeOf(each)]));
  await addArrived(statements, places, { model, isWhole, arrived });
  await readLimits(statements, limits, { ...options, accounts: [...places.keys()] });
  const limitOf = (account: string): number => limits.get(account) ?? maxRunning;

  return {
    isWhole,
    plan: (free) =>
      planSlots(
        [...places.values()].filter(({ isGone }) => !isGone),
        { free, running, limitOf },
      ),
    async serve(plan) {
      const planned = [...plan].flatMap(([account, count]) => {
        const place = places.get(account);
        return place === undefined ? [] : [{ place, account, tier: place.tier, count }];
      });
      const found = await findOldest(statements, model, planned);
      return planned.flatMap(({ place, account }) => {
        const { ids, next } = found.get(account) ?? { ids: [], next: null };
        if (ids.length > 0) place.isServed = true;
        if (next === null) place.isGone = true;
        else place.tier = next;
        running.set(account, (running.get(account) ?? 0) + ids.length);
        return ids;
      });
    },
    store: () => storeTurn(statements, model, changesOf([...places.values()])),
  };
};

/** An account in a turn. */
interface Place {
  readonly account: string;
  tier: number;
  readonly turn: number;
  /** Tier in which it is listed, or null if it is not. */
  readonly listed: number | null;
  isServed: boolean;
  /** True where none of its requests waits any more. */
  isGone: boolean;
}

const placeOf = ({ account, tier, turn }: WaitingAccount): Place => ({
  account,
  tier,
  turn,
  listed: tier,
  isServed: false,
  isGone: false,
});

const changesOf = (places: readonly Place[]): Parameters<typeof storeTurn>[2] => {
  const waiting = places.filter(({ isGone }) => !isGone);
  const listed = waiting.filter((place) => place.listed !== null);
  return {
    added: waiting.filter((place) => place.listed === null),
    served: listed.filter(({ isServed }) => isServed).map(({ account }) => account),
    removed: places.filter((place) => place.isGone && place.listed !== null).map(({ account }) => account),
    moved: listed.filter((place) => place.listed !== place.tier),
  };
};

interface Candidates {
  readonly accounts: readonly WaitingAccount[];
  /** True where these are all that wait. */
  readonly isWhole: boolean;
  /** Most running requests of accounts, where it is not `maxRunning`. */
  readonly limits: Map<string, number>;
}

/**
 * Reads accounts in their order until those that run nothing are as many as the free slots: no account behind them can
 * receive one.
 */
const findCandidates = async (statements: Statements, options: TurnOptions): Promise<Candidates> => {
  const { model, free, running } = options;
  const limits = new Map<string, number>();
  if (free === 0) return { accounts: [], isWhole: false, limits };
  const accounts: WaitingAccount[] = [];
  // sizes are powers of two, so that few distinct statements are prepared
  for (let size = 2 ** Math.ceil(Math.log2(free + running.size + 1)); ; size *= 2) {
    const more = await findNextAccounts(statements, model, { limit: size, offset: accounts.length });
    await readLimits(statements, limits, { ...options, accounts: more.map(({ account }) => account) });
    accounts.push(...more);
    const idle = accounts.filter(({ account }) => !running.has(account) && limits.get(account) !== 0);
    const isWhole = more.length < size;
    if (isWhole || idle.length >= free) return { accounts, isWhole, limits };
  }
};

/** Adds the limits of accounts that are paused, or have a quota over all models. */
const readLimits = async (
  statements: Statements,
  limits: Map<string, number>,
  {
    accounts,
    running,
    maxRunning,
    isPausedAccount,
    roomOf,
    free,
  }: TurnOptions & { readonly accounts: readonly string[] },
): Promise<void> => {
  const unread = free === 0 ? [] : accounts.filter((account) => !limits.has(account));
  if (unread.length === 0) return;
  for (const account of unread.filter(isPausedAccount)) limits.set(account, 0);
  const room = await roomOf(
    statements,
    unread.filter((account) => !isPausedAccount(account)),
  );
  for (const [account, more] of room)
    limits.set(account, Math.min(maxRunning, (running.get(account) ?? 0) + more));
};

interface Arrivals extends Pick<TurnOptions, 'model' | 'arrived'> {
  readonly isWhole: boolean;
}

/** Adds accounts whose requests have just been stored, behind those that wait. */
const addArrived = async (
  statements: Statements,
  places: Map<string, Place>,
  { model, isWhole, arrived }: Arrivals,
): Promise<void> => {
  const unread = isWhole ? [] : arrived.filter(({ account }) => !places.has(account));
  if (unread.length > 0) {
    const accounts = [...new Set(unread.map(({ account }) => account))];
    for (const listed of await findListed(statements, model, accounts))
      places.set(listed.account, placeOf(listed));
  }
  for (const { account, priority } of arrived) {
    const place = places.get(account);
    const tier = 0 - priority;
    if (place !== undefined) place.tier = Math.min(place.tier, tier);
    else
      places.set(account, {
        account,
        tier,
        turn: Number.POSITIVE_INFINITY,
        listed: null,
        isServed: false,
        isGone: false,
      });
  }
};

/**
 * Returns the account that receives the next slot: that of the lowest tier, then with the fewest running requests, then
 * whose turn is longest ago; null if all have reached their limits.
 */
export const chooseAccount = <Waiting extends WaitingAccount>(
  waiting: readonly Waiting[],
  running: ReadonlyMap<string, number>,
  limitOf: (account: string) => number,
): Waiting | null => {
  const runs = ({ account }: WaitingAccount): number => running.get(account) ?? 0;
  const isBefore = (a: WaitingAccount, b: WaitingAccount): boolean =>
    (a.tier - b.tier || runs(a) - runs(b) || (a.turn < b.turn ? -1 : 0)) < 0;
  let first: Waiting | null = null;
  for (const each of waiting)
    if (runs(each) < limitOf(each.account) && (first === null || isBefore(each, first))) first = each;
  return first;
};

interface SlotPlan {
  readonly free: number;
  readonly running: ReadonlyMap<string, number>;
  readonly limitOf: (account: string) => number;
}

const planSlots = (
  waiting: readonly WaitingAccount[],
  { free, running, limitOf }: SlotPlan,
): ReadonlyMap<string, number> => {
  const counts = new Map(running);
  const slots = new Map<string, number>();
  for (let left = free; left > 0; left -= 1) {
    const next = chooseAccount(waiting, counts, limitOf);
    if (next === null) break;
    counts.set(next.account, (counts.get(next.account) ?? 0) + 1);
    slots.set(next.account, (slots.get(next.account) ?? 0) + 1);
  }
  return slots;
};

interface Planned {
  readonly account: string;
  readonly tier: number;
  /** Most requests to find. */
  readonly count: number;
}

interface Oldest {
  readonly ids: readonly string[];
  /** Tier of what waits then, or null. */
  readonly next: number | null;
}

/** Most accounts of one statement. */
const maxPlanned = 16;

/** Returns the oldest waiting requests of accounts in their tiers, by account; in one statement for many. */
const findOldest = async (
  statements: Statements,
  model: string,
  planned: readonly Planned[],
): Promise<ReadonlyMap<string, Oldest>> => {
  if (planned.length === 0) return new Map();
  // sizes and limits are powers of two, so that few distinct statements are prepared
  const chunk = planned.slice(0, maxPlanned);
  const padded = listPlaceholders(chunk).values;
  const limit = 2 ** Math.ceil(Math.log2(Math.max(...chunk.map(({ count }) => count)) + 1));
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
