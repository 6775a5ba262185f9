/** The protocol of the queue, rule by rule. */
import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createStreams } from '../../runtime/queue/http/stream.js';
import { expire } from '../../runtime/queue/store/retention.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';
import { image, training, endless, spec, toolsOf, detailOf } from './wire-tools.js';

const preference = (seconds: number) => ({
  'x-svc-object-lifecycle-preference': JSON.stringify({ expiration_duration_seconds: seconds }),
});

describe('with workers', () => {
  let queue: TestQueue;
  const { call, submit, queued, get, cancel, result } = toolsOf(() => queue);
  beforeAll(async () => {
    queue = await startTestQueue('sqlite', {
      spec,
      environment: { QUEUE_URL: 'https://queue.example.com', RUN_URL: 'https://run.example.com/at/once/' },
    });
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  const lasts = async (headers: Record<string, string>): Promise<number> => {
    const answer = await call('POST', '/run/demo/image', headers, image);
    const [{ url } = { url: '' }] = (answer.body as { images: { url: string }[] }).images;
    return Number(new URL(url).searchParams.get('expires')) - Math.floor(Date.now() / 1000);
  };

  const ask = (host: string, method: string, path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { ...queue.auth.ann, host, 'content-type': 'application/json' };
      const request = send(`${queue.url}${path}`, { method, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      request.on('error', reject).end(method === 'POST' ? JSON.stringify(image) : '');
    });

  it('reports problems of query and headers together', async () => {
    const answer = await submit('demo/image?svc_webhook=http://10.0.0.1/&svc_max_queue_length=x', image, {
      'idempotency-key': 'x'.repeat(256),
      'x-svc-request-start-timeout': '0.1',
      'x-svc-tags': 'svc.own=1',
      'x-svc-object-lifecycle-preference': '{"expiration_duration_seconds":0}',
    });
    expect(answer.status).toBe(422);
    expect(detailOf(answer).map(({ loc }) => loc.join())).toEqual([
      'query,svc_webhook',
      'query,svc_max_queue_length',
      'header,Idempotency-Key',
      'header,X-Svc-Request-Start-Timeout',
      'header,X-Svc-Object-Lifecycle-Preference',
      'header,X-Svc-Tags',
    ]);
  });

  it.each(['', ' ', 'soon', '-1', '0', '0.1', 'NaN'])('rejects the start timeout "%s"', async (value) => {
    const answer = await submit('demo/image', image, { 'x-svc-request-start-timeout': value });
    expect([answer.status, detailOf(answer)]).toMatchObject([
      422,
      [{ loc: ['header', 'X-Svc-Request-Start-Timeout'], type: 'value_error.request_start_timeout' }],
    ]);
  });

  it.each(['[]', '"1d"', 'soon', '{"expiration_duration_seconds":1.5}'])(
    'rejects the file lifecycle %s',
    async (value) => {
      const answer = await submit('demo/image', image, { 'x-svc-object-lifecycle-preference': value });
      expect(answer.status).toBe(422);
    },
  );

  it.each([
    ['no pair', 'a'],
    ['a capital letter', 'A=1'],
    ['a reserved key', 'svc.a=1'],
    ['a long key', `${'a'.repeat(65)}=1`],
    ['a long value', `a=${'1'.repeat(257)}`],
    ['eleven pairs', Array.from({ length: 11 }, (_, index) => `a${index}=1`).join(',')],
  ])('rejects tags with %s', async (_, value) => {
    const answer = await submit('demo/image', image, { 'x-svc-tags': value });
    expect([answer.status, detailOf(answer)]).toMatchObject([422, [{ loc: ['header', 'X-Svc-Tags'] }]]);
  });

  it('finds requests by tags', async () => {
    const { request_id: id } = await queued('demo/image', image, { 'x-svc-tags': 'batch=7, team.x=a=b' });
    const { data } = await queue.request('GET', `/requests/${id}`, { as: 'ann' });
    expect(data).toMatchObject({ tags: { batch: '7', 'team.x': 'a=b' } });
    const path = `/requests?tag=${encodeURIComponent('team.x=a=b')}`;
    const found = await queue.request('GET', path, { as: 'ann' });
    expect((found.data as { readonly id: string }[]).map((each) => each.id)).toEqual([id]);
  });

  it('ends a request that waited too long with startup_timeout, by the newer of both headers', async () => {
    const busy = [await queued('demo/train', endless), await queued('demo/train', endless)];
    const late = await queued('demo/train', training, {
      'x-svc-request-timeout': '3600',
      'x-svc-request-start-timeout': '1.2',
    });
    const answer = await result(`demo/train/requests/${late.request_id}`);
    expect([answer.status, answer.body]).toMatchObject([504, { error_type: 'startup_timeout' }]);
    expect(answer.headers.get('x-svc-request-timeout-type')).toBe('user');
    const older = await queued('demo/train', training, { 'x-svc-request-timeout': '1.2' });
    expect((await result(`demo/train/requests/${older.request_id}`)).status).toBe(504);
    for (const { request_id: id } of busy) await cancel(`demo/train/requests/${id}`);
  });

  it('deletes bodies soon after the end if they are not to be kept', async () => {
    const kept = await queued('demo/image', image);
    const { request_id: id } = await queued('demo/image', image, { 'x-svc-store-io': '0' });
    for (const each of [kept.request_id, id]) {
      expect((await result(`demo/image/requests/${each}`)).status).toBe(200);
    }
    await expire(queue.database, { before: 0, now: Date.now() + 3_600_000 });
    expect((await get(`demo/image/requests/${id}`)).status).toBe(410);
    expect((await get(`demo/image/requests/${kept.request_id}`)).status).toBe(200);
    expect((await get(`demo/image/requests/${id}/status`)).body).toMatchObject({ status: 'COMPLETED' });
  });

  it('keeps files as long as the caller requests, at most as long as configured', async () => {
    expect(await lasts(preference(60))).toBeLessThanOrEqual(61);
    expect(await lasts({})).toBeGreaterThan(86_000);
    expect(await lasts(preference(9_000_000))).toBeLessThanOrEqual(86_401);
  });

  it('returns a status with all fields of the protocol, and logs on request', async () => {
    const { request_id: id } = await queued('demo/image', image);
    await result(`demo/image/requests/${id}`);
    const url = `https://queue.example.com/demo/image/requests/${id}`;
    const told = {
      status: 'COMPLETED',
      request_id: id,
      response_url: url,
      status_url: `${url}/status`,
      cancel_url: `${url}/cancel`,
      metrics: { inference_time: expect.any(Number) },
      expires_at: expect.stringMatching(/Z$/),
    };
    for (const [query, logs] of [
      ['', null],
      ['?logs=0', null],
      ['?logs=false', null],
      ['?logs=1', 'all'],
      ['?logs=true', 'all'],
    ] as const) {
      const answer = await get(`demo/image/requests/${id}/status${query}`);
      const line = {
        message: expect.any(String),
        level: 'INFO',
        source: 'USER',
        timestamp: expect.any(String),
      };
      expect([answer.status, answer.body]).toEqual([
        200,
        logs === null ? { ...told, logs } : { ...told, logs: [line], logs_cursor: '1.1' },
      ]);
      expect(answer.headers.get('x-svc-request-id')).toBe(id);
    }
  });

  it('returns the result at both of its URLs', async () => {
    const { request_id: id } = await queued('demo/image', {});
    const body = {
      detail: [{ loc: ['body', 'prompt'], msg: 'field required', type: 'value_error.missing' }],
    };
    for (const path of ['', '/response', '/']) {
      const answer = await result(`demo/image/requests/${id}${path}`);
      expect([answer.status, answer.body, answer.headers.get('x-svc-request-id')]).toEqual([422, body, id]);
    }
  });

  it('requires the whole model id at submission and accepts a shorter one afterwards', async () => {
    const { request_id: id, status_url: url } = await queued('test/deep/image', {});
    expect(url).toBe(`https://queue.example.com/test/deep/image/requests/${id}/status`);
    for (const [path, status] of [
      ['test/deep', 202],
      ['test/deep/image', 202],
      ['test/image', 404],
      ['demo/image', 404],
    ] as const) {
      const answer = await get(`${path}/requests/${id}/status`);
      expect([path, answer.status === 404]).toEqual([path, status === 404]);
    }
    expect((await submit('test/deep', {})).status).toBe(404);
    await cancel(`test/deep/requests/${id}`);
  });

  const running = async () => {
    const { request_id: id } = await queued('demo/train', endless);
    await until(async () => {
      const { body } = await get(`demo/train/requests/${id}/status`);
      return (body as { status: string }).status === 'IN_PROGRESS' || null;
    });
    return id;
  };

  it('streams new events until the request ends', async () => {
    const id = await running();
    const stream = await fetch(`${queue.url}/queue/demo/train/requests/${id}/status/stream`, {
      headers: queue.auth.ann,
    });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    let isCancelled = false;
    for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (isCancelled || !text.includes('\n\n')) continue;
      isCancelled = true;
      expect((await cancel(`demo/train/requests/${id}`)).body).toEqual({ status: 'CANCELLATION_REQUESTED' });
    }
    const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
    const told = events.map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);
    expect(told.map(({ status }) => status)).toEqual(['IN_PROGRESS', 'COMPLETED']);
    expect(told[0]).toMatchObject({ request_id: id, logs: null });
  });

  it('sends comments to keep an event stream alive', async () => {
    const id = await running();
    const observed: string[] = [];
    const streams = createStreams({
      database: queue.database,
      settings: queue.settings,
      observe: ({ kind }) => observed.push(kind),
      keepAlive: 0,
    });
    const parts: string[] = [];
    for await (const part of streams.follow({ id, after: null, isPermitted: async () => true })) {
      parts.push(String(part));
      if (parts.length === 3) break;
    }
    streams.close();
    // the end of a stream is told in a later turn of the event loop
    await vi.waitFor(() => expect(observed).toEqual(['streamOpened', 'streamEnded']));
    await cancel(`demo/train/requests/${id}`);
    expect(parts).toEqual([expect.stringMatching(/^data: /), ': still here\n\n', ': still here\n\n']);
  });

  const ends: readonly (readonly [string, (key: string) => Promise<unknown>])[] = [
    ['is revoked', (key) => queue.request('DELETE', `/keys/${key}`, { as: 'ann' })],
    [
      'passes to another account',
      (key) =>
        queue.execute(`update svc_keys set account = '${queue.ids.users.get('bob')}' where id = '${key}'`),
    ],
    [
      'is limited to other models',
      (key) => queue.execute(`update svc_keys set models = 'demo/image' where id = '${key}'`),
    ],
  ];
  it.each(ends)('ends the event stream of a key that %s', async (_, end) => {
    const id = await running();
    const body = { name: 'stream' };
    const made = (await queue.request('POST', '/keys', { as: 'ann', body })).data as {
      readonly id: string;
      readonly key: string;
    };
    const stream = await fetch(`${queue.url}/queue/demo/train/requests/${id}/status/stream`, {
      headers: { authorization: `Key ${made.key}` },
    });
    let text = '';
    for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (text === '') await end(made.id);
      text += part;
    }
    const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
    expect(events).toEqual([expect.stringContaining('"IN_PROGRESS"')]);
    await cancel(`demo/train/requests/${id}`);
  });

  it('does not reveal why a model cannot be run', async () => {
    const { request_id: id } = await queued('test/deep/image', {}, { 'x-svc-no-retry': '1' });
    const answer = await result(`test/deep/requests/${id}`);
    expect([answer.status, answer.body]).toEqual([
      500,
      { detail: 'The model failed', error_type: 'runner_server_error' },
    ]);
    expect(answer.headers.get('x-svc-error-type')).toBe('runner_server_error');
  });

  it('returns the same error without a key, with a wrong one and with one for other models', async () => {
    const post = (headers: Record<string, string>) =>
      queue.request('POST', '/queue/demo/image', { body: image, headers });
    const refusal = { detail: 'invalid key credentials', error_type: 'unauthorized' };
    for (const authorization of [
      'Key a:b',
      `Key ${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}:b`,
      'Bearer x',
    ]) {
      const answer = await post({ authorization });
      expect([answer.status, answer.body]).toEqual([401, refusal]);
    }
    expect((await post({})).status).toBe(401);
    const wrong = await queue.request('GET', '/queue/demo/image/requests/x/status', {});
    expect(wrong.status).toBe(401);
  });

  it('lists the served methods in Allow', async () => {
    const { request_id: id } = await queued('demo/image', image);
    for (const [method, path, allow] of [
      ['GET', '/queue/demo/image', 'POST'],
      ['GET', '/run/demo/image', 'POST'],
      ['GET', '/queue/demo/none', 'POST'],
      ['POST', `/queue/demo/image/requests/${id}/cancel`, 'PUT'],
      ['PUT', `/queue/demo/image/requests/${id}/response/`, 'GET'],
      ['POST', `/files/${id}/a.png`, 'GET'],
    ] as const) {
      const answer = await call(method, path);
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, allow]);
      expect(answer.body).toEqual({
        detail: expect.stringContaining(allow),
        error_type: 'method_not_allowed',
      });
    }
    const missing = { detail: expect.stringContaining('is not served'), error_type: 'not_found' };
    const none = await call('GET', `/queue/demo/image/requests/${id}/nothing`);
    expect([none.status, none.body]).toEqual([404, missing]);
  });

  describe('queues with an external URL', () => {
    it.each([
      ['queue.example.com', 'POST', '/demo/image', 200],
      ['queue.example.com', 'GET', '/demo/image/requests/x/status', 404],
      ['queue.example.com', 'POST', '/demo/none', 404],
      ['queue.example.com', 'GET', '/server/ping', 405],
      ['run.example.com', 'POST', '/at/once/demo/image', 200],
      ['run.example.com', 'POST', '/demo/image', 404],
      ['queue.example.com', 'POST', '/queue/demo/image', 200],
      ['run.example.com', 'POST', '/at/once/run/demo/image', 200],
      ['elsewhere.example.com', 'POST', '/demo/image', 404],
      ['elsewhere.example.com', 'POST', '/queue/demo/image', 200],
    ] as const)('%s: %s %s is %i', async (host, method, path, status) => {
      expect(await ask(host, method, path)).toBe(status);
    });

    it('are in the OpenAPI document with complete URLs', async () => {
      const { body } = await queue.request('GET', '/server/specs/oas', { as: 'ann' });
      const { paths } = body as { paths: Record<string, { servers?: { url: string }[] }> };
      const told = Object.entries(paths).flatMap(([path, { servers = [] }]) =>
        servers.map(({ url }) => [url, path]),
      );
      expect(told).toContainEqual(['https://queue.example.com', '/queue/demo/image']);
      expect(told).toContainEqual(['https://run.example.com/at/once', '/run/demo/image']);
      expect(told.every(([, path]) => /^\/(queue|run)\//.test(path ?? ''))).toBe(true);
    });
  });
});
