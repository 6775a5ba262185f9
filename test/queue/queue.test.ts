import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookSecrets } from '../../runtime/queue/store/secrets.js';
import { dialectsOf } from '../databases.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';
import type { Received } from './receiver.js';

const dialects = dialectsOf(import.meta.url);

interface Submitted {
  readonly request_id: string;
  readonly status_url: string;
}

const idOf = (answer: { readonly body: unknown }): string => (answer.body as Submitted).request_id;

describe.each(dialects)('the queue on %s', (dialect) => {
  let queue: TestQueue;

  beforeAll(async () => {
    queue = await startTestQueue(dialect);
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  const submit = async (model: string, body: unknown, more: Record<string, string> = {}, hook = '') => {
    const query = hook === '' ? '' : `?svc_webhook=${queue.receiver.url}${hook}`;
    return queue.request('POST', `/queue/${model}${query}`, {
      body,
      headers: { ...queue.auth.ann, ...more },
    });
  };
  const get = (path: string, who: 'ann' | 'bob' = 'ann') =>
    queue.request('GET', `/queue/${path}`, { headers: queue.auth[who] });
  const received = (hook: string): Promise<Received> =>
    until(() => queue.receiver.received.find(({ path }) => path === hook) ?? null);
  const ended = (id: string, model = 'demo/image') =>
    until(async () => {
      const answer = await get(`${model}/requests/${id}/status?logs=1`);
      return answer.status === 200 ? (answer.body as Record<string, unknown>) : null;
    });

  it('responds to a submission with all fields of the protocol', async () => {
    const answer = await submit('demo/image', { prompt: 'a', width: 16, height: 16 });
    expect(answer.status).toBe(200);
    const id = idOf(answer);
    const url = `${queue.url}/queue/demo/image/requests/${id}`;
    expect(answer.body).toEqual({
      status: 'IN_QUEUE',
      request_id: id,
      gateway_request_id: id,
      response_url: url,
      status_url: `${url}/status`,
      cancel_url: `${url}/cancel`,
      queue_position: 0,
    });
    expect(answer.headers.get('x-svc-request-id')).toBe(id);
  });

  it('delivers the result with both signatures and a working URL of the picture', async () => {
    const id = idOf(await submit('demo/image', { prompt: 'sea', seed: 7, width: 32, height: 16 }, {}, '/ok'));
    const hook = await received('/ok');
    expect(hook.body).toMatchObject({ request_id: id, gateway_request_id: id, status: 'OK', error: null });
    const { images, seed } = hook.body.payload as {
      images: Record<string, string | number>[];
      seed: number;
    };
    expect(seed).toBe(7);
    expect(images).toHaveLength(1);
    expect(images[0]).toMatchObject({ content_type: 'image/png', width: 32, height: 16 });
    const picture = Buffer.from(await (await fetch(String(images[0]?.url))).arrayBuffer());
    expect(picture.length).toBe(images[0]?.file_size);
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    const forged = String(images[0]?.url).replace(/signature=(.)/, (_, first) =>
      first === 'A' ? 'signature=B' : 'signature=A',
    );
    expect((await fetch(forged)).status).toBe(404);

    const account = queue.ids.users.get('ann') ?? '';
    const [secret = ''] = await webhookSecrets(queue.database, account, Date.now());
    const headers = Object.fromEntries(
      Object.entries(hook.headers).map(([name, value]) => [name, String(value)]),
    );
    expect(new Webhook(secret).verify(hook.text, headers)).toEqual(hook.body);

    const jwks = (await (await fetch(`${queue.url}/.well-known/jwks.json`)).json()) as { keys: JsonWebKey[] };
    const hash = createHash('sha256').update(hook.text).digest('hex');
    const signed = [id, account, headers['x-svc-webhook-timestamp'], hash].join('\n');
    const signature = Buffer.from(headers['x-svc-webhook-signature'] ?? '', 'hex');
    const isGood = jwks.keys.some((key) =>
      verify(null, Buffer.from(signed), createPublicKey({ key, format: 'jwk' }), signature),
    );
    expect(isGood).toBe(true);
  });

  it('reports a missing field in the webhook and the result', async () => {
    const id = idOf(await submit('demo/train', { prompt: 'sea' }, {}, '/missing'));
    const hook = await received('/missing');
    const detail = [{ loc: ['body', 'model_name'], msg: 'field required', type: 'value_error.missing' }];
    expect(hook.body).toEqual({
      request_id: id,
      gateway_request_id: id,
      status: 'ERROR',
      payload: { detail },
      error: 'Invalid status code: 422',
    });
    const result = await get(`demo/train/requests/${id}`);
    expect([result.status, result.body]).toEqual([422, { detail }]);
    expect(await ended(id, 'demo/train')).toMatchObject({ error: 'Invalid status code: 422' });
  });

  it('retries a delivery under the same id until the receiver accepts it', async () => {
    queue.receiver.answers.push(500, 503);
    await submit('demo/image', { prompt: 'again', width: 16, height: 16 }, {}, '/again');
    const all = await until(() => {
      const found = queue.receiver.received.filter(({ path }) => path === '/again');
      return found.length === 3 ? found : null;
    });
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
  });

  it('follows no redirect', async () => {
    queue.receiver.answers.push(302);
    const id = idOf(await submit('demo/image', { prompt: 'r', width: 16, height: 16 }, {}, '/redirect'));
    const [delivery] = await until(async () => {
      const rows = await queue.database.query(
        "select id from svc_deliveries where request = ? and state = 'failed'",
        [id],
      );
      return rows.length > 0 ? rows : null;
    });
    const attempts = await queue.database.query(
      'select status, error from svc_delivery_attempts where delivery = ?',
      [String(delivery?.id)],
    );
    expect(attempts).toEqual([{ status: 302, error: 'redirect' }]);
    expect(queue.receiver.received.some(({ path }) => path === '/elsewhere')).toBe(false);
  });

  it('creates one request per idempotency key, also for concurrent submissions', async () => {
    const key = { 'idempotency-key': `once-${dialect}` };
    const body = { prompt: 'once', width: 16, height: 16 };
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit('demo/image', body, key)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(idOf)).size).toBe(1);
    const other = await submit('demo/image', { ...body, prompt: 'twice' }, key);
    expect(other.status).toBe(422);
    expect(other.body).toMatchObject({ detail: [{ loc: ['header', 'Idempotency-Key'] }] });
  });

  it('does not show requests to other users', async () => {
    const id = idOf(await submit('demo/image', { prompt: 'mine', width: 16, height: 16 }));
    for (const path of ['', '/status', '/status/stream']) {
      const answer = await get(`demo/image/requests/${id}${path}`, 'bob');
      expect([answer.status, answer.body]).toEqual([404, { status: 'NOT_FOUND', error_type: 'not_found' }]);
    }
    const cancelled = await queue.request('PUT', `/queue/demo/image/requests/${id}/cancel`, {
      headers: queue.auth.bob,
    });
    expect(cancelled.status).toBe(404);
    expect((await get(`demo/train/requests/${id}`)).status).toBe(404);
  });

  it('cancels a running request and streams its events', async () => {
    const input = { prompt: 'sea', model_name: 'm', steps: 5_000, pause: 0.02 };
    const id = idOf(await submit('demo/train', input, {}, '/cancelled'));
    const path = `demo/train/requests/${id}`;
    await until(async () => {
      const { body } = await get(`${path}/status?logs=1`);
      const { logs } = body as { logs: unknown[] };
      return logs.length > 0 ? logs : null;
    });
    expect((await get(path)).status).toBe(400);
    const stream = fetch(`${queue.url}/queue/${path}/status/stream?logs=1`, { headers: queue.auth.ann });
    const answer = await queue.request('PUT', `/queue/${path}/cancel`, { headers: queue.auth.ann });
    expect([answer.status, answer.body]).toEqual([202, { status: 'CANCELLATION_REQUESTED' }]);
    expect((await received('/cancelled')).body).toMatchObject({
      status: 'ERROR',
      error: 'Invalid status code: 499',
    });
    const result = await get(path);
    expect([result.status, result.headers.get('x-svc-error-type')]).toEqual([499, 'client_cancelled']);
    const again = await queue.request('PUT', `/queue/${path}/cancel`, { headers: queue.auth.ann });
    expect([again.status, again.body]).toEqual([
      400,
      { status: 'ALREADY_COMPLETED', error_type: 'already_completed' },
    ]);
    const events = (await (await stream).text())
      .split('\n\n')
      .filter((event) => event.startsWith('data: '))
      .map(
        (event) =>
          JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '') as {
            status: string;
            logs: { message: string }[];
          },
      );
    expect(events.at(0)?.status).toBe('IN_PROGRESS');
    expect(events.at(-1)?.status).toBe('COMPLETED');
    const messages = events.flatMap(({ logs }) => logs.map(({ message }) => message));
    expect(new Set(messages).size).toBe(messages.length);
  });

  it('runs requests of one user before the queue of another', async () => {
    const busy = { prompt: 'sea', model_name: 'm', steps: 40, pause: 0.05 };
    const crowd = await Promise.all(Array.from({ length: 6 }, () => submit('demo/train', busy)));
    const other = await queue.request('POST', '/queue/demo/train', {
      body: { ...busy, steps: 1 },
      headers: queue.auth.bob,
    });
    await until(async () => {
      const answer = await get(`demo/train/requests/${idOf(other)}/status`, 'bob');
      return answer.status === 200 ? answer : null;
    });
    const states = await Promise.all(crowd.map((each) => get(`demo/train/requests/${idOf(each)}/status`)));
    expect(states.filter(({ status }) => status === 202).length).toBeGreaterThan(1);
    const cancel = (id: string) =>
      queue.request('PUT', `/queue/demo/train/requests/${id}/cancel`, { headers: queue.auth.ann });
    for (const each of crowd) await cancel(idOf(each));
    for (const each of crowd) await ended(idOf(each), 'demo/train');
  });

  it('runs requests directly, without webhooks', async () => {
    const headers = queue.auth.ann;
    const body = { prompt: 'now', width: 16, height: 16 };
    const answer = await queue.request('POST', '/run/demo/image', { body, headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ images: [{ width: 16 }] });
    const faulty = await queue.request('POST', '/run/demo/image', { body: {}, headers });
    expect([faulty.status, faulty.body]).toEqual([
      422,
      { detail: [{ loc: ['body', 'prompt'], msg: 'field required', type: 'value_error.missing' }] },
    ]);
    const hooked = await queue.request('POST', `/run/demo/image?svc_webhook=${queue.receiver.url}`, {
      body,
      headers,
    });
    expect(hooked.status).toBe(422);
    expect(hooked.body).toMatchObject({ detail: [{ loc: ['query', 'svc_webhook'] }] });
  });

  it('rejects invalid submissions', async () => {
    const headers = queue.auth.ann;
    const post = (path: string, options: object) => queue.request('POST', path, { headers, ...options });
    expect((await post('/queue/demo/nothing', { body: {} })).status).toBe(404);
    expect(
      (
        await post('/queue/demo/image', {
          raw: '{',
          headers: { ...headers, 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(400);
    expect(
      (await post('/queue/demo/image', { raw: 'a=b', headers: { ...headers, 'content-type': 'text/plain' } }))
        .status,
    ).toBe(415);
    expect((await post('/queue/demo/image', { body: {}, headers: {} })).status).toBe(401);
    const wrong = { authorization: `${queue.auth.ann.authorization?.slice(0, -1)}_` };
    expect((await post('/queue/demo/image', { body: {}, headers: wrong })).status).toBe(401);
    const inner = await post('/queue/demo/image?svc_webhook=http://10.0.0.1/', { body: {} });
    expect([inner.status, inner.body]).toMatchObject([422, { detail: [{ loc: ['query', 'svc_webhook'] }] }]);
  });
});
