/**
 * Deploys: API and workers are replaced one after the other under load. No request is lost, runs twice or is delivered
 * twice. `LONG=1`: 200 requests and several deploys.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openDatabase } from '../../runtime/databases/open.js';
import type { Database } from '../../runtime/databases/contract.js';
import type { Running, Workplace } from '../runtime/commands.js';
import { createBootstrapped } from '../runtime/harness/bootstrapped.js';
import { reservePort } from '../services/ports.js';
import { until } from '../until.js';
import { createNamespace } from './namespaces.js';
import { startReceiver, type Receiver } from './receiver.js';

const isLong = process.env.LONG === '1';
const [requests, deploys] = isLong ? [200, 3] : [8, 1];
/** Seconds that the longest requests run. */
const longest = isLong ? 30 : 3;

let place: Workplace;
let receiver: Receiver;
let store: Database;
let key = '';
let ports: readonly number[] = [];
let environment: Readonly<Record<string, string>> = {};
const running = new Set<Running>();

beforeAll(async () => {
  receiver = await startReceiver();
  ports = [await reservePort(), await reservePort()];
  place = await createBootstrapped();
  environment = {
    TEMPORAL_ADDRESS: inject('services').temporal,
    TEMPORAL_NAMESPACE: await createNamespace(),
    PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    RATE_LIMITER_ENABLED: 'false',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  key = (await place.run(['keys', 'create', '--user', 'admin@example.com'])).stdout.trim();
  store = await openDatabase({ url: `sqlite:${place.directory}/.svc/data.db` });
});
afterAll(async () => {
  await Promise.all([...running].map((each) => each.stop('SIGKILL')));
  await store.close();
  await receiver.close();
  place.remove();
});

const start = async (args: readonly string[], ready: RegExp, more = {}): Promise<Running> => {
  const started = place.start(args, { ...environment, ...more });
  running.add(started);
  await started.until(ready);
  return started;
};
const startWorker = (more = {}): Promise<Running> => start(['worker'], /workers started: /, more);
const startApi = (port: number): Promise<Running> =>
  start(['start', '--workers', '1'], /\/items/, { PORT: String(port) });
const stop = async (each: Running): Promise<void> => {
  expect(await each.stop('SIGTERM')).toBe(0);
  running.delete(each);
};

/** As a proxy does: tries the next API where one does not answer. */
const send = async (path: string, init: RequestInit): Promise<Response> => {
  for (let turn = 0; ; turn += 1) {
    const url = `http://127.0.0.1:${ports[turn % ports.length]}/queue/${path}`;
    const answer = await fetch(url, init).catch(() => null);
    if (answer !== null && answer.status < 500) return answer;
    await sleep(50);
  }
};

const submit = async (index: number, seconds = 0): Promise<string> => {
  const steps = seconds * 50;
  const train = { prompt: 'sea', model_name: 'm', steps, pause: 0.02, seed: index };
  const image = { prompt: 'sea', seed: index, width: 16, height: 16 };
  const model = seconds > 0 ? 'demo/train' : 'demo/image';
  const answer = await send(`${model}?svc_webhook=${receiver.url}/`, {
    method: 'POST',
    headers: {
      authorization: `Key ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `request-${index}-${seconds}`,
    },
    body: JSON.stringify(seconds > 0 ? train : image),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { request_id: string }).request_id;
};

const rowsOf = (ids: readonly string[]) =>
  store.query(
    `select id, state, http_status, attempts from svc_requests where id in (${ids.map(() => '?').join()})`,
    ids,
  );
const untilRunning = (id: string) => until(async () => (await rowsOf([id]))[0]?.state === 'running');
const untilDelivered = (ids: readonly string[]) =>
  until(() => ids.every((id) => heardOf(id).length > 0), {
    timeout: 300_000,
    seen: () => rowsOf(ids),
  });
const heardOf = (id: string) => receiver.received.filter(({ body }) => body.request_id === id);

it(
  `${requests} requests complete while API and workers are replaced ${deploys} times`,
  async () => {
    const apis = await Promise.all(ports.map(startApi));
    const workers = await Promise.all([startWorker(), startWorker()]);
    const ids: string[] = [];
    const deployed = new AbortController();
    const load = async (): Promise<void> => {
      for (let index = 0; index < requests || !deployed.signal.aborted; index += 1) {
        ids.push(await submit(index));
        await sleep(isLong ? 50 : 500);
      }
    };
    const replaceWorker = async (index: number, end: (each: Running) => Promise<void>): Promise<void> => {
      const next = await startWorker();
      await end(workers[index] as Running);
      workers[index] = next;
    };
    const deploy = async (count: number): Promise<void> => {
      const long = [await submit(2 * count, longest), await submit(2 * count + 1, longest)];
      ids.push(...long);
      for (const id of long) await untilRunning(id);
      await Promise.all([replaceWorker(0, stop), replaceWorker(1, drainByOperator)]);
      for (const [index, port] of ports.entries()) {
        await stop(apis[index] as Running);
        apis[index] = await startApi(port);
      }
    };
    const loading = load();
    for (let count = 0; count < deploys; count += 1) await deploy(count);
    deployed.abort();
    await loading;
    await untilDelivered(ids);
    expect(new Set(ids).size).toBe(ids.length);
    const rows = await rowsOf(ids);
    expect(rows.filter(({ state, http_status: status }) => state !== 'ended' || status !== 200)).toEqual([]);
    expect(rows.filter(({ attempts }) => Number(attempts) !== 1)).toEqual([]);
    expect(rows).toHaveLength(ids.length);
    expect(ids.filter((id) => heardOf(id).length !== 1)).toEqual([]);
    await Promise.all([...workers, ...apis].map(stop));
  },
  isLong ? 900_000 : 240_000,
);

const drainByOperator = async (worker: Running): Promise<void> => {
  const { stdout } = await place.run(['workers', 'list', '--json'], environment);
  const found = (JSON.parse(stdout) as { id: string }[]).find(({ id }) => id.startsWith(`${worker.pid}@`));
  expect((await place.run(['workers', 'drain', found?.id ?? ''], environment)).stdout).toBe('1 draining\n');
  expect(await worker.ended()).toBe(0);
  running.delete(worker);
};
