import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../databases.js';
import { ask } from '../runtime/graphql/library.js';
import { expire } from '../../runtime/queue/store/retention.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

/** Returns a time that is some milliseconds later. */
const shifted = (time: string, milliseconds: number): string =>
  new Date(Date.parse(time) + milliseconds).toISOString();

describe.each(sampleDialects(import.meta.url))('keys, requests and webhooks of users on %s', (dialect) => {
  let queue: TestQueue;

  beforeAll(async () => {
    queue = await startTestQueue(dialect, { environment: { TRUST_PROXY: '1' } });
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  const input = { prompt: 'sea', width: 16, height: 16 };
  const keyOf = async (body: object): Promise<{ id: string; key: string }> =>
    (await queue.request('POST', '/keys', { as: 'ann', body })).data as { id: string; key: string };
  const submit = (key: string, path = 'demo/image') =>
    queue.request('POST', `/queue/${path}`, { body: input, headers: { authorization: `Key ${key}` } });

  const system = (query: string, variables: object) =>
    ask(queue, query, { as: 'ann', path: '/graphql/system', variables });

  const change = async (name: string, body: object): Promise<void> => {
    const path = `/users/${queue.ids.users.get(name)}`;
    expect((await queue.request('PATCH', path, { as: 'admin', body })).status).toBe(200);
  };

  it('shows a key once, lists it without its secret and revokes it immediately', async () => {
    const { id, key } = await keyOf({ name: 'ci' });
    expect(key.startsWith(`${id}:`)).toBe(true);
    expect((await submit(key)).status).toBe(200);
    const list = await queue.request('GET', '/keys', { as: 'ann' });
    expect(list.data).toContainEqual(expect.objectContaining({ id, name: 'ci', models: null }));
    expect(list.text).not.toContain(key.slice(id.length + 1));
    expect((await queue.request('DELETE', `/keys/${id}`, { as: 'bob' })).status).toBe(404);
    expect((await queue.request('DELETE', `/keys/${id}`, { as: 'ann' })).status).toBe(204);
    expect((await submit(key)).status).toBe(401);
  });

  it('lists and revokes the keys of all users for administrators', async () => {
    const { id, key } = await keyOf({ name: 'lost' });
    const user = queue.ids.users.get('ann') ?? '';
    const list = await queue.request('GET', `/keys?user=${user}`, { as: 'admin' });
    expect(list.data).toContainEqual(expect.objectContaining({ id, name: 'lost' }));
    expect((await queue.request('GET', `/keys?user=${user}`, { as: 'bob' })).status).toBe(403);
    expect((await queue.request('GET', `/keys?user=${user}`, { as: 'ann' })).data).toEqual(list.data);
    expect((await queue.request('DELETE', `/keys/${id}`, { as: 'admin' })).status).toBe(204);
    expect((await submit(key)).status).toBe(401);
  });

  it('filters requests by tags', async () => {
    const { key } = await keyOf({});
    const headers = { authorization: `Key ${key}`, 'x-svc-tags': 'batch=7,who=a"b' };
    const made = await queue.request('POST', '/queue/demo/image', { body: input, headers });
    const { request_id: id } = made.body as { request_id: string };
    const found = async (tag: string) => {
      const path = `/requests?tag=${encodeURIComponent(tag)}`;
      return (await queue.request('GET', path, { as: 'ann' })).data as { id: string }[];
    };
    for (const tag of ['batch=7', 'who=a"b']) expect((await found(tag)).map((each) => each.id)).toEqual([id]);
    for (const tag of ['batch=70', 'batch=', 'who=b', 'atch=7']) expect(await found(tag)).toEqual([]);
    expect((await queue.request('GET', '/requests?tag=batch', { as: 'ann' })).status).toBe(400);
  });

  it('limits a key to its models and its expiry', async () => {
    const { key } = await keyOf({ models: ['demo/train', 'demo/ocr'] });
    expect((await submit(key)).status).toBe(404);
    expect((await submit(key, 'demo/train')).status).toBe(200);
    const { id, key: old } = await keyOf({ expires_at: '2100-01-01T00:00:00Z' });
    expect((await submit(old)).status).toBe(200);
    await queue.execute(`update svc_keys set date_expires = 1 where id = '${id}'`);
    expect((await submit(old)).status).toBe(401);
  });

  it('does not let a key limited to models read or cancel requests of other models', async () => {
    const { key } = await keyOf({});
    const { key: narrow } = await keyOf({ models: ['demo/train'] });
    const { key: fitting } = await keyOf({ models: ['demo/ocr', 'demo/image'] });
    const { request_id: id } = (await submit(key)).body as { request_id: string };
    const ask = (method: string, action: string, by: string) =>
      queue.request(method, `/queue/demo/image/requests/${id}${action}`, {
        headers: { authorization: `Key ${by}` },
      });
    for (const [method, action] of [
      ['GET', '/status'],
      ['GET', '/status/stream'],
      ['GET', ''],
      ['GET', '/response'],
      ['PUT', '/cancel'],
    ] as const) {
      const { status, body } = await ask(method, action, narrow);
      expect([status, body]).toEqual([404, { status: 'NOT_FOUND', error_type: 'not_found' }]);
    }
    for (const by of [key, fitting]) expect((await ask('GET', '/status', by)).status).toBeLessThan(300);
  });

  it('rejects keys that expire in the past, or for models that do not exist', async () => {
    for (const [body, message] of [
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'is in the past'],
      [{ models: ['demo/image', 'acme/*'] }, 'no model matches "acme/*"'],
    ] as const) {
      const { status, codes, text } = await queue.request('POST', '/keys', { as: 'ann', body });
      expect([status, codes]).toEqual([400, ['INVALID_PAYLOAD']]);
      expect((JSON.parse(text) as { errors: { message: string }[] }).errors[0]?.message).toContain(message);
    }
  });

  it('lets keys read own requests and deliveries, redeliver, and rotate the webhook secret', async () => {
    const { key } = await keyOf({});
    const { key: narrow } = await keyOf({ models: ['demo/train'] });
    const by = (method: string, path: string, used = key) =>
      queue.request(method, path, { headers: { authorization: `Key ${used}` } });
    const hook = `${queue.receiver.url}/by-key`;
    const made = await queue.request('POST', `/queue/demo/image?svc_webhook=${hook}`, {
      body: input,
      headers: { authorization: `Key ${key}` },
    });
    const { request_id: id } = made.body as { request_id: string };
    const delivered = async () =>
      ((await by('GET', `/requests/${id}/deliveries`)).data as { state: string }[])[0]?.state ===
        'delivered' || null;
    await until(delivered);
    expect((await by('GET', `/requests/${id}`)).data).toMatchObject({ id, status: 'COMPLETED' });
    expect((await by('POST', `/requests/${id}/redeliver`)).status).toBe(204);
    const before = (await by('GET', '/webhooks/secret')).data as { secrets: string[] };
    const after = (await by('POST', '/webhooks/secret')).data as { secrets: string[] };
    expect(after.secrets[1]).toBe(before.secrets[0]);
    const trained = await queue.request('POST', '/queue/demo/train', {
      body: { prompt: 'sea', model_name: 'm', steps: 1 },
      headers: { authorization: `Key ${key}` },
    });
    expect(trained.status).toBe(200);
    const idsOf = async (used: string) =>
      ((await by('GET', '/requests', used)).data as { id: string; model: string }[]).map(
        ({ model }) => model,
      );
    expect(await idsOf(key)).toContain('demo/image');
    expect(new Set(await idsOf(narrow))).toEqual(new Set(['demo/train']));
    expect((await by('GET', `/requests/${id}`, narrow)).status).toBe(404);
    expect((await by('GET', '/webhooks/secret', narrow)).status).toBe(403);
    expect((await by('GET', `/requests/${id}`, `${key}x`)).status).toBe(401);
    // other operations do not accept keys
    expect((await by('GET', '/keys')).status).toBe(403);
  });

  it('rejects invalid times', async () => {
    const leap = '2020-12-31T23:59:60Z';
    const made = await queue.request('POST', '/keys', { as: 'ann', body: { expires_at: leap } });
    expect([made.status, made.codes]).toEqual([400, ['INVALID_PAYLOAD']]);
    for (const name of ['after', 'before']) {
      const list = await queue.request('GET', `/requests?${name}=${leap}`, { as: 'ann' });
      expect([list.status, list.codes]).toEqual([400, ['INVALID_QUERY']]);
    }
  });

  it('rejects the keys of a suspended user', async () => {
    const { key } = (await queue.request('POST', '/keys', { as: 'bob', body: {} })).data as { key: string };
    const bob = queue.ids.users.get('bob') ?? '';
    await queue.database.write({
      text: "update svc_users set status = 'suspended' where id = ?",
      values: [bob],
    });
    expect((await submit(key)).status).toBe(401);
    await queue.database.write({
      text: "update svc_users set status = 'active' where id = ?",
      values: [bob],
    });
  });

  it.each(['ACTIVE', 'active '])('rejects the keys of a user with the status %j', async (status) => {
    const { key } = await keyOf({});
    await queue.database.write({
      text: 'update svc_users set status = ? where id = ?',
      values: [status, queue.ids.users.get('ann') ?? ''],
    });
    expect((await submit(key)).status).toBe(401);
    await change('ann', { status: 'active' });
    expect((await submit(key)).status).toBe(200);
  });

  it('accepts keys only from the networks of their user', async () => {
    const { key } = await keyOf({});
    const statuses = (address: string) =>
      Promise.all(
        ['queue', 'run'].map(async (listener) => {
          const headers = { authorization: `Key ${key}`, 'x-forwarded-for': address };
          const { status, body } = await queue.request('POST', `/${listener}/demo/image`, {
            body: input,
            headers,
          });
          return status === 401 ? body : status;
        }),
      );
    await change('ann', { ip_access: ['10.0.0.1', '2001:db8::/32'] });
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '2001:db8::7'])
      expect(await statuses(address)).toEqual([200, 200]);
    const refused = { detail: 'invalid key credentials', error_type: 'unauthorized' };
    expect(await statuses('192.0.2.7')).toEqual([refused, refused]);
    await change('ann', { ip_access: null });
    expect(await statuses('192.0.2.7')).toEqual([200, 200]);
  });

  it('lets only owners list and read requests with the attempts of their webhook, and deliver it again', async () => {
    const hook = `${queue.receiver.url}/own`;
    const made = await queue.request('POST', `/queue/demo/image?svc_webhook=${hook}`, {
      as: 'ann',
      body: input,
    });
    const { request_id: id } = made.body as { request_id: string };
    const deliveries = () => queue.request('GET', `/requests/${id}/deliveries`, { as: 'ann' });
    const delivered = () =>
      until(async () => {
        const [delivery] = (await deliveries()).data as { id: string; state: string; attempts: object[] }[];
        return delivery?.state === 'delivered' ? delivery : null;
      });
    const first = await delivered();
    expect(first.attempts).toMatchObject([{ number: 1, status: 200, error: null }]);
    const read = await queue.request('GET', `/requests/${id}`, { as: 'ann' });
    expect(read.data).toMatchObject({ id, model: 'demo/image', status: 'COMPLETED', http_status: 200 });
    const list = await queue.request('GET', '/requests?status=COMPLETED&model=demo/image&limit=1', {
      as: 'ann',
    });
    expect(list.data).toMatchObject([{ id }]);
    const { created_at: created } = read.data as { created_at: string };
    for (const [time, found] of [
      [{ after: shifted(created, -1), before: shifted(created, 1) }, true],
      [{ before: created }, false],
      [{ after: created }, false],
    ] as const) {
      const { data } = await queue.request('GET', `/requests?${new URLSearchParams(time)}`, { as: 'ann' });
      const ids = (data as { id: string }[]).map((each) => each.id);
      expect([time, ids.includes(id)]).toEqual([time, found]);
    }
    for (const path of [`/requests/${id}`, `/requests/${id}/deliveries`]) {
      expect((await queue.request('GET', path, { as: 'bob' })).status).toBe(404);
    }
    expect((await queue.request('GET', '/requests', { as: 'bob' })).data).toEqual([]);
    expect((await queue.request('POST', `/requests/${id}/redeliver`, { as: 'bob' })).status).toBe(404);
    expect((await queue.request('POST', `/requests/${id}/redeliver`, { as: 'ann' })).status).toBe(204);
    expect((await delivered()).id).toBe(first.id);
    await until(() => queue.receiver.received.filter(({ path }) => path === '/own').length === 2 || null);
  });

  it('answers 429 for a full queue, in REST and in GraphQL', async () => {
    const body = {
      model: 'demo/train',
      input: { model_name: 'm', prompt: 'sea', steps: 5_000, pause: 0.02 },
    };
    const made = await Promise.all(
      Array.from({ length: 3 }, () => queue.request('POST', '/requests', { as: 'ann', body })),
    );
    const full = await queue.request('POST', '/requests', {
      as: 'ann',
      body: { ...body, max_queue_length: 0 },
    });
    const mutation =
      'mutation ($model: String!, $input: JSON!) { requests_submit(model: $model, input: $input, max_queue_length: 0) { id } }';
    const refused = await system(mutation, body);
    for (const { data } of made) {
      await queue.request('POST', `/requests/${(data as { id: string }).id}/cancel`, { as: 'ann' });
    }
    expect([full.status, full.codes]).toEqual([429, ['REQUESTS_EXCEEDED']]);
    expect(full.text).toContain('more than 0 requests are already waiting');
    expect(full.headers.get('retry-after')).toBeNull();
    expect(refused.codes).toEqual(['REQUESTS_EXCEEDED']);
  });

  it('answers 410 for an expired result, in REST and in GraphQL', async () => {
    const body = { model: 'demo/image', input, store_io: false };
    const { id } = (await queue.request('POST', '/requests', { as: 'ann', body })).data as { id: string };
    const status = async () => (await queue.request('GET', `/requests/${id}`, { as: 'ann' })).data;
    await until(async () => ((await status()) as { status: string }).status === 'COMPLETED' || null);
    await expire(queue.database, { before: 0, now: Date.now() + 3_600_000 });
    const result = await queue.request('GET', `/requests/${id}/result`, { as: 'ann' });
    expect([result.status, result.codes]).toEqual([410, ['GONE']]);
    const query = 'query ($id: String!) { requests_result(id: $id) { payload } }';
    expect((await system(query, { id })).codes).toEqual(['GONE']);
  });

  it('signs a test delivery with both secrets during a rotation', async () => {
    const read = await queue.request('GET', '/webhooks/secret', { as: 'ann' });
    const { secrets: before } = read.data as { secrets: string[] };
    const { secrets } = (await queue.request('POST', '/webhooks/secret', { as: 'ann' })).data as {
      secrets: string[];
    };
    expect(secrets).toHaveLength(before.length + 1);
    const body = { url: `${queue.receiver.url}/test` };
    const { id } = (await queue.request('POST', '/webhooks/test', { as: 'ann', body })).data as {
      id: string;
    };
    const hook = await until(() => queue.receiver.received.find(({ path }) => path === '/test') ?? null);
    expect(hook.headers['webhook-id']).toBe(id);
    const headers = Object.fromEntries(
      Object.entries(hook.headers).map(([name, value]) => [name, String(value)]),
    );
    for (const secret of secrets) expect(new Webhook(secret).verify(hook.text, headers)).toEqual(hook.body);
    const inner = { url: 'http://10.0.0.1/' };
    expect((await queue.request('POST', '/webhooks/test', { as: 'ann', body: inner })).status).toBe(422);
  });

  it('rejects texts with NUL', async () => {
    const body = { name: 'a\0b' };
    expect((await queue.request('POST', '/keys', { as: 'ann', body })).codes).toEqual(['INVALID_PAYLOAD']);
    expect((await queue.request('GET', '/requests?model=%00', { as: 'ann' })).codes).toEqual([
      'INVALID_QUERY',
    ]);
  });

  it('requires a token', async () => {
    for (const path of ['/keys', '/requests', '/webhooks/secret']) {
      expect((await queue.request('GET', path)).status).toBe(403);
    }
  });
});
