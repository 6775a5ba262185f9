/**
 * Assigns the free slots of a model to accounts in turn, and stores what that changes in `svc_waiting_accounts`. Reads only
 * the accounts that can receive one of them.
 */
import { powerOfTwo, type Statements } from '../../execute/system-rows.js';
import type { RemainingOf } from './admission.js';
import { findOldest } from './oldest-requests.js';
import {
  findListed,
  firstAccounts,
  findNextAccounts,
  storeAssignment,
  type Arrival,
  type WaitingAccount,
} from './waiting-accounts.js';

/** The slots to assign, and the limits of accounts. */
export interface SlotAssignmentOptions {
  readonly model: string;
  readonly free: number;
  /** Running requests by account, to which those that receive slots are added. */
  readonly running: Map<string, number>;
  /** Most running requests of an account. */
  readonly maxRunning: number;
  /** Accounts of requests that the same transaction has stored. */
  readonly arrived: readonly Arrival[];
  /** First accounts in their order, as `readSlotUse` has read them; null if they have to be read. */
  readonly first: readonly WaitingAccount[] | null;
  readonly isPausedAccount: (account: string) => boolean;
  readonly remainingOf: RemainingOf;
}

/** One assignment of free slots: planned, served with requests, then stored. */
export interface SlotAssignment {
  /** True where all accounts that wait take part; otherwise what is planned first is all that is certain. */
  readonly isWhole: boolean;
  /** Returns how many slots each account is to receive, as if it had enough requests of its tier. */
  plan(free: number): ReadonlyMap<string, number>;
  /** Finds the requests that receive planned slots. @returns ids, fewer where fewer wait */
  serve(plan: ReadonlyMap<string, number>): Promise<readonly string[]>;
  /** Stores the order of the accounts after this assignment. */
  store(): Promise<void>;
}

/** Reads the accounts that can receive free slots of a model; must be called under its lock. */
export const openSlotAssignment = async (
  statements: Statements,
  options: SlotAssignmentOptions,
): Promise<SlotAssignment> => {
  const { model, running, maxRunning, arrived } = options;
  const { accounts, isWhole, limits } = await findCandidates(statements, options);
  const states = new Map(accounts.map((each): [string, AccountState] => [each.account, toState(each)]));
  await addArrived(statements, states, { model, isWhole, arrived });
  await readLimits(statements, limits, { ...options, accounts: [...states.keys()] });
  const limitOf = (account: string): number => limits.get(account) ?? maxRunning;

  return {
    isWhole,
    plan: (free) =>
      planSlots(
        [...states.values()].filter(({ isGone }) => !isGone),
        { free, running, limitOf },
      ),
    async serve(plan) {
      const planned = [...plan].flatMap(([account, count]) => {
        const state = states.get(account);
        return state === undefined ? [] : [{ state, account, tier: state.tier, count }];
      });
      const found = await findOldest(statements, model, planned);
      return planned.flatMap(({ state, account }) => {
        const { ids, next } = found.get(account) ?? { ids: [], next: null };
        if (ids.length > 0) state.isServed = true;
        if (next === null) state.isGone = true;
        else state.tier = next;
        running.set(account, (running.get(account) ?? 0) + ids.length);
        return ids;
      });
    },
    store: () => storeAssignment(statements, model, changesOf([...states.values()])),
  };
};

/** An account during an assignment. */
interface AccountState {
  readonly account: string;
  tier: number;
  readonly turn: number;
  /** Tier in which it is listed, or null if it is not. */
  readonly listed: number | null;
  isServed: boolean;
  /** True where none of its requests waits any more. */
  isGone: boolean;
}

const toState = ({ account, tier, turn }: WaitingAccount): AccountState => ({
  account,
  tier,
  turn,
  listed: tier,
  isServed: false,
  isGone: false,
});

const changesOf = (states: readonly AccountState[]): Parameters<typeof storeAssignment>[2] => {
  const waiting = states.filter(({ isGone }) => !isGone);
  const listed = waiting.filter((state) => state.listed !== null);
  return {
    added: waiting.filter((state) => state.listed === null),
    served: listed.filter(({ isServed }) => isServed).map(({ account }) => account),
    removed: states.filter((state) => state.isGone && state.listed !== null).map(({ account }) => account),
    moved: listed.filter((state) => state.listed !== state.tier),
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
const findCandidates = async (
  statements: Statements,
  options: SlotAssignmentOptions,
): Promise<Candidates> => {
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
  { model, free, running, first }: SlotAssignmentOptions,
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
  }: SlotAssignmentOptions & { readonly accounts: readonly string[] },
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

interface Arrivals extends Pick<SlotAssignmentOptions, 'model' | 'arrived'> {
  readonly isWhole: boolean;
}

/** Adds accounts whose requests have just been stored, behind those that wait. */
const addArrived = async (
  statements: Statements,
  states: Map<string, AccountState>,
  { model, isWhole, arrived }: Arrivals,
): Promise<void> => {
  const unread = isWhole ? [] : arrived.filter(({ account }) => !states.has(account));
  if (unread.length > 0) {
    const accounts = [...new Set(unread.map(({ account }) => account))];
    for (const listed of await findListed(statements, model, accounts))
      states.set(listed.account, toState(listed));
  }
  for (const { account, priority } of arrived) {
    const state = states.get(account);
    const tier = 0 - priority;
    if (state !== undefined) state.tier = Math.min(state.tier, tier);
    else
      states.set(account, {
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
