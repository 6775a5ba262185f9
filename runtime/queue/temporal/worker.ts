/** Starts Temporal workers by role; a process may have several roles, and each role may run in several processes. */
import { existsSync } from 'node:fs';
import { Client } from '@temporalio/client';
import {
  NativeConnection,
  Worker,
  type NativeConnectionOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Database } from '../../databases/contract.js';
import type { QueueObservation } from '../../observe.js';
import { createHousekeepingActivities } from './activities/housekeeping.js';
import { createModelActivities } from './activities/model.js';
import { createRequestActivities } from './activities/request.js';
import { createWebhookActivities } from './activities/webhook.js';
import { readConnection } from './connection.js';
import { taskQueues } from '../contract.js';
import { createRequestLifecycle, type RequestLifecycle } from '../requests/lifecycle.js';
import { createFileStore } from '../requests/file-store.js';
import type { FileStore } from '../requests/files.js';
import { createLateLogs, type LateLogs } from '../requests/late-logs.js';
import { createQuotas } from '../requests/quotas.js';
import { createOperatorActions, type OperatorActions } from '../operator/actions.js';
import type { QueueModels } from '../models/models.js';
import { createWorkerGateway, watchSearchable, type Gateway, type Searchable } from './gateway.js';
import { prepareNamespace } from './namespace.js';
import type { FailedAttempt } from '../models/attempt.js';
import { createChildren, type Children } from '../models/children/pool.js';
import type { RunBuiltIn } from '../models/built-in.js';
import { createFunctionRunner } from '../models/function-runner.js';
import { createRunner } from '../models/run-model.js';
import type { QueueSettings } from '../settings.js';
import { createGauges, type GaugeSetter } from './gauges.js';
import { registerWorker } from './registration.js';
import { installSilentRuntime } from './sdk-runtime.js';
import { createReceivers, type Receivers } from '../webhooks/receivers.js';
import { createSender, type Sender, type SenderOptions } from '../webhooks/send.js';

export const workerRoles = ['workflows', 'models', 'webhooks', 'housekeeping'] as const;
export type WorkerRole = (typeof workerRoles)[number];

export interface WorkerProcessOptions {
  readonly webhooks?: Pick<SenderOptions, 'resolve' | 'retryDelay'>;
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly models: QueueModels;
  /** Module of the functions of models. */
  readonly functions: string;
  readonly roles: readonly WorkerRole[];
  /** Runs the models that are part of svc; without it, other processes do. */
  readonly runBuiltIn?: RunBuiltIn;
  /** Classes whose models the process runs; all of them if absent. */
  readonly classes?: readonly string[];
  /** Maximum models of a class that run at the same time; the default of Temporal if absent. */
  readonly slots?: number;
  /** File of the bundled workflows; if absent, they are bundled at start. */
  readonly workflowBundle?: string;
  readonly userAgent: string;
  /** Records the activities in flight. */
  readonly track?: (name: string) => () => void;
  /** Version of the package. */
  readonly version: string;
  /** `host:port` at which the metrics of the SDK are served; absent where nobody reads them. */
  readonly metricsAddress?: string;
  readonly observe: (observation: QueueObservation) => void;
  readonly onFailure: (error: unknown) => void;
  readonly onModelFailure: (failure: FailedAttempt) => void;
  readonly onWarning: (message: string) => void;
}

export interface WorkerProcess {
  /** Resolves when all workers have ended; rejects when one fails. */
  readonly ended: Promise<void>;
  isRunning(): boolean;
  /** Sets the gauges of the process, and with the role `housekeeping` those of the queue. */
  readonly readGauges: (tallies: GaugeSetter) => Promise<void>;
  /** Takes nothing new, and stops once running activities have ended or their grace is over. */
  stop(): Promise<void>;
}

/** @throws Error with the address, where no server answers */
const connect = async (options: NativeConnectionOptions): Promise<NativeConnection> => {
  try {
    return await NativeConnection.connect(options);
  } catch (error) {
    const [, reason = (error as Error).message] = /message: "([^"]+)"/.exec((error as Error).message) ?? [];
    throw new Error(
      `Temporal at ${options.address} does not answer: ${reason}; start it, or correct TEMPORAL_ADDRESS`,
      { cause: error },
    );
  }
};

