/** A process of Temporal workers, for `svc worker` and the demo. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import type { Observe } from '../observe.js';
import { modulePath, packageVersion } from '../config/package.js';
import type { Stoppable } from './lifetime.js';
import { createWatchdog } from './watchdog.js';
import { urlOf } from '../config/urls.js';
import { openBuild } from './open-build.js';
import type { Metrics } from '../metrics/metrics.js';
import { watchPool } from '../metrics/pool.js';
import { checkTemporal, ok, type Part, type Parts } from './health.js';
import { choosePort } from './ports.js';
import type { WorkerRole } from '../queue/temporal/worker.js';

export interface WorkerProcessOptions {
  readonly config: Config;
  readonly roles: readonly WorkerRole[];
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

export const startWorkerProcess = async ({
  config,
  roles,
  observe,
  metrics,
}: WorkerProcessOptions): Promise<RunningWorkers> => {
  const opened = await openBuild({ config, observe });
  const [{ startWorkers }, { createQueueModels }, { queueSettings }, { createKeys, exportSecrets }] =
    await Promise.all([
      import('../queue/temporal/worker.js'),
      import('../queue/models/models.js'),
      import('../queue/settings.js'),
      import('../auth/keys.js'),
    ]);
  const watchdog = createWatchdog({ config, ends: true });
  const metricsAddress = metrics === undefined ? null : `127.0.0.1:${await choosePort('127.0.0.1', 0)}`;
  metrics?.watch(watchPool(opened.database));
  const workers = await startWorkers({
    settings: queueSettings(config, {
      url: () => urlOf(config),
      secrets: await exportSecrets(createKeys(config.secret)),
    }),
    database: opened.database,
    models: createQueueModels(opened.queueModels),
    functions: opened.functions,
    roles,
    workflowBundle: modulePath('queue/temporal/workflow-bundle'),
    track: watchdog.track,
    userAgent: `svc/${packageVersion}`,
    version: packageVersion,
    ...(metricsAddress !== null && { metricsAddress }),
    observe,
    onFailure: (error) => observe({ kind: 'workerFailed', error }),
    onModelFailure: (failure) => observe({ kind: 'modelFailed', ...failure }),
    onWarning: (message) => observe({ kind: 'warning', message }),
  });
  watchdog.start();
  const checkDatabase = createDatabaseCheck(opened.database);
  metrics?.watch(workers.readGauges);
  metrics?.watch(async ({ set }) => set('databaseUp', [], Number((await checkDatabase()).status === 'ok')));
  return {
    ended: workers.ended,
    parts: async () => ({
      workers: workers.isRunning() ? ok : { status: 'failed', reason: 'the workers drain or have ended' },
      database: await checkDatabase(),
      queue: await checkTemporal(config.temporal.address ?? '', 'failed'),
    }),
    async sdkMetrics() {
      if (metricsAddress === null) return '';
      const response = await fetch(`http://${metricsAddress}/metrics`).catch(() => null);
      return response?.text() ?? '';
    },
    async stop() {
      await workers.stop();
      await opened.close();
      watchdog.close();
    },
    kill: () => undefined,
  };
};

/** Milliseconds for which the database is waited for. */
const databaseLimit = 1_000;

const createDatabaseCheck = (database: Pick<Database, 'query'>) => async (): Promise<Part> => {
  const answer = database.query('select 1 as one').then(
    () => true,
    () => false,
  );
  const isUp = await Promise.race([answer, sleep(databaseLimit, false, { ref: false })]);
  return isUp ? ok : { status: 'failed', reason: 'the database does not answer' };
};
