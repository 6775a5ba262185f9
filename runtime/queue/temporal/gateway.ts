/**
 * Starts, signals and cancels workflows by id; every call is idempotent. The client is loaded and connected on first
 * use. While Temporal is unavailable calls fail immediately, and the sweep repeats them later.
 */
import type { Client, Connection } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import type { QueueObservation, TemporalCall } from '../../observe.js';
import {
  admittedSignal,
  applyWorkflowId,
  deliveryWorkflowId,
  requestWorkflowId,
  searchAttributes,
  taskQueues,
  workflowTypes,
  type DeliveryInput,
  type ModelRequestInput,
  type RequestRound,
  type SchemaApplyInput,
} from '../contract.js';

export type RequestStart = Omit<ModelRequestInput, 'searchable'> & {
  readonly round: number;
  /** 0 is normal; lower values run later. */
  readonly priority: number;
  /** A line for operators, without any of the input. */
  readonly summary: string;
};

export type DeliveryStart = Omit<DeliveryInput, 'searchable'> & { readonly account: string };

/** State of a workflow; `gone` if the server does not know it, or no longer. */
export type WorkflowState = 'running' | 'closed' | 'gone';

export interface Gateway {
  /** Starts the workflow of a request unless it exists. */
  start(request: RequestStart): Promise<void>;
  /** Signals the workflow of a request that it has a slot; starts it unless it exists. */
  admit(request: RequestStart): Promise<void>;
  /**
   * Cancels the workflow of a request.
   * @param isWaiting whether it may wait with a start delay, so that it handles the cancellation only after a signal
   */
  cancel(request: RequestRound, isWaiting: boolean): Promise<void>;
  /** Starts the workflow of a delivery unless it exists. */
  deliver(delivery: DeliveryStart): Promise<void>;
  stateOf(request: RequestRound): Promise<WorkflowState>;
  /** Starts the workflow of an apply of the schema unless it exists. */
  startApply(apply: SchemaApplyInput): Promise<void>;
  /** Cancels the workflow of an apply, if it exists. */
  cancelApply(apply: SchemaApplyInput): Promise<void>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Called with each call that ended. */
  readonly observe?: (observation: QueueObservation) => void;
  /** `null` if no server is configured. */
  readonly address: string | null;
  readonly namespace: string | null;
}

/** Timeout of a call in milliseconds. */
const callTimeout = 5_000;
/** Milliseconds without calls after the connection was lost. */
const reconnectDelay = 2_000;

interface Link {
  readonly client: Client;
  /** `null` for the connection of a worker, which may execute eagerly what it starts. */
  readonly connection: Pick<Connection, 'withDeadline' | 'close'> | null;
  readonly searchable: Searchable;
}

/** Creates the gateway, unconnected. Without an address, every call fails as if Temporal were down. */
export const createGateway = (options: GatewayOptions): Gateway => {
  let link: Promise<Link> | null = null;
  let retryTime = 0;

  const getLink = (): Promise<Link> => {
    if (options.address === null) throw new Error('no Temporal server is configured (TEMPORAL_ADDRESS)');
    if (Date.now() < retryTime) throw new Error('the Temporal server cannot be reached');
    link ??= connect(options);
    return link;
  };

  /** Discards the lost connection, and closes it after its pending calls have ended. */
  const disconnect = (): void => {
    retryTime = Date.now() + reconnectDelay;
    const lost = link;
    link = null;
    setTimeout(() => closeLink(lost), callTimeout).unref();
  };

  const call = async <Result>(body: (link: Link) => Promise<Result>): Promise<Result> => {
    try {
      const current = await getLink();
      return await withDeadline(current, () => body(current));
    } catch (error) {
      if (isLoss(error)) disconnect();
      throw error;
    }
  };

  return {
    ...createCalls(measured(call, options.observe)),
    async close() {
      await closeLink(link);
    },
  };
};

const closeLink = async (link: Promise<Link> | null): Promise<void> => {
  const current = await link?.catch(() => null);
  await current?.connection?.close();
};

/** Creates the gateway of a worker, which is already connected. */
export const createWorkerGateway = (client: Client, searchable: Searchable): Gateway => ({
  ...createCalls((_, body) => body({ client, connection: null, searchable })),
  close: async () => undefined,
});

