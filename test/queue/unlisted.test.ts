/** The search for accounts that another version has let wait: it finds all, and reads as much of a long queue as of a short one. */
import { describe, expect, it } from 'vitest';
import { admit } from '../../runtime/queue/store/admission.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { ensureModelLock, lockModel } from '../../runtime/queue/store/model-locks.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import { findUnlisted, type Arrival, type Unlisted } from '../../runtime/queue/store/waiting-accounts.js';
import { findRows, type Statements } from '../../runtime/execute/system-rows.js';
import { dialectsOf, type TestDialect } from '../databases.js';
import { useServer } from '../runtime/harness/use-server.js';
import { newRequest } from './new-request.js';
import { analyze, rowsRead } from './rows-read.js';

describe.each(dialectsOf(import.meta.url))('accounts that are not listed on %s', (dialect) => {
  const serverOf = useServer({ dialect });

  const insert = async (model: string, accounts: readonly string[], priority = 0): Promise<void> => {
    for (let from = 0; from < accounts.length; from += 250)
      await insertRequests(
        serverOf().database,
        accounts
          .slice(from, from + 250)
          .map((account, at) => newRequest(model, { account, created: 1_000 + from + at, priority })),
      );
  };
  /** Lists accounts as a turn does. */
  const change = async (model: string, arrived: readonly Arrival[]): Promise<void> => {
    await ensureModelLock(serverOf().database, model);
    await serverOf().database.transaction(async (statements) => {
      await lockModel(statements, model);
      await admit(
        statements,
        { id: model, concurrency: { model: 1, account: 1 } },
        { now: 1, arrived, isHeld: true },
      );
    });
  };
  const endAll = (model: string) =>
    serverOf().database.write({
      text: "update svc_requests set state = 'ended', date_ended = 1 where model = ?",
      values: [model],
    });

  /** Looks through all portions, and lists what it finds. @returns what each call found */
  const listAll = async (model: string): Promise<readonly (readonly Arrival[])[]> => {
    const found: (readonly Arrival[])[] = [];
    let next: string | null = null;
    do {
      const page: Unlisted = await findUnlisted(serverOf().database, model, next);
      found.push(page.accounts);
      next = page.next;
      await change(model, page.accounts);
    } while (next !== null);
    return found;
  };
  const listedIn = async (model: string) =>
    (
      await findRows(serverOf().database, 'svc_waiting_accounts', { where: { model }, order: ['account'] })
    ).map(({ account, tier }) => ({ account, tier }));

  it('are listed, with their greatest priority, after some looks, in portions', async () => {
    const model = 'test/portions';
    const accounts = Array.from({ length: 200 }, () => createId()).toSorted();
    await insert(model, accounts, -2);
    await insert(model, Array<string>(50).fill(accounts[7] ?? ''), -2);
    await insert(model, accounts.slice(0, 10), -1);
    await insert('test/other', [createId()]);
    // every other of the first 150, some of them in a lower tier than that of their requests
    await change(
      model,
      accounts
        .slice(0, 150)
        .filter((_, at) => at % 2 === 0)
        .map((account) => ({ account, priority: -2 })),
    );
    const looks: (readonly Arrival[])[] = [];
    for (let found = 1; found > 0;) {
      const portions = await listAll(model);
      looks.push(...portions);
      found = portions.flat().length;
    }
    expect(looks.length).toBeGreaterThan(4);
    expect(await listedIn(model)).toEqual(
      accounts.map((account, at) => ({ account, tier: at < 10 ? 1 : 2 })),
    );
  });

  it('are found by reading as much of a long queue as of a short one, and nothing that has ended', async () => {
    const { database, execute } = serverOf();
    const accounts = Array.from({ length: 10 }, () => createId());
    const many = (count: number) => Array.from({ length: count }, (_, at) => accounts[at % 10] ?? '');
    await insert('test/ended', many(5_000));
    await endAll('test/ended');
    await insert('test/long', many(2_500));
    await endAll('test/long');
    await insert('test/long', many(5_000));
    for (const text of analyze[dialect]) await execute(text);
    await change(
      'test/long',
      accounts.slice(0, 9).map((account) => ({ account, priority: 0 })),
    );
    const [unlisted = ''] = accounts.slice(9);
    const read = await database.transaction(async (statements) => {
      const before = await rowsRead[dialect](statements);
      const found = await findUnlisted(statements, 'test/long');
      expect(found.accounts).toEqual([{ account: unlisted, priority: 0 }]);
      return (await rowsRead[dialect](statements)) - before;
    });
    // of 5 000 that wait
    expect(read).toBeLessThan(600);
    expect(await otherSteps[dialect](database)).toEqual([]);
  });
});

/** Steps of the plan that read requests in another way than by the index. */
const stepsOfSqlite = async (database: Statements): Promise<readonly string[]> => {
  const steps: string[] = [];
  await findUnlisted(
    {
      ...database,
      query: async (text, values) => {
        const plan = await database.query(`explain query plan ${text}`, values);
        steps.push(...plan.map(({ detail }) => String(detail)));
        return [];
      },
    },
    'test/long',
  );
  const ofRequests = steps.filter((step) => /svc_requests/.test(step));
  expect(ofRequests.length).toBeGreaterThan(1);
  return ofRequests.filter(
    (step) => !/SEARCH svc_requests USING COVERING INDEX .*state=\? AND model=\?/.test(step),
  );
};

/** Only SQLite is asked, as it does not count rows. */
const otherSteps: Readonly<Record<TestDialect, typeof stepsOfSqlite>> = {
  sqlite: stepsOfSqlite,
  mariadb: async () => [],
  mysql: async () => [],
  postgres: async () => [],
};
