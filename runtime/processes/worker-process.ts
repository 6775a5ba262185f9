/** A process of Temporal workers, for `svc worker` and the demo. */
import type { Config } from '../config/config.js';
import { lazy } from '../concurrency/lazy.js';
import type { Observe } from '../observe.js';
import { modulePath, packageVersion } from '../config/package.js';
import { Refusal } from '../config/refusal.js';
import type { Stoppable } from './lifetime.js';
import { createWatchdog } from './watchdog.js';
import { urlOf } from '../config/urls.js';
import type { Metrics } from '../metrics/metrics.js';
import { isResponding, watchDatabase } from '../metrics/database.js';
import { startTracing } from '../tracing/tracing.js';
import { checkTemporal, ok, type Part, type Parts } from './health.js';
import { choosePort } from './ports.js';
import { openBuild, type OpenedBuild } from './open-build.js';
import type { QueueModels } from '../queue/models/models.js';
import type { WorkerProcess } from '../queue/temporal/worker.js';
import type { WorkerRole } from '../queue/temporal/worker-services.js';
import { quoted } from '../../contract/quoted.js';

export interface WorkerProcessOptions {
  readonly config: Config;
  readonly roles: readonly WorkerRole[];
  /** Classes whose models it runs; all of them if absent. */
  readonly classes?: readonly string[];
  /** Maximum models of a class that run at the same time. */
  readonly slots?: number;
  readonly observe: Observe;
  /** Counts what happens; absent where nobody reads it. */
  readonly metrics?: Metrics;
}

export interface RunningWorkers extends Stoppable {
  /** Rejects when a worker fails. */
  readonly ended: Promise<void>;
  /** Returns the state of each part. */
  parts(): Promise<Parts>;
  /** Returns the metrics of Temporal's SDK, as text. */
  sdkMetrics(): Promise<string>;
}

/** The work that a worker takes. */
export type WorkerPool = Pick<WorkerProcessOptions, 'roles' | 'classes' | 'slots'>;

/** Starts the workers of a process, with the build of the present schema. @throws Refusal for a class that no model has */
export const startWorkerProcess = async (options: WorkerProcessOptions): Promise<RunningWorkers> => {
  const opened = await openBuild(options);
  try {
    return await startOn(opened, options);
  } catch (error) {
    await opened.close();
    throw error;
  }
};

/** Loads the parts of a worker, which commands that only print their help do not need. */
const loadParts = async () => {
  const [worker, models, builtIn, transfers, { createRunSchemaApply }, settings, keys] = await Promise.all([
    import('../queue/temporal/worker.js'),
    import('../queue/models/models.js'),
    import('../queue/models/built-in.js'),
    import('../transfer-services.js'),
    import('./schema-applies.js'),
    import('../queue/settings.js'),
    import('../auth/keys.js'),
  ]);
  return { ...worker, ...models, ...builtIn, ...transfers, createRunSchemaApply, ...settings, ...keys };
};

const startOn = async (
  opened: OpenedBuild,
  { config, roles, observe, metrics, ...pool }: WorkerProcessOptions,
): Promise<RunningWorkers> => {
  const { startWorkers, createQueueModels, builtInModels, ...parts } = await loadParts();
  const models = createQueueModels([...opened.queueModels, ...builtInModels]);
  checkClasses(pool.classes ?? [], models);
  const watchdog = createWatchdog({ config, ends: true });
  const metricsAddress = metrics === undefined ? null : `127.0.0.1:${await choosePort('127.0.0.1', 0)}`;
  metrics?.watch(watchDatabase(opened.database));
  const tracing = await startTracing({ endpoint: config.traces, service: 'svc-worker' });
  const workers = await startWorkers({
    settings: parts.queueSettings(config, {
      url: () => urlOf(config),
      secrets: await parts.exportSecrets(parts.createKeys(config.secret)),
    }),
    database: opened.database,
    models,
    runBuiltIn: await parts.createWorkerTransfers({ ...opened, config, observe }),
    runSchemaApply: parts.createRunSchemaApply({ config, database: opened.database }),
    functions: opened.functions,
    roles,
    ...pool,
    workflowBundle: modulePath('queue/temporal/workflow-bundle'),
    track: watchdog.track,
    tracing,
    userAgent: `svc/${packageVersion}`,
    version: packageVersion,
    ...(metricsAddress !== null && { metricsAddress }),
    observe,
    onFailure: (error) => observe({ kind: 'workerFailed', error }),
    onModelFailure: (failure) => observe({ kind: 'modelFailed', ...failure }),
    onWarning: (message) => observe({ kind: 'warning', message }),
  });
  watchdog.start();
  if (metrics !== undefined) countWorkers(metrics, { workers, models, roles, ...pool });
  const stop = lazy(async () => {
    try {
      await workers.stop();
    } finally {
      await opened.close();
      await tracing.close();
      watchdog.close();
    }
  });
  // workers also end by themselves: when an operator drains them, and when one fails
  return {
    ended: workers.ended.finally(stop),
    parts: async () => ({
      workers: workers.isRunning() ? ok : { status: 'failed', reason: 'the workers drain or have ended' },
      database: (await isResponding(opened.database)) ? ok : databaseAway,
      queue: await checkTemporal(config.temporal.address ?? '', 'failed'),
    }),
    sdkMetrics: () => readSdkMetrics(metricsAddress),
    stop,
    kill: () => undefined,
  };
};

const checkClasses = (classes: readonly string[], models: QueueModels): void => {
  const unknown = classes.filter((name) => !models.classes.includes(name));
  if (unknown.length === 0) return;
  const known = models.classes.length === 0 ? 'there are no models' : `expected ${models.classes.join(', ')}`;
  throw new Refusal(`no model has the class ${quoted(unknown)}; ${known}`);
};

interface Counted extends WorkerPool {
  readonly workers: Pick<WorkerProcess, 'readGauges'>;
  readonly models: QueueModels;
}

/** Has gauges read for each scrape, and the counters of what these workers do begin at 0. */
const countWorkers = (
  metrics: Metrics,
  { workers, roles, models, classes = models.classes }: Counted,
): void => {
  metrics.watch(workers.readGauges);
  if (roles.includes('webhooks')) metrics.beginWebhooks();
  if (!roles.includes('models')) return;
  metrics.beginModels(models.all.filter((model) => classes.includes(model.class)).map(({ id }) => id));
};

const readSdkMetrics = async (address: string | null): Promise<string> => {
  if (address === null) return '';
  const response = await fetch(`http://${address}/metrics`).catch(() => null);
  return response?.text() ?? '';
};

const databaseAway: Part = { status: 'failed', reason: 'the database does not answer' };
