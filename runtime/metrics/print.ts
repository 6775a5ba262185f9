/** Merges the metrics of processes, and prints them in the text format of Prometheus. */
import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import type { Snapshot } from './tallies.js';

const aggregate = (snapshots: readonly Snapshot[]): Registry =>
  AggregatorRegistry.aggregate(snapshots as unknown as MetricObjectWithValues<MetricValue<string>>[]);

/** Merges snapshots: counters and histograms are summed, gauges as their family says. */
export const printSnapshots = (snapshots: readonly Snapshot[]): Promise<string> =>
  aggregate(snapshots).metrics();
