/**
 * Starts, signals and cancels workflows by id; every call is idempotent. The client is loaded and connected on first
 * use. While Temporal is unavailable calls fail immediately, and the sweep repeats them later.
 */
import type { Client } from '@temporalio/client';
import type { QueueObservation } from '../../observe.js';
import type {
  DeliveryInput,
  DeliveryRound,
  ModelRequestInput,
  RequestRound,
  SchemaApplyInput,
} from '../contract.js';
import { watchSearchable, type Searchable } from './search-attributes.js';
import { createCalls, type Link, type NamedCall } from './workflow-calls.js';

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
  /** Signals the workflow of a delivery, if it runs, that the pause that had postponed it has ended. */
  resumeDelivery(delivery: DeliveryRound): Promise<void>;
  stateOf(request: RequestRound): Promise<WorkflowState>;
  stateOfDelivery(delivery: DeliveryRound): Promise<WorkflowState>;
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

/** The connection is lost, which the log says instead of the call that met it. */
class ServerAway extends Error {
  constructor(address: string | null, options?: ErrorOptions) {
    super(`Temporal at ${address} does not answer`, options);
  }
}

/** Creates the gateway, unconnected. Without an address, every call fails as if Temporal were down. */
export const createGateway = (options: GatewayOptions): Gateway => {
  let link: Promise<Link> | null = null;
  /** By the monotonic clock, since the other can be set back. */
  let retryTime = 0;

  const getLink = (): Promise<Link> => {
    if (options.address === null) throw new Error('no Temporal server is configured (TEMPORAL_ADDRESS)');
    if (performance.now() < retryTime) throw new ServerAway(options.address);
    link ??= connect(options);
    return link;
  };

  /** Discards the lost connection, and closes it after its pending calls have ended. */
  const disconnect = (): void => {
    retryTime = performance.now() + reconnectDelay;
    const lost = link;
    link = null;
    setTimeout(() => closeLink(lost), callTimeout).unref();
  };

  const call = async <Result>(body: (link: Link) => Promise<Result>): Promise<Result> => {
    try {
      const current = await getLink();
      return await withDeadline(current, () => body(current));
    } catch (error) {
      if (error instanceof ServerAway || !isLoss(error)) throw error;
      disconnect();
      throw new ServerAway(options.address, { cause: error });
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
  if (error instanceof ServerAway || isLoss(error)) return 'unavailable';
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return statuses.get(code) ?? statuses.get(cause?.code) ?? 'other';
};

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
