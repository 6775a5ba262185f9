/** Classes of models are pools of workers: each takes its own requests, and the others wait for theirs. */
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createQueueModels } from '../../runtime/queue/models/models.js';
import type { WorkerProcess } from '../../runtime/queue/temporal/worker.js';
import { createBootstrapped } from '../runtime/harness/bootstrapped.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { createNamespace } from './namespaces.js';

const spec = fileURLToPath(new URL('pools-spec', import.meta.url));

interface Served {
  readonly id: string;
  readonly class: string;
  readonly workers: number;
}

// the last test starts workers of every class, which stay
describe('a class', { shuffle: false }, () => {
  let queue: TestQueue;
  let client: Client;
  let others: WorkerProcess;

  beforeAll(async () => {
    queue = await startTestQueue('sqlite', { spec });
    const connection = await Connection.connect({ address: inject('services').temporal });
    client = new Client({ connection, namespace: queue.namespace });
    others = await queue.startWorkers({ classes: ['models'] });
  });
  afterAll(async () => {
    await client.connection.close();
    await queue.close();
  });

  const submit = async (model: string, body: object = {}): Promise<string> => {
    const answer = await queue.request('POST', `/queue/${model}`, { body, headers: queue.auth.ann });
    return (answer.body as { request_id: string }).request_id;
  };
  const statusOf = async (model: string, id: string) => {
    const path = `/queue/${model}/requests/${id}/status`;
    return (await queue.request('GET', path, { headers: queue.auth.ann })).body as Readonly<
      Record<string, unknown>
    >;
  };
  const endOf = (model: string, id: string) =>
    until(async () => {
      const status = await statusOf(model, id);
      return status.status === 'COMPLETED' ? status : null;
    });
  const servedBy = async (id: string): Promise<Served | undefined> =>
    ((await queue.request('GET', '/operator/models', { as: 'admin' })).data as Served[]).find(
      (model) => model.id === id,
    );
  /** Returns the last failure of the activity that Temporal shows as pending, with its task queue. */
  const pendingOf = async (id: string) => {
    const described = await client.workflow
      .getHandle(id)
      .describe()
      .catch(() => null);
    const [pending] = described?.raw.pendingActivities ?? [];
    return pending ?? null;
  };

  it('that no worker serves keeps its requests waiting, which operators see', async () => {
    const id = await submit('test/good');
    await until(() => pendingOf(id));
    const image = await submit('demo/image', { prompt: 'sea', width: 16, height: 16 });
    expect(await endOf('demo/image', image)).not.toHaveProperty('error');
    expect(await statusOf('test/good', id)).toMatchObject({ status: 'IN_QUEUE' });
    expect(
      await until(() => servedBy('demo/image').then((served) => served?.workers === 1 && served)),
    ).toEqual(expect.objectContaining({ class: 'models', workers: 1 }));
    expect(await servedBy('test/good')).toMatchObject({ class: 'gpu-a', workers: 0 });
    const pool = await queue.startWorkers({ classes: ['gpu-a'] });
    expect(await endOf('test/good', id)).not.toHaveProperty('error');
    await pool.stop();
  });

  it('runs at most as many models at a time as a worker has slots', async () => {
    const pool = await queue.startWorkers({ classes: ['gpu-a'], slots: 2 });
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => submit('test/good', { ms: 300 })));
    for (const id of ids) await endOf('test/good', id);
    const rows = await queue.database.query(
      `select date_begun, date_ended from svc_request_attempts where request in (${ids.map(() => '?').join()})`,
      ids,
    );
    const attempts = rows.map((row) => ({ begun: Number(row.date_begun), ended: Number(row.date_ended) }));
    expect(attempts).toHaveLength(5);
    const atOnce = attempts.map(
      ({ begun: at }) => attempts.filter(({ begun, ended }) => begun <= at && at < ended).length,
    );
    expect(Math.max(...atOnce)).toBe(2);
    await pool.stop();
  });

  it('whose worker has another version of a model puts requests back to one that knows them', async () => {
    await others.stop();
    const good = queue.queueModels.find(({ id }) => id === 'test/good');
    const changed = { ...good, input: { type: 'object', required: ['other'] } } as NonNullable<typeof good>;
    const former = await queue.startWorkers({
      classes: ['gpu-a'],
      models: createQueueModels([changed]),
      // however long a request waits, it is not ended
      settings: { ...queue.settings, resultTtl: 0 },
    });
    const ids = { good: await submit('test/good'), print: await submit('test/print') };
    for (const [name, text] of Object.entries({ good: 'another version of', print: 'has no model' })) {
      const failure = await until(async () => {
        const pending = await pendingOf(ids[name as keyof typeof ids]);
        return pending?.lastFailure ?? null;
      });
      expect(failure.message).toContain(text);
      expect(failure.applicationFailureInfo?.type).toBe('UnknownModel');
    }
    const sought = 'select count(*) as n from svc_request_attempts where request in (?, ?)';
    const [row] = await queue.database.query(sought, [ids.good, ids.print]);
    expect(Number(row?.n)).toBe(0);
    await queue.startWorkers();
    await former.stop();
    for (const [name, id] of Object.entries(ids)) {
      expect(await endOf(`test/${name}`, id)).not.toHaveProperty('error');
    }
  });
});

