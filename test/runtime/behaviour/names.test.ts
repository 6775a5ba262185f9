/** Whatever tables, columns and keys are called. */
import { describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { sqlFor, valuesToSql } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const oddNames = [
  'order',
  'select',
  'Order Line',
  'v1.0 notes',
  'it\'s "quoted"',
  'a`b',
  'größe',
  '日本',
  'constructor',
  '__proto__',
  'hasOwnProperty',
  'a/b?c#d&e=f',
  '100%',
  'plus+sign',
  '[x]',
  'UPPER',
] as const;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const nameTables = oddNames
  .map(
    (name) =>
      `create table ${quote(name)} ("id" integer primary key, ${quote(`${name} value`)} varchar(20), "__proto__" integer, "constructor" integer);
       insert into ${quote(name)} values (1, 'one', 11, 111);`,
  )
  .join('\n');

/** Keys that URLs, lists and quotes have a meaning for. */
const oddKeys = [
  'plain',
  'with space',
  'a,b',
  'a%2Cb',
  '100%',
  "it's",
  'a"b',
  'a/b',
  '?',
  '#',
  '&',
  '+',
  'ä',
  '日本',
  '..',
  '__proto__',
];

const keyTables = `
create table "word" ("word" varchar(40) primary key, "size" integer);
insert into "word" values ${valuesToSql(oddKeys.map((key, index) => [key, index]))};
create table "pair" ("left part" varchar(20) not null, "right" integer not null, "note" varchar(20), primary key ("left part", "right"));
insert into "pair" values ('a,b', 1, 'comma'), ('a', 1, 'plain'), ('a', 2, 'second'), ('', 3, 'empty'), ('ä/ö', 1, 'umlaut');
create table "pair_note" (
  "id" integer primary key, "pair_left" varchar(20), "pair_right" integer, "text" varchar(20),
  constraint "pair_note_pair" foreign key ("pair_left", "pair_right") references "pair" ("left part", "right")
);
insert into "pair_note" values (1, 'a', 2, 'one'), (2, 'a', 2, 'two'), (3, 'a,b', 1, 'three'), (4, null, 1, 'half');
create table "log" ("line" varchar(20), "at" integer);
insert into "log" values ('first', 1), ('second', 2), ('second', 2);
create table "signs" ("id" integer primary key, "v1.0" varchar(20), "v1.5" varchar(20), "net (EUR)" integer, "a,b" integer, "a\\,b" integer, "-net" integer, " b" integer, "c.d" integer, "c.d.e" integer);
insert into "signs" values (1, 'one', 'two', 3, 4, 5, 6, 7, 8, 9);
create table "sign_note" ("text" varchar(20) primary key, "sign.no" integer, foreign key ("sign.no") references "signs" ("id"));
insert into "sign_note" values ('x', 1);
create table "listed" ("a,b" integer primary key, "name" varchar(20));
insert into "listed" values (1, 'one'), (2, 'two');
create table "2 pair" ("id" integer primary key, "note" varchar(20));
insert into "2 pair" values (1, 'single');
create view "short_words" as select "word", "size" from "word" where "size" < 3;
`;

const sql = (dialect: TestDialect): string => sqlFor(dialect, nameTables + keyTables);

const part = encodeURIComponent;

describe.each(settings)('names on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: sql(setting.dialect) });
  const send = (method: string, path: string, body?: unknown) =>
    server().request(method, path, { as: 'admin', ...(body === undefined ? {} : { body }) });

  describe('tables and columns', () => {
    it.each(oddNames)('%s is read, filtered, sorted, written and deleted', async (name) => {
      const [table, column] = [`/items/${part(name)}`, `${name} value`];
      const row = `{"id":1,${JSON.stringify(column)}:"one","__proto__":11,"constructor":111}`;
      expect((await send('GET', `${table}/1`)).text).toBe(`{"data":${row}}`);
      const filter = part(`{${JSON.stringify(column)}:{"_eq":"one"},"__proto__":{"_gt":5}}`);
      expect((await send('GET', `${table}?filter=${filter}&sort=__proto__`)).text).toBe(`{"data":[${row}]}`);
      const brackets = `filter[__proto__][_eq]=11&filter[constructor][_eq]=111`;
      expect((await send('GET', `${table}?${brackets}&fields=id,__proto__`)).text).toBe(
        '{"data":[{"id":1,"__proto__":11}]}',
      );
      const created = await server().request('POST', table, {
        as: 'admin',
        raw: `{"id":2,${JSON.stringify(column)}:"two","__proto__":22}`,
        headers: { 'content-type': 'application/json' },
      });
      expect(created.text).toBe(
        `{"data":{"id":2,${JSON.stringify(column)}:"two","__proto__":22,"constructor":null}}`,
      );
      expect((await send('PATCH', `${table}/2?fields=constructor`, { constructor: 5 })).text).toBe(
        '{"data":{"constructor":5}}',
      );
      expect((await send('DELETE', `${table}/2`)).status).toBe(204);
    });

    it('compares names exactly', async () => {
      expect((await send('GET', '/items/upper')).codes).toEqual(['FORBIDDEN']);
      expect((await send('GET', '/items/toString')).codes).toEqual(['FORBIDDEN']);
      expect((await send('GET', '/items/order?fields=ID')).codes).toEqual(['FORBIDDEN']);
      expect((await send('GET', '/items/order?fields=toString')).codes).toEqual(['FORBIDDEN']);
      expect((await send('GET', '/items/order?sort=valueOf')).codes).toEqual(['FORBIDDEN']);
      expect((await send('POST', '/items/order', { id: 9, toString: 1 })).codes).toEqual(['INVALID_PAYLOAD']);
    });
  });

  describe('names with special characters of queries', () => {
    const one = {
      id: 1,
      'v1.0': 'one',
      'v1.5': 'two',
      'net (EUR)': 3,
      'a,b': 4,
      'a\\,b': 5,
      '-net': 6,
      ' b': 7,
      'c.d': 8,
      'c.d.e': 9,
    };

    it.each(Object.entries(one).slice(1))('%s is read and sorted by', async (name, value) => {
      const escaped = name.replaceAll(/[\\,]|^\s/g, String.raw`\$&`);
      const query = `fields=id,${part(escaped)}&sort=-${part(escaped)}`;
      expect((await send('GET', `/items/signs?${query}`)).data).toEqual([{ id: 1, [name]: value }]);
      const listed = await send('SEARCH', '/items/signs', { query: { fields: [escaped], sort: [escaped] } });
      expect(listed.data).toEqual([{ [name]: value }]);
    });

    it('reads them together and through a relation', async () => {
      const fields = ['id', 'v1.0', 'v1.5'];
      expect((await send('GET', `/items/signs?fields=${fields.join()}`)).data).toEqual([
        { id: 1, 'v1.0': 'one', 'v1.5': 'two' },
      ]);
      const path = '/items/sign_note?fields=text,sign.no.v1.0&sort=-sign.no.v1.5';
      expect((await send('GET', path)).data).toEqual([{ text: 'x', 'sign.no': { 'v1.0': 'one' } }]);
      const nested = await send('GET', '/items/signs?fields=c.d.e,c.d');
      expect(nested.data).toEqual([{ 'c.d': 8, 'c.d.e': 9 }]);
      expect((await send('GET', '/items/signs')).data).toEqual([one]);
    });

    it.each(['fields=v1', 'fields=v1.1', 'fields=v1.0.c', 'sort=v1.0.c', 'fields=a', 'sort=v1'])(
      '%s is not found',
      async (query) => {
        expect((await send('GET', `/items/signs?${query}`)).codes).toEqual(['FORBIDDEN']);
      },
    );

    it('finds, writes and deletes rows by a key with such a name', async () => {
      const query = { filter: { name: { _eq: 'one' } } };
      expect((await send('PATCH', '/items/listed', { query, data: { name: 'new' } })).data).toEqual([
        { 'a,b': 1, name: 'new' },
      ]);
      expect((await send('DELETE', '/items/listed', { query: { limit: 1 } })).status).toBe(204);
      expect((await send('GET', '/items/listed')).data).toEqual([{ 'a,b': 2, name: 'two' }]);
    });

    it('does not read functions as names', async () => {
      expect((await send('GET', '/items/signs?fields=year(id)')).codes).toEqual(['INVALID_QUERY']);
    });
  });

  describe('keys of text', () => {
    // dots alone are a path of their own
    it.each(oddKeys.filter((key) => key !== '..'))('%s identifies one item', async (key) => {
      const path = `/items/word/${part(key)}`;
      const size = oddKeys.indexOf(key);
      expect((await send('GET', path)).data).toEqual({ word: key, size });
      expect((await send('PATCH', path, { size: 50 })).data).toEqual({ word: key, size: 50 });
      const many = await send('PATCH', '/items/word', { keys: [key], data: { size } });
      expect(many.data).toEqual([{ word: key, size }]);
    });

    it('accepts keys in a list that a path cannot contain', async () => {
      const { data } = await send('SEARCH', '/items/word', {
        keys: ['..', 'a,b'],
        query: { fields: ['word'] },
      });
      expect(data).toEqual([{ word: '..' }, { word: 'a,b' }]);
    });

    it.each(['a,b', ',', 'a%2Cb'])('permissions on %s are returned', async (key) => {
      const told = await send('GET', `/permissions/me/word/${part(key)}`);
      const known = oddKeys.includes(key);
      expect({ status: told.status, data: told.data }).toMatchObject({
        status: 200,
        data: { update: { access: known } },
      });
    });

    it('returns a created item under its key', async () => {
      expect((await send('POST', '/items/word', { word: 'new/one', size: 1 })).data).toEqual({
        word: 'new/one',
        size: 1,
      });
      expect((await send('DELETE', `/items/word/${part('new/one')}`)).status).toBe(204);
      expect((await send('GET', `/items/word/${part('new/one')}`)).codes).toEqual(['FORBIDDEN']);
    });
  });

  describe('composite keys', () => {
    it('are joined by commas, each part escaped by itself', async () => {
      expect((await send('GET', '/items/pair/a,2?fields=note')).data).toEqual({ note: 'second' });
      expect((await send('GET', '/items/pair/a%2Cb,1?fields=note')).data).toEqual({ note: 'comma' });
      expect((await send('GET', `/items/pair/${part('ä/ö')},1?fields=note`)).data).toEqual({
        note: 'umlaut',
      });
      expect((await send('GET', '/items/pair/,3?fields=note')).data).toEqual({ note: 'empty' });
    });

    it.each([
      ['a%2C1', 'plain'],
      ['a%252Cb%2C1', 'comma'],
      ['%C3%A4%252F%C3%B6%2C1', 'umlaut'],
    ])('%s, escaped as a whole, identifies an item', async (key, note) => {
      expect((await send('GET', `/items/pair/${key}?fields=note`)).data).toEqual({ note });
      expect(
        (await send('SEARCH', '/items/pair', { keys: [key], query: { fields: ['note'] } })).data,
      ).toEqual([{ note }]);
    });

    it.each(['a', 'a,b,1', 'a%2Cb%2C1', 'a,9', 'a,x', 'a,1,', '%ff,1'])('%s is not found', async (key) => {
      expect((await send('GET', `/items/pair/${key}`)).codes).toEqual(['FORBIDDEN']);
    });

    it('are written, updated and deleted, one and many', async () => {
      const created = await send('POST', '/items/pair', [
        { 'left part': 'n', right: 1 },
        { 'left part': 'n', right: 2, note: 'x' },
      ]);
      expect(created.data).toMatchObject([
        { right: 1, note: null },
        { right: 2, note: 'x' },
      ]);
      expect((await send('PATCH', '/items/pair/n,1', { note: 'y' })).data).toMatchObject({
        right: 1,
        note: 'y',
      });
      const many = await send('PATCH', '/items/pair?fields=note', {
        keys: ['n,1', 'n,2'],
        data: { note: 'z' },
      });
      expect(many.data).toEqual([{ note: 'z' }, { note: 'z' }]);
      const each = await send('PATCH', '/items/pair?fields=note', [
        { 'left part': 'n', right: 1, note: '1' },
        { 'left part': 'n', right: 2, note: '2' },
      ]);
      expect(each.data).toEqual([{ note: '1' }, { note: '2' }]);
      const filter = { 'left part': { _eq: 'n' } };
      expect(
        (await send('PATCH', '/items/pair?fields=note', { query: { filter }, data: { note: 'q' } })).data,
      ).toHaveLength(2);
      expect((await send('DELETE', '/items/pair', ['n,1', 'n,3'])).codes).toEqual(['FORBIDDEN']);
      expect((await send('DELETE', '/items/pair', ['n,1', 'n,2'])).status).toBe(204);
      expect((await send('SEARCH', '/items/pair', { query: { filter } })).data).toEqual([]);
    });

    it('that resemble the name of another table belong to that table', async () => {
      expect((await send('SEARCH', '/items/2%20pair', { keys: [1] })).data).toEqual([
        { id: 1, note: 'single' },
      ]);
      const { data } = await send('SEARCH', '/items/pair', { keys: ['a,1', 'a,2'] });
      expect(data).toEqual([
        { 'left part': 'a', right: 1, note: 'plain' },
        { 'left part': 'a', right: 2, note: 'second' },
      ]);
    });

    it('support relations in both directions', async () => {
      const notes = await send('GET', '/items/pair_note?fields=id,pair.note&sort=id');
      expect(notes.data).toEqual([
        { id: 1, pair: { note: 'second' } },
        { id: 2, pair: { note: 'second' } },
        { id: 3, pair: { note: 'comma' } },
        { id: 4, pair: null },
      ]);
      const pairs = await send('GET', '/items/pair?fields=note,pair_note.text&sort=note');
      expect(pairs.data).toEqual([
        { note: 'comma', pair_note: [{ text: 'three' }] },
        { note: 'empty', pair_note: [] },
        { note: 'plain', pair_note: [] },
        { note: 'second', pair_note: [{ text: 'one' }, { text: 'two' }] },
        { note: 'umlaut', pair_note: [] },
      ]);
      const filtered = await send('GET', '/items/pair?fields=note&filter[pair_note][text][_eq]=two');
      expect(filtered.data).toEqual([{ note: 'second' }]);
    });
  });

  describe('tables without a key', () => {
    it('have lists only', async () => {
      expect((await send('GET', '/items/log?sort=-at&limit=1')).data).toEqual([{ line: 'second', at: 2 }]);
      expect(
        (await send('SEARCH', '/items/log', { query: { filter: { at: { _eq: 2 } } } })).data,
      ).toHaveLength(2);
      expect((await send('GET', '/items/log?meta=total_count&limit=0')).body).toEqual({
        meta: { total_count: 3 },
        data: [],
      });
    });

    it.each([
      ['POST', '/items/log'],
      ['PATCH', '/items/log'],
      ['DELETE', '/items/log'],
      ['GET', '/items/log/1'],
    ])('%s %s is no route', async (method, path) => {
      const body = method === 'GET' ? undefined : {};
      expect((await send(method, path, body)).codes).toEqual(['ROUTE_NOT_FOUND']);
    });
  });

  describe('views', () => {
    it('are read, filtered and sorted', async () => {
      const { data } = await send('GET', '/items/short_words?sort=-size&filter[size][_gt]=0');
      expect(data).toEqual([
        { word: 'a,b', size: 2 },
        { word: 'with space', size: 1 },
      ]);
    });

    it('cannot be written', async () => {
      expect((await send('POST', '/items/short_words', { word: 'x' })).codes).toEqual(['ROUTE_NOT_FOUND']);
      expect((await send('DELETE', '/items/short_words/x')).codes).toEqual(['ROUTE_NOT_FOUND']);
    });
  });
});
