/** The services that the activities of a worker process share. */
import type { Client } from '@temporalio/client';
import type { Database } from '../../databases/contract.js';
import type { QueueObservation } from '../../observe.js';
import type { FailedAttempt } from '../models/attempt.js';
import type { RunBuiltIn } from '../models/built-in.js';
import { createChildren, type Children } from '../models/children/pool.js';
import { toLateFailure } from '../models/function-runner.js';
import type { QueueModels } from '../models/models.js';
import { createOperatorActions, type OperatorActions } from '../operator/actions.js';
import { createFileStore } from '../requests/file-store.js';
import type { FileStore } from '../requests/files.js';
import { createLateLogs, type LateLogs } from '../requests/late-logs.js';
import { createRequestLifecycle, type RequestLifecycle } from '../requests/lifecycle.js';
import { createQuotas } from '../requests/quotas.js';
import type { QueueSettings } from '../settings.js';
import { createReceivers, type Receivers } from '../webhooks/receivers.js';
import { createSender, type Sender, type SenderOptions } from '../webhooks/send.js';
import type { Tracing } from '../../tracing/tracing.js';
import type { RunSchemaApply } from './activities/schema.js';
import { createWorkerGateway, type Gateway } from './gateway.js';
import type { Searchable } from './search-attributes.js';

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
  /** Runs applies of the schema, for the role `housekeeping`. */
  readonly runSchemaApply?: RunSchemaApply;
  /** Classes whose models the process runs; all of them if absent. */
  readonly classes?: readonly string[];
  /** Maximum models of a class that run at the same time; the default of Temporal if absent. */
  readonly slots?: number;
  /** File of the bundled workflows; if absent, they are bundled at start. */
  readonly workflowBundle?: string;
  readonly userAgent: string;
  /** Records the activities in flight. */
  readonly track?: (name: string) => () => void;
  /** Records attempts of models and webhooks as spans. */
  readonly tracing?: Tracing;
  /** Version of the package. */
  readonly version: string;
  /** `host:port` at which the metrics of the SDK are served; absent where nobody reads them. */
  readonly metricsAddress?: string;
  readonly observe: (observation: QueueObservation) => void;
  readonly onFailure: (error: unknown) => void;
  readonly onModelFailure: (failure: FailedAttempt) => void;
  readonly onWarning: (message: string) => void;
}

export interface WorkerServices extends WorkerProcessOptions {
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

/** Creates the services of a process; `close` ends what its activities have started. */
export const createServices = (
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
    ...(options.tracing !== undefined && { tracing: options.tracing }),
    observe,
    ...options.webhooks,
  });
  const files = createFileStore(settings);
  const children = createChildren({
    functions: options.functions,
    spool: files.spool,
    onExit: (model, cause) => observe({ kind: 'childEnded', model, cause }),
    onLimit: (by) => observe({ kind: 'memoryLimited', by }),
    onLate: (late) => options.onModelFailure(toLateFailure(late)),
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
