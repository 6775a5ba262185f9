/** Counts of waiting requests read as much of a long queue as of one that reaches their bound. */
import { describe, expect, it } from 'vitest';
import { createId } from '../../runtime/queue/store/ids.js';
import { ensureModelLock } from '../../runtime/queue/store/model-locks.js';
import { countByAccount, countByModel } from '../../runtime/queue/store/operator-counts.js';
import type { Statements } from '../../runtime/execute/system-rows.js';
import { insertRun, startRuns } from '../../runtime/queue/store/runs.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import { dialectsOf } from '../databases.js';
import { useServer } from '../runtime/harness/use-server.js';
import { newRequest } from './new-request.js';
import { analyze, rowsRead } from './rows-read.js';

const dialects = dialectsOf(import.meta.url);

describe.each(dialects)('waiting requests on %s', (dialect) => {
  const serverOf = useServer({ dialect });

  const insert = async (
    model: string,
    count: number,
    { priority, since }: { readonly priority: number; readonly since: number },
  ): Promise<void> => {
    await ensureModelLock(serverOf().database, model);
    for (let from = 0; from < count; from += 250)
      await insertRequests(
        serverOf().database,
        Array.from({ length: Math.min(250, count - from) }, (_, at) =>
          newRequest(model, { account: createId(), created: since + from + at, priority }),
        ),
      );
  };

  it('are counted up to a bound, with the age of the oldest', async () => {
    const { database, execute } = serverOf();
    await insert('test/long', 3_000, { priority: 0, since: 5_000 });
    await insert('test/long', 300, { priority: -1, since: 1_000 });
    await insert('test/short', 2, { priority: 0, since: 2_000 });
    await ensureModelLock(database, 'test/none');
    for (const text of analyze[dialect]) await execute(text);
    await database.transaction(async (statements) => {
      const before = await rowsRead[dialect](statements);
      const counts = await countByModel(statements, 512);
      const own = counts.filter(({ model }) => /^test\/(?:long|short|none)$/.test(model));
      expect(own.toSorted((a, b) => b.waiting - a.waiting)).toEqual([
        { model: 'test/long', waiting: 512, admitted: 0, running: 0, oldest: 1_000 },
        { model: 'test/short', waiting: 2, admitted: 0, running: 0, oldest: 2_000 },
      ]);
      // of 3 302 that wait
      expect((await rowsRead[dialect](statements)) - before).toBeLessThan(1_300);
    });
  });

  it('are counted beside what runs, synchronous runs included, by model and by account', async () => {
    const { database } = serverOf();
    const [account, model] = [createId(), 'test/runs'];
    await ensureModelLock(database, model);
    const now = Date.now();
    const run = { model, account, created: now, expires: now + 60_000 };
    const ids = [createId(), createId(), createId()] as const;
    for (const id of ids) await insertRun(database, { ...run, id });
    await insertRun(database, { ...run, id: createId(), expires: now - 1 });
    await startRuns(database, ids.slice(1));
    const counts = await countByModel(database);
    expect(counts.find((each) => each.model === model)).toMatchObject({
      waiting: 0,
      admitted: 0,
      running: 2,
    });
    const accounts = await countByAccount(database, 100);
    expect(accounts.find((each) => each.account === account)).toEqual({ account, queued: 1, running: 2 });
  });

  it('have no oldest where they receive slots while they are counted', async () => {
    const { database, execute } = serverOf();
    await insert('test/brief', 1, { priority: 0, since: 1_000 });
    const admitting: Statements = {
      ...database,
      async query(text, values) {
        const found = await database.query(text, values);
        // of the first of the statements that look for the oldest of this model
        if (/^select \W?priority\W? from/.test(text) && values?.includes('test/brief') === true)
          await execute("update svc_requests set state = 'admitted' where model = 'test/brief'");
        return found;
      },
    };
    const counts = await countByModel(admitting);
    expect(counts.find(({ model }) => model === 'test/brief')).toMatchObject({ waiting: 1, oldest: null });
  });
});
