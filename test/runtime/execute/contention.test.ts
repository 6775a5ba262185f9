/** Writes that block each other. */
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/databases/open.js';
import type { Database, Executor } from '../../../runtime/databases/contract.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';

const add = (id: number) => ({ text: `update t set v = v + 1 where id = ${id}`, values: [] });

/** Returns a promise, and the function that resolves it. */
const createGate = (): { readonly opened: Promise<void>; open(): void } => {
  const events = new EventEmitter();
  return { opened: once(events, 'open').then(() => undefined), open: () => void events.emit('open') };
};

describe.each(['mariadb', 'mysql', 'postgres'] as const)('writes that block each other on %s', (dialect) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase(dialect, { sql: 'create table t (id int primary key, v int not null)' });
    database = await openDatabase({ url: place.url, statementTimeout: 5000 });
  });
  beforeEach(() => place.execute('delete from t; insert into t values (1, 0), (2, 0)'));
  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  it('are all stored once, where one of two transactions that wait for each other is rolled back', async () => {
    let runs = 0;
    const gates = [createGate(), createGate()] as const;
    const write = (first: 0 | 1, second: 0 | 1): Promise<void> =>
      database.transaction(async (executor: Executor) => {
        runs += 1;
        await executor.write(add(first + 1));
        gates[first].open();
        await gates[second].opened;
        await executor.write(add(second + 1));
      });
    await Promise.all([write(0, 1), write(1, 0)]);
    const rows = await database.query('select v from t order by id');
    expect({ runs: runs > 2, values: rows.map(({ v }) => Number(v)) }).toEqual({
      runs: true,
      values: [2, 2],
    });
  });

  it('are given up at the limit of a statement, which is no lost connection', async () => {
    const hasty = await openDatabase({ url: place.url, statementTimeout: 500 });
    const locked = createGate();
    const done = createGate();
    const holding = database.transaction(async (executor) => {
      await executor.write(add(1));
      locked.open();
      await done.opened;
    });
    await locked.opened;
    const error: unknown = await hasty.write(add(1)).catch((reason: unknown) => reason);
    done.open();
    await holding;
    await hasty.close();
    expect([error, hasty.isGivenUp(error), hasty.isConnectionLoss(error)]).toEqual([
      expect.any(Error),
      true,
      false,
    ]);
    expect(hasty.isGivenUp(new Error('syntax'))).toBe(false);
  });
});
