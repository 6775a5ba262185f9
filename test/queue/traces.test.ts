/** A request carries the trace of its caller to its model and its webhook, and operators find it by the id of the trace. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sampleDialects } from '../databases.js';
import { ask } from '../runtime/graphql/library.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

/** An inference server that keeps the headers it is sent. */
const startInference = async (): Promise<{ server: Server; seen: IncomingHttpHeaders[]; url: string }> => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"good":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

for (const dialect of sampleDialects(import.meta.url))
  describe(`traces of requests on ${dialect}`, () => {
    let queue: TestQueue;
    let inference: Awaited<ReturnType<typeof startInference>>;

    beforeAll(async () => {
      inference = await startInference();
      vi.stubEnv('TEST_UPSTREAM_URL', inference.url);
      vi.stubEnv('TEST_UPSTREAM_KEY', 'key');
      queue = await startTestQueue(dialect, { spec: fileURLToPath(new URL('spec', import.meta.url)) });
      await queue.startWorkers();
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      await queue.close();
      inference.server.close();
    });

    const submit = async (headers: Record<string, string>, path = '/queue/test/upstream') => {
      const answer = await queue.request('POST', `${path}?svc_webhook=${queue.receiver.url}/traced`, {
        body: { answers: [] },
        headers: { ...queue.auth.ann, ...headers },
      });
      expect(answer.status).toBe(200);
      return (answer.body as { request_id: string }).request_id;
    };
    const operator = async (path: string) =>
      (await queue.request('GET', `/operator/${path}`, { as: 'admin' })).data;
    const deliveredOf = (id: string) =>
      until(() => queue.receiver.received.find(({ body }) => body['request_id'] === id));
    const sentFor = (id: string) => inference.seen.find((headers) => headers['x-svc-request-id'] === id);
    const traceIdOf = async (id: string) =>
      ((await operator(`requests/${id}`)) as { request: { trace_id: string | null } }).request.trace_id;

    it('pass from the submit to the inference server and to the webhook', async () => {
      const id = await submit({ traceparent, tracestate: 'vendor=secret', baggage: 'user=ann' });
      const { headers } = await deliveredOf(id);
      expect(headers['traceparent']).toBe(traceparent);
      expect(sentFor(id)?.['traceparent']).toBe(traceparent);
      // what others may read as their own stays here
      for (const sent of [headers, sentFor(id)]) {
        expect(sent).not.toHaveProperty('tracestate');
        expect(sent).not.toHaveProperty('baggage');
      }
    });

    it('are those of later versions too, without what they add', async () => {
      const id = await submit({ traceparent: `cc${traceparent.slice(2)}-what-comes-later` });
      expect((await deliveredOf(id)).headers['traceparent']).toBe(traceparent);
    });

    it.each([
      ['has zeros for a trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
      ['has zeros for a span', `00-${trace}-${'0'.repeat(16)}-01`],
      ['is of the forbidden version', `ff-${trace}-00f067aa0ba902b7-01`],
      ['has capitals', traceparent.toUpperCase()],
      ['is too long for its version', `${traceparent}-more`],
      ['is no traceparent', "'; drop table svc_requests; --"],
    ])('are none where the header %s', async (_, header) => {
      const id = await submit({ traceparent: header });
      expect((await deliveredOf(id)).headers).not.toHaveProperty('traceparent');
      expect(sentFor(id)).not.toHaveProperty('traceparent');
      expect(await traceIdOf(id)).toBeNull();
    });

    it('pass to the inference server of a synchronous run', async () => {
      const answer = await queue.request('POST', '/run/test/upstream', {
        body: { answers: [] },
        headers: { ...queue.auth.ann, traceparent },
      });
      expect(answer.status).toBe(200);
      expect(sentFor(String(answer.headers.get('x-svc-request-id')))?.['traceparent']).toBe(traceparent);
    });

    it('pass from a submit at /requests', async () => {
      const headers = { ...queue.auth.ann, traceparent };
      const body = { model: 'test/upstream', input: { answers: [] } };
      const created = await queue.request('POST', '/requests', { body, headers });
      expect(await traceIdOf((created.data as { id: string }).id)).toBe(trace);
    });

    it('find requests: operators search by the id of a trace', async () => {
      const other = `00-${'a'.repeat(32)}-00f067aa0ba902b7-00`;
      const id = await submit({ traceparent: other });
      const found = (await operator(`requests?trace_id=${'a'.repeat(32)}`)) as { id: string }[];
      expect(found.map((each) => each.id)).toEqual([id]);
      expect(found[0]).toMatchObject({ trace_id: 'a'.repeat(32) });
      expect(await operator(`requests?trace_id=${'b'.repeat(32)}`)).toEqual([]);
      const document = `{ operator_requests(trace_id: "${'a'.repeat(32)}") { id trace_id } }`;
      const { body } = await ask(queue, document, { path: '/graphql/system' });
      expect(body).toEqual({ data: { operator_requests: [{ id, trace_id: 'a'.repeat(32) }] } });
      const refused = await queue.request('GET', '/operator/requests?trace_id=nothing', { as: 'admin' });
      expect(refused.status).toBe(400);
    });

    it('leave out what others may not see: the owner does not get the trace', async () => {
      const id = await submit({ traceparent });
      const { data } = await queue.request('GET', `/requests/${id}`, { as: 'ann' });
      expect(data).not.toHaveProperty('trace_id');
    });
  });

describe('the e-mail address of an account', () => {
  let queue: TestQueue;
  beforeAll(async () => {
    queue = await startTestQueue('sqlite');
  });
  afterAll(() => queue.close());

  it('stands for its id where operators search', async () => {
    const account = queue.ids.users.get('ann') ?? '';
    const body = { prompt: 'sea' };
    await queue.request('POST', '/queue/demo/image', { body, headers: queue.auth.ann });
    await queue.request('POST', '/queue/demo/image', { body, headers: queue.auth.bob });
    const { data } = await queue.request('GET', `/users/${account}?fields=email`, { as: 'admin' });
    const { email } = data as { email: string };
    for (const path of ['requests', 'deliveries']) {
      const of = async (name: string) =>
        await queue.request('GET', `/operator/${path}?account=${encodeURIComponent(name)}`, { as: 'admin' });
      expect((await of(email)).data).toEqual((await of(account)).data);
      expect((await of('nobody@example.com')).data).toEqual([]);
      expect((await of('neither')).status).toBe(400);
    }
    const found = (await queue.request('GET', `/operator/requests?account=${email}`, { as: 'admin' })).data;
    expect(found).toMatchObject([{ account }]);
    const filter = { account: email };
    const action = { action: 'cancel', filter, dry_run: true };
    const dry = await queue.request('POST', '/operator/actions', { as: 'admin', body: action });
    expect(dry.data).toMatchObject({ total: 1 });
  });
});
