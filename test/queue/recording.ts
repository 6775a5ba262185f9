/** Records a history of every way a request, its webhook and an apply of the schema can go. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { inject } from 'vitest';
import {
  applyWorkflowId,
  resumedSignal,
  taskQueues,
  workflowTypes,
  type DeliveryInput,
} from '../../runtime/queue/contract.js';
import { createQueueModels } from '../../runtime/queue/models/models.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

const image = { prompt: 'sea', width: 16, height: 16 };
const train = { prompt: 'sea', model_name: 'm', steps: 30, pause: 0.05 };

interface Recorder {
  readonly queue: TestQueue;
  readonly client: Client;
  /** Waits for the end of a workflow, and saves its history. */
  save(name: string, id: string): Promise<void>;
}

/** Records the histories that are missing: those that are there were made by an earlier version, which is their use. */
export const recordHistories = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const queue = await startTestQueue('sqlite');
  const client = new Client({
    connection: await Connection.connect({ address: inject('services').temporal }),
    namespace: queue.namespace,
  });
  const save = async (name: string, id: string): Promise<void> => {
    const handle = client.workflow.getHandle(id);
    // it is started behind the answer
    const isEnded = async () => {
      const description = await handle.describe().catch(() => null);
      return description !== null && description.status.name !== 'RUNNING';
    };
    await until(isEnded, { what: `the workflow ${id} of ${name}.json has ended` });
    const path = `${folder}${name}.json`;
    if (existsSync(path)) return;
    const history = await handle.fetchHistory();
    writeFileSync(path, `${withoutPlaces(historyToJSON(history))}\n`);
  };
  const recorder = { queue, client, save };
  try {
    await recordRetries(recorder);
    const workers = await queue.startWorkers();
    await recordRequests(recorder);
    await recordResumed(recorder);
    await recordDeliveries(recorder);
    await workers.stop();
    await recordApplies(recorder);
  } finally {
    await queue.close();
  }
};

/** Attempts in workers that do not know the model, or end before it does. */
const recordRetries = async ({ queue, client, save }: Recorder): Promise<void> => {
  const ignorant = await queue.startWorkers({ classes: ['models'], models: createQueueModels([]) });
  const unknown = await submit(queue, 'demo/image', image);
  await until(async () => (await attemptOf(client, unknown)) > 1 || null);
  await ignorant.stop();
  const first = await queue.startWorkers();
  await save('request-unknown-model', unknown);
  const stopped = await submit(queue, 'demo/train', { ...train, steps: 400 });
  await untilRunning(queue, stopped);
  await first.stop();
  const second = await queue.startWorkers();
  await save('request-worker-stopped', stopped);
  await second.stop();
};

/** Returns the number of the attempt that runs or waits; 0 where no activity is scheduled. */
const attemptOf = async (client: Client, id: string): Promise<number> => {
  const description = await client.workflow
    .getHandle(id)
    .describe()
    .catch(() => null);
  return description?.raw.pendingActivities?.[0]?.attempt ?? 0;
};

const recordRequests = async ({ queue, save }: Recorder): Promise<void> => {
  await save('request-ok', await submit(queue, 'demo/image', image));
  const several = [];
  for (let index = 0; index < 3; index += 1) several.push(await submit(queue, 'demo/train', train));
  await save('request-waited', several[2] ?? '');
  const [running = '', other = ''] = [
    await submit(queue, 'demo/train', { ...train, steps: 5_000 }, { hook: '/cancelled' }),
    await submit(queue, 'demo/train', { ...train, steps: 5_000 }),
  ];
  await untilRunning(queue, running);
  const headers = { 'x-svc-request-start-timeout': '1' };
  await save('request-start-timeout', await submit(queue, 'demo/train', train, { headers }));
  for (const id of [running, other])
    await queue.request('PUT', `/queue/demo/train/requests/${id}/cancel`, { headers: queue.auth.ann });
  await save('request-cancelled', running);
};

