/**
 * A turn of a model: which accounts receive its free slots, and what that changes in `svc_waiting_accounts`. It reads only
 * the accounts that can receive one of them.
 */
import { powerOfTwo, type Statements } from '../../execute/system-rows.js';
import type { RemainingOf } from './admission.js';
import { findOldest } from './oldest-requests.js';
import {
  findListed,
  firstAccounts,
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
  /** First accounts in their order, as `readSlotUse` has read them; null if the turn has to read them. */
  readonly first: readonly WaitingAccount[] | null;
  readonly isPausedAccount: (account: string) => boolean;
  readonly remainingOf: RemainingOf;
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
  const { free, running } = options;
  const limits = new Map<string, number>();
  const accounts: WaitingAccount[] = [];
  if (free === 0) return { accounts, isWhole: false, limits };
  for await (const { page, isLast } of readPages(statements, options)) {
    await readLimits(statements, limits, { ...options, accounts: page.map(({ account }) => account) });
    accounts.push(...page);
    const idle = accounts.filter(({ account }) => !running.has(account) && limits.get(account) !== 0);
    if (isLast || idle.length >= free) return { accounts, isWhole: isLast, limits };
  }
  throw new Error('the last page of accounts is missing');
};

interface Page {
  readonly page: readonly WaitingAccount[];
  readonly isLast: boolean;
}

/** Reads the accounts in their order; those that were read with the slots first. */
const readPages = async function* (
  statements: Statements,
  { model, free, running, first }: TurnOptions,
): AsyncGenerator<Page> {
  let offset = 0;
  const toPage = (page: readonly WaitingAccount[], size: number): Page => {
    offset += page.length;
    return { page, isLast: page.length < size };
  };
  if (first !== null) yield toPage(first, firstAccounts);
  for (let size = powerOfTwo(free + running.size + 1); ; size *= 2)
    yield toPage(await findNextAccounts(statements, model, { limit: size, offset }), size);
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
    remainingOf,
    free,
  }: TurnOptions & { readonly accounts: readonly string[] },
): Promise<void> => {
  const unread = free === 0 ? [] : accounts.filter((account) => !limits.has(account));
  if (unread.length === 0) return;
  for (const account of unread.filter(isPausedAccount)) limits.set(account, 0);
  const remaining = await remainingOf(
    statements,
    unread.filter((account) => !isPausedAccount(account)),
  );
  for (const [account, more] of remaining)
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
