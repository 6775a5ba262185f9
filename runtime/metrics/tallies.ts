/**
 * Counts values by labels. Faster than a library for metrics, because requests and statements are counted as they
 * happen, and the text is made only for a scrape.
 */
import { families, type Family, type FamilyName } from './families.js';

/** A value of a metric, as `prom-client` exchanges it between processes. */
export interface SnapshotValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Name of a sample of a histogram, with `_bucket`, `_sum` or `_count`. */
  readonly metricName?: string;
}

export interface SnapshotFamily {
  readonly name: string;
  readonly help: string;
  readonly type: Family['type'];
  readonly aggregator: 'sum' | 'max' | 'min';
  readonly values: readonly SnapshotValue[];
}

/** All metrics of a process at a moment. */
export type Snapshot = readonly SnapshotFamily[];

/** Values by a label; the last label's are numbers, those of a histogram its buckets, their sum and their count. */
type Branch = Map<string, Branch | Float64Array>;

export interface Tallies {
  add(family: FamilyName, labels: readonly string[], amount?: number): void;
  /** Counts a duration in seconds. */
  observe(family: FamilyName, labels: readonly string[], seconds: number): void;
  set(family: FamilyName, labels: readonly string[], value: number): void;
  /** Forgets all values of a gauge. */
  clear(family: FamilyName): void;
  snapshot(): Snapshot;
}

/** Values that a label may have; all further ones are counted together, as `other`. */
export const maxLabelValues = 500;
export const otherLabel = 'other';

/** Creates empty tallies. Label values are given in the order in which the family names its labels. */
export const createTallies = (): Tallies => {
  const roots = new Map<FamilyName, Branch>();

  const rootOf = (family: FamilyName): Branch => {
    const known = roots.get(family);
    if (known !== undefined) return known;
    const created: Branch = new Map();
    roots.set(family, created);
    return created;
  };

  const cellOf = (family: FamilyName, labels: readonly string[]): Float64Array => {
    const size = sizeOf(families[family]);
    let branch = rootOf(family);
    const last = Math.max(0, labels.length - 1);
    for (let index = 0; index < last; index += 1) branch = childOf(branch, labels[index] ?? '');
    return leafOf(branch, labels[last] ?? '', size);
  };

  return {
    add(family, labels, amount = 1) {
      const cell = cellOf(family, labels);
      cell[0] = (cell[0] ?? 0) + amount;
    },
    observe(family, labels, value) {
      const { buckets = [] } = families[family] as Family;
      const cell = cellOf(family, labels);
      let index = 0;
      while (index < buckets.length && value > (buckets[index] ?? 0)) index += 1;
      cell[index] = (cell[index] ?? 0) + 1;
      const sum = buckets.length + 1;
      cell[sum] = (cell[sum] ?? 0) + value;
    },
    set(family, labels, value) {
      cellOf(family, labels)[0] = value;
    },
    clear: (family) => void roots.delete(family),
    snapshot: () => [...roots].map(([name, root]) => toSnapshot(families[name], root)),
  };
};

/** A histogram has a number for each bucket, one for what is above all of them, and the sum. */
const sizeOf = ({ buckets }: Family): number => (buckets === undefined ? 1 : buckets.length + 2);

/** Bounds the values of a label, whatever a caller counts. */
const boundedLabel = (branch: Branch, label: string): string =>
  branch.size < maxLabelValues || branch.has(label) ? label : otherLabel;

const childOf = (branch: Branch, label: string): Branch => {
  const known = branch.get(label);
  if (known !== undefined) return known as Branch;
  const name = boundedLabel(branch, label);
  const child = (branch.get(name) ?? new Map()) as Branch;
  branch.set(name, child);
  return child;
};

const leafOf = (branch: Branch, label: string, size: number): Float64Array => {
  const known = branch.get(label);
  if (known !== undefined) return known as Float64Array;
  const name = boundedLabel(branch, label);
  const leaf = (branch.get(name) ?? new Float64Array(size)) as Float64Array;
  branch.set(name, leaf);
  return leaf;
};

const toSnapshot = (family: Family, root: Branch): SnapshotFamily => {
  const { name, help, type, merge = 'sum' } = family;
  const leaves = leavesOf(root, family.labels, {});
  const values = leaves.flatMap(([labels, cell]) =>
    type === 'histogram' ? toBuckets(family, labels, cell) : [{ value: cell[0] ?? 0, labels }],
  );
  return { name, help, type, aggregator: merge, values };
};

type Labels = Readonly<Record<string, string>>;

const leavesOf = (
  branch: Branch,
  [label, ...rest]: readonly string[],
  labels: Labels,
): readonly (readonly [Labels, Float64Array])[] =>
  [...branch].flatMap(([value, child]) => {
    const own = label === undefined ? labels : { ...labels, [label]: value };
    return child instanceof Float64Array ? [[own, child] as const] : leavesOf(child, rest, own);
  });

/** Buckets of Prometheus count everything up to their bound. */
const toBuckets = ({ name, buckets = [] }: Family, labels: Labels, cell: Float64Array): SnapshotValue[] => {
  let count = 0;
  const values = [...buckets, '+Inf'].map((le, index): SnapshotValue => {
    count += cell[index] ?? 0;
    return { value: count, labels: { le, ...labels }, metricName: `${name}_bucket` };
  });
  return [
    ...values,
    { value: cell[buckets.length + 1] ?? 0, labels, metricName: `${name}_sum` },
    { value: count, labels, metricName: `${name}_count` },
  ];
};
