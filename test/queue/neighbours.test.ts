/** Models that misbehave in a worker harm only their own requests. */
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modulePath } from '../../runtime/config/package.js';
import { dialects, type TestDialect } from '../databases.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const functions = fileURLToPath(new URL('../runtime/harness/functions.ts', import.meta.url));
const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));

interface Status {
  readonly status: string;
  readonly error_type?: string;
  readonly logs: readonly { readonly message: string }[];
}

/** Their processes compute for seconds, and none of them uses the database. */
const chosen: readonly TestDialect[] = process.env.LONG === undefined ? ['sqlite'] : dialects;

describe.each(chosen)('beside models that misbehave on %s', (dialect) => {
  let queue: TestQueue;

  beforeAll(async () => {
    queue = await startTestQueue(dialect, { spec });
    await queue.startWorkers();
  });
  afterAll(() => queue.close());

  const submit = async (model: string, who: 'ann' | 'bob', body: object = {}): Promise<string> => {
    const answer = await queue.request('POST', `/queue/test/${model}`, { body, headers: queue.auth[who] });
    return (answer.body as { request_id: string }).request_id;
  };
  const get = (path: string, who: 'ann' | 'bob') =>
    queue.request('GET', `/queue/test/${path}`, { headers: queue.auth[who] });
  const ended = (model: string, id: string, who: 'ann' | 'bob'): Promise<Status> =>
    until(async () => {
      const { status, body } = await get(`${model}/requests/${id}/status?logs=1`, who);
      return status === 200 ? (body as Status) : null;
    });

  it('valid ones succeed, and each faulty one ends with its own error', async () => {
    const bad = await Promise.all(
      ['allocate', 'spin', 'exit', 'talk', 'fail'].map(
        async (name) => [name, await submit(name, 'ann')] as const,
      ),
    );
    const good = await Promise.all(Array.from({ length: 10 }, () => submit('good', 'bob', { ms: 500 })));
    for (const id of good) {
      expect((await ended('good', id, 'bob')).error_type).toBeUndefined();
      expect((await get(`good/requests/${id}`, 'bob')).body).toMatchObject({ good: true });
    }
    const ends: Record<string, readonly [number, unknown]> = {};
    for (const [name, id] of bad) {
      await ended(name, id, 'ann');
      const { status, body } = await get(`${name}/requests/${id}`, 'ann');
      ends[name] = [status, (body as { detail?: string }).detail?.replace(/[\d.]+ m?s$/, 'N s')];
    }
    expect(ends).toEqual({
      allocate: [500, 'The model ran out of 384 MB of memory after N s'],
      spin: [504, 'The model did not end within N s'],
      exit: [500, 'The process of the model exited with code 3 after N s'],
      talk: [200, undefined],
      fail: [500, 'The model failed'],
    });
    const [[, allocate = ''] = []] = bad;
    const logs = (await ended('allocate', allocate, 'ann')).logs.map(({ message }) => message);
    expect([logs[0], logs.at(-1)]).toEqual([
      'allocating',
      expect.stringContaining('ran out of 384 MB of memory'),
    ]);
    // one attempt each: what a model does to itself is not repeated
    const rows = await queue.database.query('select max(attempts) as most from svc_requests');
    expect(Number(rows[0]?.most)).toBe(1);
  });

  it('a synchronous run ends in the same way, and never runs in the process that serves it', async () => {
    const answer = await queue.request('POST', '/run/test/good', { body: {}, headers: queue.auth.ann });
    const { process: child } = answer.body as { process: number };
    expect([answer.status, child === process.pid]).toEqual([200, false]);
    const failed = await queue.request('POST', '/run/test/exit', { body: {}, headers: queue.auth.ann });
    expect([failed.status, failed.headers.get('x-svc-error-type')]).toEqual([500, 'runner_server_error']);
    expect((failed.body as { detail: string }).detail).toContain('exited with code 3');
    const limits = queue.observations.filter(({ kind }) => kind === 'memoryLimited');
    expect(limits).toEqual([{ kind: 'memoryLimited', by: 'measurement' }]);
    const counted = queue.observations.filter(({ kind }) => /^(attemptFinished|childEnded)$/.test(kind));
    expect(counted).toMatchObject([
      { kind: 'attemptFinished', model: 'test/good', outcome: 'ok', errorType: null, waitedMs: null },
      { kind: 'childEnded', model: 'test/exit', cause: 'crash' },
      { kind: 'attemptFinished', model: 'test/exit', outcome: 'error', errorType: 'runner_server_error' },
    ]);
  });
});

it('the process of a model ends when its worker is killed, even if the model spins', async () => {
  const script = fileURLToPath(new URL('spinning-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const child = await new Promise<number>((resolve) =>
    worker.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))),
  );
  const isAlive = (): boolean => {
    try {
      // a zombie has ended as well
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  expect(isAlive()).toBe(true);
  worker.kill('SIGKILL');
  await until(() => !isAlive() || null);
});

it('the process of a model ends if its worker was killed before it could see it', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const child = fork(modulePath('queue/models/children/main'), [functions, tmpdir(), String(ended)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});
