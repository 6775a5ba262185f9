/** The protocol of the queue without a worker: requests stay in the queue. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../databases.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { type Submitted, image, picture, training, toolsOf, strayWorkflows, detailOf } from './wire-tools.js';

describe.each(sampleDialects(import.meta.url))('without a worker on %s', (dialect) => {
  let queue: TestQueue;
  const { call, submit, queued, get, cancel } = toolsOf(() => queue);
  beforeAll(async () => {
    queue = await startTestQueue(dialect);
  });
  afterAll(() => queue.close());

  it('returns the position of accepted requests', async () => {
    const first = await queued('demo/train', training);
    await queued('demo/train', training);
    const waiting = await queued('demo/train', training);
    const last = await queued('demo/train', training);
    expect([first, waiting, last].map(({ queue_position: place }) => place)).toEqual([0, 0, 1]);
    const { status, body } = await get(`demo/train/requests/${last.request_id}/status`);
    expect([status, body]).toMatchObject([202, { status: 'IN_QUEUE', queue_position: 1, logs: null }]);

    const low = await queued('demo/train', training, { 'x-svc-queue-priority': 'low' });
    expect(low.queue_position).toBe(2);
    expect((await queued('demo/train', training, { 'x-svc-queue-priority': 'high' })).queue_position).toBe(2);
    expect((await get(`demo/train/requests/${low.request_id}/status`)).body).toMatchObject({
      queue_position: 3,
    });
  });

  it('rejects a submission if more than svc_max_queue_length requests wait', async () => {
    // two run at a time
    for (let round = 0; round < 4; round += 1) await queued('demo/ocr', picture);
    const key = { 'idempotency-key': 'sent-before' };
    const { request_id: id } = await queued('demo/ocr', picture, key);
    expect((await submit('demo/ocr?svc_max_queue_length=1', picture, key)).body).toMatchObject({
      request_id: id,
    });
    const full = await submit('demo/ocr?svc_max_queue_length=1', picture);
    expect([full.status, full.headers.get('x-svc-error-type')]).toEqual([429, 'queue_full']);
    expect((await submit('demo/ocr?svc_max_queue_length=100', picture)).status).toBe(200);
    expect((await submit('demo/image?svc_max_queue_length=0', image)).status).toBe(200);
    expect(detailOf(await submit('demo/image?svc_max_queue_length=-1', image))).toMatchObject([
      { loc: ['query', 'svc_max_queue_length'] },
    ]);
  });

  it('cancels a waiting request immediately and only once', async () => {
    const { request_id: id } = await queued('demo/image', image);
    const path = `demo/image/requests/${id}`;
    expect((await get(path)).body).toEqual({
      detail: 'Request is still in progress',
      error_type: 'bad_request',
    });
    const cancelled = await cancel(path);
    expect([cancelled.status, cancelled.body]).toEqual([200, { status: 'OK' }]);
    expect((await get(`${path}/status`)).body).toMatchObject({
      status: 'COMPLETED',
      error: 'Invalid status code: 499',
      error_type: 'client_cancelled',
      metrics: { inference_time: null },
    });
    const result = await get(path);
    expect([result.status, result.body, result.headers.get('x-svc-error-type')]).toEqual([
      499,
      { detail: 'The request was cancelled', error_type: 'client_cancelled' },
      'client_cancelled',
    ]);
    const again = await cancel(path);
    expect(again.headers.get('x-svc-request-id')).toBe(id);
    expect([again.status, again.body]).toEqual([
      400,
      { status: 'ALREADY_COMPLETED', error_type: 'already_completed' },
    ]);
    const none = await cancel('demo/image/requests/00000000-0000-4000-8000-000000000000');
    expect([none.status, none.body]).toEqual([404, { status: 'NOT_FOUND', error_type: 'not_found' }]);
  });

  it.each(['dry_run=true', 'dryRun=true', 'dry_run=yes'])(
    'rejects %s, which would take effect',
    async (query) => {
      const { request_id: id } = await queued('demo/image', image);
      const stored = 'select id, cancelled from svc_requests order by id';
      const before = await queue.database.query(stored);
      for (const [method, path] of [
        ['POST', '/queue/demo/image'],
        ['POST', '/run/demo/image'],
        ['PUT', `/queue/demo/image/requests/${id}/cancel`],
      ] as const) {
        const answer = await call(method, `${path}?${query}`, {}, method === 'POST' ? image : undefined);
        expect([answer.status, detailOf(answer)]).toMatchObject([
          422,
          [{ loc: ['query', 'dry_run'], type: 'value_error.dry_run' }],
        ]);
      }
      expect(await queue.database.query(stored)).toEqual(before);
    },
  );

  it('keeps one of many submissions with one idempotency key', async () => {
    const headers = { 'idempotency-key': 'only once' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => submit('demo/image', { ...image, prompt: 'once' }, headers)),
    );
    expect(new Set(answers.map(({ body }) => (body as Submitted).request_id)).size).toBe(1);
    const rows = await queue.database.query('select id from svc_requests where input like ?', ['%once%']);
    expect(rows).toHaveLength(1);
    expect(await strayWorkflows(queue)).toEqual([]);
    const bob = await queue.request('POST', '/queue/demo/image', {
      body: { ...image, prompt: 'other' },
      headers: { ...queue.auth.bob, ...headers },
    });
    expect(bob.status).toBe(200);
  });
});
