/** Assembles the queue of a process: its models, stores and actions, the connection to Temporal, and its routes. */
import type { Access } from '../access/access.js';
import type { FairQueue } from '../concurrency/fair-queue.js';
import type { Database } from '../databases/contract.js';
import type { QueueObservation } from '../observe.js';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import type { RouteHandle } from '../request/route.js';
import { createIdentify, type Identify } from './http/caller.js';
import { createRoutes, type QueueHandler } from './http/routes.js';
import { createRunHandler } from './http/run.js';
import { createStreams } from './http/stream.js';
import type { FailedAttempt } from './models/attempt.js';
import { builtInModels } from './models/built-in.js';
import { createQueueModels, type QueueModels } from './models/models.js';
import { createOperatorActions, type OperatorActions } from './operator/actions.js';
import { createFileStore } from './requests/file-store.js';
import { createRequestLifecycle, type RequestLifecycle } from './requests/lifecycle.js';
import { createQuotas, type Quotas } from './requests/quotas.js';
import { createRequests, type Requests } from './requests/requests.js';
import type { QueueSettings } from './settings.js';
import { createGateway } from './temporal/gateway.js';

/** Settings and services that the queue of a process is made of. */
export interface QueueOptions {
  readonly settings: QueueSettings;
  readonly database: Database;
  readonly access: Access;
  /** Bounds the requests that run and wait. */
  readonly admission: FairQueue;
  readonly models: readonly QueueModelDeclaration[];
  /** Module of the functions of models, for `/run`. */
  readonly functions: string;
  readonly observe: (observation: QueueObservation) => void;
  readonly onError: (error: unknown) => void;
  readonly onModelFailure: (failure: FailedAttempt) => void;
}

/** The queue of a process: its routes, and its services for operations, transfers and workers. */
export interface Queue {
  readonly lifecycle: RequestLifecycle;
  readonly quotas: Quotas;
  readonly requests: Requests;
  readonly settings: QueueSettings;
  readonly models: QueueModels;
  readonly operatorActions: OperatorActions;
  readonly identify: Identify;
  /** Returns the handler of a route; client errors become responses, others are thrown. */
  readonly handle: (handler: QueueHandler) => RouteHandle;
  close(): Promise<void>;
}

/** Assembles the queue of a process, without connecting to Temporal. */
export const createQueue = (options: QueueOptions): Queue => {
  const { settings, database, access, admission, observe, onError } = options;
  const models = createQueueModels([...options.models, ...builtInModels]);
  const { temporalAddress: address, temporalNamespace: namespace, resultTtl, secrets } = settings;
  const gateway = createGateway({ address, namespace, observe });
  const quotas = createQuotas({ database, preset: settings.quotas, observe });
  const shared = { database, models, quotas, onError };
  const lifecycle = createRequestLifecycle({ ...shared, gateway, resultTtl, observe });
  const { cancel: cancelWorkflow } = gateway;
  const requests = createRequests({ ...shared, settings, lifecycle, cancelWorkflow });
  const operatorActions = createOperatorActions({ database, lifecycle, cancelWorkflow, onError });
  const streams = createStreams({ database, settings, observe });
  const files = createFileStore(settings);
  const { runSlots: slots } = lifecycle;
  const run = createRunHandler({ ...options, files, slots, quotas });
  const identify = createIdentify({ statements: database, access, secrets });
  return {
    lifecycle,
    quotas,
    requests,
    settings,
    models,
    operatorActions,
    identify,
    handle: createRoutes({ settings, database, admission, observe, requests, streams, identify, files, run }),
    async close() {
      streams.close();
      await operatorActions.close();
      slots.close();
      await run.close();
      await lifecycle.flush();
      await gateway.close();
    },
  };
};
