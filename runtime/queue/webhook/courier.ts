/**
 * First attempts of webhooks, many at a time and straight from their rows. What needs another one gets a workflow of
 * its own, which has the patience; so does what no courier has taken after a while.
 */
import type { Database } from '../../execute/database.js';
import { enterLane, ensureLane } from '../store/admission.js';
import { claimDeliveries, hasUnclaimed, lease, type Delivery } from '../store/deliveries.js';
import type { Receivers } from './receivers.js';
import type { Sender } from './send.js';

export interface CourierOptions {
  readonly database: Database;
  readonly sender: Sender;
  readonly receivers: Receivers;
  /** Goes on with a delivery whose first attempt has failed, after so many milliseconds. */
  readonly handOver: (delivery: Delivery, after: number) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export interface Courier {
  /** There is something to deliver. */
  wake(): void;
  /** Lets attempts end. */
  stop(): Promise<void>;
}

/** Milliseconds between looks for what other processes have left. */
const turn = 250;
/** Attempts at a time, and of one look. */
const most = 256;
const portion = 64;

/** Couriers of all processes take turns. */
const lane = 'webhooks';

export const createCourier = (options: CourierOptions): Courier => {
  const { database, receivers, onFailure } = options;
  const carried = new Set<Promise<void>>();
  const bell = createBell();
  const closing = new AbortController();

  const carry = (delivery: Delivery): void => {
    const leave = receivers.enter(delivery.url);
    const carrying = deliver(delivery, options)
      .catch(onFailure)
      .finally(() => {
        leave();
        carried.delete(carrying);
        bell.ring();
      });
    carried.add(carrying);
  };

  /** @returns how many were taken */
  const look = async (): Promise<number> => {
    const limit = Math.min(portion, most - carried.size);
    if (limit <= 0) return 0;
    const claimed = await claim(database, { limit, receivers });
    for (const delivery of claimed) carry(delivery);
    return claimed.length;
  };

  const work = async (): Promise<void> => {
    await ensureLane(database, lane).catch(onFailure);
    while (!closing.signal.aborted) {
      const taken = await look().catch((error: unknown) => {
        onFailure(error);
        return 0;
      });
      if (taken === 0) await bell.wait(turn);
    }
    await Promise.all(carried);
  };

  const working = work();
  return {
    wake: () => bell.ring(),
    stop() {
      closing.abort();
      bell.ring();
      return working;
    },
  };
};

/** Most looks find nothing: the lane is entered only where there is something. */
const claim = async (
  database: Database,
  { limit, receivers }: { readonly limit: number; readonly receivers: Receivers },
): Promise<readonly Delivery[]> => {
  const now = Date.now();
  const limits = {
    now,
    claimedBefore: now - lease,
    limit,
    limitOfHost: receivers.most,
    without: receivers.full(),
  };
  if (!(await hasUnclaimed(database, limits))) return [];
  return database.transaction(async (statements) => {
    await enterLane(statements, lane);
    return claimDeliveries(statements, limits);
  });
};

const deliver = async (delivery: Delivery, { sender, handOver }: CourierOptions): Promise<void> => {
  const sent = await sender.send(delivery);
  if (sent.kind === 'failed') await handOver(delivery, sent.after);
};

/** Something to wait for; rung while nobody waits, it ends the next wait at once. */
const createBell = () => {
  let rung = false;
  let end: (() => void) | null = null;
  return {
    ring(): void {
      rung = true;
      end?.();
    },
    async wait(milliseconds: number): Promise<void> {
      if (!rung) {
        await new Promise<void>((resolve) => {
          end = resolve;
          setTimeout(resolve, milliseconds);
        });
      }
      rung = false;
      end = null;
    },
  };
};
