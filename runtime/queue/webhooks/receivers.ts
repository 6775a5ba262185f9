/**
 * Limits the concurrent attempts of this process: to each receiver of an account, of each account, and in all, so that
 * receivers that are slow or gone delay only deliveries of their own account. Attempts above a limit wait briefly, so that
 * a burst to a fast receiver is not postponed; each account has few places for them.
 */
import { LRUCache } from 'lru-cache';
import { createBreaker, type AttemptEnd, type Breaker, type BreakerState } from './breaker.js';

export interface Receivers {
  /** Acquires a place for an attempt, or says how long to postpone it. */
  acquire(target: DeliveryTarget): Promise<Place | Postponement>;
  /** Counts attempts in progress, and receivers by the state of their breaker. */
  use(): { readonly active: number; readonly open: number; readonly probing: number };
}

export interface DeliveryTarget {
  readonly account: string;
  readonly url: string;
}

export interface Place {
  readonly kind: 'place';
  /** Gives the place back. */
  release(end: AttemptEnd): void;
}

export interface Postponement {
  readonly kind: 'postponed';
  readonly reason: 'receiver_busy' | 'receiver_failing';
  /** Milliseconds; null if the caller decides. */
  readonly after: number | null;
}

export interface ReceiversOptions {
  /** Maximum concurrent attempts. */
  readonly maxPerReceiver?: number;
  readonly maxPerAccount?: number;
  readonly maxInAll?: number;
  /** Maximum waiting attempts of an account. */
  readonly maxWaiting?: number;
  /** Milliseconds that an attempt waits for a place. */
  readonly waitTimeout?: number;
  /** Returns the breaker of a new receiver. */
  readonly newBreaker?: () => Breaker;
}

interface Account {
  active: number;
  waiting: number;
}

interface Receiver {
  active: number;
  readonly breaker: Breaker;
}

interface WaitingAttempt {
  readonly account: Account;
  readonly receiver: Receiver;
  readonly proceed: () => void;
}

/** Receivers whose attempts are remembered: many more than there are attempts at once, so that the one that is forgotten is idle. */
const maxReceivers = 10_000;

/** Returns receivers by account and origin. */
const rememberReceivers = (newBreaker: () => Breaker) => {
  const receivers = new LRUCache<string, Receiver>({ max: maxReceivers });
  const receiverOf = ({ account, url }: DeliveryTarget): Receiver => {
    const name = `${account} ${new URL(url).origin}`;
    const present = receivers.get(name);
    if (present !== undefined) return present;
    const receiver: Receiver = { active: 0, breaker: newBreaker() };
    receivers.set(name, receiver);
    return receiver;
  };
  const countBreakers = (state: BreakerState): number =>
    [...receivers.values()].filter(({ breaker }) => breaker.state() === state).length;
  return { receiverOf, countBreakers };
};

/** The places of all attempts, and the attempts that wait for one. */
interface Places {
  /** Takes a place, after waiting for one if necessary; resolves with false where none becomes free in time. */
  enter(account: Account, receiver: Receiver): Promise<boolean>;
  leave(account: Account, receiver: Receiver): void;
  /** Returns the number of places that are taken. */
  active(): number;
}

const createPlaces = ({
  maxPerReceiver,
  maxPerAccount,
  maxInAll,
  maxWaiting,
  waitTimeout,
}: Required<Omit<ReceiversOptions, 'newBreaker'>>): Places => {
  const waiting: WaitingAttempt[] = [];
  let active = 0;

  const hasPlace = (account: Account, receiver: Receiver): boolean =>
    active < maxInAll && account.active < maxPerAccount && receiver.active < maxPerReceiver;

  const count = (account: Account, receiver: Receiver, change: 1 | -1): void => {
    active += change;
    account.active += change;
    receiver.active += change;
  };

  /** Gives a free place to the attempt that has waited longest among those of the account with the fewest places. */
  const passPlace = (): void => {
    const [next] = waiting
      .filter(({ account, receiver }) => hasPlace(account, receiver))
      .sort((one, other) => one.account.active - other.account.active);
    if (next === undefined) return;
    waiting.splice(waiting.indexOf(next), 1);
    count(next.account, next.receiver, 1);
    next.proceed();
  };

  const waitForPlace = (account: Account, receiver: Receiver): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (entered: boolean): void => {
        clearTimeout(timer);
        account.waiting -= 1;
        resolve(entered);
      };
      const attempt: WaitingAttempt = { account, receiver, proceed: () => end(true) };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(attempt), 1);
        end(false);
      }, waitTimeout);
      account.waiting += 1;
      waiting.push(attempt);
    });

  return {
    active: () => active,
    async enter(account, receiver) {
      if (!hasPlace(account, receiver))
        return account.waiting < maxWaiting && (await waitForPlace(account, receiver));
      count(account, receiver, 1);
      return true;
    },
    leave(account, receiver) {
      count(account, receiver, -1);
      passPlace();
    },
  };
};

/** Creates the limits of this process; `waitTimeout` is in milliseconds. */
export const createReceivers = ({
  maxPerReceiver = 8,
  maxPerAccount = 16,
  maxInAll = 256,
  maxWaiting = 16,
  waitTimeout = 2_000,
  newBreaker = createBreaker,
}: ReceiversOptions = {}): Receivers => {
  const accounts = new Map<string, Account>();
  const { receiverOf, countBreakers } = rememberReceivers(newBreaker);
  const places = createPlaces({ maxPerReceiver, maxPerAccount, maxInAll, maxWaiting, waitTimeout });

  const accountOf = (id: string): Account => {
    const account = accounts.get(id) ?? { active: 0, waiting: 0 };
    accounts.set(id, account);
    return account;
  };

  const leave = (id: string, account: Account, receiver: Receiver): void => {
    places.leave(account, receiver);
    if (account.active === 0 && account.waiting === 0) accounts.delete(id);
  };

  return {
    use: () => ({
      active: places.active(),
      open: countBreakers('open'),
      probing: countBreakers('probing'),
    }),
    async acquire(target) {
      const account = accountOf(target.account);
      const receiver = receiverOf(target);
      if (!(await places.enter(account, receiver))) return busy;
      const record = receiver.breaker.begin();
      if (typeof record === 'number') {
        leave(target.account, account, receiver);
        return { kind: 'postponed', reason: 'receiver_failing', after: record };
      }
      return {
        kind: 'place',
        release(end) {
          record(end);
          leave(target.account, account, receiver);
        },
      };
    },
  };
};

const busy: Postponement = { kind: 'postponed', reason: 'receiver_busy', after: null };
