/** Passes the counts of the rate limiter between the request processes of a host, so that a limit holds for all of them. */
import type { Worker } from 'node:cluster';
import { LRUCache } from 'lru-cache';
import { maxCallers, type WindowCounts } from '../access/limiter.js';
import type { Instruction } from './messages.js';

export interface CountExchange {
  /** Takes what a process has counted in its window, and tells each other process. */
  take(from: Worker, counted: WindowCounts): void;
}

/**
 * Creates the exchange of counts of a host, which is empty.
 * @param others returns the processes that the counts are sent to
 */
export const createCountExchange = (others: () => readonly Worker[]): CountExchange => {
  let until = 0;
  /** Counts by key, then by id of the process. */
  const counts = new LRUCache<string, Map<number, number>>({ max: maxCallers });
  return {
    take(from, counted) {
      const now = Date.now();
      if (counted.until <= now) return;
      if (now >= until) {
        until = counted.until;
        counts.clear();
      }
      until = Math.min(until, counted.until);
      for (const [key, count] of counted.counts) {
        const known = counts.get(key) ?? new Map<number, number>();
        counts.set(key, known.set(from.id, count));
      }
      const keys = counted.counts.map(([key]) => key);
      for (const to of others()) {
        if (to.id === from.id) continue;
        const sums = keys.map((key): [string, number] => [key, sumWithout(to.id, counts.get(key))]);
        to.send({ kind: 'counts', until, counts: sums } satisfies Instruction, () => undefined);
      }
    },
  };
};

const sumWithout = (id: number, counts: ReadonlyMap<number, number> | undefined): number =>
  [...(counts ?? [])].reduce((sum, [process, count]) => (process === id ? sum : sum + count), 0);
