/** Accounts whose receivers hang, are slow, refuse or redirect do not delay deliveries of other accounts. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createQuotas } from '../../runtime/queue/requests/quotas.js';
import { createQueueModels } from '../../runtime/queue/models/models.js';
import { createRequestLifecycle, type RequestLifecycle } from '../../runtime/queue/requests/lifecycle.js';
import { insertDelivery } from '../../runtime/queue/store/deliveries.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { createGateway, type Gateway } from '../../runtime/queue/temporal/gateway.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const isLong = process.env.LONG === '1';
const [goodAccounts, badAccounts, badDeliveries] = isLong ? [40, 10, 80] : [8, 4, 24];

/**
 * Milliseconds until the first attempt of every good account; on a machine that runs other tests as well, less than the
 * 15 s for which an attempt that hangs keeps its place.
 */
const limit = isLong ? 2_000 : 10_000;

/** Responses of receivers of bad accounts; a good one responds at once. */
const behaviours = ['hang', 'slow', 'refuse', 'redirect'] as const;

let queue: TestQueue;
let gateway: Gateway;
let lifecycle: RequestLifecycle;
let bad: Server;
/** Numbers of requests by path, and of those that are open. */
const arrivals = new Map<string, number>();
const open = new Map<string, number>();
const count = (counts: Map<string, number>, name: string, by: number): void => {
  counts.set(name, (counts.get(name) ?? 0) + by);
};

beforeAll(async () => {
  queue = await startTestQueue('sqlite');
  bad = createServer((request, response) => {
    const [, behaviour = '', account = ''] = request.url?.split('/') ?? [];
    const name = `${behaviour} ${account}`;
    count(arrivals, name, 1);
    count(open, name, 1);
    response.once('close', () => count(open, name, -1));
    if (behaviour === 'slow') setTimeout(() => response.end(), 5_000);
    if (behaviour === 'refuse') response.writeHead(503).end();
    if (behaviour === 'good') response.end();
    if (behaviour === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve));
  const { temporalAddress: address, temporalNamespace: namespace, resultTtl } = queue.settings;
  gateway = createGateway({ address, namespace });
  lifecycle = createRequestLifecycle({
    database: queue.database,
    models: createQueueModels([]),
    gateway,
    quotas: createQuotas({ database: queue.database, preset: queue.settings.quotas }),
    resultTtl,
    onError: (error) => {
      throw error;
    },
  });
  await queue.startWorkers();
});
afterAll(async () => {
  bad.closeAllConnections();
  bad.close();
  await gateway.close();
  await queue.close();
});

const deliver = async (account: string, url: string): Promise<string> => {
  const id = createId();
  const delivery = { id, request: null, account, url, created: Date.now() };
  lifecycle.scheduleDelivery(await insertDelivery(queue.database, delivery));
  return id;
};

const hasAttempt = async (id: string): Promise<boolean> => {
  const [row] = await queue.database.query('select attempted from svc_deliveries where id = ?', [id]);
  return Number(row?.attempted) > 0;
};

/** Delivers once for each good account, to the server of the others. @returns milliseconds until each first attempt ended */
const deliverGood = async (port: number): Promise<readonly number[]> => {
  const waits: number[] = [];
  for (let index = 0; index < goodAccounts; index += 1) {
    const begun = performance.now();
    const id = await deliver(createId(), `http://127.0.0.1:${port}/good/1`);
    await until(async () => (await hasAttempt(id)) || null);
    waits.push(performance.now() - begun);
  }
  return waits;
};

it(`${badAccounts} of ${goodAccounts + badAccounts} accounts with failing receivers do not delay the others`, async () => {
  const { port } = bad.address() as AddressInfo;
  for (let index = 0; index < badAccounts; index += 1) {
    const account = createId();
    const url = `http://127.0.0.1:${port}/${behaviours[index % behaviours.length]}/${index}`;
    for (let sent = 0; sent < badDeliveries; sent += 1) await deliver(account, url);
  }
  await lifecycle.flush();
  // every place that the hanging and slow accounts may take is taken
  await until(() => (arrivals.get('hang 0') ?? 0) >= 8 || null);
  await until(() => (arrivals.get('slow 1') ?? 0) >= 8 || null);
  expect(Math.max(...(await deliverGood(port)))).toBeLessThan(limit);
  expect(arrivals.get('good 1')).toBe(goodAccounts);
  // places of one account at one receiver; on a busy machine the first attempts have ended, and others hang
  expect(open.get('hang 0')).toBeLessThanOrEqual(8);
});
