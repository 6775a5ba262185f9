/** The incident of `docs/operations/incident.md`, as it is written there: with a worker, Temporal, Prometheus and a receiver of webhooks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createNamespace } from '../queue/namespaces.js';
import { startReceiver, type Receiver } from '../queue/receiver.js';
import type { Running, Workplace } from '../runtime/commands.js';
import { createBootstrapped } from '../runtime/harness/bootstrapped.js';
import { adminToken } from '../runtime/server-harness.js';
import { reservePort } from '../services/ports.js';
import { impatientRules, startPrometheus, type Prometheus } from '../services/prometheus.js';
import { until } from '../until.js';
import { fileOf, pages, type Block } from './pages.js';
import { compareOutput, runBlocks } from './shell.js';

const blocks = pages.find(({ path }) => path === 'docs/operations/incident.md')?.blocks ?? [];
const commands = blocks.filter(({ language }) => language === 'sh');

let place: Workplace;
let receiver: Receiver;
let prometheus: Prometheus;
let running: readonly Running[] = [];
let url = '';

beforeAll(async () => {
  receiver = await startReceiver();
  place = await createBootstrapped();
  for (const block of blocks) {
    const file = fileOf(block);
    if (file === null) continue;
    mkdirSync(join(place.directory, dirname(file)), { recursive: true });
    writeFileSync(join(place.directory, file), block.text);
  }
  writeFileSync(join(place.directory, 'package.json'), '{ "type": "module" }\n');
  const [port, apiAdmin, workerAdmin] = [await reservePort(), await reservePort(), await reservePort()];
  url = `http://127.0.0.1:${port}`;
  const environment = {
    TEMPORAL_ADDRESS: inject('services').temporal,
    TEMPORAL_NAMESPACE: await createNamespace(),
    PUBLIC_URL: url,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  const ports = { PORT: String(port), ADMIN_PORT: String(apiAdmin) };
  const api = place.start(['start', '--workers', '1'], { ...environment, ...ports });
  const worker = place.start(['worker'], { ...environment, ADMIN_PORT: String(workerAdmin) });
  running = [api, worker];
  await Promise.all([api.until(/\/items/), worker.until(/workers started: /)]);
  prometheus = await startPrometheus([apiAdmin, workerAdmin], impatientRules());
}, 240_000);
afterAll(async () => {
  await prometheus.close();
  await Promise.all(running.map((each) => each.stop('SIGKILL')));
  await receiver.close();
  place.remove();
});

const submit = async (): Promise<string> => {
  const answer = await fetch(`${url}/queue/acme/label?svc_webhook=${receiver.url}/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'a field in the rain' }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { request_id: string }).request_id;
};

/** Puts the addresses of this test in place of those of the page. */
const withAddresses = (block: Block): Block => {
  const text = block.text.replaceAll('http://127.0.0.1:8080', url);
  return { ...block, text: text.replaceAll('http://127.0.0.1:9090', prometheus.url) };
};

it('is found, explained, stopped, repaired and made good with the commands of the page', async () => {
  const submitted: string[] = [];
  for (let each = 0; each < 6; each += 1) {
    submitted.push(await submit());
    await prometheus.scraped();
  }
  await until(
    async () =>
      (await prometheus.alerts()).some(
        ({ labels, state }) => labels['alertname'] === 'SvcModelFails' && state === 'firing',
      ),
    { what: 'SvcModelFails fires', interval: 500, seen: () => prometheus.alerts() },
  );
  await until(() => submitted.every((id) => receiver.received.some(({ body }) => body['request_id'] === id)));
  const moved = commands.map(withAddresses);
  const environment = { PATH: process.env.PATH ?? '', ADMIN_TOKEN: adminToken };
  const printed = await runBlocks(moved, { directory: place.directory, environment });
  expect(moved.flatMap((block, at) => compareOutput(block, printed[at] ?? ''))).toEqual([]);
  for (const id of submitted) {
    const statuses = receiver.received
      .filter(({ body }) => body['request_id'] === id)
      .map(({ body }) => body['status']);
    expect([id, statuses[0], statuses.at(-1)]).toEqual([id, 'ERROR', 'OK']);
  }
}, 240_000);
