/**
 * The published client of the public queue, unchanged: a proxy between it and the server renames hosts and brand, as
 * somebody who moves a program over would.
 */
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, createFalClient, ValidationError, type FalClient, type QueueStatus } from '@fal-ai/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

let queue: TestQueue;
let proxy: Server;
let client: FalClient;

beforeAll(async () => {
  queue = await startTestQueue('sqlite');
  await queue.startWorkers();
  proxy = await startProxy(queue.url);
  client = createFalClient({
    credentials: (queue.auth.ann.authorization ?? '').slice('Key '.length),
    proxyUrl: { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`, when: 'always' },
  });
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await queue.close();
});

const startProxy = async (url: string): Promise<Server> => {
  const server = createServer((incoming, response) => {
    const target = rename(String(incoming.headers['x-fal-target-url']), 'fal', 'svc', url);
    const outgoing = request(target, {
      method: incoming.method,
      headers: brand(incoming.headers, 'fal', 'svc'),
    });
    outgoing.on('response', (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 500, brand(answer.headers, 'svc', 'fal'));
      response.flushHeaders();
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const rename = (target: string, from: string, to: string, url: string): string =>
  target
    .replace('https://queue.fal.run', `${url}/queue`)
    .replace('https://fal.run', `${url}/run`)
    .replace(`?${from}_`, `?${to}_`);

const brand = (headers: IncomingHttpHeaders, from: string, to: string): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'host')
      .map(([name, value]) => [name.replace(`x-${from}-`, `x-${to}-`), value]),
  );

const image = { prompt: 'sea', width: 16, height: 16 };
const training = { model_name: 'm', prompt: 'sea', steps: 5_000, pause: 0.02 };
const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
const states = (updates: readonly QueueStatus[]): string[] => [
  ...new Set(updates.map(({ status }) => status)),
];

describe('the public client', () => {
  it.each(['polling', 'streaming'] as const)('subscribes by %s, with logs', async (mode) => {
    const updates: QueueStatus[] = [];
    const enqueued: string[] = [];
    const result = await client.subscribe('demo/train', {
      input: { ...training, steps: 40, pause: 0.05 },
      mode,
      logs: true,
      onEnqueue: (id) => enqueued.push(id),
      onQueueUpdate: (update) => updates.push(structuredClone(update)),
      ...(mode === 'polling' && { pollInterval: 100 }),
    } as Parameters<FalClient['subscribe']>[1]);
    expect(result.data).toMatchObject({ model_name: 'm', steps: 40 });
    expect(enqueued).toEqual([result.requestId]);
    expect(states(updates).slice(-2)).toEqual(['IN_PROGRESS', 'COMPLETED']);
    const last = updates.at(-1) as QueueStatus & { readonly logs: { readonly message: string }[] };
    expect(last).toMatchObject({
      request_id: result.requestId,
      metrics: { inference_time: expect.any(Number) },
    });
    expect(last.logs.length).toBeGreaterThan(0);
    expect(new Set(last.logs.map(({ message }) => message)).size).toBe(last.logs.length);
  });

  it('submits with a webhook, and reads status and result by its id', async () => {
    const { receiver } = queue;
    const submitted = await client.queue.submit('demo/image', {
      input: image,
      webhookUrl: `${receiver.url}/public`,
      priority: 'low',
      startTimeout: 60,
      hint: 'anything',
      storageSettings: { expiresIn: 60 },
    });
    expect(submitted).toMatchObject({ status: 'IN_QUEUE', queue_position: 0 });
    const { request_id: requestId } = submitted;
    const hook = await until(() => receiver.received.find(({ path }) => path === '/public') ?? null);
    expect(hook.body).toMatchObject({ request_id: requestId, status: 'OK' });
    const status = await client.queue.status('demo/image', { requestId, logs: true });
    expect(status).toMatchObject({ status: 'COMPLETED', request_id: requestId, logs: [{ level: 'INFO' }] });
    const { data } = await client.queue.result('demo/image', { requestId });
    const [picture] = (data as { images: { url: string }[] }).images;
    const expires = Number(new URL(picture?.url ?? '').searchParams.get('expires'));
    expect(expires - Date.now() / 1000).toBeLessThanOrEqual(61);
    expect((await fetch(picture?.url ?? '')).headers.get('content-type')).toBe('image/png');
  });

  it('follows the status of a request, cancels it and receives the cancellation as its result', async () => {
    const { request_id: requestId } = await client.queue.submit('demo/train', { input: training });
    const stream = await client.queue.streamStatus('demo/train', { requestId, logs: true });
    const seen: string[] = [];
    let cancelled = false;
    for await (const { status } of stream) {
      seen.push(status);
      if (status !== 'IN_PROGRESS' || cancelled) continue;
      cancelled = true;
      await client.queue.cancel('demo/train', { requestId });
    }
    expect(seen.at(-1)).toBe('COMPLETED');
    expect(await stream.done()).toMatchObject({ status: 'COMPLETED', error_type: 'client_cancelled' });
    const failure = await failureOf(client.queue.result('demo/train', { requestId }));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 499, requestId, body: { error_type: 'client_cancelled' } });
    const again = await failureOf(client.queue.cancel('demo/train', { requestId }));
    expect(again).toMatchObject({ status: 400, body: { status: 'ALREADY_COMPLETED' } });
  });

  it('cancels the request after its own timeout', async () => {
    let id = '';
    const failure = await failureOf(
      client.subscribe('demo/train', { input: training, timeout: 2_000, onEnqueue: (made) => (id = made) }),
    );
    expect(String(failure)).toContain('timed out');
    await until(async () => {
      const status = await client.queue.status('demo/train', { requestId: id });
      return status.status === 'COMPLETED' || null;
    });
    expect(await failureOf(client.queue.result('demo/train', { requestId: id }))).toMatchObject({
      status: 499,
    });
  });

  it('reports input errors by field', async () => {
    for (const call of [client.subscribe, client.run]) {
      const failure = await failureOf(call('demo/image', { input: { width: 1 } as never }));
      expect(failure).toBeInstanceOf(ValidationError);
      expect((failure as ValidationError).getFieldErrors('prompt')).toEqual([
        { loc: ['body', 'prompt'], msg: 'field required', type: 'value_error.missing' },
      ]);
    }
  });

  it('runs requests directly', async () => {
    const { data, requestId } = await client.run('demo/image', { input: image as never });
    expect(data).toMatchObject({ images: [{ width: 16 }] });
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('receives a passed deadline and does not retry', async () => {
    const running = await Promise.all(
      [1, 2].map(() => client.queue.submit('demo/train', { input: training as never })),
    );
    const failure = await failureOf(
      client.subscribe('demo/train', { input: training as never, startTimeout: 1.5 }),
    );
    expect(failure).toMatchObject({
      status: 504,
      isUserTimeout: true,
      body: { error_type: 'startup_timeout' },
    });
    for (const { request_id: requestId } of running) await client.queue.cancel('demo/train', { requestId });
  });

  it('receives errors for a missing request and an invalid key', async () => {
    const unknown = { requestId: '00000000-0000-4000-8000-000000000000' };
    expect(await failureOf(client.queue.status('demo/image', unknown))).toMatchObject({
      status: 404,
      body: { status: 'NOT_FOUND' },
    });
    expect(await failureOf(client.queue.submit('demo/none', { input: {} }))).toMatchObject({ status: 404 });
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
    const stranger = createFalClient({ credentials: 'a:b', proxyUrl: { url, when: 'always' } });
    expect(await failureOf(stranger.queue.submit('demo/image', { input: image as never }))).toMatchObject({
      status: 401,
      body: { detail: 'invalid key credentials' },
    });
  });
});
