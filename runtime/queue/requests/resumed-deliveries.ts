/**
 * Has deliveries that a pause has postponed attempted when it ends. Those that are not reached, because this process ends or
 * Temporal is away, look again by themselves within a minute.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Statements } from '../../execute/system-rows.js';
import { createWorkerPool } from '../../concurrency/worker-pool.js';
import type { DeliveryRound } from '../contract.js';
import { findPaused } from '../store/deliveries.js';
import { isId, lowestId } from '../store/ids.js';
import { maxPauseAge, type PauseTarget } from '../store/pauses.js';

export interface ResumedDeliveries {
  /** Signals the deliveries that a pause had postponed, in the background. @param target whose pause has ended just now */
  add(target: PauseTarget): void;
  stop(): Promise<void>;
}

export interface ResumedDeliveriesOptions {
  readonly database: Statements;
  /** Signals the workflow of a delivery. */
  readonly signal: (delivery: DeliveryRound) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds until every worker has seen the end of a pause, and has stored what it postponed before that. */
const untilSeen = maxPauseAge + 500;
const batchSize = 200;
/** Maximum concurrent calls of Temporal. */
const concurrency = 8;

/** Creates the signals of a process. */
export const createResumedDeliveries = ({
  database,
  signal,
  onError,
}: ResumedDeliveriesOptions): ResumedDeliveries => {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  /** @throws the first error of a batch, after which others are not tried */
  const signalAll = async (target: PauseTarget<'account' | 'endpoint'>): Promise<void> => {
    await delay(untilSeen, undefined, { signal: stopping.signal });
    for (let after: string | undefined = lowestId; after !== undefined;) {
      stopping.signal.throwIfAborted();
      const found = await findPaused(database, target, { after, limit: batchSize });
      const failures: unknown[] = [];
      const pool = createWorkerPool({ concurrency, onFailure: (error) => failures.push(error) });
      for (const { id: deliveryId, round } of found) pool.add(() => signal({ deliveryId, round }));
      await pool.idle();
      if (failures.length > 0) throw failures[0];
      after = found.at(batchSize - 1)?.id;
    }
  };

  return {
    add({ kind, name }) {
      if (kind !== 'endpoint' && (kind !== 'account' || !isId(name))) return;
      const run = signalAll({ kind, name })
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) onError(error);
        })
        .finally(() => running.delete(run));
      running.add(run);
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
};
