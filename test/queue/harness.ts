/** A server with its queue, workers and a receiver of webhooks, all of them real. */
import { inject } from 'vitest';
import { loadConfig } from '../../runtime/config/config.js';
import { createWorkerTransfers } from '../../runtime/transfer-services.js';
import { build } from '../runtime/harness/build.js';
import { builtInModels } from '../../runtime/queue/models/built-in.js';
import type { QueueObservation } from '../../runtime/observe.js';
import type { FailedAttempt } from '../../runtime/queue/models/attempt.js';
import { createKey } from '../../runtime/queue/requests/keys.js';
import { createQueueModels } from '../../runtime/queue/models/models.js';
import { createKeys, exportSecrets } from '../../runtime/auth/keys.js';
import { queueSettings, type QueueSettings } from '../../runtime/queue/settings.js';
import { startWorkers, type WorkerProcess } from '../../runtime/queue/temporal/worker.js';
import { workerRoles, type WorkerProcessOptions } from '../../runtime/queue/temporal/worker-services.js';
import type { TestDialect } from '../databases.js';
import {
  functions,
  startTestServer,
  testSecret,
  type TestServer,
  type TestServerOptions,
} from '../runtime/server-harness.js';
import { createNamespace } from './namespaces.js';
import { startReceiver, type Receiver } from './receiver.js';
import { workflowBundle } from './workflow-bundle.js';

export interface TestQueue extends TestServer {
  /** Settings of its workers. */
  readonly settings: QueueSettings;
  /** Namespace in Temporal. */
  readonly namespace: string;
  readonly receiver: Receiver;
  /** `Authorization` headers by user. */
  readonly auth: Readonly<Record<'ann' | 'bob', Readonly<Record<string, string>>>>;
  /** Errors of its workers. */
  readonly failures: readonly FailedAttempt[];
  /** Observations of its workers. */
  readonly observed: readonly QueueObservation[];
  /** Starts a process of all roles, for all models that the server knows unless `pool` says otherwise. */
  startWorkers(
    pool?: Partial<
      Pick<WorkerProcessOptions, 'classes' | 'slots' | 'models' | 'settings' | 'runSchemaApply'>
    >,
  ): Promise<WorkerProcess>;
}

const environmentOf = (namespace: string) => ({
  TEMPORAL_ADDRESS: inject('services').temporal,
  TEMPORAL_NAMESPACE: namespace,
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_ALLOW_HTTP: 'true',
  WORKER_DRAIN: '10s',
});

interface TestQueueOptions extends Pick<TestServerOptions, 'spec' | 'environment' | 'sql'> {
  /** True where its workers run imports and exports. */
  readonly transfers?: true;
}

export const startTestQueue = async (
  dialect: TestDialect,
  options: TestQueueOptions = {},
): Promise<TestQueue> => {
  const namespace = await createNamespace();
  const environment = { ...environmentOf(namespace), ...options.environment };
  const receiver = await startReceiver();
  const server = await startTestServer({
    ...options,
    dialect,
    environment,
    access: { users: { ann: {}, bob: {} } },
  });
  const secrets = await exportSecrets(createKeys([testSecret]));
  const keyOf = async (name: string) => {
    const account = server.ids.users.get(name) ?? '';
    const { key } = await createKey(
      server.database,
      { account, name: null, models: null, expires: null },
      secrets,
    );
    return { authorization: `Key ${key}` };
  };
  const running: WorkerProcess[] = [];
  const failures: FailedAttempt[] = [];
  const observed: QueueObservation[] = [];
  const config = loadConfig({ DATABASE_URL: 'sqlite:unused', ...environment });
  const settings = queueSettings(config, { url: () => server.url, secrets });
  return {
    ...server,
    settings,
    namespace,
    receiver,
    failures,
    observed,
    auth: { ann: await keyOf('ann'), bob: await keyOf('bob') },
    async startWorkers(pool = {}) {
      const workers = await startWorkers({
        settings,
        database: server.database,
        models: createQueueModels([...server.queueModels, ...(options.transfers ? builtInModels : [])]),
        ...(options.transfers && {
          runBuiltIn: await createWorkerTransfers({
            config,
            database: server.database,
            declarations: (await build(server.database, [])).declarations,
            observe: () => undefined,
          }),
        }),
        ...pool,
        functions,
        roles: workerRoles,
        workflowBundle: await workflowBundle(),
        userAgent: 'svc/test',
        version: 'test',
        webhooks: { retryDelay: () => 50 },
        observe: (observation) => observed.push(observation),
        onFailure: (error) => server.observations.length >= 0 && process.stderr.write(`${String(error)}\n`),
        onModelFailure: (failure) => failures.push(failure),
        onWarning: () => undefined,
      });
      running.push(workers);
      return workers;
    },
    async close() {
      for (const workers of running) await workers.stop();
      await server.close();
      await receiver.close();
    },
  };
};
