/** Temporal workers, by role. A process may have several; every role may run in any number of processes. */
import { existsSync } from 'node:fs';
import { Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Database } from '../../databases/contract.js';
import { createHousekeepingActivities } from './activities/housekeeping.js';
import { createModelActivities } from './activities/model.js';
import { createRequestActivities } from './activities/request.js';
import { createWebhookActivities } from './activities/webhook.js';
import { readConnection } from './connection.js';
import { searchAttributes, taskQueues } from '../contract.js';
import { createRequestLifecycle, type RequestLifecycle } from '../requests/lifecycle.js';
import { createDirectoryStore, type FileStore } from '../requests/files.js';
import type { QueueModels } from '../models/models.js';
import { missingAttributes, gatewayOf, watchSearchable, type Gateway, type Searchable } from './gateway.js';
import { toFunction } from '../http/run.js';
import { createRunner } from '../models/run-model.js';
import type { QueueSettings } from '../settings.js';
import { createReceivers, type Receivers } from '../webhooks/receivers.js';
import { createSender, type Sender, type SenderOptions } from '../webhooks/send.js';

export const workerRoles = ['workflows', 'models', 'webhooks', 'housekeeping'] as const;
export type WorkerRole = (typeof workerRoles)[number];

export interface WorkerProcessOptions {
  readonly webhooks?: Pick<SenderOptions, 'resolve' | 'retryDelay'>;
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly models: QueueModels;
  /** Modules of function models, loaded on first use. */
  readonly functions: Readonly<Record<string, () => Promise<unknown>>>;
  readonly roles: readonly WorkerRole[];
  /** File of the workflows, bundled; absent: bundled from this module at start. */
  readonly workflowBundle?: string;
  readonly userAgent: string;
  readonly onFailure: (error: unknown) => void;
  readonly onWarning: (message: string) => void;
}

export interface WorkerProcess {
  /** Ends when the workers do; rejects where one of them fails. */
  readonly ended: Promise<void>;
  /** Lets activities finish, for as long as `shutdownGraceTime`. */
  stop(): Promise<void>;
}

