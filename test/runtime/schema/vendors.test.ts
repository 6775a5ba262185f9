/** Snapshots of one database applied to another: the schema is mapped, what is lost is listed, what cannot be is refused. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialects, type TestDialect } from '../../databases.js';
import { columnKinds, setups } from '../columns/types.js';
import { usePlaces, type Place } from './places.js';

const create = usePlaces();

const chinook = (dialect: TestDialect): string =>
  readFileSync(
    fileURLToPath(
      new URL(`../../../demo/chinook.${dialect === 'mariadb' ? 'mysql' : dialect}.sql`, import.meta.url),
    ),
    'utf8',
  );

const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from, to] as const),
);

const force = { force: true };

/** Makes a place that of a snapshot of another database; returns what is lost. */
const become = async (place: Place, snapshot: Snapshot): Promise<readonly string[]> => {
  const difference = await place.diff(snapshot, force);
  if (difference === null) return [];
  await place.apply(difference);
  return (difference.losses ?? []).map(
    ({ collection, field, loss }) => `${collection}${field === undefined ? '' : `.${field}`}: ${loss}`,
  );
};

describe.each(pairs)('from %s to %s', (from, to) => {
  it('the schema of Chinook is mapped, and nothing differs afterwards', async () => {
    const snapshot = await (await create(from, chinook(from))).snapshot();
    const target = await create(to);
    const losses = await become(target, snapshot);
    await expect(`${losses.join('\n')}\n`).toMatchFileSnapshot(`./losses/chinook-${from}-${to}.txt`);
    expect(await target.diff(snapshot, force)).toBeNull();
    const own = await target.snapshot();
    expect(await target.diff(own)).toBeNull();
    expect(own.relations.length).toBe(snapshot.relations.length);
  });

  it('a column of each type is mapped or refused, with what is lost', async () => {
    const kinds = Object.keys(columnKinds[from]);
    const columns = kinds.map((type, at) => `c${at} ${type}`);
    const sql = `${setups[from] ?? ''} create table kinds (id integer primary key, ${columns.join(', ')});`;
    const snapshot = await (await create(from, sql)).snapshot();
    const target = await create(to);
    const refused = await target.diff(snapshot, force).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    const named = new Set([...refused.matchAll(/of "kinds\.(c\d+)"/g)].map(([, name]) => name));
    expect((await target.snapshot()).collections).toEqual([]);
    const possible = { ...snapshot, fields: snapshot.fields.filter(({ field }) => !named.has(field)) };
    const losses = await become(target, possible);
    const names = new Map(kinds.map((type, at) => [`kinds.c${at}`, type]));
    const lines = [
      ...losses.map((line) => line.replace(/^kinds\.c\d+/, (name) => names.get(name) ?? name)),
      ...[...named].map((name) => `${names.get(`kinds.${name}`)}: refused`),
    ];
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`./losses/types-${from}-${to}.txt`);
    expect(await target.diff(possible, force)).toBeNull();
    expect(await target.diff(await target.snapshot())).toBeNull();
  });
});

describe('what one database has and another lacks', () => {
  const mysqlTable = `
    create table a (id int primary key auto_increment, name varchar(40), n int unsigned not null default 3,
      at timestamp not null default current_timestamp on update current_timestamp, kind enum('x', 'y') default 'x',
      body text, v int generated always as (n + 1) virtual, index name (name), index start (body(20)),
      fulltext index words (body)) comment 'things';
    create table b (id int primary key auto_increment, name varchar(40), index name (name));`;

  it('is listed for keys, indexes, comments and times of an update', async () => {
    const snapshot = await (await create('mysql', mysqlTable)).snapshot();
    const target = await create('sqlite');
    expect(await become(target, snapshot)).toEqual([
      'a.at: updates do not set the time',
      'a: the index start has all characters of body, not the first 20',
      'a: the index words is left out, as there is no fulltext index; queries may be slower',
      'a: its comment',
    ]);
    expect(await target.diff(snapshot, force)).toBeNull();
    await target.execute("insert into a (name) values ('one')");
    const [row] = await target.database.query('select id, n, kind, v from a');
    expect(row).toEqual({ id: 1, n: 3, kind: 'x', v: 4 });
    await expect(target.execute("insert into a (kind) values ('z')")).rejects.toThrow(/CHECK/);
    await expect(target.execute('insert into a (n) values (-1)')).rejects.toThrow(/CHECK/);
    const indexes = (await target.snapshot()).collections.flatMap(({ schema }) => schema?.indexes ?? []);
    expect(indexes.map(({ name }) => name)).toEqual(['name', 'start', 'b_name']);
  });

  it('makes an enum a type on PostgreSQL, and a partial index of PostgreSQL none on MySQL', async () => {
    const snapshot = await (await create('mysql', mysqlTable)).snapshot();
    const target = await create('postgres');
    await become(target, snapshot);
    await target.execute("insert into a (kind, body) values ('y', 'text')");
    await expect(target.execute("insert into a (kind) values ('z')")).rejects.toThrow(/a_kind/);
    expect(await target.diff(snapshot, force)).toBeNull();

    await target.execute('create unique index few on a (name) where n > 5');
    const back = await create('mysql');
    expect(await become(back, await target.snapshot())).toContain(
      'a: the index few is left out, as there are no partial indexes; rows that it forbids are accepted',
    );
  });

  it('is refused without force between MySQL and MariaDB', async () => {
    const source = await create('mariadb', 'create table t (id int primary key, v uuid, w inet6)');
    const snapshot = await source.snapshot();
    const target = await create('mysql');
    await expect(target.diff(snapshot)).rejects.toThrow(/"t\.w": inet6 becomes varchar.*send force=true/);
    await become(target, snapshot);
    expect(await target.diff(snapshot, force)).toBeNull();
  });
});
