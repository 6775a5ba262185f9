/** Durability when a worker, Temporal or the connection to the database ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { findTemporal } from '../../runtime/demo/temporal-program.js';
import { startTemporalServer } from '../../runtime/demo/temporal-server.js';
import { deletePause, insertPause, maxPauseAge } from '../../runtime/queue/store/pauses.js';
import { createGateway } from '../../runtime/queue/temporal/gateway.js';
import { keepPrepared } from '../../runtime/queue/temporal/namespace.js';
import type { Running, Workplace } from '../runtime/commands.js';
import { createBootstrapped } from '../runtime/harness/bootstrapped.js';
import { reservePort } from '../services/ports.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';
import { startReceiver, type Receiver } from './receiver.js';

type Status = Readonly<Record<string, unknown>> & { readonly logs: { readonly message: string }[] | null };

const environmentOf = (address: string) => ({
  TEMPORAL_ADDRESS: address,
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_ALLOW_HTTP: 'true',
});

describe('separate processes', () => {
  let place: Workplace;
  let receiver: Receiver;
  let key = '';
  let url = '';
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
    place.remove();
  });

  const open = async (address: string): Promise<Running> => {
    place = await createBootstrapped();
    key = (await place.run(['keys', 'create', '--user', 'admin@example.com'])).stdout.trim();
    return serve(address);
  };
  const serve = async (address: string): Promise<Running> => {
    const running = place.start(['start', '--workers', '1'], { ...environmentOf(address), PORT: '0' });
    ends.push(() => running.stop('SIGTERM'));
    url = (await running.until(/items (http:\/\/127\.0\.0\.1:\d+)\/items/))[1] ?? '';
    return running;
  };
  /** Takes connections and says nothing. */
  const startSilent = async (): Promise<string> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(async () => server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const startWorker = async (address: string): Promise<Running> => {
    const worker = place.start(['worker'], { ...environmentOf(address), PUBLIC_URL: url });
    await worker.until(/workers started: /);
    return worker;
  };
  const startTemporal = async (): Promise<{ readonly address: string; start(): Promise<void> }> => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-temporal-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const port = await reservePort();
    const program = (await findTemporal()) ?? '';
    return {
      address: `127.0.0.1:${port}`,
      async start() {
        const file = join(folder, 'temporal.db');
        const server = await startTemporalServer({ program, port, uiPort: null, file });
        ends.push(server.stop);
      },
    };
  };
  const call = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/queue/${path}`, { ...init, headers: { authorization: `Key ${key}`, ...init.headers } });
  const submit = async (model: string, input: object, headers: Record<string, string> = {}, hook = '/') => {
    const answer = await call(`${model}?svc_webhook=${receiver.url}${hook}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { request_id: string }).request_id;
  };
  const statusOf = async (model: string, id: string): Promise<Status> =>
    (await (await call(`${model}/requests/${id}/status?logs=1`)).json()) as Status;
  const resultOf = async (model: string, id: string): Promise<Response> => {
    await until(async () => ((await statusOf(model, id)).status === 'COMPLETED' ? true : null));
    return call(`${model}/requests/${id}`);
  };

  it('another worker continues from the last heartbeat of a killed worker', async () => {
    const temporal = await startTemporal();
    await temporal.start();
    await open(temporal.address);
    const first = await startWorker(temporal.address);
    const input = { prompt: 'sea', model_name: 'm', steps: 200, pause: 0.02 };
    const id = await submit('demo/train', input, {}, '/resumed');
    const trained = async () => (await statusOf('demo/train', id)).logs?.map(({ message }) => message) ?? [];
    await until(async () => ((await trained()).some((line) => line.startsWith('step 100/')) ? true : null));
    await first.stop('SIGKILL');
    const second = await startWorker(temporal.address);
    ends.push(() => second.stop('SIGTERM'));
    const result = await until(async () => {
      const answer = await resultOf('demo/train', id).catch(() => null);
      return answer?.status === 200 ? answer : null;
    });
    expect(await result.json()).toMatchObject({ steps: 200, resumed: 1 });
    const lines = await trained();
    const step = Number(/^going on after step (\d+)$/m.exec(lines.join('\n'))?.[1]);
    expect(step).toBeGreaterThan(0);
    // what had been done was not done again
    expect(lines.filter((line) => line.startsWith('step 25/'))).toHaveLength(1);
    const hooks = await until(() => {
      const found = receiver.received.filter(({ path }) => path === '/resumed');
      return found.length > 0 ? found : null;
    });
    expect(hooks[0]?.body).toMatchObject({ request_id: id, status: 'OK' });
  });

  it('requests submitted while Temporal is down run when it is available, even those whose process was killed', async () => {
    const temporal = await startTemporal();
    const first = await open(await startSilent());
    const once = { 'idempotency-key': 'once' };
    const image = { prompt: 'sea', width: 16, height: 16 };
    const id = await submit('demo/image', image, once);
    await first.stop('SIGKILL');
    await serve(temporal.address);
    expect(await submit('demo/image', image, once)).toBe(id);
    const ids = await Promise.all([1, 2, 3].map((seed) => submit('demo/image', { ...image, seed })));
    const late = await submit('demo/image', image, { 'x-svc-request-start-timeout': '1' }, '/late');
    const deadline = Date.now() + 1000;
    expect(await statusOf('demo/image', ids[0] ?? '')).toMatchObject({ status: 'IN_QUEUE' });
    await until(() => (Date.now() > deadline ? true : null));
    await temporal.start();
    const worker = await startWorker(temporal.address);
    ends.push(() => worker.stop('SIGTERM'));
    for (const each of [id, ...ids]) expect((await resultOf('demo/image', each)).status).toBe(200);
    expect(await submit('demo/image', image, once)).toBe(id);
    const missed = await resultOf('demo/image', late);
    expect([missed.status, missed.headers.get('x-svc-error-type')]).toEqual([504, 'startup_timeout']);
    const hook = await until(() => receiver.received.find(({ path }) => path === '/late') ?? null);
    expect(hook.body).toMatchObject({ status: 'ERROR', error: 'Invalid status code: 504' });
  });
});