export const startWorkers = async (options: WorkerProcessOptions): Promise<WorkerProcess> => {
  installSilentRuntime(options.metricsAddress);
  const { settings } = options;
  const chosen = readConnection({ address: settings.temporalAddress, namespace: settings.temporalNamespace });
  const connection = await connect(chosen.options);
  const client = new Client({ connection, namespace: chosen.namespace });
  if (options.roles.includes('housekeeping')) {
    await prepareNamespace(client, chosen.namespace, options.onWarning);
  }
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

interface WorkerServices extends WorkerProcessOptions {
  /** Identity of the process. */
  readonly worker: string;
  readonly lifecycle: RequestLifecycle;
  readonly gateway: Gateway;
  readonly files: FileStore;
  readonly children: Children;
  readonly operatorActions: OperatorActions;
  readonly lateLogs: LateLogs;
  readonly sender: Sender;
  readonly receivers: Receivers;
  close(): Promise<void>;
}

const createServices = (
  client: Client,
  searchable: Searchable,
  options: WorkerProcessOptions,
): Omit<WorkerServices, 'worker'> => {
  const { database, models, settings, observe, onFailure } = options;
  const gateway = createWorkerGateway(client, searchable);
  const { resultTtl, webhookPolicy: policy } = settings;
  const quotas = createQuotas({ database, preset: settings.quotas, observe });
  const lifecycle = createRequestLifecycle({
    database,
    models,
    gateway,
    quotas,
    resultTtl,
    observe,
    onError: onFailure,
  });
  const sender = createSender({
    database,
    policy,
    userAgent: options.userAgent,
    observe,
    ...options.webhooks,
  });
  const files = createFileStore(settings);
  const children = createChildren({
    functions: options.functions,
    spool: files.spool,
    onExit: (model, cause) => observe({ kind: 'childEnded', model, cause }),
  });
  const { cancel: cancelWorkflow } = gateway;
  const operatorActions = createOperatorActions({ database, lifecycle, cancelWorkflow, onError: onFailure });
  const lateLogs = createLateLogs({ onLost: (lost) => observe({ kind: 'linesLost', ...lost }) });
  return {
    ...options,
    operatorActions,
    lateLogs,
    lifecycle,
    gateway,
    sender,
    receivers: createReceivers(),
    files,
    children,
    async close() {
      await operatorActions.close();
      await children.close();
      await sender.close();
      await lateLogs.close();
      await lifecycle.flush();
    },
  };
};

const queuesOf = (role: WorkerRole, options: WorkerProcessOptions): readonly string[] =>
  role === 'models' ? classesOf(options).map(taskQueues.models) : [taskQueues[role]];

/** Returns the classes of the models that the process runs. */
const classesOf = ({ roles, models, classes }: WorkerProcessOptions): readonly string[] =>
  roles.includes('models') ? (classes ?? models.classes) : [];

const toWorkerOptions = (taskQueue: string, role: WorkerRole, services: WorkerServices): WorkerOptions => ({
  taskQueue,
  identity: services.worker,
  activities: trackActivities(activitiesOf[role](services), services.track),
  ...shutdownOf(role === 'models' ? services.settings.drain : otherGrace),
  // limits the delay of cancellations, which heartbeats deliver
  maxHeartbeatThrottleInterval: '1s',
  defaultHeartbeatThrottleInterval: '1s',
  activityTaskPollerBehavior: { type: 'autoscaling' },
  ...(role === 'models' && services.slots !== undefined && limitActivities(services.slots)),
  ...(role === 'webhooks' && limitConcurrency(maxConcurrentAttempts)),
  ...(role !== 'models' && workflowsOf(services)),
});

/**
 * Maximum concurrent deliveries of a process, including those that wait for a place; the limits per account and receiver are
 * much lower.
 */
const maxConcurrentAttempts = 512;

/** Milliseconds that activities other than models have to end when a worker stops; they are short. */
const otherGrace = 10_000;
/** Milliseconds that activities have to end after their grace, when they are cancelled. */
const cancelGrace = 10_000;

const shutdownOf = (grace: number): Partial<WorkerOptions> => ({
  shutdownGraceTime: grace,
  shutdownForceTime: grace + cancelGrace,
});

const limitActivities = (maxTasks: number): Partial<WorkerOptions> => ({
  maxConcurrentActivityTaskExecutions: maxTasks,
});

/** Limits workflow tasks as well, because first delivery attempts run as local activities within them. */
const limitConcurrency = (maxTasks: number): Partial<WorkerOptions> => ({
  ...limitActivities(maxTasks),
  maxConcurrentLocalActivityExecutions: maxTasks,
  maxConcurrentWorkflowTaskExecutions: maxTasks,
});

const activitiesOf: Readonly<Record<WorkerRole, (services: WorkerServices) => object>> = {
  workflows: createRequestActivities,
  models: (services) =>
    createModelActivities({
      ...services,
      run: createRunner({
        runFunction: createFunctionRunner(services.children),
        runBuiltIn: services.runBuiltIn,
      }),
    }),
  webhooks: createWebhookActivities,
  housekeeping: ({ settings, ...services }) => createHousekeepingActivities({ ...services, ...settings }),
};

type Activities = Readonly<Record<string, (...args: never[]) => unknown>>;

const trackActivities = (activities: object, track: WorkerProcessOptions['track'] = () => () => {}): object =>
  Object.fromEntries(
    Object.entries(activities as Activities).map(([name, activity]) => [
      name,
      async (...args: never[]): Promise<unknown> => {
        const finish = track(name);
        try {
          return await activity(...args);
        } finally {
          finish();
        }
      },
    ]),
  );

const workflowsOf = ({ workflowBundle }: WorkerProcessOptions): Partial<WorkerOptions> =>
  workflowBundle === undefined || !existsSync(workflowBundle)
    ? { workflowsPath: new URL(`workflows/index${extension}`, import.meta.url).pathname }
    : { workflowBundle: { codePath: workflowBundle } };

const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
