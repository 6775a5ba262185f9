/**
 * Limits the concurrent attempts of this process: to each receiver of an account, of each account, and in all, so that
 * receivers that are slow or gone delay only deliveries of their own account. Attempts above a limit wait briefly, so that
 * a burst to a fast receiver is not postponed; each account has few permits for them.
 */
import { LRUCache } from 'lru-cache';
import { createBreaker, type DeliveryOutcome, type Breaker, type BreakerState } from './breaker.js';

export interface Receivers {
  /** Acquires a permit for an attempt, or says how long to postpone it. */
  acquire(target: DeliveryTarget): Promise<Permit | Postponement>;
  /** Counts attempts in progress, and receivers by the state of their breaker. */
  use(): { readonly active: number; readonly open: number; readonly probing: number };
}

export interface DeliveryTarget {
  readonly account: string;
  readonly url: string;
}

export interface Permit {
  readonly kind: 'permit';
  /** Returns the permit. */
  release(end: DeliveryOutcome): void;
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
  /** Milliseconds that an attempt waits for a permit. */
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
  const receivers = new LRUCache<string, Receiver>({
    max: maxReceivers,
    memoMethod: () => ({ active: 0, breaker: newBreaker() }),
  });
  const receiverOf = ({ account, url }: DeliveryTarget): Receiver =>
    receivers.memo(`${account} ${new URL(url).origin}`);
  const countBreakers = (state: BreakerState): number =>
    [...receivers.values()].filter(({ breaker }) => breaker.state() === state).length;
  return { receiverOf, countBreakers };
};

/** The permits of all attempts, and the attempts that wait for one. */
interface Permits {
  /** Takes a permit, after waiting for one if necessary; resolves with false where none becomes free in time. */
  enter(account: Account, receiver: Receiver): Promise<boolean>;
  leave(account: Account, receiver: Receiver): void;
  /** Returns the number of permits that are taken. */
  active(): number;
}

const createPermits = ({
  maxPerReceiver,
  maxPerAccount,
  maxInAll,
  maxWaiting,
  waitTimeout,
}: Required<Omit<ReceiversOptions, 'newBreaker'>>): Permits => {
  const waiting: WaitingAttempt[] = [];
  let active = 0;

  const hasPermit = (account: Account, receiver: Receiver): boolean =>
    active < maxInAll && account.active < maxPerAccount && receiver.active < maxPerReceiver;

  const count = (account: Account, receiver: Receiver, change: 1 | -1): void => {
    active += change;
    account.active += change;
    receiver.active += change;
  };

  /** Gives a free permit to the attempt that has waited longest among those of the account with the fewest permits. */
  const passPermit = (): void => {
    const [next] = waiting
      .filter(({ account, receiver }) => hasPermit(account, receiver))
      .sort((one, other) => one.account.active - other.account.active);
    if (next === undefined) return;
    waiting.splice(waiting.indexOf(next), 1);
    count(next.account, next.receiver, 1);
    next.proceed();
  };

  const waitForPermit = (account: Account, receiver: Receiver): Promise<boolean> =>
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
      if (!hasPermit(account, receiver))
        return account.waiting < maxWaiting && (await waitForPermit(account, receiver));
      count(account, receiver, 1);
      return true;
    },
    leave(account, receiver) {
      count(account, receiver, -1);
      passPermit();
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
  const permits = createPermits({ maxPerReceiver, maxPerAccount, maxInAll, maxWaiting, waitTimeout });

  const accountOf = (id: string): Account => {
    const account = accounts.get(id) ?? { active: 0, waiting: 0 };
    accounts.set(id, account);
    return account;
  };

  const leave = (id: string, account: Account, receiver: Receiver): void => {
    permits.leave(account, receiver);
    if (account.active === 0 && account.waiting === 0) accounts.delete(id);
  };

  return {
    use: () => ({
      active: permits.active(),
      open: countBreakers('open'),
      probing: countBreakers('probing'),
    }),
    async acquire(target) {
      const account = accountOf(target.account);
      const receiver = receiverOf(target);
      if (!(await permits.enter(account, receiver))) return busy;
      const record = receiver.breaker.begin();
      if (typeof record === 'number') {
        leave(target.account, account, receiver);
        return { kind: 'postponed', reason: 'receiver_failing', after: record };
      }
      return {
        kind: 'permit',
        release(end) {
          record(end);
          leave(target.account, account, receiver);
        },
      };
    },
  };
};

const busy: Postponement = { kind: 'postponed', reason: 'receiver_busy', after: null };
