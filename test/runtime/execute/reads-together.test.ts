/** Reads by key that are sent together on one connection. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/databases/open.js';
import type { Database, RowLayout } from '../../../runtime/databases/contract.js';
import type { RowSet } from '../../../runtime/execute/row-set.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { until } from '../../until.js';

const value = { kind: 'value' as const, field: { name: 'v', type: 'bigInteger' as const } };
const literal = (text: string) => ({ kind: 'literal' as const, bytes: Buffer.from(text) });

const layoutOf = (tokens: RowLayout['tokens']): RowLayout => ({
  tokens,
  keyColumns: 0,
  limit: Number.POSITIVE_INFINITY,
  byKey: true,
});
const single = layoutOf([value]);
const pair = layoutOf([literal('['), value, literal(','), value, literal(']')]);

const textOf = ({ rows }: RowSet): string => rows.bytes.toString().replaceAll('"', '');

const ids = Array.from({ length: 20 }, (_, index) => index + 1);

const sqlOf = {
  mariadb: { connection: 'connection_id()', wait: 'sleep(?) = 0', integer: 'signed' },
  mysql: { connection: 'connection_id()', wait: 'sleep(?) = 0', integer: 'signed' },
  postgres: { connection: 'pg_backend_pid()', wait: 'pg_sleep(?) is not null', integer: 'bigint' },
} as const;

describe.each(['mariadb', 'mysql', 'postgres'] as const)('reads by key on %s', (dialect) => {
  const { connection, wait, integer } = sqlOf[dialect];
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    const rows = ids.map((id) => `(${id}, ${id * 10})`).join(', ');
    place = await createTestDatabase(dialect, {
      sql: `create table t (id int primary key, v int not null); insert into t values ${rows}`,
    });
    database = await openDatabase({ url: place.url });
  });

  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  const read = (text: string, number: number, layout = single): Promise<RowSet> =>
    database.rows({ text, values: [number] }, layout);

  /** Ends the connections that run a statement, once there is one. */
  const kill = (text: string): Promise<unknown> =>
    until(async () => {
      const found = await place.database.query(
        dialect === 'postgres'
          ? `select pg_terminate_backend(pid) from pg_stat_activity where query like '${text}%'`
          : `select id from information_schema.processlist where info like '${text}%'`,
      );
      if (dialect !== 'postgres') for (const { id } of found) await place.execute(`kill ${Number(id)}`);
      return found.length > 0;
    });

  it('that come at once take one connection for each eight, and get their own rows', async () => {
    const text = `select ${connection}, v from t where id = ?`;
    for (const round of ['prepared by the first read', 'prepared before']) {
      const found = await Promise.all(ids.map((id) => read(text, id, pair)));
      const pairs = found.map((set) => textOf(set).slice(1, -1).split(','));
      expect({ round, values: pairs.map(([, v]) => v) }).toEqual({
        round,
        values: ids.map((id) => String(id * 10)),
      });
      expect(new Set(pairs.map(([process]) => process)).size).toBe(3);
    }
  });

  it('are sent one by one where the connection is to a proxy that takes one at a time', async () => {
    const plain = await openDatabase({ url: place.url, pipeline: false });
    const statement = { text: `select ${connection}, v from t where id = ?`, values: [1] };
    const found = await Promise.all(ids.slice(0, 4).map(() => plain.rows(statement, pair)));
    await plain.close();
    expect(new Set(found.map(textOf)).size).toBe(4);
  });

  it('find no row where there is none', async () => {
    const found = await Promise.all([1, 99, 2].map((id) => read('select v from t where id = ?', id)));
    expect(found.map((set) => [set.count, textOf(set)])).toEqual([
      [1, '10'],
      [0, ''],
      [1, '20'],
    ]);
  });

  it('fail each by itself', async () => {
    const text = `select 9223372036854775807 + cast(? as ${integer})`;
    const refusal = new Error('no memory');
    const refuse = (): void => {
      throw refusal;
    };
    const without = { ...single, bytes: { take: refuse, giveBack: () => undefined } };
    for (const round of ['prepared by the first read', 'prepared before']) {
      const [first, second, third, fourth] = await Promise.allSettled([
        read(text, 0),
        read(text, 1),
        read(text, -1, without),
        read(text, -1),
      ]);
      expect(first).toMatchObject({ status: 'fulfilled' });
      expect(second).toMatchObject({ status: 'rejected', reason: { sql: text } });
      expect(third).toMatchObject({ status: 'rejected', reason: refusal });
      expect({ round, last: fourth?.status === 'fulfilled' && textOf(fourth.value) }).toEqual({
        round,
        last: '9223372036854775806',
      });
    }
  });

  it('see a column whose type has changed', async () => {
    await place.execute('create table u (id int primary key, v int not null)');
    await place.execute('insert into u values (1, 7), (2, 8), (3, 9)');
    const text = 'select v from u where id = ?';
    const readAll = async () => (await Promise.all([1, 2, 3].map((id) => read(text, id)))).map(textOf);
    expect(await readAll()).toEqual(['7', '8', '9']);
    expect(await readAll()).toEqual(['7', '8', '9']);
    await place.execute(
      dialect === 'postgres'
        ? 'alter table u alter v type bigint'
        : 'alter table u modify column v bigint not null',
    );
    expect(await readAll()).toEqual(['7', '8', '9']);
  });

  it('do not wait for other statements, and fail with a lost connection', async () => {
    const slow = `select v from t where id = 1 and ${wait}`;
    const readSlow = (seconds: number) => Promise.allSettled([1, 2, 3].map(() => read(slow, seconds)));
    await readSlow(0);
    const lost = readSlow(30);
    expect(textOf(await read('select v from t where id = ?', 4))).toBe('40');
    await kill('select v from t where id = 1 and');
    for (const each of await lost) {
      expect([each, each.status === 'rejected' && database.isConnectionLoss(each.reason)]).toEqual([
        each,
        true,
      ]);
    }
    expect(textOf(await read('select v from t where id = ?', 5))).toBe('50');
  });
});
