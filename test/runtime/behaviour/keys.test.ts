/** Keys of created items, whoever makes them: the answer is the row that was written, never another. */
import { describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settings } from '../server-harness.js';

const tables = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    `
create table "counted" ("id" {counter}, "word" varchar(20));
create table "made" ("id" {madeText}, "word" varchar(20), primary key ("id"));
create table "bytes" ("id" {madeBytes}, "word" varchar(20), primary key ("id"));
create table "pair" ("place" varchar(9) not null default 'he''re', "part" {madeText}, "word" varchar(20), primary key ("place", "part"));
create table "owner" ("id" integer primary key);
create table "owned" ("owner" integer not null, "word" varchar(20) not null, "at" {dateTime} not null, "flag" boolean not null, "bits" {bytes} not null, primary key ("owner", "word", "at", "flag", "bits"), foreign key ("owner") references "owner" ("id"));
create table "truth" ("id" {truth} primary key, "word" varchar(20));
insert into "counted" values (7, 'seven');
insert into "owner" values (1);
`,
  );

const words = ['one', 'two', 'three', 'four', 'five'];

interface Row {
  readonly id: unknown;
  readonly word: string;
}

interface Owner {
  readonly owned: readonly string[];
}

describe.each(settings)('keys on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: tables(setting.dialect) });
  const send = (method: string, path: string, body?: unknown) =>
    server().request(method, `/items/${path}`, { as: 'admin', ...(body !== undefined && { body }) });
  const byKey = async (table: string, ...parts: readonly unknown[]) =>
    (await send('GET', `${table}/${parts.map((part) => encodeURIComponent(String(part))).join()}`)).data;

  it('are returned for generated, given, null and 0 in one list', async () => {
    const given = [{}, { id: 50 }, {}, { id: null }, { id: 0 }];
    const rows = given.map((row, index) => Object.assign({}, row, { word: words[index] }));
    const { data } = await send('POST', 'counted', rows);
    const made = data as readonly Row[];
    expect(made.map(({ word }) => word).toSorted()).toEqual(words.toSorted());
    expect(made.find(({ word }) => word === 'two')?.id).toBe(50);
    expect(made.find(({ word }) => word === 'five')?.id).toBe(0);
    for (const row of made) expect(await byKey('counted', row.id)).toEqual(row);
  });

  it('are returned when generated for one item', async () => {
    const { data } = await send('POST', 'counted', { word: 'alone' });
    const row = data as Row;
    expect(row.word).toBe('alone');
    expect(await byKey('counted', row.id)).toEqual(row);
    expect((await send('POST', 'counted', {})).data).toMatchObject({ word: null });
  });

  it('are returned when a default expression computes them', async () => {
    const { data } = await send('POST', 'made', { word: 'alone' });
    expect(data).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{32,36}$/), word: 'alone' });
    const several = (await send('POST', 'made', [
      ...words.map((word) => ({ word })),
      { id: 'given', word: 'x' },
    ])) as { readonly data: readonly Row[] };
    expect(several.data.map(({ word }) => word).toSorted()).toEqual([...words, 'x'].toSorted());
    expect(new Set(several.data.map(({ id }) => id)).size).toBe(6);
    for (const row of several.data) expect(await byKey('made', row.id)).toEqual(row);
  });

  it('are returned as Base64 for binary columns', async () => {
    const one = (await send('POST', 'bytes', { word: 'alone' })).data as Row;
    expect(Buffer.from(String(one.id), 'base64')).toHaveLength(16);
    expect(await byKey('bytes', one.id)).toEqual(one);
    const several = (await send('POST', 'bytes', [{ word: 'a' }, { word: 'b' }])).data as readonly Row[];
    expect(several.map(({ word }) => word).toSorted()).toEqual(['a', 'b']);
  });

  it('can be booleans', async () => {
    const rows = [
      { id: false, word: 'no' },
      { id: true, word: 'yes' },
    ];
    const { status, data } = await send('POST', 'truth', rows);
    expect({ status, data }).toEqual({ status: 200, data: rows });
  });

  it('of several parts are returned in the format of paths', async () => {
    const rows = ['t,2', 't/1', '50 %', 'ä+"', ''].map((word, index) => ({
      word,
      at: '2024-02-29T01:02:03',
      flag: index % 2 === 0,
      bits: '/+8=',
    }));
    const shown = (await send('PATCH', 'owner/1?fields=owned', { owned: rows })).data as Owner;
    expect(shown.owned).toHaveLength(rows.length);
    expect(shown.owned).toContain('1,t%2C2,2024-02-29%2001%3A02%3A03,true,%2F%2B8%3D');
    const kept = await send('PATCH', 'owner/1?fields=owned', shown);
    expect(kept).toMatchObject({ status: 200, data: shown });
    for (const key of shown.owned) {
      const found = (await send('GET', `owned/${key}?fields=owner,word`)).data;
      expect(found).toEqual({ owner: 1, word: decodeURIComponent(key.split(',')[1] ?? '') });
    }
  });

  it('of several parts are returned when some are given', async () => {
    const { data } = await send('POST', 'pair', [
      { word: 'a' },
      { place: 'there', word: 'b' },
      { part: 'p', word: 'c' },
    ]);
    const rows = data as readonly { readonly place: string; readonly part: string; readonly word: string }[];
    expect(rows.map(({ place, word }) => [word, place]).toSorted()).toEqual([
      ['a', "he're"],
      ['b', 'there'],
      ['c', "he're"],
    ]);
    for (const row of rows) expect(await byKey('pair', row.place, row.part)).toEqual(row);
  });
});

