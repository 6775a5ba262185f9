import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { watchSearchable } from '../../runtime/queue/temporal/search-attributes.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

let queue: TestQueue;
let connection: Connection;
beforeEach(async () => {
  queue = await startTestQueue('sqlite');
  connection = await Connection.connect({ address: inject('services').temporal });
});
afterEach(async () => {
  await connection.close();
  await queue.close();
});

const image = { prompt: 'sea', width: 16, height: 16 };

it('uses search attributes as soon as a worker has added them', async () => {
  const client = new Client({ connection, namespace: queue.namespace });
  const searchable = watchSearchable(client, queue.namespace, 50);
  expect(await searchable()).toBe(false);
  await queue.startWorkers();
  await until(searchable);
});

it('finds requests and deliveries by their search attributes', async () => {
  await queue.startWorkers();
  const { workflow } = new Client({ connection, namespace: queue.namespace });
  const path = `/queue/demo/image?svc_webhook=${queue.receiver.url}/found`;
  const { body } = await queue.request('POST', path, { as: 'ann', body: image });
  const { request_id: id } = body as unknown as { request_id: string };
  const query = `SvcRequestId="${id}" and ExecutionStatus="Completed"`;
  await until(async () => ((await workflow.count(query)).count === 2 ? true : null));
  const found = [
    `SvcModel="demo/image" and SvcStatus="OK" and SvcHttpStatus=200`,
    `SvcWebhookState="delivered" and WorkflowType="webhookDelivery"`,
    `SvcWebhookHost="${new URL(queue.receiver.url).hostname}"`,
  ];
  for (const part of found) expect((await workflow.count(`${query} and ${part}`)).count).toBe(1);
  expect((await workflow.count(`SvcRequestId="${id}" and SvcWebhookState="pending"`)).count).toBe(0);
});
