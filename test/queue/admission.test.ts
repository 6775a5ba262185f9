import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admit, chooseAccount, ensureModelLock, lockModel } from '../../runtime/queue/store/admission.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import type { NewRequest } from '../../runtime/queue/store/request-head.js';
import { dialects } from '../databases.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';

const waiting = (account: string, priority = 0, since = 1) => ({ account, priority, since });

/** Requests of an account that floods the queue. */
const crowdSize = process.env.LONG === undefined ? 1_000 : 10_000;

describe('a free slot goes to', () => {
  it('the account with the fewest running requests', () => {
    const running = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    expect(chooseAccount([waiting('a'), waiting('b')], running, 8)).toBe('b');
  });

  it('the highest priority, regardless of running requests', () => {
    expect(chooseAccount([waiting('a', 0), waiting('b', -1)], new Map([['a', 5]]), 8)).toBe('a');
  });

  it('the longest waiting account, among equals', () => {
    expect(chooseAccount([waiting('a', 0, 9), waiting('b', 0, 3)], new Map(), 8)).toBe('b');
  });

  it('no account that has reached its limit', () => {
    expect(chooseAccount([waiting('a')], new Map([['a', 2]]), 2)).toBeNull();
  });
});

describe.each(dialects)('slots on %s', (dialect) => {
  let server: TestServer;
  const [ann, bob] = [randomUUID(), randomUUID()];
  const model = { id: 'test/slots', concurrency: { model: 3, account: 3 } };

  beforeAll(async () => {
    server = await startTestServer({ dialect });
    await ensureModelLock(server.database, model.id);
  });
  afterAll(() => server.close());

  const insert = async (account: string, created: number, priority = 0): Promise<string> => {
    const request: NewRequest = {
      id: randomUUID(),
      account,
      model: model.id,
      priority,
      retry: true,
      input: '{}',
      webhook: null,
      tags: null,
      storeIo: true,
      filesTtl: null,
      traceparent: null,
      created,
      startBefore: null,
    };
    await insertRequests(server.database, [request]);
    return request.id;
  };

  const fill = () =>
    server.database.transaction(async (statements) => {
      await lockModel(statements, model.id);
      return admit(statements, model, { now: Date.now() });
    });

  const end = (id: string) =>
    server.database.write({ text: "update svc_requests set state = 'ended' where id = ?", values: [id] });

  it(`run one request before the ${crowdSize} of another account`, async () => {
    const crowded = { id: 'test/crowded', concurrency: { model: 4, account: 4 } };
    await ensureModelLock(server.database, crowded.id);
    const give = () =>
      server.database.transaction(async (statements) => {
        await lockModel(statements, crowded.id);
        return admit(statements, crowded, { now: Date.now() });
      });
    const rowOf = (account: string, created: number) =>
      `('${randomUUID()}', '${account}', '${crowded.id}', 'waiting', '{}', ${created})`;
    for (let from = 0; from < crowdSize; from += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => rowOf(ann, 1_000 + from + at));
      await server.execute(
        `insert into svc_requests (id, account, model, state, input, date_created) values ${rows.join(', ')}`,
      );
    }
    const running = await give();
    expect(running).toHaveLength(4);
    await server.execute(
      `insert into svc_requests (id, account, model, state, input, date_created) values ${rowOf(bob, 999_999)}`,
    );
    expect(await give()).toEqual([]);
    await end(running[0] ?? '');
    const [row] = await server.database.query('select id from svc_requests where model = ? and account = ?', [
      crowded.id,
      bob,
    ]);
    expect(await give()).toEqual([String(row?.id)]);
  });

  it('are never assigned twice, and a free one is assigned to the account with the fewest', async () => {
    const crowd = [];
    for (let index = 0; index < 20; index += 1) crowd.push(await insert(ann, 1_000 + index));
    const low = await insert(bob, 1_000, -1);
    const given = (await Promise.all([fill(), fill(), fill(), fill()])).flat();
    expect(given).toEqual(crowd.slice(0, 3));
    const late = await insert(bob, 5_000);
    await end(crowd[0] ?? '');
    expect(await fill()).toEqual([late]);
    await end(late);
    expect(await fill()).toEqual([crowd[3]]);
    for (const id of crowd) await end(id);
    expect(await fill()).toEqual([low]);
  });
});
