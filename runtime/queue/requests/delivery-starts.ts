/**
 * Starts the workflows of deliveries. Temporal works on all accounts in the order of arrival, so what it holds of one account
 * delays the others: of each account it gets a few whose first attempt is still to come. The others stay in the database
 * until the first attempt of a started one has ended, or was postponed because the receiver fails or is paused.
 */
import { LRUCache } from 'lru-cache';
import { findUnattempted, findWaitingOf, type Delivery } from '../store/deliveries.js';
import type { Statements } from '../../execute/system-rows.js';

export interface DeliveryStarts {
  /** Starts a delivery that is stored, in the background; it waits in the database where its account has too many. */
  add(delivery: Delivery): void;
  /**
   * Starts deliveries of an account that wait in the database, and later those that wait behind them.
   * @returns how many, once Temporal has them
   * @throws the error of a start that failed; a later call repeats it
   */
  resume(account: string): Promise<number>;
  /** Leaves what waits in the database to the sweep. */
  stop(): Promise<void>;
}

export interface DeliveryStartsOptions {
  readonly database: Statements;
  /** Ensures that the workflow exists; records that in the database if `isWaiting`. */
  readonly start: (delivery: Delivery, isWaiting: boolean) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Open deliveries of the accounts of which others wait, in all, and at least of each: the places at one receiver. */
const [maxOpen, minOpenEach] = [24, 8];
/** Milliseconds after which a delivery is not open any more, such as one whose workflow was terminated. */
const maxOpenTime = 60_000;
/** Milliseconds between two reads while deliveries wait, doubled while none can be started. */
const [shortestPause, longestPause] = [25, 1_000];
/** Accounts that are remembered, many more than are busy at once. */
const maxAccounts = 10_000;

/** Accounts whose deliveries are started at once; the next have their turn afterwards. */
const maxFilled = 64;

/** Started deliveries whose first attempt is still to come, with the times of their starts, by id and round. */
type OpenDeliveries = Map<string, { readonly id: string; readonly since: number }>;

const keyOf = ({ id, round }: Pick<Delivery, 'id' | 'round'>): string => `${id} ${round}`;

/** Remembers the open deliveries of accounts. */
const rememberOpen = (database: Statements) => {
  const accounts = new LRUCache<string, OpenDeliveries>({ max: maxAccounts, memoMethod: () => new Map() });
  const openOf = (account: string): OpenDeliveries => accounts.memo(account);

  /** Forgets those of accounts that are not open any more. */
  const free = async (busy: readonly string[]): Promise<void> => {
    const before = Date.now() - maxOpenTime;
    const ids = busy.flatMap((account) => Array.from(openOf(account).values(), ({ id }) => id));
    const unattempted = new Set((await findUnattempted(database, ids)).map(keyOf));
    for (const each of busy.map(openOf))
      for (const [key, { since }] of each) if (since < before || !unattempted.has(key)) each.delete(key);
  };

  return { openOf, free };
};

/** Returns how many deliveries of an account may be open while others wait of `busy` accounts. */
const shareOf = (busy: number): number => Math.max(minOpenEach, Math.floor(maxOpen / Math.max(1, busy)));

interface Search {
  readonly account: string;
  readonly share: number;
  readonly open: OpenDeliveries;
}

/** Finds as many of the oldest waiting deliveries as there are places. */
const findNext = async (database: Statements, { account, share, open }: Search) => {
  const places = share - open.size;
  if (places <= 0) return { next: [], hasMore: true };
  // open ones may not be recorded yet
  const limit = 2 * maxOpen;
  const found = await findWaitingOf(database, account, limit);
  const next = found.filter((delivery) => !open.has(keyOf(delivery)));
  return { next: next.slice(0, places), hasMore: next.length > places || found.length === limit };
};

/** Creates the starts of a process; their limits are its own. */
export const createDeliveryStarts = ({ database, start, onError }: DeliveryStartsOptions): DeliveryStarts => {
  const { openOf, free } = rememberOpen(database);
  /** Accounts of which deliveries may wait in the database. */
  const waiting = new Set<string>();

  const open = async (delivery: Delivery, isWaiting: boolean): Promise<void> => {
    const { id, account } = delivery;
    openOf(account).set(keyOf(delivery), { id, since: Date.now() });
    try {
      await start(delivery, isWaiting);
    } catch (error) {
      openOf(account).delete(keyOf(delivery));
      // the sweep resumes what waits, when Temporal is back
      waiting.delete(account);
      throw error;
    }
  };

  /** Starts as many of the oldest waiting deliveries as there are places. @returns how many */
  const fill = async (account: string, share: number): Promise<number> => {
    // what is added from here on is in the database, but maybe not in what is read
    waiting.delete(account);
    const { next, hasMore } = await findNext(database, { account, share, open: openOf(account) });
    if (hasMore) waiting.add(account);
    const starts = next.map((delivery) => open(delivery, true));
    await Promise.allSettled(starts);
    await Promise.all(starts);
    return starts.length;
  };

  const fillAll = async (): Promise<boolean> => {
    const busy = [...waiting].slice(0, maxFilled);
    await free(busy);
    const share = shareOf(waiting.size);
    return (await Promise.all(busy.map((account) => fill(account, share)))).some((count) => count > 0);
  };
  const repeat = repeatWhile(() => waiting.size > 0, fillAll, onError);

  return {
    add(delivery) {
      const { account } = delivery;
      if (!waiting.has(account) && openOf(account).size < shareOf(waiting.size)) {
        return void open(delivery, false).catch(onError);
      }
      waiting.add(account);
      repeat.schedule();
    },
    async resume(account) {
      await free([account]);
      const started = await fill(account, shareOf(waiting.size));
      repeat.schedule();
      return started;
    },
    async stop() {
      await repeat.running();
      waiting.clear();
    },
  };
};

/** Repeats `run` while there is work, after pauses that grow while it achieves nothing. */
const repeatWhile = (
  hasWork: () => boolean,
  run: () => Promise<boolean>,
  onError: (error: unknown) => void,
) => {
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let pause = shortestPause;

  const runOnce = async (): Promise<void> => {
    try {
      pause = (await run()) ? shortestPause : Math.min(longestPause, 2 * pause);
    } catch (error) {
      pause = longestPause;
      onError(error);
    }
    running = null;
    if (!hasWork()) pause = shortestPause;
    schedule();
  };

  const schedule = (): void => {
    if (timer !== null || running !== null || !hasWork()) return;
    timer = setTimeout(() => {
      timer = null;
      if (hasWork()) running = runOnce();
    }, pause).unref();
  };
  return { schedule, running: async () => running };
};