describe('scheduled jobs', () => {
  let queue: TestQueue;
  let client: Client;

  beforeAll(async () => {
    queue = await startTestQueue('sqlite', {
      environment: { QUEUE_RESULT_TTL: '1s', QUEUE_FILE_TTL: '1s' },
    });
    const connection = await Connection.connect({ address: inject('services').temporal });
    client = new Client({ connection, namespace: queue.namespace });
    await queue.startWorkers();
  });
  afterAll(async () => {
    await client.connection.close();
    await queue.close();
  });

  const submit = async (input: object, webhook?: string): Promise<string> => {
    const options = { body: { prompt: 'a', width: 16, height: 16, ...input }, headers: queue.auth.ann };
    const query = webhook === undefined ? '' : `?svc_webhook=${encodeURIComponent(webhook)}`;
    const { body } = await queue.request('POST', `/queue/demo/image${query}`, options);
    return (body as { request_id: string }).request_id;
  };
  const endOf = (id: string) =>
    until(async () => {
      const path = `/queue/demo/image/requests/${id}/status`;
      const { status, body } = await queue.request('GET', path, { headers: queue.auth.ann });
      return status === 200 ? (body as Readonly<Record<string, unknown>>) : null;
    });
  const set = (id: string, columns: string) =>
    queue.execute(`update svc_requests set ${columns} where id = '${id}'`);
  const copy = async (id: string, state: string): Promise<string> => {
    const made = id.replace(/^.{8}/, '01000000');
    await queue.execute(
      'insert into svc_requests (id, account, model, state, input, started, date_created, date_admitted) ' +
        `select '${made}', account, model, '${state}', input, 0, 0, date_admitted from svc_requests where id = '${id}'`,
    );
    return made;
  };

  /** Runs a job now, which its schedule does every ten seconds. */
  const sweep = () => client.schedule.getHandle('svc-sweep').trigger();

  it('start missing workflows by themselves', async () => {
    const id = await submit({});
    await endOf(id);
    expect(await endOf(await copy(id, 'waiting'))).not.toHaveProperty('error');
  });

  it('signal the slot again to a workflow that missed the signal', async () => {
    const done = await submit({ seed: 2 });
    await endOf(done);
    const id = await copy(done, 'admitted');
    await set(id, 'started = 1');
    const gateway = createGateway({
      address: queue.settings.temporalAddress,
      namespace: queue.namespace,
    });
    await gateway.start({
      requestId: id,
      round: 1,
      account: 'a',
      model: 'demo/image',
      class: 'models',
      timeout: 60_000,
      attempts: 3,
      admitted: false,
      startBefore: null,
      priority: 0,
      summary: '',
    });
    await gateway.close();
    await set(id, 'started = 0');
    await sweep();
    expect(await endOf(id)).not.toHaveProperty('error');
  });

  it('release the slot of a request whose workflow was terminated', async () => {
    const done = await submit({ seed: 3 });
    await endOf(done);
    const id = await copy(done, 'running');
    await set(id, 'started = 1, date_admitted = 1');
    await client.workflow.start('modelRequest', {
      workflowId: id,
      taskQueue: 'nobody-listens',
      args: [{}],
    });
    await client.workflow.getHandle(id).terminate('by an operator');
    await sweep();
    expect(await endOf(id)).toMatchObject({ error_type: 'runner_scheduling_failure' });
  });

  it('end requests that did not start in time, where their workflow is lost', async () => {
    const done = await submit({ seed: 5 });
    await endOf(done);
    // so that it gets no slot, whose receipt ends it
    const target = { kind: 'model', name: 'demo/image' } as const;
    await insertPause(queue.database, { ...target, user: null, reason: null, created: Date.now() });
    // until when a process may not have seen it
    await setTimeout(maxPauseAge);
    try {
      const id = await copy(done, 'waiting');
      await set(id, 'started = 1, start_before = 1');
      await sweep();
      expect(await endOf(id)).toMatchObject({ error_type: 'startup_timeout' });
    } finally {
      await deletePause(queue.database, target);
    }
  });

  it('end deliveries whose workflow was terminated, and start those again that Temporal has lost', async () => {
    const receiver = await startReceiver();
    receiver.answers.push(...Array.from({ length: 20 }, () => 503));
    try {
      const ids = await Promise.all([6, 7].map((seed) => submit({ seed }, receiver.url)));
      for (const id of ids) await endOf(id);
      const [ended = '', lost = ''] = await until(async () => {
        const rows = await queue.database.query(
          "select id from svc_deliveries where state = 'pending' and started = 1 order by id",
        );
        return rows.length === 2 ? rows.map(({ id }) => String(id)) : null;
      });
      await queue.database.write({ text: 'update svc_deliveries set date_created = 1', values: [] });
      await client.workflow.getHandle(`delivery-${ended}`).terminate('by an operator');
      await client.workflowService.deleteWorkflowExecution({
        namespace: queue.namespace,
        workflowExecution: { workflowId: `delivery-${lost}` },
      });
      receiver.answers.length = 0;
      const states = await until(async () => {
        await sweep();
        const rows = await queue.database.query('select id, state from svc_deliveries order by id');
        return rows.every(({ state }) => state !== 'pending') ? rows : null;
      });
      expect(states).toEqual([
        { id: ended, state: 'failed' },
        { id: lost, state: 'delivered' },
      ]);
    } finally {
      await receiver.close();
    }
  });

  it('have their schedules again where Temporal has lost them', async () => {
    const stop = await keepPrepared(client, queue.namespace, { onWarning: () => undefined, interval: 100 });
    try {
      const handle = client.schedule.getHandle('svc-expire');
      await handle.delete();
      const found = await until(() => handle.describe().catch(() => null), { what: 'the schedule is back' });
      expect(found.scheduleId).toBe('svc-expire');
    } finally {
      stop();
    }
  });

  it('delete expired rows at the announced time', async () => {
    const id = await submit({ seed: 4 });
    const { expires_at: expires } = await endOf(id);
    const path = `/queue/demo/image/requests/${id}`;
    const { body } = await queue.request('GET', path, { headers: queue.auth.ann });
    const picture = (body as { images: { url: string }[] }).images[0]?.url ?? '';
    await until(() => (Date.now() > Date.parse(String(expires)) + 1_000 ? true : null));
    await client.schedule.getHandle('svc-expire').trigger();
    const answer = await until(async () => {
      const { status } = await queue.request('GET', path, { headers: queue.auth.ann });
      return status === 404 ? status : null;
    });
    expect([answer, (await fetch(picture)).status]).toEqual([404, 404]);
    const attempts = 'svc_request_attempts where request';
    for (const table of ['svc_requests where id', 'svc_request_logs where request', attempts]) {
      expect(await queue.database.query(`select 1 from ${table} = ?`, [id])).toEqual([]);
    }
  });
});