describe('keys on mysql', () => {
  const server = useServer({
    dialect: 'mysql',
    sql: `
create table derived (id varchar(40) not null default (concat(word, '!')), word varchar(20), primary key (id));
create table tallied (place varchar(9) not null default 'here', id int not null auto_increment, word varchar(20), primary key (id, place));
create table overruled (id int not null auto_increment primary key, word varchar(20));
create trigger overrule before insert on overruled for each row set new.word = upper(new.word);
create table renumbered (id int not null auto_increment primary key, word varchar(20));
create trigger renumber before insert on renumbered for each row set new.id = 100 + ascii(new.word);
`,
  });
  const post = (path: string, body: unknown) =>
    server().request('POST', `/items/${path}`, { as: 'admin', body });

  it('that depend on the row are not returned: the item is stored, and the response is empty', async () => {
    expect(await post('derived', { word: 'a' })).toMatchObject({ status: 204, text: '' });
    expect(await post('derived', [{ word: 'b' }, { id: 'c', word: 'c' }])).toMatchObject({ status: 204 });
    const { data } = await server().request('GET', '/items/derived?sort=id', { as: 'admin' });
    expect(data).toEqual([
      { id: 'a!', word: 'a' },
      { id: 'b!', word: 'b' },
      { id: 'c', word: 'c' },
    ]);
  });

  it('are returned with a generated part beside a constant one', async () => {
    const { data } = await post('tallied', [{ word: 'a' }, { place: 'there', word: 'b' }, { word: 'c' }]);
    expect(data).toEqual(
      [
        { id: 1, place: 'here', word: 'a' },
        { id: 3, place: 'there', word: 'b' },
        { id: 2, place: 'here', word: 'c' },
      ].map(({ place, id, word }) => ({ place, id, word })),
    );
  });

  it('of a table with a trigger identify the row as the trigger left it', async () => {
    expect((await post('overruled', [{ word: 'a' }, { word: 'b' }])).data).toEqual([
      { id: 1, word: 'A' },
      { id: 2, word: 'B' },
    ]);
  });

  it('set by a trigger are returned for one item, and never guessed for several', async () => {
    expect((await post('renumbered', { word: 'A' })).data).toEqual({ id: 165, word: 'A' });
    expect(await post('renumbered', [{ word: 'C' }, { word: 'B' }])).toMatchObject({ status: 204 });
  });
});

const triggers: Readonly<Record<'sqlite' | 'postgres', string>> = {
  sqlite:
    'create trigger later after insert on raised begin update raised set v = v + 1 where id = new.id; end;',
  postgres: `create function raise_v() returns trigger language plpgsql as $$
    begin update raised set v = v + 1 where id = new.id; return null; end $$;
    create trigger later after insert on raised for each row execute function raise_v();`,
};

describe.each(Object.entries(triggers))('triggers after an insert on %s', (dialect, trigger) => {
  const server = useServer({
    dialect: dialect as TestDialect,
    sql: `create table raised (id integer primary key, v integer);\n${trigger}`,
  });

  it('change the row, but not the response of its create', async () => {
    const answer = await server().request('POST', '/items/raised', { as: 'admin', body: { id: 1, v: 1 } });
    expect(answer.data).toEqual({ id: 1, v: 1 });
    expect((await server().request('GET', '/items/raised/1', { as: 'admin' })).data).toEqual({ id: 1, v: 2 });
  });
});

describe.each(settings.filter(({ dialect }) => dialect === 'postgres'))(
  'keys that only the database generates, on $dialect through $listener',
  (setting) => {
    const sql =
      'create table "numbered" ("id" integer generated always as identity primary key, "word" varchar(20));';
    const server = useServer({ ...setting, sql });
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, `/items/${path}`, { as: 'admin', ...(body !== undefined && { body }) });

    it('are rejected in creates and identify items in updates', async () => {
      const { data } = await send('POST', 'numbered', [{ word: 'one' }, { word: 'two' }]);
      const [one, two] = data as readonly Row[];
      const refused = await send('POST', 'numbered', { id: 9, word: 'nine' });
      expect(refused.errors).toEqual([
        { code: 'INVALID_PAYLOAD', reason: '"id" is computed by the database and cannot be written' },
      ]);
      const changes = [
        { id: two?.id, word: 'second' },
        { id: one?.id, word: 'first' },
      ];
      await send('PATCH', 'numbered', changes);
      expect((await send('GET', 'numbered')).data).toEqual(changes.toReversed());
    });
  },
);
