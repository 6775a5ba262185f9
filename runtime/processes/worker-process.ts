/** A process of Temporal workers, for `svc worker` and the demo. */
import type { Config } from '../config/config.js';
import { lazy } from '../concurrency/lazy.js';
import type { Observe } from '../observe.js';
import { modulePath, packageVersion } from '../config/package.js';
import { Refusal } from '../config/refusal.js';
import type { Stoppable } from './lifetime.js';
import { createWatchdog } from './watchdog.js';
import { urlOf } from '../config/urls.js';
import { openBuild, type OpenedBuild } from './open-build.js';
import type { QueueModels } from '../queue/models/models.js';
import type { WorkerRole } from '../queue/temporal/worker.js';

export interface WorkerProcessOptions {
  readonly config: Config;
  readonly roles: readonly WorkerRole[];
  /** Classes whose models it runs; all of them if absent. */
  readonly classes?: readonly string[];
  /** Maximum models of a class that run at the same time. */
  readonly slots?: number;
  readonly observe: Observe;
}

export interface RunningWorkers extends Stoppable {
  /** Rejects when a worker fails. */
  readonly ended: Promise<void>;
}

/** @throws Refusal for a class that no model has */
export const startWorkerProcess = async (options: WorkerProcessOptions): Promise<RunningWorkers> => {
  const opened = await openBuild(options);
  try {
    return await startOn(opened, options);
  } catch (error) {
    await opened.close();
    throw error;
  }
};

const startOn = async (
  opened: OpenedBuild,
  { config, roles, observe, ...pool }: WorkerProcessOptions,
): Promise<RunningWorkers> => {
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
  const models = createQueueModels([...opened.queueModels, ...builtInModels]);
  checkClasses(pool.classes ?? [], models);
  const watchdog = createWatchdog({ config, ends: true });
  const workers = await startWorkers({
    settings: queueSettings(config, {
      url: () => urlOf(config),
      secrets: await exportSecrets(createKeys(config.secret)),
    }),
    database: opened.database,
    models,
    runBuiltIn: await createWorkerTransfers({ ...opened, config, observe }),
    functions: opened.functions,
    roles,
    ...pool,
    workflowBundle: modulePath('queue/temporal/workflow-bundle'),
    track: watchdog.track,
    userAgent: `svc/${packageVersion}`,
    version: packageVersion,
    onFailure: (error) => observe({ kind: 'workerFailed', error }),
    onModelFailure: (failure) => observe({ kind: 'modelFailed', ...failure }),
    onWarning: (message) => observe({ kind: 'warning', message }),
  });
  watchdog.start();
  const stop = lazy(async () => {
    try {
      await workers.stop();
    } finally {
      await opened.close();
      watchdog.close();
    }
  });
  // workers also end by themselves: when an operator drains them, and when one fails
  return { ended: workers.ended.finally(stop), stop, kill: () => undefined };
};

const checkClasses = (classes: readonly string[], models: QueueModels): void => {
  const unknown = classes.filter((name) => !models.classes.includes(name));
  if (unknown.length === 0) return;
  const known = models.classes.length === 0 ? 'there are no models' : `expected ${models.classes.join(', ')}`;
  throw new Refusal(`no model has the class "${unknown.join('", "')}"; ${known}`);
};
