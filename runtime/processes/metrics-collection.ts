/** Collects the metrics of the supervisor and its processes for one text. */
import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCollected } from '../metrics/process-metrics.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Snapshot } from '../metrics/tallies.js';
import type { Instruction } from './messages.js';

export interface Collecting {
  /** Takes the metrics that a process reports. */
  take(child: Worker, snapshot: Snapshot): void;
  /** Keeps what an ended process has counted. */
  end(child: Worker): void;
  /** Asks the processes for their metrics; what one does not tell in time is as it was before. */
  snapshots(children: readonly Worker[]): Promise<readonly Snapshot[]>;
}

/** Milliseconds for which processes are waited for. */
const answerLimit = 2_000;

/**
 * Creates the collector of metrics of a supervisor.
 * @param own metrics of the supervisor
 */
export const createCollecting = (own: Metrics): Collecting => {
  const collected = createCollected();
  const answered = new Map<number, () => void>();
  const ask = (child: Worker): Promise<void> =>
    new Promise((resolve) => {
      answered.set(child.id, resolve);
      child.send({ kind: 'measure' } satisfies Instruction, (error) => error !== null && resolve());
    });
  return {
    take(child, snapshot) {
      collected.take(child.id, snapshot);
      answered.get(child.id)?.();
    },
    end(child) {
      collected.end(child.id);
      answered.get(child.id)?.();
      answered.delete(child.id);
    },
    async snapshots(children) {
      const answers = children.filter((child) => child.isConnected()).map(ask);
      await Promise.race([Promise.all(answers), sleep(answerLimit, undefined, { ref: false })]);
      return [...collected.snapshots(), await own.snapshot()];
    },
  };
};