describe('a worker that stops', () => {
  let queue: TestQueue;

  beforeAll(async () => {
    queue = await startTestQueue('sqlite', { spec });
  });
  afterAll(() => queue.close());

  const start = (drain: number): Promise<WorkerProcess> =>
    queue.startWorkers({ settings: { ...queue.settings, drain } });
  const submit = async (name: string, body: object = {}): Promise<string> => {
    const options = { body, headers: queue.auth.ann };
    return ((await queue.request('POST', `/queue/test/${name}`, options)).body as { request_id: string })
      .request_id;
  };
  const untilState = (id: string, state: string) =>
    until(async () => {
      const columns = 'state, http_status, output, attempts';
      const [row] = await queue.database.query(`select ${columns} from svc_requests where id = ?`, [id]);
      return row?.state === state ? row : null;
    });

  it('waits for its models, longer than for other activities, and starts no new ones', async () => {
    const first = await start(60_000);
    const id = await submit('good', { ms: 11_000 });
    await untilState(id, 'running');
    const stopped = first.stop();
    const later = await submit('print');
    const second = await start(0);
    await stopped;
    expect(await untilState(id, 'ended')).toMatchObject({ http_status: 200, attempts: 1 });
    expect(await untilState(later, 'ended')).toMatchObject({ http_status: 200, attempts: 1 });
    await second.stop();
  });

  it('hands over models that run longer than WORKER_DRAIN, with their progress', async () => {
    const first = await start(500);
    const id = await submit('continue');
    const lines = () => queue.database.query('select 1 from svc_request_logs where request = ?', [id]);
    await until(async () => (await lines()).length > 0);
    await start(0);
    await first.stop();
    expect(await untilState(id, 'ended')).toMatchObject({ attempts: 2, output: '{"resumed":{"step":1}}' });
  });
});

describe('svc worker', () => {
  it('refuses classes that no model has, and pools without models', async () => {
    const place = await createBootstrapped();
    const environment = {
      TEMPORAL_ADDRESS: inject('services').temporal,
      TEMPORAL_NAMESPACE: await createNamespace(),
    };
    const refusalOf = async (...args: string[]) => {
      const { code, stderr } = await place.run(['worker', ...args], environment);
      return [code, stderr.trim().split('\n').at(-1)];
    };
    expect(await refusalOf('--role', 'models', '--class', 'models,gpu-b')).toEqual([
      1,
      'svc: no model has the class "gpu-b"; expected models, transfers',
    ]);
    expect(await refusalOf('--role', 'webhooks', '--slots', '2')).toEqual([
      1,
      'svc: --class and --slots belong to the role "models", which this worker does not have',
    ]);
    expect((await refusalOf('--slots', '0'))[1]).toContain('expected a number of at least 1');
    const { stdout } = await place.run(['doctor'], environment);
    expect(stdout).toContain(
      'no worker runs the class "models", so requests of demo/image, demo/ocr, demo/train wait; ' +
        'start one: svc worker --role models --class models',
    );
    expect(stdout).toContain(
      'no worker runs the class "transfers", so requests of svc/import, svc/export wait; ' +
        'start one: svc worker --role models --class transfers',
    );
    place.remove();
  });
});
