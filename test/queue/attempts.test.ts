/** Attempts are stored with their worker, their end, and the details that operators need. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { toLogEntry } from '../../runtime/log/entries.js';
import type { QueueObservation } from '../../runtime/observe.js';
import type { FailedAttempt } from '../../runtime/queue/models/attempt.js';
import { createQueueModels } from '../../runtime/queue/models/models.js';
import { createHousekeepingActivities } from '../../runtime/queue/temporal/activities/housekeeping.js';
import { startAttempt } from '../../runtime/queue/store/attempts.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { findRequest, insertRequests } from '../../runtime/queue/store/requests.js';
import { beatWorker, lostAfter, removeWorker, type WorkerRow } from '../../runtime/queue/store/workers.js';
import { sampleDialects } from '../databases.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));

const worker = (id: string): WorkerRow => ({
  id,
  version: 'test',
  roles: ['models'],
  classes: ['models'],
  state: 'running',
  tasks: 1,
  started: Date.now(),
});

interface Ended {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

describe.each(sampleDialects(import.meta.url))('attempts on %s', (dialect) => {
  let queue: TestQueue;
  let client: Client;

  beforeAll(async () => {
    queue = await startTestQueue(dialect, { spec });
    await queue.startWorkers();
    const connection = await Connection.connect({ address: inject('services').temporal });
    client = new Client({ connection, namespace: queue.namespace });
  });
  afterAll(async () => {
    await client.connection.close();
    await queue.close();
  });

  const run = (model: string, body: object = {}): Promise<Ended> => runAny(`test/${model}`, body);
  const runAny = async (model: string, body: object): Promise<Ended> => {
    const answer = await queue.request('POST', `/queue/${model}`, { body, headers: queue.auth.ann });
    const { request_id: id } = answer.body as { request_id: string };
    const ended = await until(async () => {
      const path = `/queue/${model}/requests/${id}/status?logs=1`;
      const { status, body: found } = await queue.request('GET', path, { headers: queue.auth.ann });
      return status === 200 ? (found as Ended['body']) : null;
    });
    return { id, body: ended };
  };
  const attemptsOf = (id: string) =>
    queue.database.query('select * from svc_request_attempts where request = ? order by number', [id]);
  const account = (): string => queue.ids.users.get('ann') ?? '';

  it('a model that throws leaves message, stack, worker, times and memory, for operators only', async () => {
    const { id, body } = await run('fail');
    expect(body).toMatchObject({ status: 'COMPLETED', error_type: 'runner_server_error' });
    expect(JSON.stringify(body)).not.toContain('secret');
    const [attempt, ...others] = await attemptsOf(id);
    expect(others).toEqual([]);
    expect(attempt).toMatchObject({
      outcome: 'error',
      error_type: 'runner_server_error',
      error_name: 'Error',
      error_message: 'a secret',
      error_stack: expect.stringMatching(/a secret[^]*at /),
      worker: expect.stringMatching(/^\d+@.+-[0-9a-f]{6}$/),
    });
    expect(Number(attempt?.number)).toBe(1);
    expect(Number(attempt?.memory)).toBeGreaterThan(10_000_000);
    expect(Number(attempt?.date_ended)).toBeGreaterThanOrEqual(Number(attempt?.date_begun));
    const failure = queue.failures.find(({ request }) => request === id) as FailedAttempt;
    expect(failure).toMatchObject({
      model: 'test/fail',
      account: account(),
      attempt: 1,
      error: { message: 'a secret' },
    });
    expect(toLogEntry({ kind: 'modelFailed', ...failure }).message).toBe(
      `test/fail failed: request ${id} of account ${account()}, attempt 1`,
    );
  });

  it('Temporal shows its attempt as failed, by a readable type, with the most attempts and without its message', async () => {
    const { id } = await run('fail');
    const handle = client.workflow.getHandle(id);
    await handle.result();
    const { events } = await handle.fetchHistory();
    const failures = (events ?? []).flatMap(({ activityTaskFailedEventAttributes: failed }) => failed ?? []);
    expect(failures.map(({ failure }) => [failure?.message, failure?.applicationFailureInfo?.type])).toEqual([
      ['The model failed (Error)', 'runner_server_error'],
    ]);
    // the events print their payloads as base64
    const text = JSON.stringify(events).replaceAll(/"data":"([^"]+)"/g, (_, data: string) => atob(data));
    expect(text).toContain('test/fail, at most 10 attempts in all');
    expect(text).not.toContain('secret');
  });

  it('a model that succeeds leaves an attempt that is ok', async () => {
    const { id } = await run('good');
    expect(await attemptsOf(id)).toMatchObject([{ outcome: 'ok', error_type: null, error_message: null }]);
  });

  const usedOf = async (name: string): Promise<number> => {
    const { data } = await queue.request('GET', '/queue/limits', { headers: queue.auth.ann });
    const all = data as readonly { readonly quota: string; readonly used: number }[];
    return all.find(({ quota }) => quota === name)?.used ?? Number.NaN;
  };

  it('its log lines count against the quota of the account from its end on', async () => {
    const before = await usedOf('log_bytes');
    await run('talk', { count: 3 });
    expect((await usedOf('log_bytes')) - before).toBe('line 1line 2line 3'.length);
  });

  it('its files count against the quota of the account from its end on', async () => {
    const before = await usedOf('files');
    await runAny('demo/image', { prompt: 'sea', width: 16, height: 16 });
    expect((await usedOf('files')) - before).toBe(1);
  });

  const sweep = async (): Promise<readonly QueueObservation[]> => {
    const observed: QueueObservation[] = [];
    const { sweep: activity } = createHousekeepingActivities({
      observe: (observation) => observed.push(observation),
      database: queue.database,
      lifecycle: { ensureStarted: async () => undefined } as never,
      models: createQueueModels([]),
      gateway: { stateOf: async () => 'running' } as never,
      files: {} as never,
      operatorActions: { takeOver: async () => undefined },
      resultTtl: 60_000,
      fileTtl: 60_000,
    });
    await new MockActivityEnvironment().run(activity);
    return observed;
  };

  const begin = async (name: string, seen: number): Promise<string> => {
    const id = createId();
    const now = Date.now();
    const request = {
      id,
      account: account(),
      model: 'test/unknown',
      priority: 0,
      retry: true,
      input: '{}',
    };
    const rest = {
      webhook: null,
      tags: null,
      storeIo: true,
      filesTtl: null,
      traceparent: null,
      startBefore: null,
    };
    await insertRequests(queue.database, [{ ...request, ...rest, created: now }]);
    await beatWorker(queue.database, worker(name), seen);
    const start = { request: id, attempts: 0, worker: name, now: now - 60_000 };
    expect(await startAttempt(queue.database, start)).toEqual({ lost: 0 });
    return id;
  };
  describe('of a worker that dies', () => {
    it('the request returns to the queue, and the attempt is kept as lost', async () => {
      const lost = await begin('1@dead-000000', Date.now() - lostAfter - 1_000);
      const alive = await begin('1@alive-000000', Date.now());
      const counted = { kind: 'attemptLost', model: 'test/unknown' };
      expect((await sweep()).filter(({ kind }) => kind === 'attemptLost')).toEqual([counted]);
      expect((await sweep()).filter(({ kind }) => kind === 'attemptLost')).toEqual([]);
      expect((await findRequest(queue.database, lost))?.state).toBe('admitted');
      expect((await findRequest(queue.database, alive))?.state).toBe('running');
      expect(await attemptsOf(lost)).toMatchObject([{ outcome: 'lost' }]);
      expect(await attemptsOf(alive)).toMatchObject([{ outcome: null }]);
      const path = `/requests/${lost}`;
      const { body } = await queue.request('GET', path, { as: 'ann' });
      expect((body as { data: object }).data).toMatchObject({ status: 'IN_QUEUE', attempts: 1 });
    });

    it('the same happens where the worker has removed itself meanwhile', async () => {
      const id = await begin('1@removed-000000', Date.now());
      await removeWorker(queue.database, '1@removed-000000');
      const counted = { kind: 'attemptLost', model: 'test/unknown' };
      expect((await sweep()).filter(({ kind }) => kind === 'attemptLost')).toEqual([counted]);
      expect((await findRequest(queue.database, id))?.state).toBe('admitted');
    });

    it('the next attempt leaves the first begin as it was, and an attempt without an end as lost', async () => {
      const id = await begin('1@gone-000000', Date.now());
      const first = await findRequest(queue.database, id);
      const start = { request: id, attempts: 1, worker: '2@next-000000', now: Date.now() };
      expect(await startAttempt(queue.database, start)).toEqual({ lost: 1 });
      const second = await findRequest(queue.database, id);
      expect([second?.attempts, second?.begun, second?.state]).toEqual([2, first?.begun, 'running']);
      expect((await attemptsOf(id)).map(({ outcome, worker: by }) => [outcome, by])).toEqual([
        ['lost', '1@gone-000000'],
        [null, '2@next-000000'],
      ]);
    });
  });
});
