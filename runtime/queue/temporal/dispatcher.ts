/**
 * Tells Temporal of requests and deliveries, behind the answers that were given for their rows: so many calls at a
 * time, in lines of bounded length. What finds no place in one, or does not get through, the sweep repeats.
 */
import { batchWrites } from '../../concurrency/batch.js';
import { createWorkerPool, type WorkerPool } from '../../concurrency/worker-pool.js';
import type { RequestHead } from '../store/requests.js';

export interface Dispatcher {
  /** @param call tells Temporal; safe to repeat */
  add(request: RequestHead, call: () => Promise<void>): void;
  /** @param call tells Temporal of a delivery; safe to repeat */
  addDelivery(call: () => Promise<void>): void;
  /** Tells the rest of who has a slot or a webhook, as far as there is time; who waits is left to the sweep. */
  settle(): Promise<void>;
}

export interface DispatcherOptions {
  /** Writes down that Temporal has been told of the states of these. */
  readonly mark: (requests: readonly RequestHead[]) => Promise<void>;
  readonly onLoss: (error: unknown) => void;
}

/** Calls at a time: a crowd that waits must not keep Temporal from who has a slot, nor from what has ended. */
const widths = { admitted: 16, waiting: 2, deliveries: 16 } as const;
const longest = 10_000;
/** Milliseconds. */
const timeToSettle = 3_000;

export const createDispatcher = ({ mark, onLoss }: DispatcherOptions): Dispatcher => {
  const lineOf = (kind: keyof typeof widths): WorkerPool =>
    createWorkerPool({ width: widths[kind], longest, onFailure: onLoss });
  const [admitted, waiting, deliveries] = [lineOf('admitted'), lineOf('waiting'), lineOf('deliveries')];
  const markTogether = batchWrites(mark);
  return {
    add(request, call) {
      const line = request.state === 'waiting' ? waiting : admitted;
      line.add(async () => {
        await call();
        markTogether(request).catch(onLoss);
      });
    },
    addDelivery: (call) => deliveries.add(call),
    async settle() {
      waiting.clear();
      const timer = setTimeout(() => {
        admitted.clear();
        deliveries.clear();
      }, timeToSettle);
      await Promise.all([admitted.idle(), waiting.idle(), deliveries.idle()]);
      clearTimeout(timer);
    },
  };
};