export const startWorkers = async (options: WorkerProcessOptions): Promise<WorkerProcess> => {
  quiet();
  const { settings } = options;
  const chosen = readConnection({ address: settings.temporalAddress, namespace: settings.temporalNamespace });
  const connection = await NativeConnection.connect(chosen.options);
  const client = new Client({ connection, namespace: chosen.namespace });
  if (options.roles.includes('housekeeping')) await prepareNamespace(client, chosen.namespace, options);
  const parts = createParts(client, watchSearchable(client, chosen.namespace), options);
  const workers = await Promise.all(
    options.roles.flatMap((role) =>
      queuesOf(role, options).map((queue) =>
        Worker.create({ ...common(queue, role, parts), connection, namespace: chosen.namespace }),
      ),
    ),
  );
  const running = workers.map((worker) => worker.run());
  const ended = Promise.all(running)
    .then(() => parts.close())
    .then(() => connection.close());
  return {
    ended,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
};

/** The native part speaks for itself otherwise, and takes the signals of the process. */
const quiet = (): void => {
  try {
    Runtime.install({
      shutdownSignals: [],
      logger: { ...silent },
      telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
    });
  } catch {
    // installed by an earlier worker of this process
  }
};

const nothing = (): void => undefined;
const silent = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

interface Parts extends WorkerProcessOptions {
  readonly lifecycle: RequestLifecycle;
  readonly gateway: Gateway;
  readonly files: FileStore;
  readonly sender: Sender;
  readonly receivers: Receivers;
  close(): Promise<void>;
}

const createParts = (client: Client, searchable: Searchable, options: WorkerProcessOptions): Parts => {
  const { database, models, settings, onFailure } = options;
  const gateway = gatewayOf(client, searchable);
  const { resultTtl, filesDir, webhookPolicy: policy } = settings;
  const lifecycle = createRequestLifecycle({ database, models, gateway, resultTtl, onLoss: onFailure });
  const sender = createSender({ database, policy, userAgent: options.userAgent, ...options.webhooks });
  return {
    ...options,
    lifecycle,
    gateway,
    sender,
    receivers: createReceivers(),
    files: createDirectoryStore(filesDir),
    async close() {
      await sender.close();
      await lifecycle.settle();
    },
  };
};

const queuesOf = (role: WorkerRole, { models }: WorkerProcessOptions): readonly string[] => {
  if (role !== 'models') return [taskQueues[role]];
  return [...new Set(models.all.map((model) => taskQueues.models(model.class)))];
};

const common = (taskQueue: string, role: WorkerRole, parts: Parts): WorkerOptions => ({
  taskQueue,
  activities: activitiesOf[role](parts),
  shutdownGraceTime: '10s',
  shutdownForceTime: '20s',
  // how quickly a cancellation reaches what runs
  maxHeartbeatThrottleInterval: '1s',
  defaultHeartbeatThrottleInterval: '1s',
  activityTaskPollerBehavior: { type: 'autoscaling' },
  ...(role === 'webhooks' && atATime(attemptsAtATime)),
  ...(role !== 'models' && workflowsOf(parts)),
});

/** Of one process: those to one receiver are far fewer. */
const attemptsAtATime = 256;

/** Deliveries make their first attempts within tasks of their workflows. */
const atATime = (most: number): Partial<WorkerOptions> => ({
  maxConcurrentActivityTaskExecutions: most,
  maxConcurrentLocalActivityExecutions: most,
  maxConcurrentWorkflowTaskExecutions: most,
});

const activitiesOf: Readonly<Record<WorkerRole, (parts: Parts) => object>> = {
  workflows: createRequestActivities,
  models: (parts) => {
    const load = async (model: string) => toFunction(model, await parts.functions[model]?.());
    return createModelActivities({ ...parts, run: createRunner(load) });
  },
  webhooks: createWebhookActivities,
  housekeeping: ({ settings, ...parts }) => createHousekeepingActivities({ ...parts, ...settings }),
};

const workflowsOf = ({ workflowBundle }: WorkerProcessOptions): Partial<WorkerOptions> =>
  workflowBundle === undefined || !existsSync(workflowBundle)
    ? { workflowsPath: new URL(`workflows/index${extension}`, import.meta.url).pathname }
    : { workflowBundle: { codePath: workflowBundle } };

const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** Search attributes and schedules. Where the namespace does not let us, the queue works without attributes. */
const prepareNamespace = async (
  client: Client,
  namespace: string,
  { onWarning }: WorkerProcessOptions,
): Promise<void> => {
  const missing = await missingAttributes(client, namespace);
  if (missing.length > 0) await addSearchAttributes(client, { namespace, missing, onWarning });
  await ensureSchedule(client, 'svc-sweep', { workflow: 'sweep', every: '10s' });
  await ensureSchedule(client, 'svc-expire', { workflow: 'expire', every: '1h' });
};

/** `temporal.api.enums.v1.IndexedValueType` */
const indexedTypes = { KEYWORD: 2, INT: 3 } as const;

interface AttributeOptions {
  readonly namespace: string;
  readonly missing: readonly (keyof typeof searchAttributes)[];
  readonly onWarning: (message: string) => void;
}

const addSearchAttributes = async (
  client: Client,
  { namespace, missing, onWarning }: AttributeOptions,
): Promise<void> => {
  const wanted = missing.map((name) => [name, searchAttributes[name]] as const);
  try {
    await client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(wanted.map(([name, type]) => [name, indexedTypes[type]])),
    });
  } catch {
    const names = wanted.map(([name, type]) => `--name ${name} --type ${type === 'INT' ? 'Int' : 'Keyword'}`);
    onWarning(
      'workflows are not searchable by model and account; an operator of Temporal adds that with: ' +
        `temporal operator search-attribute create --namespace ${namespace} ${names.join(' ')}`,
    );
  }
};

const ensureSchedule = async (
  client: Client,
  scheduleId: string,
  { workflow, every }: { readonly workflow: string; readonly every: '10s' | '1h' },
): Promise<void> => {
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
      action: {
        type: 'startWorkflow',
        workflowType: workflow,
        workflowId: scheduleId,
        taskQueue: taskQueues.housekeeping,
        args: [],
      },
    });
  } catch (error) {
    if ((error as Error).name !== 'ScheduleAlreadyRunning') throw error;
  }
};
