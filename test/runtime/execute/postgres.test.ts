import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { openDatabase } from '../../../runtime/databases/open.js';
import type { Database } from '../../../runtime/databases/contract.js';
import { LockHeld } from '../../../runtime/databases/lock-held.js';
import { clientOptions } from '../../../runtime/databases/postgres/options.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { until } from '../../until.js';

const layoutOf = (field: Field) => ({
  tokens: [{ kind: 'value' as const, field }],
  keyColumns: 0,
  limit: Number.POSITIVE_INFINITY,
});
const whole = layoutOf({ name: 'v', type: 'integer' });
const text = layoutOf({ name: 'v', type: 'text' });

describe('PostgreSQL', () => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase('postgres', {
      sql: `create table t (v int); create schema "Other ""one"""; create table "Other ""one""".t (v text);
        insert into "Other ""one""".t values ('theirs'); create extension citext; create table c (v citext)`,
    });
    database = await openDatabase({ url: place.url, poolMax: 1 });
  });

  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  describe('prepared statements', () => {
    const numbers = Array.from({ length: 700 }, (_, index) => index);

    it('work repeatedly if more are run than are kept, and are closed on the server', async () => {
      for (const round of [1, 2]) {
        for (const number of numbers) {
          const statement = { text: `select ${number} + cast(? as integer)`, values: [round] };
          expect(Number((await database.rows(statement, whole)).rows.bytes.toString())).toBe(number + round);
          const [found] = await database.query(`select ${number} - cast(? as integer) as v`, [round]);
          expect(found).toEqual({ v: number - round });
        }
      }
      const [found] = await database.query('select count(*) as kept from pg_prepared_statements');
      expect(Number(found?.kept)).toBeGreaterThan(200);
      expect(Number(found?.kept)).toBeLessThanOrEqual(256);
    });

    it('are part of their error and work after the fault is corrected', async () => {
      await place.execute('create table growing (v int)');
      const statement = { text: 'insert into growing (v) values (?)', values: ['no number'] };
      await expect(database.write(statement)).rejects.toMatchObject({ code: '22P02', sql: statement.text });
      expect(await database.write({ ...statement, values: [1] })).toEqual({ affected: 1 });
      const missing = 'select later from growing where v = ?';
      await expect(database.query(missing, [1])).rejects.toMatchObject({ code: '42703', sql: missing });
      await place.execute('alter table growing add column later text');
      expect(await database.query(missing, [1])).toEqual([{ later: null }]);
    });

    it('are prepared again where the server has forgotten them', async () => {
      const statement = { text: 'select cast(? as integer)', values: [3] };
      expect(Number((await database.rows(statement, whole)).rows.bytes.toString())).toBe(3);
      await database.query('deallocate all');
      expect(Number((await database.rows(statement, whole)).rows.bytes.toString())).toBe(3);
    });

    it('are prepared again when a column has changed its type', async () => {
      await place.execute('create table changing (v int); insert into changing values (7)');
      const statement = { text: 'select v from changing where v is not null limit ?', values: [1n] };
      expect((await database.rows(statement, text)).rows.bytes.toString()).toBe('"7"');
      await place.execute("alter table changing alter v type text using v || ' apples'");
      expect((await database.rows(statement, text)).rows.bytes.toString()).toBe('"7 apples"');
      await place.execute('alter table changing alter v type int using 8');
      expect((await database.rows(statement, text)).rows.bytes.toString()).toBe('"8"');
    });

    it('are prepared again in a transaction, which restarts', async () => {
      await place.execute('create table retyped (v int); insert into retyped values (7)');
      const statement = { text: 'select v from retyped where v is not null limit ?', values: [1n] };
      await database.rows(statement, text);
      await place.execute("alter table retyped alter v type text using v || ' apples'");
      const shown = await database.transaction(async (executor) => {
        await executor.write({ text: 'insert into t (v) values (?)', values: [4711] });
        return (await executor.rows(statement, text)).rows.bytes.toString();
      });
      expect(shown).toBe('"7 apples"');
      expect(await database.query('select v from t where v = ?', [4711])).toHaveLength(1);
    });

    it('do not replace question marks in names and texts', async () => {
      expect(await database.query(`select 'a?''?' as "b?", ? as v`, ['?'])).toEqual([
        { 'b?': "a?'?", v: '?' },
      ]);
    });
  });

  it('takes times without a zone as UTC, also on the reserved connection', async () => {
    const [{ name } = {}] = await database.query('select current_database() as name');
    await place.execute(`alter database "${String(name)}" set timezone = 'Asia/Tokyo'`);
    const opened = await openDatabase({ url: place.url, poolMax: 1 });
    for (const each of [opened, opened.reserved]) {
      const [row] = await each.query(
        "select extract(epoch from timestamptz '2020-01-01 00:00:00') as seconds",
      );
      expect(Number(row?.seconds)).toBe(Date.UTC(2020, 0, 1) / 1000);
    }
    await opened.close();
    await place.execute(`alter database "${String(name)}" reset timezone`);
  });

  it('returns every digit of a float', async () => {
    const field: Field = { name: 'v', type: 'float' };
    const sum = await database.rows(
      { text: 'select 0.1::float8 + 0.2::float8', values: [] },
      layoutOf(field),
    );
    expect(sum.rows.bytes.toString()).toBe('0.30000000000000004');
  });

  it('errors do not contain values', async () => {
    const error: unknown = await database
      .query('select cast(? as text)::integer', ['my "secret"'])
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '22P02', message: 'invalid input syntax for type integer: "…"' });
    expect((error as Error).stack).not.toContain('secret');
  });

  it('reads rows that are split across packets', async () => {
    const statement = {
      text: `select repeat(chr(64 + n % 20) || 'ä"', n * ?) from generate_series(1, 60) as n order by n`,
      values: [997],
    };
    const { rows, count } = await database.rows(statement, text);
    expect(count).toBe(60);
    const found = JSON.parse(`[${rows.bytes.toString()}]`) as readonly string[];
    expect(found.map((each) => each.length)).toEqual(found.map((_, index) => (index + 1) * 997 * 3));
    expect(found.at(-1)?.slice(0, 3)).toBe('@ä"');
  });

  it('returns infinite times as texts, alone and in lists', async () => {
    const statement = {
      text: "select v from (values (cast('-infinity' as timestamptz)), ('2024-02-29 12:34:56+00'), ('infinity')) as ends (v) where v is not null limit ?",
      values: [3n],
    };
    const moments = '"-infinity","2024-02-29T12:34:56Z","infinity"';
    const shown = async (field: Field, { text: from, values } = statement) => {
      const { rows } = await database.rows({ text: from, values }, layoutOf(field));
      return rows.bytes.toString();
    };
    expect(await shown({ name: 'v', type: 'timestamp' })).toBe(moments);
    expect(await shown({ name: 'v', type: 'timestamp', fraction: 6 })).toBe(moments);
    const element = { type: 'timestamp', fraction: 6 } as const;
    const list = { name: 'v', type: 'json', element } as const;
    const gathered = { ...statement, text: statement.text.replace('select v', 'select array_agg(v)') };
    expect(await shown(list, gathered)).toBe(`[${moments}]`);
  });

  it('counts written rows and rolls back failed transactions', async () => {
    await place.execute('create table counted (v int)');
    await database.write({ text: 'insert into counted (v) values (?), (?)', values: [1, 2] });
    expect(await database.write({ text: 'update counted set v = v', values: [] })).toEqual({ affected: 2 });
    const failing = database.transaction(async (executor) => {
      await executor.write({ text: 'delete from counted', values: [] });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await database.query('select v from counted order by v')).toEqual([{ v: 1 }, { v: 2 }]);
  });

  it('holds a lock exclusively, outside the pool', async () => {
    const order: string[] = [];
    const awaited =
      "select 1 from pg_locks join pg_database on oid = database where datname = current_database() and locktype = 'advisory' and not granted";
    const isAwaited = async () => (await database.query(awaited)).length > 0;
    const hold = (name: string) =>
      database.locked('svc_test', async () => {
        order.push(`${name} begins`);
        if (order.length === 1) await until(isAwaited);
        order.push(`${name} ends`);
      });
    await Promise.all([hold('a'), hold('b')]);
    const [first = ''] = order;
    const [one, other] = first.startsWith('a') ? ['a', 'b'] : ['b', 'a'];
    expect(order).toEqual([`${one} begins`, `${one} ends`, `${other} begins`, `${other} ends`]);
  });

  it('replaces a lost connection', async () => {
    const others = 'from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';
    const end = `select pg_terminate_backend(pid) ${others}`;
    const waiting = database.query('select pg_sleep(30)').catch((error: unknown) => error);
    const sleeping = `select 1 as sleeping ${others} and query like '%pg_sleep(30)'`;
    await expect.poll(() => place.database.query(sleeping)).toEqual([{ sleeping: 1 }]);
    await place.execute(end);
    expect(await waiting).toMatchObject({ code: '57P01' });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await place.execute(end);
    const afterTheLoss = async (): Promise<unknown> => database.query('select 2 as two').catch(() => []);
    await expect.poll(afterTheLoss).toEqual([{ two: 2 }]);
  });

  it('cancels a statement after its timeout', async () => {
    const hasty = await openDatabase({ url: place.url, statementTimeout: 50 });
    try {
      await expect(hasty.query('select pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
      expect(await hasty.query('select 1 as one')).toEqual([{ one: 1 }]);
    } finally {
      await hasty.close();
    }
  });

  it('finds names in one schema and in those of extensions', async () => {
    const other = await openDatabase({ url: place.url, schema: 'Other "one"' });
    try {
      expect(await other.query('select v from t')).toEqual([{ v: 'theirs' }]);
      expect(await other.query("select 'A'::citext = 'a' as same")).toEqual([{ same: 1 }]);
    } finally {
      await other.close();
    }
    await expect(openDatabase({ url: place.url, schema: 'nowhere' })).rejects.toMatchObject({
      code: '3F000',
      message: 'the schema "nowhere" (DATABASE_SCHEMA) does not exist or the user may not use it',
    });
  });

  it('rejects a server without encryption if sslmode requires it', async () => {
    await expect(openDatabase({ url: `${place.url}?sslmode=require` })).rejects.toMatchObject({
      code: 'HANDSHAKE_SSL_ERROR',
    });
  });
});

const read = (url: string, ca?: string) => clientOptions({ url, ...(ca !== undefined && { ca }) });

describe('the address of PostgreSQL', () => {
  it('contains host, port, user and database with percent-encoding', () => {
    expect(read('postgresql://u%40x:p%3Aw@[::1]:5433/d%20b')).toMatchObject({
      host: '::1',
      port: 5433,
      user: 'u@x',
      password: 'p:w',
      database: 'd b',
      ssl: false,
    });
    expect(read('postgres://u@localhost/db?host=/run/postgresql')).toMatchObject({
      host: '/run/postgresql',
      port: 5432,
    });
  });

  it.each([
    ['disable', undefined, false],
    ['require', undefined, { rejectUnauthorized: false }],
    ['verify-full', undefined, { rejectUnauthorized: true }],
    ['verify-ca', 'PEM', { rejectUnauthorized: true, ca: 'PEM', checkServerIdentity: expect.any(Function) }],
  ])('sslmode=%s with %s', (mode, ca, ssl) => {
    expect(read(`postgres://h/db?sslmode=${mode}`, ca).ssl).toEqual(ssl);
  });

  it('is verified completely with a certificate authority', () => {
    expect(read('postgres://h/db', 'PEM').ssl).toEqual({ rejectUnauthorized: true, ca: 'PEM' });
  });

  it('is rejected with missing and unknown options', () => {
    expect(() => read('postgres://h')).toThrow('names no database');
    expect(() => read('postgres://h/db?sslmode=maybe')).toThrow(
      'sslmode=maybe; expected one of disable, require, verify-ca, verify-full',
    );
  });
});

it('waits for a lock of PostgreSQL as long as it is told to', async () => {
  const { database, drop } = await createTestDatabase('postgres', {});
  try {
    await database.locked('one', async () => {
      const second = database.locked('one', async () => undefined, 100);
      await expect(second).rejects.toBeInstanceOf(LockHeld);
    });
  } finally {
    await drop();
  }
});
