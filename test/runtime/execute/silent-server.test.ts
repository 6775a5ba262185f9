/** A database that is silent is noticed by the connection that is kept for short statements, which ends all others. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/databases/open.js';
import { createTestDatabase } from '../../databases.js';
import { startCuttingProxy } from '../harness/cutting-proxy.js';

it.concurrent.each(['mariadb', 'mysql', 'postgres'] as const)(
  'statements fail where %s is silent, and succeed when it answers again',
  async (dialect) => {
    const place = await createTestDatabase(dialect);
    const proxy = await startCuttingProxy(place.url);
    const database = await openDatabase({ url: proxy.url });
    const ask = () => database.query('select 1 as one');
    const idle = Promise.all([ask(), ask()]);
    await Promise.all([idle, database.reserved.query('select 1 as one')]);
    proxy.silence(true);
    const began = performance.now();
    const lost = await Promise.all(
      [database.reserved.query('select 1 as one'), ask()].map((each) =>
        each.catch((error: unknown) => error),
      ),
    );
    expect(lost.map((error) => database.isConnectionLoss(error))).toEqual([true, true]);
    expect(performance.now() - began).toBeGreaterThan(9_900);
    proxy.silence(false);
    // the connection that nothing used is replaced as well
    expect(await Promise.all([ask(), ask()])).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    await database.close();
    await proxy.close();
    await place.drop();
  },
);

it.concurrent.each([
  ['mariadb', 'sleep(12)'],
  ['postgres', 'pg_sleep(12)'],
] as const)(
  'a statement that %s does not answer is waited for while others are answered',
  async (dialect, wait) => {
    const { database, drop } = await createTestDatabase(dialect);
    const timer = setInterval(() => void database.query('select 1 as one'), 1_000);
    expect(await database.reserved.query(`select ${wait} as waited`)).toHaveLength(1);
    clearInterval(timer);
    await drop();
  },
);
