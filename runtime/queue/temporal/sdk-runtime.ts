/** Installs the native runtime of Temporal's SDK, of which a process has one. */
import { Runtime } from '@temporalio/worker';

/**
 * Prevents the native runtime from logging and from handling the signals of the process.
 * @param metricsAddress `host:port` at which the metrics of the SDK are served
 */
export const installSilentRuntime = (metricsAddress: string | undefined): void => {
  try {
    Runtime.install({
      shutdownSignals: [],
      logger: { ...silent },
      telemetryOptions: {
        logging: { filter: 'ERROR', forward: {} },
        ...(metricsAddress !== undefined && { metrics: { prometheus: sdkMetrics(metricsAddress) } }),
      },
    });
  } catch {
    // installed by an earlier worker of this process
  }
};

/** Names as in Temporal's documents, and buckets that fit runs of minutes. */
const sdkMetrics = (bindAddress: string) => ({
  bindAddress,
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
  histogramBucketOverrides: {
    temporal_activity_execution_latency: [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600],
    temporal_activity_schedule_to_start_latency: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
    temporal_workflow_task_schedule_to_start_latency: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
  },
});

const nothing = (): void => undefined;
const silent = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
