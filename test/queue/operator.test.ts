/** Operators find any request of any account and say what happens to it; nobody else can. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../databases.js';
import { ask } from '../runtime/graphql/library.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { createOperator } from './operator-client.js';

const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));

interface Waiting {
  readonly request: string;
  readonly next_at: string | null;
  readonly postponed: string | null;
  readonly attempts: readonly object[];
}

// later tests look at what earlier ones did
for (const dialect of sampleDialects(import.meta.url))
  describe(`operators on ${dialect}`, { shuffle: false }, () => {
    let queue: TestQueue;
    let workers: Awaited<ReturnType<TestQueue['startWorkers']>>;
    const { act, actionOf, get, operate, submit, untilCompleted, untilEnded } = createOperator(
      () => queue,
      'bob',
    );

    beforeAll(async () => {
      queue = await startTestQueue(dialect, { spec });
      const policy = { name: 'Operators', operator_access: true };
      const made = await queue.request('POST', '/policies', { as: 'admin', body: policy });
      const body = { policy: (made.data as { id: string }).id, user: queue.ids.users.get('bob') };
      await queue.request('POST', '/access', { as: 'admin', body });
      workers = await queue.startWorkers();
    });
    afterAll(() => queue.close());

    const idsOf = async (query: string): Promise<string[]> =>
      ((await get(`requests?${query}`)) as { id: string }[]).map(({ id }) => id);

    it('are those with operator_access, and administrators', async () => {
      const paths = ['requests', 'deliveries', 'models', 'accounts', 'endpoints', 'workers'];
      for (const path of paths) {
        const statusFor = async (as: string) =>
          (await queue.request('GET', `/operator/${path}`, { as })).status;
        expect([path, await statusFor('bob'), await statusFor('admin'), await statusFor('ann')]).toEqual([
          path,
          200,
          200,
          403,
        ]);
      }
      const body = { action: 'cancel', filter: {} };
      expect((await queue.request('POST', '/operator/actions', { as: 'ann', body })).status).toBe(403);
    });

    it('cannot be appointed by users who may only write policies', async () => {
      const policy = { name: 'Writers of policies' };
      const { id } = (await queue.request('POST', '/policies', { as: 'admin', body: policy })).data as {
        id: string;
      };
      const user = queue.ids.users.get('ann');
      await queue.request('POST', '/access', { as: 'admin', body: { policy: id, user } });
      for (const action of ['create', 'update', 'read']) {
        const permission = { policy: id, collection: 'svc_policies', action, permissions: {}, fields: ['*'] };
        await queue.request('POST', '/permissions', { as: 'admin', body: permission });
      }
      const body = { operator_access: true };
      const raised = await queue.request('PATCH', `/policies/${id}`, { as: 'ann', body });
      expect([raised.status, raised.codes]).toEqual([403, ['FORBIDDEN']]);
    });

    it('find why a request failed, on which worker and with which stack, in one search', async () => {
      const id = await submit('fail');
      await untilCompleted(id);
      expect(await idsOf('error_type=runner_server_error&model=test/fail')).toContain(id);
      expect(await idsOf('error_type=request_timeout')).not.toContain(id);
      const account = queue.ids.users.get('ann') ?? '';
      expect(await idsOf(`account=${account}&status=COMPLETED&http_status=500`)).toContain(id);
      const { request, attempts } = (await get(`requests/${id}`)) as { request: object; attempts: object[] };
      expect(request).toMatchObject({ id, account, model: 'test/fail', error_type: 'runner_server_error' });
      expect(attempts).toMatchObject([
        { number: 1, outcome: 'error', message: 'a secret', stack: expect.stringContaining('at ') },
      ]);
      const workers = (await get('workers')) as { id: string; state: string; classes: string[] }[];
      expect(workers).toContainEqual(expect.objectContaining({ state: 'running', classes: ['models'] }));
      expect(workers.map((worker) => worker.id)).toContain((attempts[0] as { worker: string }).worker);
    });

    it('see which webhooks failed, and redeliver all of them', async () => {
      queue.receiver.answers.push(410, 410);
      const made = [await submit('good', { hook: '/first' }), await submit('good', { hook: '/second' })];
      const endpoint = new URL(queue.receiver.url).origin;
      const failed = `endpoint=${encodeURIComponent(endpoint)}&state=failed`;
      const found = await until(async () => {
        const all = (await get(`deliveries?${failed}`)) as {
          id: string;
          request: string;
          attempts: object[];
        }[];
        return all.length === 2 ? all : null;
      });
      expect(found.map(({ request }) => request).toSorted()).toEqual(made.toSorted());
      expect(found[0]?.attempts).toMatchObject([{ number: 1, status: 410 }]);
      expect(await get(`deliveries/${found[0]?.id}`)).toEqual(found[0]);
      expect((await operate('GET', 'deliveries/00000000-0000-4000-8000-000000000000')).status).toBe(404);
      expect(await get('endpoints')).toContainEqual(expect.objectContaining({ endpoint, failed: 2 }));
      const filter = { endpoint, delivery: 'failed' };
      const dry = await act({ action: 'redeliver', filter, dry_run: true });
      expect(dry).toMatchObject({ id: null, state: 'dry_run', total: 2, done: 0 });
      const action = await act({ action: 'redeliver', filter, reason: 'the receiver is repaired' });
      expect(await untilEnded(action)).toMatchObject({ state: 'done', total: 2, done: 2, failed: 0 });
      await until(async () => ((await get('deliveries?state=delivered')) as object[]).length === 2 || null);
    });

    it('see which webhook waits, until when and why, as its owner does, and that no attempt is spent', async () => {
      queue.receiver.answers.push(...Array.from({ length: 10 }, () => 503));
      const path = `/queue/test/good?svc_webhook=${queue.receiver.url}/failing`;
      const { body } = await queue.request('POST', path, { body: {}, headers: queue.auth.bob });
      const { request_id: id } = body as { request_id: string };
      const waiting = await until(async () => {
        const [delivery] = (await get('deliveries?state=pending')) as Waiting[];
        return delivery?.postponed === 'receiver_failing' ? delivery : null;
      });
      expect([waiting.request, waiting.attempts.length]).toEqual([id, 10]);
      // the breaker is open for 30 s at first, and up to half of that is added
      const after = Date.parse(waiting.next_at ?? '') - Date.now();
      expect(after).toBeGreaterThan(20_000);
      expect(after).toBeLessThanOrEqual(45_000);
      const own = await queue.request('GET', `/requests/${id}/deliveries`, { as: 'bob' });
      expect(own.data).toMatchObject([
        { state: 'pending', postponed: 'receiver_failing', next_at: waiting.next_at },
      ]);
    });

    it('pause a model, whose requests wait, and run all that failed again', async () => {
      const target = { kind: 'model', name: 'test/good' };
      const pausing = await act({ action: 'pause', target, reason: 'a bad deploy' });
      expect(pausing).toMatchObject({ action: 'pause', state: 'done', reason: 'a bad deploy' });
      expect(await actionOf(pausing.id)).toEqual(pausing);
      const paused = async () =>
        ((await get('models')) as { id: string; paused: boolean; waiting: number }[]).find(
          ({ id }) => id === 'test/good',
        );
      // processes read what is paused once a second
      await until(async () => {
        const id = await submit('good');
        const { request } = (await get(`requests/${id}`)) as { request: { status: string } };
        await until(async () => ((await paused())?.waiting ?? 0) > 0 || null, { timeout: 3_000 }).catch(
          () => null,
        );
        return request.status === 'IN_QUEUE' && ((await paused())?.waiting ?? 0) > 0 ? true : null;
      });
      expect(await paused()).toMatchObject({ paused: true });
      const waiting = await idsOf('model=test/good&status=IN_QUEUE');
      const released = await untilEnded(await act({ action: 'release', ids: waiting.slice(0, 1) }));
      expect(released).toMatchObject({ total: 1, done: 1 });
      await untilCompleted(waiting[0] ?? '');
      await act({ action: 'resume', target, reason: 'it is repaired' });
      const failed = await submit('fail', { hook: '/again' });
      await untilCompleted(failed);
      const deliveriesOf = async () =>
        ((await get(`requests/${failed}`)) as { deliveries: { state: string }[] }).deliveries;
      await until(async () => (await deliveriesOf())[0]?.state === 'delivered' || null);
      const again = await untilEnded(await act({ action: 'retry', filter: { model: 'test/fail' } }));
      expect([again.state, again.failed, again.done]).toEqual(['done', 0, again.total]);
      await untilCompleted(failed);
      const read = (await get(`requests/${failed}`)) as { request: object; attempts: { number: number }[] };
      expect(read.request).toMatchObject({ id: failed, round: 2, status: 'COMPLETED' });
      expect(read.attempts.map(({ number }) => number)).toEqual([1, 2]);
      await until(async () => {
        const deliveries = await deliveriesOf();
        return (deliveries.length === 2 && deliveries.every(({ state }) => state === 'delivered')) || null;
      });
    });

    it('find requests by their tag and by the time of their submit', async () => {
      const body = { model: 'test/good', input: {}, tags: { team: 'sea' } };
      const { id } = (await queue.request('POST', '/requests', { as: 'ann', body })).data as { id: string };
      const other = await submit('good');
      expect(await idsOf(`tag=${encodeURIComponent('team=sea')}`)).toEqual([id]);
      expect(await idsOf(`tag=${encodeURIComponent('team=land')}`)).toEqual([]);
      const { request } = (await get(`requests/${id}`)) as { request: { created_at: string } };
      const created = Date.parse(request.created_at);
      const at = (ms: number): string => new Date(created + ms).toISOString();
      expect(await idsOf(`after=${at(-1)}&before=${at(1)}`)).toContain(id);
      expect(await idsOf(`after=${at(60_000)}`)).toEqual([]);
      const before = await idsOf(`before=${at(0)}`);
      expect([before.includes(id), before.includes(other), before.length > 0]).toEqual([false, false, true]);
    });

    it('pause an endpoint, to which nothing is sent until it is resumed', async () => {
      const target = { kind: 'endpoint', name: `${queue.receiver.url}/any` };
      await act({ action: 'pause', target });
      const { origin } = new URL(queue.receiver.url);
      const endpoints = async () =>
        ((await get('endpoints')) as { endpoint: string; paused: boolean }[]).filter(
          ({ endpoint }) => endpoint === origin,
        );
      expect((await endpoints()).every(({ paused }) => paused)).toBe(true);
      // processes read what is paused once a second
      const held = await until(async () => {
        const id = await submit('good', { hook: '/held' });
        return until(async () => {
          const { deliveries } = (await get(`requests/${id}`)) as { deliveries: Waiting[] };
          if (deliveries[0]?.postponed === 'paused') return deliveries[0];
          return (deliveries[0]?.attempts.length ?? 0) > 0 ? 'sent' : null;
        }).then((found) => (found === 'sent' ? null : found));
      });
      expect(held.attempts).toEqual([]);
      await act({ action: 'resume', target });
      expect((await endpoints()).some(({ paused }) => paused)).toBe(false);
      await until(async () => {
        const id = await submit('good', { hook: '/resumed' });
        await untilCompleted(id);
        return queue.receiver.received.some(({ path }) => path === '/resumed') || null;
      });
    });

    it('cancel by filter, and every act leaves its row with author and reason', async () => {
      const ids = await Promise.all([1, 2, 3].map(() => submit('good', { body: { ms: 30_000 } })));
      const action = await act({ action: 'cancel', filter: { model: 'test/good', status: 'IN_PROGRESS' } });
      await untilEnded(action);
      const rest = await act({ action: 'cancel', ids });
      await untilEnded(rest);
      for (const id of ids) await untilCompleted(id);
      const [worker] = (await get('workers')) as [{ readonly id: string }];
      const drained = await act({ action: 'drain', ids: [worker.id], reason: 'a new version' });
      expect(await actionOf(drained.id)).toEqual(drained);
      expect(drained).toMatchObject({ action: 'drain', state: 'done', total: 1, done: 1, errors: [] });
      const unknown = await act({ action: 'drain', ids: [worker.id, 'nobody', 'nobody'] });
      const errors = [{ request: 'nobody', message: 'there is no such worker' }];
      expect(unknown).toMatchObject({ total: 2, done: 1, failed: 1, errors });
      expect(await actionOf(unknown.id)).toEqual(unknown);
      await workers.ended;
      const rows = await queue.database.query(
        "select action, item, reason from svc_activity where collection = 'svc_operator_actions' order by id",
        [],
      );
      const acts = new Set(rows.map((row) => row.action));
      expect([...acts].toSorted()).toEqual([
        'cancel',
        'drain',
        'pause',
        'redeliver',
        'release',
        'resume',
        'retry',
      ]);
      expect(rows).toContainEqual({ action: 'cancel', item: action.id, reason: null });
      expect(rows).toContainEqual({ action: 'drain', item: worker.id, reason: 'a new version' });
      expect(rows).toContainEqual({ action: 'pause', item: 'model test/good', reason: 'a bad deploy' });
      expect(rows).toContainEqual({ action: 'resume', item: 'model test/good', reason: 'it is repaired' });
    });

    it('get an error that names what an action requires', async () => {
      for (const body of [
        { action: 'cancel' },
        { action: 'cancel', ids: ['x'] },
        { action: 'retry', filter: {}, ids: ['00000000-0000-4000-8000-000000000000'] },
        { action: 'retry', filter: {} },
        { action: 'cancel', filter: {}, dry_run: true },
        { action: 'pause' },
        { action: 'pause', target: { kind: 'endpoint', name: 'nowhere' } },
        { action: 'drain', target: { kind: 'model', name: 'a/b' } },
      ]) {
        const { status, codes } = await queue.request('POST', '/operator/actions', { as: 'bob', body });
        expect([body, status, codes]).toEqual([body, 400, ['INVALID_PAYLOAD']]);
      }
    });

    it('get an error for parameters that do not exist, instead of everything', async () => {
      const { status, codes, text } = await queue.request('GET', '/operator/requests?acount=x&tags=a%3D1', {
        as: 'bob',
      });
      expect([status, codes]).toEqual([400, ['INVALID_QUERY', 'INVALID_QUERY']]);
      expect(text).toContain('\\"acount\\" is not a parameter; expected account, model, status');
      const models = await queue.request('GET', '/operator/models?model=test/good', { as: 'bob' });
      expect([models.status, models.codes]).toEqual([400, ['INVALID_QUERY']]);
    });

    it('can use GraphQL as well', async () => {
      const { data } = await ask(queue, '{ operator_models { id paused workers } }', {
        as: 'bob',
        path: '/graphql/system',
      });
      expect((data as { operator_models: object[] }).operator_models).toContainEqual(
        expect.objectContaining({ id: 'test/good', paused: false }),
      );
    });
  });
