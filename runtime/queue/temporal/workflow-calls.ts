/** The calls of Temporal's client: workflows are started, signalled, cancelled and described by their ids. */
import type { Client, Connection } from '@temporalio/client';
import type { TemporalCall } from '../../observe.js';
import {
  admittedSignal,
  applyWorkflowId,
  deliveryWorkflowId,
  requestWorkflowId,
  resumedSignal,
  taskQueues,
  workflowTypes,
  type DeliveryInput,
  type ModelRequestInput,
  type SchemaApplyInput,
} from '../contract.js';
import type { DeliveryStart, Gateway, RequestStart, WorkflowState } from './gateway.js';
import { attributesOf, type Searchable } from './search-attributes.js';

/** A connected client. */
export interface Link {
  readonly client: Client;
  /** `null` for the connection of a worker, which may execute eagerly what it starts. */
  readonly connection: Pick<Connection, 'withDeadline' | 'close'> | null;
  readonly searchable: Searchable;
}

/** Runs a call of Temporal; the name is that of its metric. */
export type NamedCall = <Result>(
  name: TemporalCall,
  body: (link: Link) => Promise<Result>,
) => Promise<Result>;

/** Creates the calls of a gateway; `call` provides the client. */
export const createCalls = (call: NamedCall): Omit<Gateway, 'close'> => ({
  start: (request) => call('start', (link) => startRequest(link, request)),
  admit: (request) => call('admit', (link) => admitRequest(link, request)),
  cancel: (request, isWaiting) =>
    call('cancel', ({ client }) =>
      cancelWorkflow(client, requestWorkflowId(request), isWaiting ? admittedSignal : null),
    ),
  deliver: (delivery) => call('deliver', (link) => startDelivery(link, delivery)),
  resumeDelivery: (delivery) =>
    call('resume', ({ client }) => signalWorkflow(client, deliveryWorkflowId(delivery), resumedSignal)),
  stateOf: (request) => call('state', ({ client }) => readState(client, requestWorkflowId(request))),
  stateOfDelivery: (delivery) =>
    call('state', ({ client }) => readState(client, deliveryWorkflowId(delivery))),
  startApply: (apply) => call('start_apply', ({ client }) => startApply(client, apply)),
  cancelApply: (apply) =>
    call('cancel_apply', ({ client }) => cancelWorkflow(client, applyWorkflowId(apply))),
});

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
    SvcWebhookHost: delivery.host,
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
const cancelWorkflow = (client: Client, workflowId: string, signal: string | null = null): Promise<void> =>
  ignoreMissing(async () => {
    const handle = client.workflow.getHandle(workflowId);
    await handle.cancel();
    if (signal !== null) await handle.signal(signal);
  });

/** Signals a workflow, if it runs. */
const signalWorkflow = (client: Client, workflowId: string, signal: string): Promise<void> =>
  ignoreMissing(() => client.workflow.getHandle(workflowId).signal(signal));

const ignoreMissing = async (run: () => Promise<void>): Promise<void> => {
  try {
    await run();
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
