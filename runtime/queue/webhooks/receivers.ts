/**
 * Limits the concurrent attempts to each receiver in this process, so that a slow receiver cannot occupy all of them.
 * Attempts above the limit wait briefly, so that a burst to a fast receiver is not rejected.
 */

export interface Receivers {
  /** Acquires a slot of a receiver. @returns the function that releases it, or null if the receiver is busy */
  acquire(url: string): Promise<(() => void) | null>;
}

export interface ReceiversOptions {
  /** Maximum concurrent attempts per receiver. */
  readonly maxConcurrent?: number;
  /** Maximum waiting attempts per receiver. */
  readonly maxWaiting?: number;
  /** Milliseconds that an attempt waits for a slot. */
  readonly waitTimeout?: number;
}

interface Receiver {
  active: number;
  readonly waiting: (() => void)[];
}

export const createReceivers = ({
  maxConcurrent = 16,
  maxWaiting = 48,
  waitTimeout = 2_000,
}: ReceiversOptions = {}): Receivers => {
  const receivers = new Map<string, Receiver>();

  const receiverOf = (host: string): Receiver => {
    const known = receivers.get(host) ?? { active: 0, waiting: [] };
    receivers.set(host, known);
    return known;
  };

  const waitForSlot = ({ waiting }: Receiver): Promise<boolean> =>
    new Promise((resolve) => {
      const proceed = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(proceed), 1);
        resolve(false);
      }, waitTimeout);
      waiting.push(proceed);
    });

  /** Passes the slot to the next waiting attempt, or frees it. */
  const release = (host: string): void => {
    const receiver = receiverOf(host);
    const next = receiver.waiting.shift();
    if (next !== undefined) return next();
    receiver.active -= 1;
    if (receiver.active === 0) receivers.delete(host);
  };

  return {
    async acquire(url) {
      const { host } = new URL(url);
      const receiver = receiverOf(host);
      if (receiver.active < maxConcurrent) receiver.active += 1;
      else if (receiver.waiting.length >= maxWaiting || !(await waitForSlot(receiver))) return null;
      return () => release(host);
    },
  };
};
