/**
 * Temporal as the queue sees it: starts, signals and cancels by id, each safe to repeat. The library is loaded and the
 * connection made when first needed; while Temporal is away every call fails at once, and a sweep repeats it later.
 */
import type { Client, Connection } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import {
  admittedSignal,
  deliveryWorkflowId,
  searchAttributes,
  taskQueues,
  workflowTypes,
  type DeliveryInput,
  type ModelRequestInput,
} from '../contract.js';

export type RequestStart = Omit<ModelRequestInput, 'searchable'> & {
  /** 0 is normal, less is later. */
  readonly priority: number;
  /** One line for the operator; nothing of the input. */
  readonly summary: string;
};

export type DeliveryStart = Omit<DeliveryInput, 'searchable'> & { readonly account: string };

/** `gone`: the server does not know it, or no longer. */
export type WorkflowState = 'running' | 'closed' | 'gone';

export interface Gateway {
  /** Starts the workflow of a request where it is not there. */
  start(request: RequestStart): Promise<void>;
  /** The same, and tells it that it has a slot. */
  admit(request: RequestStart): Promise<void>;
  /** @param asleep it may wait for its slot, and learns of it only when it is woken */
  cancel(requestId: string, asleep: boolean): Promise<void>;
  /** Starts the workflow of a delivery where it is not there. */
  deliver(delivery: DeliveryStart): Promise<void>;
  stateOf(requestId: string): Promise<WorkflowState>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** `null`: no server is configured. */
  readonly address: string | null;
  readonly namespace: string | null;
}

/** Milliseconds a call may take before the caller goes on without it. */
const callLimit = 5_000;
/** Milliseconds without trying after a call has found no server. */
const pauseAfterLoss = 2_000;

interface Link {
  readonly client: Client;
  /** `null`: that of workers, whose process may take what it starts without asking for it. */
  readonly connection: Pick<Connection, 'withDeadline' | 'close'> | null;
  readonly searchable: Searchable;
}

export const createGateway = (options: GatewayOptions): Gateway => {
  let link: Promise<Link> | null = null;
  let quietUntil = 0;

  const connected = (): Promise<Link> => {
    if (options.address === null) throw new Error('no Temporal server is configured (TEMPORAL_ADDRESS)');
    if (Date.now() < quietUntil) throw new Error('the Temporal server cannot be reached');
    link ??= connect(options);
    return link;
  };

  /** Calls that are under way on the lost connection end before it does. */
  const giveUp = (): void => {
    quietUntil = Date.now() + pauseAfterLoss;
    const lost = link;
    link = null;
    setTimeout(() => closeLink(lost), callLimit).unref();
  };

  const call = async <Result>(body: (link: Link) => Promise<Result>): Promise<Result> => {
    try {
      const current = await connected();
      return await withDeadline(current, () => body(current));
    } catch (error) {
      if (isLoss(error)) giveUp();
      throw error;
    }
  };

  return {
    ...createCalls(call),
    async close() {
      await closeLink(link);
    },
  };
};

const closeLink = async (link: Promise<Link> | null): Promise<void> => {
  const current = await link?.catch(() => null);
  await current?.connection?.close();
};

/** For workers, which have a connection already. */
export const gatewayOf = (client: Client, searchable: Searchable): Gateway => ({
  ...createCalls((body) => body({ client, connection: null, searchable })),
  close: async () => undefined,
});

type Call = <Result>(body: (link: Link) => Promise<Result>) => Promise<Result>;

const createCalls = (call: Call): Omit<Gateway, 'close'> => ({
  start: (request) => call((link) => startRequest(link, request)),
  admit: (request) => call((link) => admitRequest(link, request)),
  cancel: (requestId, asleep) => call(({ client }) => cancelRequest(client, requestId, asleep)),
  deliver: (delivery) => call((link) => startDelivery(link, delivery)),
  stateOf: (requestId) => call(({ client }) => describe(client, requestId)),
});

