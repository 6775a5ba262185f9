/** Deliveries that a pause has postponed are attempted when it ends, not only when they look again by themselves. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { deliveryWorkflowId, resumedSignal, type DeliveryRound } from '../../runtime/queue/contract.js';
import { createResumedDeliveries } from '../../runtime/queue/requests/resumed-deliveries.js';
import { insertDelivery, scheduleNext } from '../../runtime/queue/store/deliveries.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { sampleDialects } from '../databases.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { createOperator } from './operator-client.js';

const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));

interface Row {
  readonly id: string;
  readonly round: number;
  readonly date_next: string | number | null;
}

describe.each(sampleDialects(import.meta.url))('on %s, the deliveries of', (dialect) => {
  let queue: TestQueue;
  let connection: Connection;
  const { act, submit } = createOperator(() => queue, 'admin');

  beforeAll(async () => {
    queue = await startTestQueue(dialect, { spec });
    await queue.startWorkers();
    connection = await Connection.connect({ address: inject('services').temporal });
  });
  afterAll(async () => {
    await connection.close();
    await queue.close();
  });

  /** Waits until a delivery is postponed at another time than before. */
  const untilPostponed = (request: string, before: Row | null = null): Promise<Row> =>
    until(async () => {
      const text =
        "select id, round, date_next from svc_deliveries where request = ? and postponed = 'paused'";
      const [row] = (await queue.database.query(text, [request])) as unknown as readonly Row[];
      return row !== undefined && String(row.date_next) !== String(before?.date_next) ? row : null;
    });

  it.each([
    ['an endpoint', 'endpoint', () => queue.receiver.url],
    ['an account', 'account', () => queue.ids.users.get('ann') ?? ''],
  ])(
    '%s are sent when it is resumed, after the first attempt and after later ones',
    async (_, kind, nameOf) => {
      const target = { kind, name: nameOf() };
      const hooks = [`/${kind}/first`, `/${kind}/later`];
      // they run when the pause begins, which would hold them before
      const body = { ms: 3_000 };
      const [first = '', later = ''] = await Promise.all(hooks.map((hook) => submit('good', { body, hook })));
      await act({ action: 'pause', target });
      await untilPostponed(first);
      const row = await untilPostponed(later);
      const client = new Client({ connection, namespace: queue.namespace });
      const workflowId = deliveryWorkflowId({ deliveryId: row.id, round: row.round });
      await client.workflow.getHandle(workflowId).signal(resumedSignal);
      await untilPostponed(later, row);
      await act({ action: 'resume', target });
      const received = () =>
        queue.receiver.received.map(({ path }) => path).filter((path) => hooks.includes(path));
      await until(() => received().length >= 2, { timeout: 10_000 });
      expect(received().toSorted()).toEqual(hooks);
    },
  );

  it('a receiver are attempted again where the signal meets an attempt that fails', async () => {
    const held: ServerResponse[] = [];
    const server = createServer((_, response) => void held.push(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const respond = async (status: number): Promise<void> => {
      (await until(() => held.shift())).writeHead(status).end();
    };
    const body = { webhook: `http://127.0.0.1:${port}/`, model: 'test/good', input: {} };
    const { data } = await queue.request('POST', '/requests', { as: 'ann', body });
    const { id: request } = data as { readonly id: string };
    await respond(500);
    await until(() => held.length > 0);
    const [row] = await queue.database.query('select id from svc_deliveries where request = ?', [request]);
    const { workflow } = new Client({ connection, namespace: queue.namespace });
    const handle = workflow.getHandle(deliveryWorkflowId({ deliveryId: String(row?.['id']), round: 1 }));
    await handle.signal(resumedSignal);
    // 3 is CANCEL_REQUESTED
    await until(async () => (await handle.describe()).raw.pendingActivities?.[0]?.state === 3);
    await respond(500);
    await respond(200);
    expect(await handle.result()).toBe(3);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the end of a pause', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ dialect: 'sqlite' });
  });
  afterAll(() => server.close());

  const url = 'https://receiver.test/hook';
  const store = async (account: string, postponed: 'paused' | 'receiver_busy'): Promise<string> => {
    const { id } = await insertDelivery(server.database, {
      id: createId(),
      request: null,
      account,
      url,
      created: Date.now(),
    });
    await scheduleNext(server.database, { id, next: Date.now(), postponed });
    return id;
  };

  it('is signalled to every delivery that it had postponed, and to no other', async () => {
    const [account, other] = [createId(), createId()];
    const ids: string[] = [];
    for (let index = 0; index < 450; index += 1) ids.push(await store(account, 'paused'));
    await store(account, 'receiver_busy');
    await store(other, 'paused');
    const signalled: string[] = [];
    const resumed = createResumedDeliveries({
      database: server.database,
      signal: async ({ deliveryId }: DeliveryRound) => void signalled.push(deliveryId),
      onError: (error) => expect.fail(String(error)),
    });
    resumed.add({ kind: 'model', name: 'test/good' });
    resumed.add({ kind: 'account', name: account });
    await until(() => (signalled.length >= ids.length ? true : null));
    await resumed.stop();
    expect(signalled.toSorted()).toEqual(ids.toSorted());
  });

  it('is reported once where Temporal is away, and forgotten where the process ends', async () => {
    const account = createId();
    for (let index = 0; index < 3; index += 1) await store(account, 'paused');
    const onError = vi.fn<(error: unknown) => void>();
    const options = { database: server.database, signal: () => Promise.reject(new Error('away')), onError };
    const away = createResumedDeliveries(options);
    away.add({ kind: 'account', name: account });
    await until(() => (onError.mock.calls.length > 0 ? true : null));
    await away.stop();
    const ending = createResumedDeliveries(options);
    ending.add({ kind: 'account', name: account });
    await ending.stop();
    expect(onError).toHaveBeenCalledOnce();
  });
});
