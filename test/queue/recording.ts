/** Records one history of every way a request and its webhook can go. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { inject } from 'vitest';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

/** @param folder with a slash at its end */
export const recordHistories = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const queue = await startTestQueue('sqlite');
  await queue.startWorkers();
  const client = new Client({
    connection: await Connection.connect({ address: inject('services').temporal }),
    namespace: queue.namespace,
  });
  const save = async (name: string, id: string): Promise<void> => {
    const handle = client.workflow.getHandle(id);
    // it is started behind the answer
    await until(() => handle.describe().catch(() => null));
    await handle.result().catch(() => undefined);
    const history = await handle.fetchHistory();
    writeFileSync(`${folder}${name}.json`, `${withoutPlaces(historyToJSON(history))}\n`);
  };
  const image = { prompt: 'sea', width: 16, height: 16 };
  const train = { prompt: 'sea', model_name: 'm', steps: 30, pause: 0.05 };
  await save('request-ok', await submit(queue, 'demo/image', image));
  const faulty = await submit(queue, 'demo/train', {}, '/faulty');
  await save('request-faulty-with-webhook', faulty);
  await save('delivery-accepted', await deliveryOf(queue, faulty));
  queue.receiver.answers.push(500);
  await save(
    'delivery-repeated',
    await deliveryOf(queue, await submit(queue, 'demo/image', image, '/again')),
  );
  queue.receiver.answers.push(500, 410);
  const refused = await submit(queue, 'demo/image', image, '/refused');
  await save('request-with-webhook', refused);
  await save('delivery-refused', await deliveryOf(queue, refused));
  const several = [];
  for (let index = 0; index < 3; index += 1) several.push(await submit(queue, 'demo/train', train));
  await save('request-waited', several[2] ?? '');
  const running = await submit(queue, 'demo/train', { ...train, steps: 5_000 }, '/cancelled');
  await until(async () => {
    const { body } = await queue.request('GET', `/queue/demo/train/requests/${running}/status`, {
      headers: queue.auth.ann,
    });
    return (body as { status: string }).status === 'IN_PROGRESS' || null;
  });
  await queue.request('PUT', `/queue/demo/train/requests/${running}/cancel`, { headers: queue.auth.ann });
  await save('request-cancelled', running);
  await queue.close();
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

const submit = async (queue: TestQueue, model: string, body: object, hook = ''): Promise<string> => {
  const query = hook === '' ? '' : `?svc_webhook=${queue.receiver.url}${hook}`;
  const answer = await queue.request('POST', `/queue/${model}${query}`, { body, headers: queue.auth.ann });
  return (answer.body as { request_id: string }).request_id;
};

const deliveryOf = async (queue: TestQueue, request: string): Promise<string> =>
  until(async () => {
    const [row] = await queue.database.query('select id from svc_deliveries where request = ?', [request]);
    return row === undefined ? null : `delivery-${String(row.id)}`;
  });
