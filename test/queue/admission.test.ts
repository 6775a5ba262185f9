import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admit } from '../../runtime/queue/store/admission.js';
import { ensureModelLock, lockModel } from '../../runtime/queue/store/model-locks.js';
import { chooseAccount } from '../../runtime/queue/store/slot-assignment.js';
import { findUnlisted, type Arrival } from '../../runtime/queue/store/waiting-accounts.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import { dialectsOf } from '../databases.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';
import { newRequest } from './new-request.js';

const dialects = dialectsOf(import.meta.url);

const waiting = (account: string, tier = 0, turn = 1) => ({ account, tier, turn });

/** Requests of an account that floods the queue. */
const crowdSize = process.env.LONG === undefined ? 1_000 : 10_000;

const choose = (
  accounts: Parameters<typeof chooseAccount>[0],
  running: Readonly<Record<string, number>>,
  limit = 8,
) => chooseAccount(accounts, new Map(Object.entries(running)), () => limit)?.account ?? null;

describe('a free slot goes to', () => {
  it('the account with the fewest running requests', () => {
    expect(choose([waiting('a'), waiting('b')], { a: 2, b: 1 })).toBe('b');
  });

  it('the highest priority, regardless of running requests', () => {
    expect(choose([waiting('b', 1), waiting('a', 0)], { a: 5 })).toBe('a');
  });

  it('the account whose turn is longest ago, among equals', () => {
    expect(choose([waiting('a', 0, 9), waiting('b', 0, 3)], {})).toBe('b');
  });

  it('no account that has reached its limit', () => {
    expect(choose([waiting('a')], { a: 2 }, 2)).toBeNull();
  });
});

/** Arrivals of normal priority, a millisecond apart. */
const arrivals = (count: number, accountOf: (at: number) => string, created: number) =>
  Array.from({ length: count }, (_, at) => ({ account: accountOf(at), created: created + at, priority: 0 }));

type Slots = Parameters<typeof admit>[1];
const slotsOf = (id: string, most: number, account = most): Slots => ({
  id,
  concurrency: { model: most, account },
});

describe.each(dialects)('slots on %s', (dialect) => {
  let server: TestServer;
  const [ann, bob] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    server = await startTestServer({ dialect });
  });
  afterAll(() => server.close());

  const fill = async (model: Slots, options: Partial<Parameters<typeof admit>[2]> = {}) => {
    await ensureModelLock(server.database, model.id);
    return server.database.transaction(async (statements) => {
      await lockModel(statements, model.id);
      return admit(statements, model, { now: Date.now(), ...options });
    });
  };
  /** Stores waiting requests without giving them slots. @returns their ids */
  const insert = async (model: Slots, arrived: readonly (Arrival & { readonly created: number })[]) => {
    const requests = arrived.map((arrival) => newRequest(model.id, arrival));
    await insertRequests(server.database, requests);
    await fill(model, { arrived, isHeld: true });
    return requests.map(({ id }) => id);
  };
  const insertOne = async (model: Slots, account: string, created: number, priority = 0) =>
    String((await insert(model, [{ account, created, priority }]))[0]);
  const end = (id: string) =>
    server.database.write({ text: "update svc_requests set state = 'ended' where id = ?", values: [id] });

  it(`run one request before the ${crowdSize} of another account`, async () => {
    const crowded = slotsOf('test/crowded', 4);
    for (let from = 0; from < crowdSize; from += 250)
      await insert(
        crowded,
        arrivals(250, () => ann, 1_000 + from),
      );
    const running = await fill(crowded);
    expect(running).toHaveLength(4);
    const late = await insertOne(crowded, bob, 999_999);
    expect(await fill(crowded)).toEqual([]);
    await end(running[0] ?? '');
    expect(await fill(crowded)).toEqual([late]);
  });

  it('are never assigned twice, and a free one is assigned to the account with the fewest', async () => {
    const model = slotsOf('test/slots', 3);
    const crowd = await insert(
      model,
      arrivals(20, () => ann, 1_000),
    );
    const low = await insertOne(model, bob, 1_000, -1);
    const given = (await Promise.all([fill(model), fill(model), fill(model), fill(model)])).flat();
    expect(given).toEqual(crowd.slice(0, 3));
    const late = await insertOne(model, bob, 5_000);
    await end(crowd[0] ?? '');
    expect(await fill(model)).toEqual([late]);
    await end(late);
    expect(await fill(model)).toEqual([crowd[3]]);
    for (const id of crowd) await end(id);
    expect(await fill(model)).toEqual([low]);
  });

  it('reach an account after one turn of each other, however old the requests of these are', async () => {
    const model = slotsOf('test/turns', 2);
    const others = Array.from({ length: 6 }, () => randomUUID());
    await insert(
      model,
      arrivals(60, (at) => others[at % 6] ?? '', 1_000),
    );
    let running = await fill(model);
    const late = await insertOne(model, bob, 999_999);
    let turns = 0;
    for (; !running.includes(late) && turns < 20; turns += 1) {
      for (const id of running) await end(id);
      running = await fill(model);
    }
    expect(turns).toBeLessThanOrEqual(4);
  });

  it('go past accounts that are paused, or have reached a quota', async () => {
    const model = slotsOf('test/past', 2);
    const others = Array.from({ length: 40 }, () => randomUUID());
    await insert(
      model,
      others.map((account, at) => ({ account, created: 1_000 + at, priority: 0 })),
    );
    const late = await insertOne(model, bob, 9_000);
    const paused = new Set<string>(others.slice(0, 20));
    const remainingOf = async (_: unknown, accounts: readonly string[]) =>
      new Map(accounts.filter((account) => account !== bob).map((account): [string, number] => [account, 0]));
    expect(await fill(model, { isPausedAccount: (account) => paused.has(account), remainingOf })).toEqual([
      late,
    ]);
    expect(await fill(model)).toHaveLength(1);
  });

  it('are found for requests that another version has stored, and for no request that has left', async () => {
    const model = slotsOf('test/unlisted', 1);
    const [gone, left] = [await insertOne(model, ann, 1), await insertOne(model, bob, 2, -1)];
    await end(gone);
    const stored = newRequest(model.id, { account: bob, created: 3, priority: 0 });
    await insertRequests(server.database, [stored]);
    const unlisted = await findUnlisted(server.database, model.id);
    expect(unlisted).toEqual({ accounts: [{ account: bob, priority: 0 }], next: null });
    expect(await fill(model, { arrived: unlisted.accounts })).toEqual([stored.id]);
    expect(await findUnlisted(server.database, model.id)).toEqual({ accounts: [], next: null });
    await end(stored.id);
    expect(await fill(model)).toEqual([left]);
    const rows = await server.database.query('select account from svc_waiting_accounts where model = ?', [
      model.id,
    ]);
    expect(rows).toEqual([]);
  });
});
