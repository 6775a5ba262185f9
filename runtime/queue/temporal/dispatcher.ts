/**
 * Notifies Temporal of stored requests and deliveries in the background, with limited concurrency and queues of limited
 * length. The sweep repeats notifications that are dropped or fail.
 */
import { batchWrites } from '../../concurrency/batch.js';
import { createWorkerPool, type WorkerPool } from '../../concurrency/worker-pool.js';
import type { RequestHead } from '../store/request-head.js';

export interface Dispatcher {
  /** Queues a call for a request. @param call idempotent */
  add(request: RequestHead, call: () => Promise<void>): void;
  /**
   * Makes a call for a delivery. @param call idempotent
   * @returns whether it was made; it is dropped when too many wait, or `flush` has waited too long
   */
  sendDelivery(call: () => Promise<void>): Promise<boolean>;
  /** Sends queued calls for admitted requests and deliveries within `flushTimeout`; leaves the others to the sweep. */
  flush(): Promise<void>;
}

export interface DispatcherOptions {
  /** Stores that Temporal knows the states of requests. */
  readonly mark: (requests: readonly RequestHead[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Separate limits, so that many waiting requests do not delay admitted ones or deliveries. */
const maxConcurrentCalls = { admitted: 16, waiting: 2, deliveries: 16 } as const;
const maxQueuedCalls = 10_000;
/** Milliseconds. */
const flushTimeout = 3_000;

/** Creates the queues of this process; `mark` records what Temporal has taken. */
export const createDispatcher = ({ mark, onError }: DispatcherOptions): Dispatcher => {
  const createPool = (kind: keyof typeof maxConcurrentCalls): WorkerPool =>
    createWorkerPool({
      concurrency: maxConcurrentCalls[kind],
      maxWaiting: maxQueuedCalls,
      onFailure: onError,
    });
  const [admitted, waiting, deliveries] = [
    createPool('admitted'),
    createPool('waiting'),
    createPool('deliveries'),
  ];
  const markBatched = batchWrites(mark);
  return {
    add(request, call) {
      const pool = request.state === 'waiting' ? waiting : admitted;
      pool.add(async () => {
        await call();
        markBatched(request).catch(onError);
      });
    },
    sendDelivery: (call) =>
      new Promise((resolve, reject) =>
        deliveries.add(
          () => call().then(() => resolve(true), reject),
          () => resolve(false),
        ),
      ),
    async flush() {
      waiting.clear();
      const timer = setTimeout(() => {
        admitted.clear();
        deliveries.clear();
      }, flushTimeout);
      await Promise.all([admitted.idle(), waiting.idle(), deliveries.idle()]);
      clearTimeout(timer);
    },
  };
};
