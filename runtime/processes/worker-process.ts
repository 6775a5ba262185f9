/** A process of Temporal workers: `svc worker`, and beside the demo. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../config.js';
import { connect } from '../connect.js';
import type { Observe } from '../observe.js';
import { modulePath, packageVersion } from '../package.js';
import type { QueueModelDeclaration } from '../queue-model.js';
import { keepInUse } from './builds.js';
import { loadFunctions } from './functions.js';
import type { Stoppable } from './lifetime.js';
import { prepareBuild } from './prepare.js';
import type { WorkerRole } from '../queue/worker.js';

export interface WorkerProcessOptions {
  readonly config: Config;
  readonly roles: readonly WorkerRole[];
  readonly observe: Observe;
}

export interface RunningWorkers extends Stoppable {
  /** Rejects where a worker fails. */
  readonly ended: Promise<void>;
}

export const startWorkerProcess = async ({
  config,
  roles,
  observe,
}: WorkerProcessOptions): Promise<RunningWorkers> => {
  const database = await connect(config, observe);
  const directory = await prepareBuild({ config, database, observe });
  const release = keepInUse(directory);
  const [
    { startWorkers },
    { createQueueModels },
    { queueSettings },
    { createKeys, secretsOf },
    { queueModels },
  ] = await Promise.all([
    import('../queue/worker.js'),
    import('../queue/models.js'),
    import('../queue/settings.js'),
    import('../auth/keys.js'),
    import(pathToFileURL(join(directory, 'server.mjs')).href) as Promise<{
      readonly queueModels: readonly QueueModelDeclaration[];
    }>,
  ]);
  const url = config.publicUrl ?? `http://${config.host}:${config.port}`;
  const workers = await startWorkers({
    settings: queueSettings(config, { url: () => url, secrets: await secretsOf(createKeys(config.secret)) }),
    database,
    models: createQueueModels(queueModels),
    functions: await loadFunctions(directory),
    roles,
    workflowBundle: modulePath('queue/workflow-bundle'),
    userAgent: `svc/${packageVersion}`,
    onFailure: (error) => observe({ kind: 'workerFailed', error }),
    onWarning: (message) => observe({ kind: 'warning', message }),
  });
  return {
    ended: workers.ended,
    async stop() {
      release();
      await workers.stop();
      await database.close();
    },
    kill: () => undefined,
  };
};
