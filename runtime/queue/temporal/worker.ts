/** Starts Temporal workers by role; a process may have several roles, and each role may run in several processes. */
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, type NativeConnectionOptions } from '@temporalio/worker';
import { readConnection } from './connection.js';
import { watchSearchable } from './search-attributes.js';
import { createGauges, type GaugeSetter } from './gauges.js';
import { keepPrepared } from './namespace.js';
import { registerWorker } from './registration.js';
import { classesOf, queuesOf, toWorkerOptions } from './worker-options.js';
import { createServices, type WorkerProcessOptions } from './worker-services.js';

export interface WorkerProcess {
  /** Resolves when all workers have ended; rejects when one fails. */
  readonly ended: Promise<void>;
  isRunning(): boolean;
  /** Sets the gauges of the process, and with the role `housekeeping` those of the queue. */
  readonly readGauges: (tallies: GaugeSetter) => Promise<void>;
  /** Takes nothing new, and stops once running activities have ended or their grace is over. */
  stop(): Promise<void>;
}

/** Milliseconds after which the log says what the start waits for. */
const silentFor = 2_000;

/** @throws Error with the address, where no server answers */
const connect = async (
  options: NativeConnectionOptions,
  onWarning: WorkerProcessOptions['onWarning'],
): Promise<NativeConnection> => {
  const waiting = setTimeout(() => onWarning(`waiting for Temporal at ${options.address}`), silentFor);
  try {
    return await NativeConnection.connect(options);
  } catch (error) {
    const [, reason = (error as Error).message] = /message: "([^"]+)"/.exec((error as Error).message) ?? [];
    throw new Error(
      `Temporal at ${options.address} does not answer: ${reason}; start it, or correct TEMPORAL_ADDRESS`,
      { cause: error },
    );
  } finally {
    clearTimeout(waiting);
  }
};

/** Resolves when the workers poll. @throws Error with the address where Temporal does not respond */
export const startWorkers = async (options: WorkerProcessOptions): Promise<WorkerProcess> => {
  installSilentRuntime(options.metricsAddress);
  const { settings } = options;
  const chosen = readConnection({ address: settings.temporalAddress, namespace: settings.temporalNamespace });
  const connection = await connect(chosen.options, options.onWarning);
  const client = new Client({ connection, namespace: chosen.namespace });
  const stopPreparing = options.roles.includes('housekeeping')
    ? await keepPrepared(client, chosen.namespace, options)
    : () => undefined;
  const registration = registerWorker(options, classesOf(options));
  const { id: worker, track } = registration;
  const searchable = watchSearchable(client, chosen.namespace);
  const services = { ...createServices(client, searchable, { ...options, track }), worker };
  const workers = await Promise.all(
    options.roles.flatMap((role) =>
      queuesOf(role, options).map((queue) =>
        Worker.create({ ...toWorkerOptions(queue, role, services), connection, namespace: chosen.namespace }),
      ),
    ),
  );
  const running = workers.map((each) => each.run());
  const drain = (): void => {
    registration.drain();
    for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
  };
  registration.start(drain);
  const ended = Promise.all(running)
    .finally(stopPreparing)
    .finally(() => registration.close())
    .then(() => services.close())
    .then(() => connection.close());
  return {
    ended,
    isRunning: () => workers.every((each) => each.getState() === 'RUNNING'),
    readGauges: createGauges({ ...services, tasks: registration.tasks }),
    async stop() {
      drain();
      await ended;
    },
  };
};

/** Prevents the native runtime from logging and from handling the signals of the process. */
const installSilentRuntime = (metricsAddress: string | undefined): void => {
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
