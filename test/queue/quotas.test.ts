/** Accounts that reach a quota are told which one and when to come back; others are not affected. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../runtime/queue/store/ids.js';
import { dialectsOf } from '../databases.js';
import { ask } from '../runtime/graphql/library.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));

interface Use {
  readonly quota: string;
  readonly limit: number | null;
  readonly used: number;
}

const refusal = (quota: string, limit: number) => ({ error_type: 'quota_exceeded', quota, limit });

// each test uses up what those before it left
for (const dialect of dialectsOf(import.meta.url))
  describe(`quotas on ${dialect}`, { shuffle: false }, () => {
    let queue: TestQueue;
    let row = '';

    beforeAll(async () => {
      queue = await startTestQueue(dialect, { spec, environment: { QUEUE_QUOTA_FILES: '77' } });
    });
    afterAll(() => queue.close());

    const idOf = (name: string): string => queue.ids.users.get(name) ?? '';
    const submit = (who: 'ann' | 'bob', path = 'test/good') =>
      queue.request('POST', `/queue/${path}`, { body: { ms: 30_000 }, headers: queue.auth[who] });
    const limits = async (): Promise<readonly Use[]> =>
      (await queue.request('GET', '/queue/limits', { headers: queue.auth.ann })).data as Use[];
    const useOf = async (quota: string): Promise<Use | undefined> =>
      (await limits()).find((use) => use.quota === quota);
    /** Sets the quotas of ann, which the process reads again when they are shown. */
    const setQuotas = async (body: object): Promise<void> => {
      const none = { queued: null, running: null, submitted_per_minute: null, stored_bytes: null };
      const all = { ...none, log_bytes: null, files: null, ...body };
      const { status } = await queue.request('PATCH', `/quotas/${row}`, { as: 'admin', body: all });
      expect(status).toBe(200);
      // what is null is left to the role
      await until(async () => {
        const now = await limits();
        return Object.entries(body).every(([name, limit]) =>
          now.some(({ quota, limit: current }) => quota === name && current === limit),
        );
      });
    };

    it('are set by administrators for a user or a role, and begin with those of the environment', async () => {
      const role = await queue.request('POST', '/roles', { as: 'admin', body: { name: 'small' } });
      const { id } = role.data as { id: string };
      await queue.request('PATCH', `/users/${idOf('ann')}`, { as: 'admin', body: { role: id } });
      const ofRole = { role: id, queued: 9, log_bytes: '5000000000' };
      expect((await queue.request('POST', '/quotas', { as: 'admin', body: ofRole })).status).toBe(200);
      const made = await queue.request('POST', '/quotas', {
        as: 'admin',
        body: { user: idOf('ann'), queued: 2 },
      });
      row = (made.data as { id: string }).id;
      expect((await queue.request('GET', '/quotas', { as: 'ann' })).status).toBe(403);
      const refused = async (method: string, path: string, body: object) => {
        const answer = await queue.request(method, path, { as: 'admin', body });
        return [answer.status, ...answer.codes];
      };
      const other = await queue.request('POST', '/roles', { as: 'admin', body: { name: 'large' } });
      const both = { user: idOf('bob'), role: (other.data as { id: string }).id };
      expect(await refused('POST', '/quotas', both)).toEqual([400, 'INVALID_PAYLOAD']);
      expect(await refused('POST', '/quotas', [{ queued: 2 }])).toEqual([400, 'INVALID_PAYLOAD']);
      expect(await refused('PATCH', `/quotas/${row}`, { user: null })).toEqual([400, 'INVALID_PAYLOAD']);
      expect(await refused('PATCH', `/quotas/${row}`, { files: -1 })).toEqual([400, 'FAILED_VALIDATION']);
      expect(await limits()).toEqual([
        { quota: 'queued', limit: 2, used: 0 },
        { quota: 'running', limit: null, used: 0 },
        { quota: 'submitted_per_minute', limit: null, used: 0 },
        { quota: 'stored_bytes', limit: null, used: 0 },
        { quota: 'log_bytes', limit: 5_000_000_000, used: 0 },
        { quota: 'files', limit: 77, used: 0 },
        { quota: 'redeliveries_per_hour', limit: null, used: 0 },
      ]);
    });

    it('limit running requests over all models; others wait', async () => {
      await setQuotas({ running: 1 });
      const sent = [await submit('ann'), await submit('ann', 'test/fail'), await submit('bob')];
      expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
      const states = await queue.database.query(
        'select account, state, count(*) as found from svc_requests group by account, state',
      );
      const found = states.map(({ account, state }) => `${String(account)} ${String(state)}`);
      const expected = [`${idOf('ann')} admitted`, `${idOf('ann')} waiting`, `${idOf('bob')} admitted`];
      expect(found.toSorted()).toEqual(expected.toSorted());
      expect(await useOf('running')).toEqual({ quota: 'running', limit: 1, used: 1 });
      const [running] = sent.map(({ body }) => (body as { request_id: string }).request_id);
      const path = `/queue/test/good/requests/${running}/cancel`;
      await queue.request('PUT', path, { headers: queue.auth.ann });
      // the other model has a request that waited only for the quota
      await until(async () => (await useOf('queued'))?.used === 0);
    });

    it('limit waiting requests, also within one batch', async () => {
      await setQuotas({ running: 0, queued: 2 });
      const sent = await Promise.all([1, 2, 3, 4].map(() => submit('ann')));
      expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429]);
      const refused = sent.find(({ status }) => status === 429);
      expect(refused?.body).toMatchObject(refusal('queued', 2));
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await submit('bob')).status).toBe(200);
      expect(await useOf('queued')).toEqual({ quota: 'queued', limit: 2, used: 2 });
    });

    it('limit submissions per minute, with Retry-After', async () => {
      await setQuotas({ submitted_per_minute: 3 });
      const { status, body, headers } = await submit('ann');
      expect([status, body]).toEqual([429, expect.objectContaining(refusal('submitted_per_minute', 3))]);
      const after = Number(headers.get('retry-after'));
      expect(after).toBeGreaterThan(0);
      expect(after).toBeLessThanOrEqual(60);
      const { reset } = body as { reset: string };
      expect(Date.parse(reset) - Date.now()).toBeLessThanOrEqual(60_000);
      const rest = await queue.request('POST', '/requests', {
        as: 'ann',
        body: { model: 'test/good', input: {} },
      });
      expect([rest.status, rest.codes]).toEqual([429, ['REQUESTS_EXCEEDED']]);
    });

    it('limit the stored bytes', async () => {
      await setQuotas({ stored_bytes: 10 });
      expect((await useOf('stored_bytes'))?.used).toBeGreaterThan(10);
      expect(await submit('ann')).toMatchObject({ status: 429, body: refusal('stored_bytes', 10) });
      await setQuotas({ stored_bytes: 1_000_000 });
      await until(async () => (await submit('ann')).status === 200);
    });

    it.each([
      ['log_bytes', 400],
      ['files', 3],
    ])('limit %s of the requests that are kept', async (quota, limit) => {
      const insert = (used: number) =>
        queue.database.write({
          text:
            `insert into svc_requests (id, account, model, state, http_status, ${quota}, date_created, date_ended) ` +
            "values (?, ?, 'test/good', 'ended', 200, ?, 1, 1)",
          values: [createId(), idOf('ann'), used],
        });
      await setQuotas({ [quota]: limit });
      await insert(limit - 1);
      expect(await useOf(quota)).toEqual({ quota, limit, used: limit - 1 });
      expect((await submit('ann')).status).toBe(200);
      await insert(1);
      expect(await useOf(quota)).toEqual({ quota, limit, used: limit });
      expect(await submit('ann')).toMatchObject({ status: 429, body: refusal(quota, limit) });
      const run = await queue.request('POST', '/run/test/good', { body: {}, headers: queue.auth.ann });
      expect(run).toMatchObject({ status: 429, body: refusal(quota, limit) });
      expect((await submit('bob')).status).toBe(200);
      await setQuotas({ [quota]: 1_000_000 });
      await until(async () => (await submit('ann')).status === 200);
    });

    it('limit redeliveries per hour', async () => {
      await setQuotas({ redeliveries_per_hour: 1 });
      const [request, delivery] = [
        '00000000-0000-4000-8000-000000000001',
        '00000000-0000-4000-8000-000000000002',
      ];
      await queue.database.write({
        text:
          'insert into svc_requests (id, account, model, state, input, webhook, http_status, date_created, date_ended) ' +
          "values (?, ?, 'test/good', 'ended', '{}', 'https://example.com/', 200, 1, 1)",
        values: [request, idOf('ann')],
      });
      await queue.database.write({
        text:
          'insert into svc_deliveries (id, request, account, url, state, date_created) ' +
          "values (?, ?, ?, 'https://example.com/', 'failed', 1)",
        values: [delivery, request, idOf('ann')],
      });
      const redeliver = () => queue.request('POST', `/requests/${request}/redeliver`, { as: 'ann' });
      expect((await redeliver()).status).toBe(204);
      const { status, codes } = await redeliver();
      expect([status, codes]).toEqual([429, ['REQUESTS_EXCEEDED']]);
      expect((await useOf('redeliveries_per_hour'))?.used).toBe(1);
    });

    it('are shown to operators, and in GraphQL', async () => {
      const read = (account: string) =>
        queue.request('GET', `/operator/accounts/${account}`, { as: 'admin' });
      const { data } = await read(idOf('ann'));
      const shown = data as { account: string; limits: readonly Use[] };
      expect((await read('ann@example.com')).data).toEqual(data);
      for (const nobody of ['11111111-1111-4111-8111-111111111111', 'nobody@example.com', 'ann'])
        expect((await read(nobody)).codes).toEqual(['ROUTE_NOT_FOUND']);
      expect(shown.account).toBe(idOf('ann'));
      expect(shown.limits).toContainEqual({ quota: 'files', limit: 77, used: 3 });
      const answer = await ask(queue, '{ queue_limits { quota limit used } }', {
        as: 'bob',
        path: '/graphql/system',
      });
      expect((answer.data as { queue_limits: Use[] }).queue_limits).toHaveLength(7);
    });
  });
