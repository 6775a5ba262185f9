/** Slots of synchronous runs: shared with the queue and all processes, and assigned before waiting requests. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fileURLToPath } from 'node:url';
import { createId } from '../../runtime/queue/store/ids.js';
import { createModelLocks } from '../../runtime/queue/store/model-locks.js';
import { createRunSlots, type RunSlots } from '../../runtime/queue/requests/run-slots.js';
import { deletePause, insertPause } from '../../runtime/queue/store/pauses.js';
import { deleteExpiredRuns } from '../../runtime/queue/store/runs.js';
import { dialectsOf } from '../databases.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';
import { until } from '../until.js';

const dialects = dialectsOf(import.meta.url);

const [ann, bob, eve] = [createId(), createId(), createId()];

describe.each(dialects)('synchronous runs on %s', (dialect) => {
  let server: TestServer;
  const admitted: string[] = [];
  const opened: RunSlots[] = [];

  beforeAll(async () => {
    server = await startTestServer({ dialect, access: { users: { ann: {} } } });
  });
  afterAll(async () => {
    for (const slots of opened) slots.close();
    await server.close();
  });

  const createSlots = (modelLocks = createModelLocks(server.database)): RunSlots => {
    const slots = createRunSlots({
      database: server.database,
      modelLocks,
      onAdmitted: (ids) => admitted.push(...ids),
      onError: (error) => {
        throw error;
      },
    });
    opened.push(slots);
    return slots;
  };
  const modelOf = (id: string) => {
    const [model] = server.queueModels;
    if (model === undefined) throw new Error('there are no models');
    return { ...model, id, concurrency: { model: 2, account: 1 } };
  };
  const never = new AbortController().signal;
  const insertWaiting = async (model: string, account: string): Promise<string> => {
    const id = createId();
    await server.database.write({
      text:
        'insert into svc_requests (id, account, model, state, input, date_created) ' +
        "values (?, ?, ?, 'waiting', '{}', 1)",
      values: [id, account, model],
    });
    await server.database.write({
      text: 'insert into svc_waiting_accounts (model, account, tier, turn) values (?, ?, 0, 0)',
      values: [model, account],
    });
    return id;
  };

  it('are limited per account and per model, over all processes', async () => {
    const model = modelOf('test/limits');
    const [here, there] = [createSlots(), createSlots()];
    const acquire = (slots: RunSlots, account: string, within = 0) =>
      slots.acquire({ model, account, within, signal: never });
    const first = await acquire(here, ann);
    expect(first).not.toBe(null);
    expect(await acquire(there, ann)).toBe(null);
    const second = await acquire(there, bob);
    expect(second).not.toBe(null);
    expect(await acquire(here, eve)).toBe(null);
    const waiting = acquire(here, eve, 60_000);
    await second?.();
    const third = await waiting;
    expect(third).not.toBe(null);
    await Promise.all([first?.(), third?.()]);
    const left = await server.database.query('select id from svc_runs where model = ?', [model.id]);
    expect(left).toEqual([]);
  });

  it('wait for the quota of their account, and for the end of a pause of model, class or account', async () => {
    const model = modelOf('test/held');
    const remaining = new Map([[ann, 0]]);
    const modelLocks = createModelLocks(server.database, async () => new Map(remaining));
    const slots = createSlots(modelLocks);
    const acquire = (account: string) => slots.acquire({ model, account, within: 0, signal: never });
    expect(await acquire(ann)).toBe(null);
    remaining.set(ann, 1);
    await (
      await acquire(ann)
    )?.();
    for (const [kind, name] of [
      ['model', model.id],
      ['class', model.class],
      ['account', ann],
    ] as const) {
      const pause = { kind, name, reason: null, user: null, created: Date.now() };
      await insertPause(server.database, pause);
      modelLocks.expirePauses();
      const held = await acquire(ann);
      const other = await acquire(bob);
      expect([kind, held === null, other === null]).toEqual([kind, true, kind !== 'account']);
      await other?.();
      await deletePause(server.database, pause);
      modelLocks.expirePauses();
    }
    const resumed = await acquire(ann);
    expect(resumed).not.toBe(null);
    await resumed?.();
  });

  it('keep their slot however long they take, while their process lives', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    try {
      const model = modelOf('test/long');
      const free = await createSlots().acquire({ model, account: ann, within: 0, signal: never });
      expect(free).not.toBeNull();
      for (let passed = 0; passed < 60; passed += 10) {
        vi.advanceTimersByTime(10_000);
        const expiry = Date.now() + 30_000;
        await until(async () => {
          const sql = 'select date_expires from svc_runs where model = ?';
          const [row] = await server.database.query(sql, [model.id]);
          return Number(row?.date_expires) === expiry;
        });
      }
      await free?.();
    } finally {
      vi.useRealTimers();
    }
  });

  it('receive the next slot before requests that wait in the queue', async () => {
    const model = modelOf('test/before');
    const slots = createSlots();
    const acquire = (account: string, within: number) =>
      slots.acquire({ model, account, within, signal: never });
    const [first, second] = [await acquire(ann, 0), await acquire(bob, 0)];
    const queued = await insertWaiting(model.id, ann);
    const run = acquire(eve, 60_000);
    // bob's slot is freed while ann has reached her limit
    await second?.();
    const third = await run;
    expect([third === null, admitted]).toEqual([false, []]);
    await third?.();
    await first?.();
    expect(admitted).toEqual([queued]);
  });

  it('lose their slot when their process ends, and give up when their caller leaves', async () => {
    const model = modelOf('test/lost');
    const slots = createSlots();
    const taken = [ann, bob].map((account) => slots.acquire({ model, account, within: 0, signal: never }));
    expect((await Promise.all(taken)).every((each) => each !== null)).toBe(true);
    const controller = new AbortController();
    const within = Number.POSITIVE_INFINITY;
    const waiting = slots.acquire({ model, account: eve, within, signal: controller.signal });
    controller.abort();
    expect(await waiting).toBe(null);
    const states = await server.database.query('select state from svc_runs where model = ?', [model.id]);
    expect(states.map(({ state }) => state)).toEqual(['running', 'running']);
    await server.database.write({ text: 'update svc_runs set date_expires = ?', values: [Date.now() - 1] });
    expect(await slots.acquire({ model, account: eve, within: 0, signal: never })).not.toBe(null);
    expect(await deleteExpiredRuns(server.database, Date.now())).toBe(2);
  });
});

describe('a synchronous run without a free slot', () => {
  const spec = fileURLToPath(new URL('misbehaving-spec', import.meta.url));
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ dialect: 'sqlite', spec, access: { users: { ann: {} } } });
  });
  afterAll(() => server.close());

  const run = (headers: Record<string, string>, body: object = {}) =>
    server.request('POST', '/run/test/talk', { as: 'ann', headers, body });

  it('is rejected with 429, or 504 if its caller set a limit; an invalid one needs no slot', async () => {
    for (let taken = 0; taken < 8; taken += 1) {
      await server.request('POST', '/queue/test/talk', { as: 'ann', body: {} });
    }
    const busy = await run({});
    expect([busy.status, busy.headers.get('retry-after'), busy.body]).toEqual([
      429,
      '1',
      {
        detail: 'no slot of test/talk became free: your account or others have them, or it is paused',
        error_type: 'concurrent_requests_limit',
      },
    ]);
    const late = await run({ 'x-svc-request-start-timeout': '0.2' });
    expect([late.status, late.headers.get('x-svc-request-timeout-type')]).toEqual([504, 'user']);
    const invalid = await run({}, [1]);
    expect([invalid.status, invalid.headers.get('x-svc-request-id')]).toEqual([422, expect.any(String)]);
  });
});
