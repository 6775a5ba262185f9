/**
 * The metrics of several processes. What ended processes have counted is kept: a sum that becomes smaller would look as if
 * everything else had been counted anew.
 */
import type { Snapshot } from './tallies.js';

export interface Collected {
  /** Takes the current snapshot of a process. */
  take(process: number, snapshot: Snapshot): void;
  /** Keeps what a process has counted, and forgets its gauges. */
  end(process: number): void;
  snapshots(): readonly Snapshot[];
}

/** Creates an empty collection; processes are distinguished by their ids. */
export const createCollected = (): Collected => {
  const current = new Map<number, Snapshot>();
  const ended = new Map<string, Snapshot[number]>();
  return {
    take: (process, snapshot) => void current.set(process, snapshot),
    end(process) {
      for (const family of current.get(process) ?? []) {
        if (family.type !== 'gauge') ended.set(family.name, add(ended.get(family.name), family));
      }
      current.delete(process);
    },
    snapshots: () => [...current.values(), [...ended.values()]],
  };
};

const add = (sum: Snapshot[number] | undefined, family: Snapshot[number]): Snapshot[number] => {
  if (sum === undefined) return family;
  const values = new Map(sum.values.map((value) => [keyOf(value), value]));
  for (const value of family.values) {
    const key = keyOf(value);
    values.set(key, { ...value, value: value.value + (values.get(key)?.value ?? 0) });
  }
  return { ...family, values: [...values.values()] };
};

/** Labels come in the order of the table, so that equal ones have equal texts. */
const keyOf = ({ metricName = '', labels }: Snapshot[number]['values'][number]): string =>
  `${metricName} ${JSON.stringify(labels)}`;
