/** A real Prometheus scrapes a server and a worker: the dashboard shows their work, and alerts fire when they are caused. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createNamespace } from '../../queue/namespaces.js';
import { startReceiver, type Receiver } from '../../queue/receiver.js';
import { reservePort } from '../../services/ports.js';
import { impatientRules, startPrometheus, type Prometheus } from '../../services/prometheus.js';
import { until } from '../../until.js';
import type { Running, Workplace } from '../commands.js';
import { createBootstrapped } from '../harness/bootstrapped.js';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}
interface Dashboard {
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const read = (name: string): string => readFileSync(join(process.cwd(), 'docs', 'operations', name), 'utf8');
const dashboard = JSON.parse(read('dashboard.json')) as Dashboard;
const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

let place: Workplace;
let receiver: Receiver;
let prometheus: Prometheus;
let api: Running;
let worker: Running;
let startWorker: () => Promise<void>;
let url = '';
let key = '';

beforeAll(async () => {
  receiver = await startReceiver();
  place = await createBootstrapped();
  const [port, apiAdmin, workerAdmin] = [await reservePort(), await reservePort(), await reservePort()];
  url = `http://127.0.0.1:${port}`;
  const environment = {
    TEMPORAL_ADDRESS: inject('services').temporal,
    TEMPORAL_NAMESPACE: await createNamespace(),
    PUBLIC_URL: url,
    RATE_LIMITER_ENABLED: 'false',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  key = (await place.run(['keys', 'create', '--user', 'admin@example.com'])).stdout.trim();
  api = place.start(['start', '--workers', '1'], {
    ...environment,
    PORT: String(port),
    ADMIN_PORT: String(apiAdmin),
  });
  startWorker = async () => {
    worker = place.start(['worker'], { ...environment, ADMIN_PORT: String(workerAdmin) });
    await worker.until(/workers started: /);
  };
  await Promise.all([api.until(/\/items/), startWorker()]);
  prometheus = await startPrometheus([apiAdmin, workerAdmin], impatientRules());
}, 180_000);
afterAll(async () => {
  await prometheus.close();
  await Promise.all([api.stop('SIGKILL'), worker.stop('SIGKILL')]);
  await receiver.close();
  place.remove();
});

const submit = async (model: string, input: object): Promise<string> => {
  const answer = await fetch(`${url}/queue/${model}?svc_webhook=${receiver.url}/`, {
    method: 'POST',
    headers: { authorization: `Key ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { request_id: string }).request_id;
};
const submitImage = (seed: number) => submit('demo/image', { prompt: 'sea', seed, width: 16, height: 16 });

const valueOf = async (expression: string): Promise<number> =>
  Number((await prometheus.query(expression))[0]?.value[1] ?? Number.NaN);

const seriesCount = (): Promise<number> => valueOf('count({__name__=~"svc_http_.+"})');

const probe = async (): Promise<void> => {
  const authorization = `Bearer ${randomUUID()}`;
  const paths = [`/${randomUUID()}`, `/items/${randomUUID()}`, `/queue/${randomUUID()}/${randomUUID()}`];
  for (const path of paths) await (await fetch(url + path, { headers: { authorization } })).text();
  await (await fetch(`${url}/items/${randomUUID()}`, { method: 'PATCH' })).text();
};

const untilFiring = (name: string) =>
  until(
    async () =>
      (await prometheus.alerts()).some(
        ({ labels, state }) => labels['alertname'] === name && state === 'firing',
      ),
    { what: `${name} fires`, timeout: 90_000, interval: 500, seen: () => prometheus.alerts() },
  );

const isQuiet = async (name: string): Promise<boolean> =>
  !(await prometheus.alerts()).some(({ labels }) => labels['alertname'] === name);

// in order: alerts kill what the dashboard shows
describe('Prometheus', { shuffle: false }, () => {
  describe('the dashboard', () => {
    it('has the structure that Grafana imports', () => {
      expect(dashboard.schemaVersion).toBe(39);
      expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'job']);
      expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
      const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(expressions.length).toBeGreaterThan(30);
    });

    it('shows series in every panel', async () => {
      for (let seed = 0; seed < 3; seed += 1) await submitImage(seed);
      await until(() => receiver.received.length >= 3);
      const missing = new Map(expressions.map(([title, expr]) => [expr, title]));
      await until(
        async () => {
          await (await fetch(`${url}/server/ping`)).text();
          for (const expr of missing.keys()) {
            const asked = expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'svc');
            if ((await prometheus.query(asked)).length > 0) missing.delete(expr);
          }
          return missing.size === 0;
        },
        { timeout: 150_000, interval: 1_000, seen: () => [...missing] },
      );
      expect([...missing]).toEqual([]);
    }, 240_000);

    it('counts the streams that clients follow', async () => {
      const train = { model_name: 'm', prompt: 'sea', steps: 2_000, pause: 0.05 };
      const id = await submit('demo/train', train);
      const abort = new AbortController();
      const stream = await fetch(`${url}/queue/demo/train/requests/${id}/status/stream`, {
        headers: { authorization: `Key ${key}` },
        signal: abort.signal,
      });
      expect(stream.status).toBe(200);
      await until(async () => (await valueOf('sum(svc_streams_open)')) === 1);
      abort.abort();
      await until(async () => (await valueOf('sum(svc_streams_open)')) === 0);
    }, 120_000);
  });

  it('1 000 accounts and paths add no series', async () => {
    await probe();
    await until(async () => (await seriesCount()) > 0);
    const total = 'sum(svc_http_requests_total)';
    // once all that one probe adds was scraped
    const first = await valueOf(total);
    await until(async () => {
      await (await fetch(`${url}/server/ping`)).text();
      return (await valueOf(total)) > first + 2;
    });
    const before = await seriesCount();
    for (let turn = 0; turn < 250; turn += 1) await probe();
    await until(async () => (await valueOf(total)) >= first + 1_000);
    expect(await seriesCount()).toBe(before);
  }, 180_000);

  describe('alerts', () => {
    it('SvcWebhooksFail fires while a receiver answers with errors', async () => {
      expect(await isQuiet('SvcWebhooksFail')).toBe(true);
      receiver.answers.push(...Array.from({ length: 200 }, () => 500));
      for (let seed = 100; seed < 106; seed += 1) {
        await submitImage(seed);
        await prometheus.scraped();
      }
      await untilFiring('SvcWebhooksFail');
      receiver.answers.length = 0;
      if (process.env.LONG !== undefined) await until(() => isQuiet('SvcWebhooksFail'), { timeout: 90_000 });
    }, 240_000);

    it('SvcDown and SvcQueueNotWatched fire once the only worker is killed', async () => {
      expect([await isQuiet('SvcDown'), await isQuiet('SvcQueueNotWatched')]).toEqual([true, true]);
      await worker.stop('SIGKILL');
      await untilFiring('SvcDown');
      await untilFiring('SvcQueueNotWatched');
      await startWorker();
      for (const name of ['SvcDown', 'SvcQueueNotWatched'])
        await until(() => isQuiet(name), { timeout: 90_000, interval: 500 });
    }, 240_000);
  });
});
