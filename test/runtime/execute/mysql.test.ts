import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { openDatabase } from '../../../runtime/databases/open.js';
import type { Database } from '../../../runtime/databases/contract.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { until } from '../../until.js';

describe.each(['mariadb', 'mysql'] as const)('prepared statements on %s', (dialect) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase(dialect, { sql: 'create table t (v int)' });
    database = await openDatabase({ url: place.url, poolMax: 1 });
  });

  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  const field: Field = { name: 'v', type: 'integer' };
  const layout = { tokens: [{ kind: 'value' as const, field }], keyColumns: 0, limit: 1 };
  const numbers = Array.from({ length: 700 }, (_, index) => index);

  it('work repeatedly if more are run than are kept', async () => {
    for (const round of [1, 2]) {
      for (const number of numbers) {
        const { rows } = await database.rows({ text: `select ${number} + ?`, values: [round] }, layout);
        expect(Number(rows.bytes.toString())).toBe(number + round);
        const [found] = await database.query(`select ${number} - ? as v`, [round]);
        expect(Number(found?.v)).toBe(number - round);
      }
    }
  });

  it('are closed on the server if they are not kept', async () => {
    const own = await openDatabase({ url: place.url, poolMax: 1 });
    for (const number of numbers) await own.query(`select ${number} - ? as v`, [number]);
    const [found] = await own.query("show session status like 'Com_stmt_prepare'");
    const [closed] = await own.query("show session status like 'Com_stmt_close'");
    await own.close();
    expect(Number(found?.Value) - Number(closed?.Value)).toBeLessThanOrEqual(256);
  });

  it('hold a lock again and again without leaving listeners on their connection', async () => {
    const warnings: string[] = [];
    const keep = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', keep);
    for (let time = 0; time < 12; time += 1) await database.locked('again', async () => undefined);
    // a warning is given in a later turn of the event loop
    await setImmediate();
    process.off('warning', keep);
    expect(warnings).toEqual([]);
  });

  it('are part of their error', async () => {
    const statement = { text: 'insert into t (v) values (?)', values: ['no number'] };
    await expect(database.write(statement)).rejects.toMatchObject({ errno: 1366, sql: statement.text });
    await expect(database.query('select missing from t where v = ?', [1])).rejects.toMatchObject({
      errno: 1054,
      sql: 'select missing from t where v = ?',
    });
  });
});

const limits = {
  mariadb: 'select @@lock_wait_timeout as lock_wait, @@max_statement_time as statement_time',
  mysql: 'select @@lock_wait_timeout as lock_wait, @@max_execution_time as statement_time',
};

describe.each(['mariadb', 'mysql'] as const)('limits of statements on %s', (dialect) => {
  it.each([0, 7_000])('of %i ms are those from before a change of the schema', async (statementTimeout) => {
    const { url, drop } = await createTestDatabase(dialect, {});
    const database = await openDatabase({ url, poolMax: 1, statementTimeout });
    try {
      const before = await database.query(limits[dialect]);
      const during = await database.changeSchema((executor) => executor.query(limits[dialect]));
      expect(during).not.toEqual(before);
      expect(await database.query(limits[dialect])).toEqual(before);
    } finally {
      await database.close();
      await drop();
    }
  });
});

describe.each(['mariadb', 'mysql'] as const)('connections to %s', (dialect) => {
  let place: TestDatabase;
  const user = `svc_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    place = await createTestDatabase(dialect, {
      sql: `create user '${user}'@'%' identified by 'pä ss/w:rd@'; grant all on *.* to '${user}'@'%'`,
    });
  });

  afterAll(async () => {
    await place.execute(`drop user '${user}'@'%'`);
    await place.drop();
  });

  it('log in with a password, by the method of the server', async () => {
    const url = new URL(place.url);
    url.username = user;
    url.password = encodeURIComponent('pä ss/w:rd@');
    const database = await openDatabase({ url: url.href });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
    url.password = 'other';
    await expect(openDatabase({ url: url.href })).rejects.toMatchObject({ code: 'ER_ACCESS_DENIED_ERROR' });
  });

  it('take times without a zone as UTC, and so does the reserved one', async () => {
    const database = await openDatabase({ url: place.url, poolMax: 1 });
    for (const each of [database, database.reserved]) {
      const [row] = await each.query("select unix_timestamp('2020-01-01 00:00:00') as seconds");
      expect(Number(row?.seconds)).toBe(Date.UTC(2020, 0, 1) / 1000);
      // not the zone of the server, which may be UTC as well
      const [session] = await each.query('select @@session.time_zone as zone');
      expect(session?.zone).toBe('+00:00');
    }
    await database.close();
  });

  it('stop a select that takes too long', async () => {
    const database = await openDatabase({ url: place.url, statementTimeout: 200 });
    const slow =
      'with recursive n (i) as (select 1 union all select i + 1 from n where i < 900) select count(*) as c from n a, n b, n c';
    await expect(database.query(slow)).rejects.toMatchObject({ errno: dialect === 'mysql' ? 3024 : 1969 });
    await database.close();
  });

  it('stop a write that waits too long', async () => {
    await place.execute('create table busy (id int primary key); insert into busy values (1)');
    const database = await openDatabase({ url: place.url, statementTimeout: 1000 });
    const write = { text: 'delete from busy where id = 1', values: [] };
    await database.transaction(async (executor) => {
      await executor.write(write);
      await expect(database.write(write)).rejects.toMatchObject({ errno: dialect === 'mysql' ? 1205 : 1969 });
    });
    await database.close();
  });

  it('hold a lock with a long name in a database with a long name exclusively', async () => {
    const long = `svc_${'x'.repeat(60)}`;
    const url = new URL(place.url);
    url.pathname = long;
    await place.execute(`create database if not exists ${long}`);
    const database = await openDatabase({ url: url.href });
    const order: string[] = [];
    const isAwaited = async () =>
      (
        await database.query(
          "select 1 from information_schema.processlist where db = database() and state = 'User lock'",
        )
      ).length > 0;
    const hold = (name: string) =>
      database.locked('svc_bootstrap', async () => {
        order.push(name);
        if (order.length === 1) await until(isAwaited);
        order.push(name);
      });
    await Promise.all([hold('a'), hold('b')]);
    expect([order[0] === order[1], order[2] === order[3]]).toEqual([true, true]);
    await database.close();
    await place.execute(`drop database ${long}`);
  });
});
