/** A process of Temporal workers, for `svc worker` and the demo. */
import type { Config } from '../config/config.js';
import type { Observe } from '../observe.js';
import { modulePath, packageVersion } from '../config/package.js';
import type { Stoppable } from './lifetime.js';
import { createWatchdog } from './watchdog.js';
import { urlOf } from '../config/urls.js';
import { openBuild } from './open-build.js';
import type { WorkerRole } from '../queue/temporal/worker.js';

export interface WorkerProcessOptions {
  readonly config: Config;
  readonly roles: readonly WorkerRole[];
  readonly observe: Observe;
}

export interface RunningWorkers extends Stoppable {
  /** Rejects when a worker fails. */
  readonly ended: Promise<void>;
}

export const startWorkerProcess = async ({
  config,
  roles,
  observe,
}: WorkerProcessOptions): Promise<RunningWorkers> => {
  const opened = await openBuild({ config, observe });
  const [
    { startWorkers },
    { createQueueModels },
    { builtInModels },
    { createWorkerTransfers },
    { queueSettings },
    { createKeys, exportSecrets },
  ] = await Promise.all([
    import('../queue/temporal/worker.js'),
    import('../queue/models/models.js'),
    import('../queue/models/built-in.js'),
    import('../transfer-services.js'),
    import('../queue/settings.js'),
    import('../auth/keys.js'),
  ]);
  const watchdog = createWatchdog({ config, ends: true });
  const workers = await startWorkers({
    settings: queueSettings(config, {
      url: () => urlOf(config),
      secrets: await exportSecrets(createKeys(config.secret)),
    }),
    database: opened.database,
    models: createQueueModels([...opened.queueModels, ...builtInModels]),
    runBuiltIn: await createWorkerTransfers({ ...opened, config, observe }),
    functions: opened.functions,
    roles,
    workflowBundle: modulePath('queue/temporal/workflow-bundle'),
    track: watchdog.track,
    userAgent: `svc/${packageVersion}`,
    version: packageVersion,
    onFailure: (error) => observe({ kind: 'workerFailed', error }),
    onModelFailure: (failure) => observe({ kind: 'modelFailed', ...failure }),
    onWarning: (message) => observe({ kind: 'warning', message }),
  });
  watchdog.start();
  return {
    ended: workers.ended,
    async stop() {
      await workers.stop();
      await opened.close();
      watchdog.close();
    },
    kill: () => undefined,
  };
};