type Call = <Result>(body: (link: Link) => Promise<Result>) => Promise<Result>;
type NamedCall = <Result>(name: TemporalCall, body: (link: Link) => Promise<Result>) => Promise<Result>;

/** Reports the duration and the end of calls: the client of Temporal's SDK, unlike its worker, has no metrics. */
const measured =
  (call: Call, observe: GatewayOptions['observe'] = () => undefined): NamedCall =>
  async (name, body) => {
    const began = performance.now();
    const report = (status: string): void =>
      observe({ kind: 'temporalCalled', call: name, status, ms: performance.now() - began });
    try {
      const result = await call(body);
      report('ok');
      return result;
    } catch (error) {
      report(statusOf(error));
      throw error;
    }
  };

/** Names of gRPC statuses that operators tell apart. */
const statuses: ReadonlyMap<unknown, string> = new Map([
  [4, 'deadline_exceeded'],
  [7, 'permission_denied'],
  [8, 'resource_exhausted'],
  [14, 'unavailable'],
  [16, 'unauthenticated'],
]);

const statusOf = (error: unknown): string => {
  if (isLoss(error)) return 'unavailable';
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return statuses.get(code) ?? statuses.get(cause?.code) ?? 'other';
};

const createCalls = (call: NamedCall): Omit<Gateway, 'close'> => ({
  start: (request) => call('start', (link) => startRequest(link, request)),
  admit: (request) => call('admit', (link) => admitRequest(link, request)),
  cancel: (request, isWaiting) =>
    call('cancel', ({ client }) =>
      cancelWorkflow(client, requestWorkflowId(request), isWaiting ? admittedSignal : null),
    ),
  deliver: (delivery) => call('deliver', (link) => startDelivery(link, delivery)),
  stateOf: (request) => call('state', ({ client }) => readState(client, requestWorkflowId(request))),
  startApply: (apply) => call('start_apply', ({ client }) => startApply(client, apply)),
  cancelApply: (apply) =>
    call('cancel_apply', ({ client }) => cancelWorkflow(client, applyWorkflowId(apply))),
});

const connect = async ({ address, namespace }: GatewayOptions): Promise<Link> => {
  const [{ Connection, Client }, { readConnection }] = await Promise.all([
    import('@temporalio/client'),
    import('./connection.js'),
  ]);
  const settings = readConnection({ address, namespace });
  const connection = await Connection.connect({ ...settings.options, connectTimeout: callTimeout });
  const client = new Client({ connection, namespace: settings.namespace });
  return { client, connection, searchable: watchSearchable(client, settings.namespace) };
};

/** Returns whether the namespace has the search attributes of svc, without which the queue works as well. */
export type Searchable = () => Promise<boolean>;

/** Checks at most every `interval` milliseconds until the attributes exist, because a worker may add them later. */
export const watchSearchable = (client: Client, namespace: string, interval = 30_000): Searchable => {
  let known: Promise<boolean> | null = null;
  const check = async (): Promise<boolean> => {
    const isComplete = (await missingAttributes(client, namespace)).length === 0;
    if (!isComplete) setTimeout(() => (known = null), interval).unref();
    return isComplete;
  };
  return () => (known ??= check());
};

/** Returns the search attributes that the namespace lacks; all of them if they cannot be listed. */
export const missingAttributes = async (
  client: Client,
  namespace: string,
): Promise<readonly (keyof typeof searchAttributes)[]> => {
  const known = await client.connection.operatorService
    .listSearchAttributes({ namespace })
    .then(({ customAttributes }) => customAttributes)
    .catch(() => ({}));
  const names = Object.keys(searchAttributes) as (keyof typeof searchAttributes)[];
  return names.filter((name) => !(name in known));
};

const withDeadline = <Result>({ connection }: Link, body: () => Promise<Result>): Promise<Result> =>
  connection === null ? body() : connection.withDeadline(Date.now() + callTimeout, body);

/** gRPC statuses `UNAVAILABLE` and `CANCELLED`; a timeout does not mean that the connection is lost. */
const lossCodes: ReadonlySet<unknown> = new Set([14, 1]);

const isLoss = (error: unknown): boolean => {
  const { code, cause, message } = error as { code?: unknown; cause?: unknown; message?: string };
  if (lossCodes.has(code)) return true;
  if (message?.includes('connect') === true) return true;
  return typeof cause === 'object' && cause !== null && isLoss(cause);
};

