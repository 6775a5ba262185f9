/**
 * Slots of synchronous runs. They count together with those of the queue, over all processes, and are assigned before
 * those of waiting requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { Database } from '../../databases/contract.js';
import { createId } from '../store/ids.js';
import type { ModelLocks } from '../store/model-locks.js';
import { deleteRun, extendRuns, insertRun, isRunning } from '../store/runs.js';

export interface RunSlots {
  /** Waits for a slot. @returns the function that frees it, or null if there was none in time or the caller left */
  acquire(run: AwaitedRun): Promise<(() => Promise<void>) | null>;
  close(): void;
}

export interface AwaitedRun {
  readonly model: QueueModelDeclaration;
  readonly account: string;
  /** Maximum milliseconds to wait. */
  readonly within: number;
  readonly signal: AbortSignal;
}

export interface RunSlotsOptions {
  readonly database: Database;
  readonly modelLocks: ModelLocks;
  /** Called with the ids of queued requests that received slots. */
  readonly onAdmitted: (ids: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds after which the slot of a process that ended is free, and between two extensions. */
const lease = 30_000;
const extendInterval = 10_000;
/** Milliseconds between two looks of a run that waits. */
const pollInterval = 100;

/**
 * Creates the slots of this process, which it extends while they are held; those of a process that ended
 * expire after 30 s.
 */
export const createRunSlots = (options: RunSlotsOptions): RunSlots => {
  const { database, modelLocks, onAdmitted, onError } = options;
  const held = new Set<string>();
  let timer: NodeJS.Timeout | null = null;

  const extend = (): void => {
    if (held.size > 0) extendRuns(database, [...held], Date.now() + lease).catch(onError);
  };

  const hold = (id: string): void => {
    held.add(id);
    timer ??= setInterval(extend, extendInterval).unref();
  };

  const free = async (id: string, model: QueueModelDeclaration): Promise<void> => {
    held.delete(id);
    const admitted = await modelLocks.hold(model, async ({ statements, fill }) => {
      await deleteRun(statements, id);
      return fill();
    });
    if (admitted.length > 0) onAdmitted(admitted);
  };

  return {
    async acquire({ model, account, within, signal }) {
      const id = createId();
      const created = Date.now();
      const admitted = await modelLocks.hold(model, async ({ statements, fill }) => {
        await insertRun(statements, { id, model: model.id, account, created, expires: created + lease });
        return fill();
      });
      hold(id);
      if (admitted.length > 0) onAdmitted(admitted);
      // a slot that is not freed here, such as without a database, expires
      const release = (): Promise<void> => free(id, model).catch(onError);
      while (!(await isRunning(database, id))) {
        if (signal.aborted || Date.now() - created >= within) {
          await release();
          return null;
        }
        await sleep(pollInterval);
      }
      return release;
    },
    close() {
      if (timer !== null) clearInterval(timer);
    },
  };
};