const connect = async ({ address, namespace }: GatewayOptions): Promise<Link> => {
  const [{ Connection, Client }, { readConnection }] = await Promise.all([
    import('@temporalio/client'),
    import('./connection.js'),
  ]);
  const settings = readConnection({ address, namespace });
  const connection = await Connection.connect({ ...settings.options, connectTimeout: callLimit });
  const client = new Client({ connection, namespace: settings.namespace });
  return { client, connection, searchable: watchSearchable(client, settings.namespace) };
};

/** Whether the namespace knows our search attributes; without them everything else works. */
export type Searchable = () => Promise<boolean>;

/** Asks again, at most every `pause` milliseconds, until it does: a worker adds them, perhaps after we have come. */
export const watchSearchable = (client: Client, namespace: string, pause = 30_000): Searchable => {
  let known: Promise<boolean> | null = null;
  const ask = async (): Promise<boolean> => {
    const isComplete = (await missingAttributes(client, namespace)).length === 0;
    if (!isComplete) setTimeout(() => (known = null), pause).unref();
    return isComplete;
  };
  return () => (known ??= ask());
};

/** Our search attributes that the namespace does not know; all of them where it does not say. */
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
  connection === null ? body() : connection.withDeadline(Date.now() + callLimit, body);

/** gRPC: unavailable, cancelled. A call that takes too long is no sign that the server has gone. */
const lossCodes: ReadonlySet<unknown> = new Set([14, 1]);

const isLoss = (error: unknown): boolean => {
  const { code, cause, message } = error as { code?: unknown; cause?: unknown; message?: string };
  if (lossCodes.has(code)) return true;
  if (message?.includes('connect') === true) return true;
  return typeof cause === 'object' && cause !== null && isLoss(cause);
};

const startRequest = async (link: Link, request: RequestStart): Promise<void> => {
  const options = await requestOptions(link, request);
  await unlessThere(() => link.client.workflow.start(workflowTypes.modelRequest, options));
};

const admitRequest = async (link: Link, request: RequestStart): Promise<void> => {
  const options = await requestOptions(link, request);
  await unlessThere(() =>
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
  await unlessThere(() =>
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

/** One workflow an id, ever: a second start, or one after the end, changes nothing. */
const requestOptions = async (link: Link, { priority, summary, ...request }: RequestStart) => {
  const searchable = await link.searchable();
  return {
    workflowId: request.requestId,
    taskQueue: taskQueues.workflows,
    args: [{ ...request, searchable } satisfies ModelRequestInput] as [ModelRequestInput],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    staticSummary: summary,
    // who waits sleeps until its signal, or until it is too late: a crowd costs workers nothing
    ...(!request.admitted && { startDelay: untilTooLate(request) }),
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

/** Temporal takes 64 bytes. */
const fairnessKeyOf = (account: string): string => account.slice(0, 64);

const year = 365 * 86_400_000;

/** Milliseconds. */
const untilTooLate = ({ startBefore }: Pick<RequestStart, 'startBefore'>): number =>
  startBefore === null ? year : Math.max(1, startBefore - Date.now());

/** `null`: has none. */
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

const unlessThere = async (run: () => Promise<unknown>): Promise<void> => {
  try {
    await run();
  } catch (error) {
    if ((error as Error).name !== 'WorkflowExecutionAlreadyStartedError') throw error;
  }
};

/** One that is not there has nothing to cancel. */
const cancelRequest = async (client: Client, requestId: string, asleep: boolean): Promise<void> => {
  try {
    const handle = client.workflow.getHandle(requestId);
    await handle.cancel();
    if (asleep) await handle.signal(admittedSignal);
  } catch (error) {
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
  }
};

const describe = async (client: Client, requestId: string): Promise<WorkflowState> => {
  try {
    const { status } = await client.workflow.getHandle(requestId).describe();
    return status.name === 'RUNNING' || status.name === 'PAUSED' ? 'running' : 'closed';
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return 'gone';
    throw error;
  }
};
