/** A server and a worker send their spans to a real collector, and load OpenTelemetry only where somebody receives them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createNamespace } from '../../queue/namespaces.js';
import { startReceiver, type Receiver } from '../../queue/receiver.js';
import { startCollector, type CollectedSpan, type Collector } from '../../services/collector.js';
import { reservePort } from '../../services/ports.js';
import { until } from '../../until.js';
import type { Running, Workplace } from '../commands.js';
import { createBootstrapped } from '../harness/bootstrapped.js';
import { adminToken } from '../server-harness.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = '00f067aa0ba902b7';

let place: Workplace;
let receiver: Receiver;
let collector: Collector;
let processes: readonly Running[] = [];
let url = '';
let key = '';

beforeAll(async () => {
  receiver = await startReceiver();
  collector = await startCollector();
  place = await createBootstrapped();
  const port = await reservePort();
  url = `http://127.0.0.1:${port}`;
  const environment = {
    TEMPORAL_ADDRESS: inject('services').temporal,
    TEMPORAL_NAMESPACE: await createNamespace(),
    PUBLIC_URL: url,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  key = (await place.run(['keys', 'create', '--user', 'admin@example.com'])).stdout.trim();
  const api = place.start(['start', '--workers', '1'], { ...environment, PORT: String(port) });
  const worker = place.start(['worker'], environment);
  processes = [api, worker];
  await Promise.all([api.until(/\/items/), worker.until(/workers started: /)]);
}, 900_000);
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop('SIGKILL')));
  await Promise.all([receiver.close(), collector.close()]);
  place.remove();
});

const submit = async (headers: Readonly<Record<string, string>> = {}): Promise<string> => {
  const answer = await fetch(`${url}/queue/demo/image?svc_webhook=${receiver.url}/hook-secret`, {
    method: 'POST',
    headers: { authorization: `Key ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt: 'private words', width: 16, height: 16 }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { request_id: string }).request_id;
};
const deliveredOf = (id: string) =>
  until(() => receiver.received.findLast(({ body }) => body['request_id'] === id));
const spansOf = (id: string, count: number): Promise<readonly CollectedSpan[]> =>
  until(
    () => {
      const found = collector.spans.filter(({ attributes }) => attributes['svc.request.id'] === id);
      return found.length >= count ? found : null;
    },
    { seen: () => collector.spans },
  );
const serverSpanOf = ({ parent }: CollectedSpan) =>
  until(() => collector.spans.find(({ id }) => id === parent));
const nameOf = ({ trace: traceId, id }: CollectedSpan): string => `00-${traceId}-${id}-01`;

describe('with a collector', () => {
  it('the submit, the attempt of the model and that of the webhook are spans of the trace of the caller', async () => {
    const id = await submit({ traceparent: `00-${trace}-${caller}-01` });
    const { headers } = await deliveredOf(id);
    const [run, post] = (await spansOf(id, 2)) as [CollectedSpan, CollectedSpan];
    const server = await serverSpanOf(run);
    expect(server).toMatchObject({
      service: 'svc-api',
      trace,
      parent: caller,
      kind: 'server',
      name: 'POST /queue/demo/image',
      failed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/queue/demo/image',
        'http.response.status_code': 200,
      },
    });
    expect(run).toMatchObject({
      service: 'svc-worker',
      trace,
      kind: 'consumer',
      name: 'run demo/image',
      failed: false,
      attributes: {
        'messaging.destination.name': 'demo/image',
        'messaging.message.id': id,
        'svc.attempt': 1,
      },
    });
    expect(post).toMatchObject({
      service: 'svc-worker',
      trace,
      parent: server.id,
      kind: 'client',
      name: 'POST',
      attributes: {
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(receiver.url).port),
        'http.response.status_code': 200,
        'http.request.resend_count': 0,
      },
    });
    expect(headers['traceparent']).toBe(nameOf(post));
  }, 120_000);

  it('a submit without a trace begins one, by which operators find it', async () => {
    const id = await submit();
    const [run] = (await spansOf(id, 2)) as [CollectedSpan];
    const server = await serverSpanOf(run);
    expect(server.parent).toBe('');
    expect((await deliveredOf(id)).headers['traceparent']).toContain(server.trace);
    const found = await fetch(`${url}/operator/requests?trace_id=${server.trace}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect(await found.json()).toMatchObject({ data: [{ id, trace_id: server.trace }] });
  }, 120_000);

  it('each attempt of a webhook is a span, and one that fails says with which status', async () => {
    receiver.answers.push(503);
    const id = await submit();
    const posts = (await spansOf(id, 3)).filter(({ kind }) => kind === 'client');
    expect(posts.map(({ failed }) => failed)).toEqual([true, false]);
    expect(posts[0]?.attributes).toMatchObject({ 'http.response.status_code': 503, 'error.type': '503' });
    expect(posts[1]?.attributes).toMatchObject({ 'http.request.resend_count': 1 });
  }, 120_000);

  it('no span has values of clients in it', async () => {
    const secret = 'a-private-value';
    await fetch(`${url}/items/svc_users/${secret}?filter=${secret}&access_token=${secret}`);
    await until(() =>
      collector.spans.find(({ attributes }) => attributes['http.route'] === '/items/:collection/:id'),
    );
    const everything = collector.text();
    for (const value of [
      secret,
      'private words',
      'hook-secret',
      key,
      key.split(':')[1] ?? '',
      'select ',
      'admin@',
    ])
      expect(everything).not.toContain(value);
  });

  it('a collector that is away costs no answer, and does not keep a process from its end', async () => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', PORT: '0' };
    const away = place.start(['start', '--workers', '1'], environment);
    await away.until(/\/items/);
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(away.output()) ?? [];
    expect((await fetch(`${address}/server/ping`)).status).toBe(200);
    await away.stop('SIGTERM');
  }, 120_000);
});

/** Returns whether a server that answered one request has loaded it. */
const isLoaded = async (environment: Readonly<Record<string, string>>): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-loaded-'));
  try {
    // V8 lists every script that a process has run when it ends
    const server = place.start(['start', '--workers', '1'], {
      ...environment,
      PORT: '0',
      NODE_V8_COVERAGE: folder,
    });
    await server.until(/\/items/);
    // only then it is certain to end by itself
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.output()) ?? [];
    expect((await fetch(`${address}/server/ping`)).status).toBe(200);
    await server.stop('SIGTERM');
    const scripts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(scripts.join()).toContain('/runtime/service.');
    return scripts.some((text) => text.includes('/node_modules/@opentelemetry/'));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('OpenTelemetry', () => {
  it('is not loaded without an endpoint', async () => {
    expect(await isLoaded({})).toBe(false);
  }, 120_000);

  it('is loaded with an endpoint', async () => {
    expect(await isLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).toBe(true);
  }, 120_000);
});