const recordDeliveries = async (recorder: Recorder): Promise<void> => {
  const { queue, client, save } = recorder;
  const faulty = await submit(queue, 'demo/train', {}, { hook: '/faulty' });
  await save('request-faulty-with-webhook', faulty);
  await save('delivery-accepted', await deliveryOf(queue, faulty));
  queue.receiver.answers.push(500);
  const again = await submit(queue, 'demo/image', image, { hook: '/again' });
  await save('delivery-repeated', await deliveryOf(queue, again));
  queue.receiver.answers.push(500, 410);
  const refused = await submit(queue, 'demo/image', image, { hook: '/refused' });
  await save('request-with-webhook', refused);
  const delivery = await deliveryOf(queue, refused);
  await save('delivery-refused', delivery);
  await queue.request('POST', `/requests/${refused}/redeliver`, { as: 'ann' });
  await save('delivery-second-round', `${delivery}-2`);
  queue.receiver.answers.push(...Array.from({ length: 20 }, () => 500));
  const failing = await deliveryOf(queue, await submit(queue, 'demo/image', image, { hook: '/failing' }));
  await until(() => (queue.receiver.received.some(({ path }) => path === '/failing') ? true : null));
  await client.workflow.getHandle(failing).terminate();
  // one that has three seconds, as no setting allows
  const input = { deliveryId: failing.slice('delivery-'.length), requestId: null, round: 1 };
  await client.workflow.start(workflowTypes.webhookDelivery, {
    workflowId: `${failing}-expired`,
    taskQueue: taskQueues.webhooks,
    args: [{ ...input, within: 3_000, host: '127.0.0.1', searchable: true } satisfies DeliveryInput],
  });
  await save('delivery-given-up', `${failing}-expired`);
};

/** A delivery that a pause postpones, which is resumed after its first attempt and after a later one. */
const recordResumed = async ({ queue, client, save }: Recorder): Promise<void> => {
  const act = (action: 'pause' | 'resume') =>
    queue.request('POST', '/operator/actions', {
      as: 'admin',
      body: { action, target: { kind: 'endpoint', name: queue.receiver.url } },
    });
  await act('pause');
  // it ends when workers have noticed the pause, which takes up to a second
  const request = await submit(queue, 'demo/train', { ...train, steps: 60 }, { hook: '/resumed' });
  const delivery = await deliveryOf(queue, request);
  const untilPostponed = (before: unknown = null) =>
    until(
      async () => {
        const text = "select date_next from svc_deliveries where id = ? and postponed = 'paused'";
        const [row] = await queue.database.query(text, [delivery.slice('delivery-'.length)]);
        return row === undefined || row.date_next === before ? null : row.date_next;
      },
      { what: `the pause has postponed ${delivery}${before === null ? '' : ' again'}` },
    );
  const first = await untilPostponed();
  await client.workflow.getHandle(delivery).signal(resumedSignal);
  await untilPostponed(first);
  await act('resume');
  await save('delivery-resumed', delivery);
};

/** An apply that is cut off once, and one that is cancelled. */
const recordApplies = async ({ queue, client, save }: Recorder): Promise<void> => {
  const [retried, cancelled] = [createId(), createId()];
  let isFirst = true;
  await queue.startWorkers({
    async runSchemaApply({ applyId, signal }) {
      if (applyId === cancelled) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      if (!isFirst) return;
      isFirst = false;
      throw new Error('cut off');
    },
  });
  for (const applyId of [retried, cancelled])
    await client.workflow.start(workflowTypes.schemaApply, {
      workflowId: applyWorkflowId({ applyId }),
      taskQueue: taskQueues.housekeeping,
      args: [{ applyId }],
    });
  await save('apply-retried', applyWorkflowId({ applyId: retried }));
  const id = applyWorkflowId({ applyId: cancelled });
  await until(async () => (await attemptOf(client, id)) > 0 || null);
  await client.workflow.getHandle(id).cancel();
  await save('apply-cancelled', id);
};

/** Nothing of the machine it was recorded on. */
const withoutPlaces = (history: string): string =>
  JSON.stringify(
    JSON.parse(history, (key, value: unknown) => {
      if (key === 'stackTrace') return '';
      return typeof value === 'string' ? value.replaceAll(/\d+@[\w.-]+/g, 'somebody') : value;
    }),
    null,
    1,
  );

interface Submission {
  /** Path of the receiver. */
  readonly hook?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const submit = async (
  queue: TestQueue,
  model: string,
  body: object,
  { hook, headers = {} }: Submission = {},
): Promise<string> => {
  const query = hook === undefined ? '' : `?svc_webhook=${queue.receiver.url}${hook}`;
  const answer = await queue.request('POST', `/queue/${model}${query}`, {
    body,
    headers: { ...queue.auth.ann, ...headers },
  });
  return (answer.body as { request_id: string }).request_id;
};

const untilRunning = (queue: TestQueue, request: string): Promise<true> =>
  until(async () => {
    const path = `/queue/demo/train/requests/${request}/status`;
    const { body } = await queue.request('GET', path, { headers: queue.auth.ann });
    return (body as { status: string }).status === 'IN_PROGRESS' || null;
  });

const deliveryOf = async (queue: TestQueue, request: string): Promise<string> =>
  until(async () => {
    const [row] = await queue.database.query('select id from svc_deliveries where request = ?', [request]);
    return row === undefined ? null : `delivery-${String(row.id)}`;
  });