const startRequest = async (link: Link, request: RequestStart): Promise<void> => {
  const options = await requestOptions(link, request);
  await ignoreExisting(() => link.client.workflow.start(workflowTypes.modelRequest, options));
};

const admitRequest = async (link: Link, request: RequestStart): Promise<void> => {
  const options = await requestOptions(link, request);
  await ignoreExisting(() =>
    link.client.workflow.signalWithStart(workflowTypes.modelRequest, { ...options, signal: admittedSignal }),
  );
};

const startDelivery = async (link: Link, { account, ...delivery }: DeliveryStart): Promise<void> => {
  const searchable = await link.searchable();
  const attributes = await attributesOf({
    SvcAccount: account,
    SvcRequestId: delivery.requestId,
    SvcWebhookState: 'pending',
  });
  await ignoreExisting(() =>
    link.client.workflow.start(workflowTypes.webhookDelivery, {
      workflowId: deliveryWorkflowId(delivery),
      taskQueue: taskQueues.webhooks,
      args: [{ ...delivery, searchable } satisfies DeliveryInput],
      requestEagerStart: link.connection === null,
      ...(searchable && { typedSearchAttributes: attributes }),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `webhook to ${delivery.host}`,
      priority: { fairnessKey: fairnessKeyOf(account) },
    }),
  );
};

/** Returns the options of a workflow; its id is never reused, so starting it again has no effect, even after its end. */
const requestOptions = async (link: Link, { priority, summary, round, ...request }: RequestStart) => {
  const searchable = await link.searchable();
  return {
    workflowId: requestWorkflowId({ requestId: request.requestId, round }),
    taskQueue: taskQueues.workflows,
    args: [{ ...request, searchable } satisfies ModelRequestInput] as [ModelRequestInput],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    staticSummary: summary,
    // a waiting workflow is delayed until its signal or its start timeout, so that it uses no worker
    ...(!request.admitted && { startDelay: startDelayOf(request) }),
    priority: { priorityKey: priority < 0 ? 5 : 3, fairnessKey: fairnessKeyOf(request.account) },
    ...(searchable && {
      typedSearchAttributes: await attributesOf({
        SvcModel: request.model,
        SvcAccount: request.account,
        SvcRequestId: request.requestId,
        SvcStatus: 'IN_QUEUE',
      }),
    }),
  };
};

/** Truncates an account to 64 bytes, the limit of Temporal. */
const fairnessKeyOf = (account: string): string => account.slice(0, 64);

const year = 365 * 86_400_000;

/** Returns the start delay in milliseconds: until the start timeout, or a year. */
const startDelayOf = ({ startBefore }: Pick<RequestStart, 'startBefore'>): number =>
  startBefore === null ? year : Math.max(1, startBefore - Date.now());

/** Returns typed search attributes; null values are omitted. */
const attributesOf = async (
  values: Readonly<Partial<Record<keyof typeof searchAttributes, string | null>>>,
): Promise<TypedSearchAttributes> => {
  const { defineSearchAttributeKey, TypedSearchAttributes } = await import('@temporalio/common');
  return new TypedSearchAttributes(
    Object.entries(values).flatMap(([name, value]) =>
      value === null ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }],
    ),
  );
};

const ignoreExisting = async (run: () => Promise<unknown>): Promise<void> => {
  try {
    await run();
  } catch (error) {
    if ((error as Error).name !== 'WorkflowExecutionAlreadyStartedError') throw error;
  }
};

const startApply = (client: Client, apply: SchemaApplyInput): Promise<void> =>
  ignoreExisting(() =>
    client.workflow.start(workflowTypes.schemaApply, {
      workflowId: applyWorkflowId(apply),
      taskQueue: taskQueues.housekeeping,
      args: [apply],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: 'apply of the schema',
    }),
  );

/** Cancels a workflow, if it exists. @param signal that has it handle the cancellation */
const cancelWorkflow = async (
  client: Client,
  workflowId: string,
  signal: string | null = null,
): Promise<void> => {
  try {
    const handle = client.workflow.getHandle(workflowId);
    await handle.cancel();
    if (signal !== null) await handle.signal(signal);
  } catch (error) {
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
  }
};

const readState = async (client: Client, workflowId: string): Promise<WorkflowState> => {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' || status.name === 'PAUSED' ? 'running' : 'closed';
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return 'gone';
    throw error;
  }
};
