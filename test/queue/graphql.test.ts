/** Keys, requests and webhooks of users in GraphQL, which equal those in REST. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../databases.js';
import { ask } from '../runtime/graphql/library.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

type Node = Readonly<Record<string, unknown>>;

const submitBody = (model: string, more: object): [string, object] => [
  '/requests',
  { model, input: {}, ...more },
];

describe.each(sampleDialects(import.meta.url))('the queue in GraphQL on %s', (dialect) => {
  let queue: TestQueue;

  beforeAll(async () => {
    queue = await startTestQueue(dialect);
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  const as =
    (user: string) =>
    async (query: string, variables: object = {}): Promise<Node> => {
      const answer = await ask(queue, query, { as: user, path: '/graphql/system', variables });
      expect([answer.codes, answer.problems]).toEqual([[], []]);
      return answer.data as Node;
    };
  const ann = as('ann');
  const submission =
    'mutation ($input: JSON!) { requests_submit(model: "demo/image", input: $input) { id status } }';
  const input = { prompt: 'sea', width: 16, height: 16 };

  const statusOf = async (id: string): Promise<Node> =>
    (
      await ann(
        'query ($id: String!) { requests_status(id: $id, logs: true) { status logs { message level } metrics { inference_time } error } }',
        {
          id,
        },
      )
    ).requests_status as Node;
  const ended = (id: string) =>
    until(async () => {
      const status = await statusOf(id);
      return status.status === 'COMPLETED' ? status : null;
    });
  const resultOf = async (id: string): Promise<Node> =>
    (
      await ann('query ($id: String!) { requests_result(id: $id) { http_status error_type payload } }', {
        id,
      })
    ).requests_result as Node;

  it('submits, and returns status and result', async () => {
    const hook = `${queue.receiver.url}/graphql`;
    const made = await ann(
      'mutation ($hook: String, $input: JSON!, $tags: JSON) { requests_submit(model: "demo/image", input: $input, webhook: $hook, tags: $tags) { id status model tags } }',
      { hook, input, tags: { batch: '7' } },
    );
    const { id, ...told } = made.requests_submit as { id: string };
    expect(told).toMatchObject({ model: 'demo/image', status: 'IN_QUEUE', tags: { batch: '7' } });
    expect(await ended(id)).toMatchObject({ logs: [{ level: 'INFO' }], error: null });
    expect(await resultOf(id)).toMatchObject({
      http_status: 200,
      error_type: null,
      payload: { images: [{ width: 16 }] },
    });
    const list = await ann(
      '{ requests(model: "demo/image", status: "COMPLETED", after: "2020-01-01T00:00:00Z", limit: 1) { id http_status tags } }',
    );
    expect(list.requests).toEqual([{ id, http_status: 200, tags: { batch: '7' } }]);
    expect((await ann('{ requests(before: "2020-01-01T00:00:00Z") { id } }')).requests).toEqual([]);
    const delivery = await until(async () => {
      const { requests_deliveries: found } = await ann(
        'query ($id: String!) { requests_deliveries(id: $id) { state attempts { number status error } } }',
        { id },
      );
      return (found as { state: string }[])[0]?.state === 'delivered' ? found : null;
    });
    expect(delivery).toEqual([{ state: 'delivered', attempts: [{ number: 1, status: 200, error: null }] }]);
    expect(
      (await ann('mutation ($id: String!) { requests_redeliver(id: $id) }', { id })).requests_redeliver,
    ).toBe(true);
    await until(() => queue.receiver.received.filter(({ path }) => path === '/graphql').length === 2 || null);
  });

  it('submits to a model with a typed input, and refuses another one before it is stored', async () => {
    const made = await ann(
      'mutation { requests_submit_demo_image(input: { prompt: "sea", width: 16, height: 16, seed: 4294967295 }) { id model } }',
    );
    const { id, model } = made.requests_submit_demo_image as { id: string; model: string };
    expect(model).toBe('demo/image');
    await ended(id);
    expect(await resultOf(id)).toMatchObject({ http_status: 200, payload: { seed: 4_294_967_295 } });
    const wrong = 'mutation { requests_submit_demo_image(input: { promt: "sea", width: "wide" }) { id } }';
    const { codes, problems } = await ask(queue, wrong, { as: 'ann', path: '/graphql/system' });
    expect(new Set(codes)).toEqual(new Set(['GRAPHQL_VALIDATION']));
    expect(JSON.stringify(problems)).toMatch(/promt.*requests_submit_demo_image_input/);
  });

  it('returns an invalid input as the result', async () => {
    const { requests_submit: made } = await ann(submission, { input: {} });
    const { id } = made as { id: string };
    expect(await ended(id)).toMatchObject({ error: 'Invalid status code: 422' });
    expect(await resultOf(id)).toEqual({
      http_status: 422,
      error_type: null,
      payload: { detail: [{ loc: ['body', 'prompt'], msg: 'field required', type: 'value_error.missing' }] },
    });
  });

  it('cancels a request', async () => {
    const { requests_submit: made } = await ann(
      'mutation ($input: JSON!) { requests_submit(model: "demo/train", input: $input) { id } }',
      { input: { model_name: 'm', prompt: 'sea', steps: 5_000, pause: 0.02 } },
    );
    const { id } = made as { id: string };
    await until(async () => (await statusOf(id)).status === 'IN_PROGRESS' || null);
    const cancelled = await ann('mutation ($id: String!) { requests_cancel(id: $id) { status } }', { id });
    expect(cancelled.requests_cancel).toEqual({ status: 'CANCELLATION_REQUESTED' });
    await ended(id);
    expect(await resultOf(id)).toMatchObject({ http_status: 499, error_type: 'client_cancelled' });
  });

  it('creates, lists and revokes keys; rotates and tests secrets', async () => {
    const { keys_create: made } = await ann(
      'mutation { keys_create(name: "ci", models: ["demo/*"]) { id key } }',
    );
    const { id, key } = made as { id: string; key: string };
    const submit = () =>
      queue.request('POST', '/queue/demo/image', { body: input, headers: { authorization: `Key ${key}` } });
    expect((await submit()).status).toBe(200);
    const { keys } = await ann('{ keys { id name models expires_at } }');
    expect(keys).toContainEqual({ id, name: 'ci', models: ['demo/*'], expires_at: null });
    await ann('mutation ($id: String!) { keys_revoke(id: $id) }', { id });
    expect((await submit()).status).toBe(401);
    const before = (await ann('{ webhooks_secret { secrets } }')).webhooks_secret as { secrets: string[] };
    const after = (await ann('mutation { webhooks_secret_rotate { secrets } }')).webhooks_secret_rotate as {
      secrets: string[];
    };
    expect(after.secrets.slice(1)).toEqual(before.secrets);
    await ann('mutation ($url: String!) { webhooks_test(url: $url) { id } }', {
      url: `${queue.receiver.url}/try`,
    });
    await until(() => queue.receiver.received.find(({ path }) => path === '/try') ?? null);
  });

  it('returns the errors of REST', async () => {
    const { request_id: id } = (
      await queue.request('POST', '/queue/demo/train', {
        as: 'ann',
        body: { model_name: 'm', prompt: 'sea', steps: 5_000, pause: 0.02 },
      })
    ).body as { request_id: string };
    const unknown = '00000000-0000-4000-8000-000000000000';
    const cases: readonly (readonly [string, string, string, object | undefined, string])[] = [
      ['ann', 'GET', `/requests/${unknown}`, undefined, `{ requests_by_id(id: "${unknown}") { id } }`],
      ['bob', 'GET', `/requests/${id}`, undefined, `{ requests_by_id(id: "${id}") { id } }`],
      ['bob', 'GET', `/requests/${id}/status`, undefined, `{ requests_status(id: "${id}") { status } }`],
      [
        'bob',
        'POST',
        `/requests/${id}/cancel`,
        undefined,
        `mutation { requests_cancel(id: "${id}") { status } }`,
      ],
      ['ann', 'GET', `/requests/${id}/result`, undefined, `{ requests_result(id: "${id}") { payload } }`],
      ['ann', 'POST', `/requests/${id}/redeliver`, undefined, `mutation { requests_redeliver(id: "${id}") }`],
      ['ann', 'GET', '/requests?status=DONE', undefined, '{ requests(status: "DONE") { id } }'],
      [
        'ann',
        'POST',
        ...submitBody('demo/none', {}),
        'mutation { requests_submit(model: "demo/none", input: {}) { id } }',
      ],
      [
        'ann',
        'POST',
        ...submitBody('demo/image', { webhook: 'http://10.0.0.1/' }),
        'mutation { requests_submit(model: "demo/image", input: {}, webhook: "http://10.0.0.1/") { id } }',
      ],
      [
        'ann',
        'POST',
        ...submitBody('demo/image', { start_timeout: 0.1, tags: { 'svc.own': 'x' } }),
        'mutation ($tags: JSON) { requests_submit(model: "demo/image", input: {}, start_timeout: 0.1, tags: $tags) { id } }',
      ],
      ['ann', 'DELETE', `/keys/${unknown}`, undefined, `mutation { keys_revoke(id: "${unknown}") }`],
      ['ann', 'POST', '/webhooks/test', { url: 'x' }, 'mutation { webhooks_test(url: "x") { id } }'],
    ];
    for (const [user, method, path, body, document] of cases) {
      const rest = await queue.request(method, path, {
        as: user,
        ...(body !== undefined && { body }),
      });
      const variables = { tags: { 'svc.own': 'x' } };
      const graphql = await ask(queue, document, { as: user, path: '/graphql/system', variables });
      expect(rest.status).toBeGreaterThanOrEqual(400);
      expect([document, graphql.errors]).toEqual([document, rest.errors]);
    }
    await queue.request('PUT', `/queue/demo/train/requests/${id}/cancel`, { as: 'ann' });
  });

  it('is not visible without authentication', async () => {
    const { problems } = await ask(queue, '{ keys { id } }', { as: 'public', path: '/graphql/system' });
    expect(problems).toEqual([expect.stringContaining('"keys"')]);
  });
});
