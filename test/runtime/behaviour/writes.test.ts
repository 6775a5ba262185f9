/** Creates, updates and deletes: of one, of many, by keys, by query, in a batch. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settings, type TestMeta } from '../server-harness.js';
import { closedAccess, libraryMeta, librarySql, restoreSql } from './library.js';

describe.each(settings)('writes on $dialect through $door', (setting) => {
  const server = useServer({
    ...setting,
    sql: librarySql(setting.dialect),
    meta: libraryMeta,
    access: closedAccess,
  });
  beforeEach(() => server().execute(restoreSql(setting.dialect)));

  const send = (method: string, path: string, body?: unknown) =>
    server().request(method, path, { as: 'admin', ...(body === undefined ? {} : { body }) });
  const read = async (path: string): Promise<unknown> => (await send('GET', path)).data;

  describe('create', () => {
    it('answers the stored item, defaults included', async () => {
      const { status, data } = await send('POST', '/items/book', { title: 'New' });
      const id = (data as { readonly id: number }).id;
      expect({ status, data }).toEqual({
        status: 200,
        data: {
          id,
          title: 'New',
          isbn: null,
          author: null,
          year: null,
          price: null,
          stock: 1,
          lent: false,
          note: null,
          shelves: [],
        },
      });
      expect(await read(`/items/book/${id}`)).toEqual(data);
    });

    it('answers what fields ask for, relations too', async () => {
      const { data } = await send('POST', '/items/book?fields=title,author.name', {
        title: 'New',
        author: 2,
      });
      expect(data).toEqual({ title: 'New', author: { name: 'Bruno Few' } });
    });

    it('of many answers them in the order sent, whatever columns each names', async () => {
      const rows = [{ title: 'c', year: 3 }, { title: 'a' }, { year: 2, title: 'b' }, { title: 'd' }];
      const { data } = await send('POST', '/items/book?fields=title,year&sort=id', rows);
      expect(new Set(data as unknown[])).toEqual(
        new Set([
          { title: 'c', year: 3 },
          { title: 'a', year: null },
          { title: 'b', year: 2 },
          { title: 'd', year: null },
        ]),
      );
    });

    it('of none answers none', async () => {
      expect((await send('POST', '/items/book', [])).body).toEqual({ data: [] });
    });

    it('takes a key that is given, and counts where it is null', async () => {
      expect((await send('POST', '/items/book?fields=id', { id: 5000, title: 'x' })).data).toEqual({
        id: 5000,
      });
      expect((await send('POST', '/items/book?fields=title', { id: null, title: 'y' })).data).toEqual({
        title: 'y',
      });
    });

    it('of many thousand is one call, in one piece', async () => {
      const rows = Array.from({ length: 3_000 }, (_, index) => ({ title: `Bulk ${index}`, stock: 7 }));
      const { status, data } = await send('POST', '/items/book?fields=id', rows);
      expect({ status, count: (data as unknown[]).length }).toEqual({ status: 200, count: 3_000 });
      const { body } = await send(
        'GET',
        '/items/book?filter[stock][_eq]=7&filter[title][_starts_with]=Bulk&meta=filter_count&limit=0',
      );
      expect(body).toEqual({ meta: { filter_count: 3_000 }, data: [] });
    });
  });

  describe('update', () => {
    it('changes what is sent and nothing else', async () => {
      const { data } = await send('PATCH', '/items/book/201?fields=title,year,note', {
        title: 'Changed',
        year: null,
      });
      expect(data).toEqual({ title: 'Changed', year: null, note: '100% plain_text' });
    });

    it('sets and clears a many-to-one by key', async () => {
      expect((await send('PATCH', '/items/book/205?fields=author.name', { author: 4 })).data).toEqual({
        author: { name: 'Dora Stray' },
      });
      expect((await send('PATCH', '/items/book/205?fields=author', { author: null })).data).toEqual({
        author: null,
      });
    });

    it('of nothing changes nothing', async () => {
      expect((await send('PATCH', '/items/book/201?fields=title', {})).data).toEqual({ title: 'Few Words' });
      expect((await send('PATCH', '/items/book/201?fields=title', { title: 'Few Words' })).data).toEqual({
        title: 'Few Words',
      });
    });

    it('never changes a key', async () => {
      expect((await send('PATCH', '/items/book/201?fields=id,title', { id: 7777, title: 'x' })).data).toEqual(
        { id: 201, title: 'x' },
      );
    });

    it('by keys sets the same values everywhere, each key once', async () => {
      const { data } = await send('PATCH', '/items/book?fields=id,stock', {
        keys: [203, 201, 203],
        data: { stock: 42 },
      });
      expect(data).toEqual([
        { id: 201, stock: 42 },
        { id: 203, stock: 42 },
      ]);
    });

    it('by query meets what the query finds', async () => {
      const query = { filter: { author: { name: { _eq: 'Bruno Few' } } }, sort: ['id'], limit: 2 };
      const { data } = await send('PATCH', '/items/book?fields=id,lent', { query, data: { lent: true } });
      expect(data).toEqual([
        { id: 201, lent: true },
        { id: 202, lent: true },
      ]);
      expect(await read('/items/book/203?fields=lent')).toEqual({ lent: false });
      const none = { filter: { year: { _gt: 3000 } } };
      expect((await send('PATCH', '/items/book', { query: none, data: { lent: true } })).data).toEqual([]);
    });

    it('in a batch gives every item its own values', async () => {
      const { data } = await send('PATCH', '/items/book?fields=id,title,year', [
        { id: 202, title: 'Second' },
        { id: 201, year: 1 },
      ]);
      expect(data).toEqual([
        { id: 201, title: 'Few Words', year: 1 },
        { id: 202, title: 'Second', year: 1991 },
      ]);
      expect((await send('PATCH', '/items/book', [])).data).toEqual([]);
    });

    it.each([
      ['/items/book/999', { title: 'x' }],
      ['/items/book', { keys: [201, 999], data: { title: 'x' } }],
      [
        '/items/book',
        [
          { id: 201, title: 'x' },
          { id: 999, title: 'x' },
        ],
      ],
      ['/items/book', { keys: [201, 'x'], data: { title: 'x' } }],
    ])('%s with a key that is missing is forbidden and changes nothing: %j', async (path, body) => {
      const { status, codes } = await send('PATCH', path, body);
      expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
      expect(await read('/items/book/201?fields=title')).toEqual({ title: 'Few Words' });
    });

    it.each([
      [{ data: { title: 'x' } }, 'INVALID_PAYLOAD'],
      [{ keys: [201] }, 'INVALID_PAYLOAD'],
      [{ keys: [201], query: {}, data: {} }, 'INVALID_PAYLOAD'],
      [{ keys: 201, data: {} }, 'INVALID_PAYLOAD'],
      [{ query: [], data: {} }, 'INVALID_PAYLOAD'],
      [{ keys: [201], data: [] }, 'INVALID_PAYLOAD'],
      [[{ title: 'x' }], 'INVALID_PAYLOAD'],
      [['x'], 'INVALID_PAYLOAD'],
      [{ query: { filter: { colour: 1 } }, data: {} }, 'FORBIDDEN'],
      [{ query: { limit: -9 }, data: {} }, 'INVALID_QUERY'],
    ])('many by %j is %s', async (body, code) => {
      expect((await send('PATCH', '/items/book', body)).codes).toEqual([code]);
    });
  });

  describe('delete', () => {
    const left = () => read('/items/book_shelf?fields=book,shelf&filter[shelf][_eq]=1');

    it('of one', async () => {
      const { status, text } = await send('DELETE', '/items/book/204');
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect((await send('GET', '/items/book/204')).codes).toEqual(['FORBIDDEN']);
      expect((await send('DELETE', '/items/book/204')).codes).toEqual(['FORBIDDEN']);
    });

    it('of many by a list, by keys and by query', async () => {
      expect((await send('DELETE', '/items/book_shelf', ['201,1'])).status).toBe(204);
      expect((await send('DELETE', '/items/book_shelf', { keys: ['202,1'] })).status).toBe(204);
      expect(await left()).toEqual([{ book: 203, shelf: 1 }]);
      expect(
        (
          await send('DELETE', '/items/book_shelf', {
            query: { filter: { shelf: { room: { _eq: 'north' } } } },
          })
        ).status,
      ).toBe(204);
      expect(await left()).toEqual([]);
      expect((await send('DELETE', '/items/book_shelf', [])).status).toBe(204);
    });

    it('by query without a limit deletes a default page, with -1 everything', async () => {
      await send('DELETE', '/items/review', [4]);
      const query = { filter: { author: { _eq: 1 } }, sort: ['id'] };
      await send('DELETE', '/items/book', { query });
      expect(
        (await send('GET', '/items/book?filter[author][_eq]=1&meta=filter_count&limit=0')).body,
      ).toMatchObject({
        meta: { filter_count: 30 },
      });
      await send('DELETE', '/items/book', { query: { ...query, limit: -1 } });
      expect(await read('/items/book?filter[author][_eq]=1')).toEqual([]);
    });

    it('that names a missing key is forbidden and deletes nothing', async () => {
      expect((await send('DELETE', '/items/book_shelf', ['201,1', '999,1'])).codes).toEqual(['FORBIDDEN']);
      expect(await left()).toHaveLength(3);
    });

    it.each([[undefined], [{}], [{ keys: 1 }], [{ keys: [1], query: {} }], ['x'], [7]])(
      'by %j is an invalid payload',
      async (body) => {
        expect((await send('DELETE', '/items/book', body)).codes).toEqual(['INVALID_PAYLOAD']);
      },
    );
  });

  describe('payloads', () => {
    it('an unknown key is refused and named', async () => {
      const { status, codes, text } = await send('POST', '/items/book', { title: 'x', colour: 'red' });
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
      expect(text).toContain('colour');
    });

    it('lists are not written through their owner, objects not in place of a key', async () => {
      expect((await send('PATCH', '/items/author/2', { books: [201] })).codes).toEqual(['INVALID_PAYLOAD']);
      expect((await send('PATCH', '/items/book/201', { author: { name: 'x' } })).codes).toEqual([
        'INVALID_PAYLOAD',
      ]);
    });

    it('all problems of all items are told at once, each with its place', async () => {
      const { status, errors } = await send('POST', '/items/book', [
        { title: 'fine' },
        { year: 'x', stock: 1.5 },
        { title: null, price: 'dear', isbn: 'far too long to be an isbn' },
      ]);
      expect(status).toBe(400);
      expect(errors.map(({ code, field, type, index }) => ({ code, field, type, index }))).toEqual(
        expect.arrayContaining([
          { code: 'FAILED_VALIDATION', field: 'year', type: 'type', index: 1 },
          { code: 'FAILED_VALIDATION', field: 'stock', type: 'type', index: 1 },
          { code: 'FAILED_VALIDATION', field: 'title', type: 'required', index: 1 },
          { code: 'FAILED_VALIDATION', field: 'title', type: 'nnull', index: 2 },
          { code: 'FAILED_VALIDATION', field: 'price', type: 'type', index: 2 },
          { code: 'VALUE_TOO_LONG', field: 'isbn', type: undefined, index: 2 },
        ]),
      );
      expect(errors).toHaveLength(6);
      expect(await read('/items/book?filter[title][_eq]=fine')).toEqual([]);
    });

    it.each(['null', '"text"', '5', 'true', '["x"]', '[null]', '[[]]'])('%s is no item', async (raw) => {
      const headers = { 'content-type': 'application/json' };
      expect((await server().request('POST', '/items/book', { as: 'admin', raw, headers })).codes).toEqual([
        'INVALID_PAYLOAD',
      ]);
    });
  });
});

const specials = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    `
create table "note" (
  "id" {uuid} primary key, "text" varchar(100) not null, "by" {uuid}, "at" timestamp null, "changed_by" {uuid}, "changed_at" timestamp null,
  "slug" varchar(20), "locked" varchar(20), "pass" varchar(255), "tags" varchar(60), "data" json, "flag" boolean,
  "twice" varchar(210) generated always as ("text" || '!') stored
);
create table "kinds" (
  "id" integer primary key, "word" varchar(20), "small" smallint, "big" bigint, "ratio" double precision, "price" decimal(20,6),
  "flag" boolean, "day" date, "clock" time, "moment" datetime, "instant" timestamp null, "code" {uuid}, "data" json, "bytes" {bytes}
);
create table "settings" ("id" {counter}, "title" varchar(40) not null default 'Untitled', "size" integer default 3, "ratio" decimal(6,2) default 1.5);
`.replace('"text" || \'!\'', dialect === 'mariadb' ? 'concat("text", \'!\')' : '"text" || \'!\''),
  );

const specialsMeta: TestMeta = {
  collections: { settings: { singleton: true } },
  fields: {
    note: {
      id: { special: ['uuid'] },
      by: { special: ['user-created'] },
      at: { special: ['date-created'] },
      changed_by: { special: ['user-updated'] },
      changed_at: { special: ['date-updated'] },
      slug: {
        validation: { _and: [{ slug: { _regex: '^[a-z-]+$' } }] },
        validation_message: 'small letters and dashes only',
      },
      locked: { readonly: true },
      pass: { special: ['hash', 'conceal'] },
      tags: { special: ['cast-csv'] },
    },
  },
};

describe.each(settings)('fields with a meaning on $dialect through $door', (setting) => {
  const server = useServer({
    ...setting,
    sql: specials(setting.dialect),
    meta: specialsMeta,
    access: {
      policies: {
        Writer: (['create', 'read', 'update'] as const).map((action) => ({
          collection: 'note',
          action,
          fields: ['*'],
        })),
      },
      users: { writer: { policies: ['Writer'] } },
    },
  });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body === undefined ? {} : { body }) });
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  it('the server fills in keys, users and times', async () => {
    const writer = server().ids.users.get('writer');
    const made = await send('writer', 'POST', '/items/note?fields=id,by,at,changed_by,changed_at,twice', {
      text: 'a',
    });
    const created = made.data as Readonly<Record<string, string>>;
    expect(created).toEqual({
      id: expect.stringMatching(uuid),
      by: writer,
      at: expect.stringMatching(/Z$/),
      changed_by: null,
      changed_at: null,
      twice: 'a!',
    });
    const { data } = await send(
      'admin',
      'PATCH',
      `/items/note/${created.id}?fields=by,at,changed_by,changed_at,twice`,
      { text: 'b' },
    );
    expect(data).toEqual({
      by: writer,
      at: created.at,
      changed_by: expect.stringMatching(uuid),
      changed_at: expect.stringMatching(/Z$/),
      twice: 'b!',
    });
  });

  it('what the client sends wins over what would be filled in on create', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const { data } = await send('admin', 'POST', '/items/note?fields=id,at', {
      id: id.toUpperCase(),
      text: 'a',
      at: '2001-01-01T00:00:00Z',
    });
    expect(data).toEqual({ id, at: '2001-01-01T00:00:00Z' });
  });

  it('a hash is stored as argon2id and shown to nobody', async () => {
    const { data } = await send('admin', 'POST', '/items/note?fields=id,pass', {
      text: 'a',
      pass: 'open sesame',
    });
    const { id, pass } = data as { readonly id: string; readonly pass: string };
    expect(pass).toBe('**********');
    const [row] = await server().database.query('select pass from note where id = ?', [id]);
    expect(row?.pass).toMatch(/^\$argon2id\$/);
  });

  it('a rule of the field refuses values, in its own words', async () => {
    const { status, errors, text } = await send('writer', 'POST', '/items/note', { text: 'a', slug: 'NO!' });
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [
        { code: 'FAILED_VALIDATION', collection: 'note', field: 'slug', type: 'regex', invalid: 'NO!' },
      ],
    });
    expect(text).toContain('small letters and dashes only');
    expect((await send('writer', 'POST', '/items/note?fields=slug', { text: 'a', slug: null })).data).toEqual(
      { slug: null },
    );
  });

  it('read-only fields are the administrator’s, computed ones nobody’s', async () => {
    expect((await send('writer', 'POST', '/items/note', { text: 'a', locked: 'x' })).codes).toEqual([
      'FORBIDDEN',
    ]);
    expect(
      (await send('admin', 'POST', '/items/note?fields=locked', { text: 'a', locked: 'x' })).data,
    ).toEqual({ locked: 'x' });
    expect((await send('admin', 'POST', '/items/note', { text: 'a', twice: 'x' })).codes).toEqual([
      'INVALID_PAYLOAD',
    ]);
  });

  it('values are taken in several spellings and answered in one', async () => {
    const { data } = await send('admin', 'POST', '/items/kinds', {
      id: '1',
      word: 'w',
      small: '-3',
      big: '9007199254740993',
      ratio: '1e2',
      price: 7,
      flag: 'true',
      day: '2024-02-29T10:00:00Z',
      clock: '07:08',
      moment: '2024-02-29',
      instant: '2024-02-29T01:00:00+02:00',
      code: '11111111-AAAA-4111-8111-111111111111',
      data: '{"a":[1,null]}',
      bytes: 'AQID',
    });
    expect(data).toEqual({
      id: 1,
      word: 'w',
      small: -3,
      big: '9007199254740993',
      ratio: 100,
      price: '7.000000',
      flag: true,
      day: '2024-02-29',
      clock: '07:08:00',
      moment: '2024-02-29T00:00:00',
      instant: '2024-02-28T23:00:00Z',
      code: '11111111-aaaa-4111-8111-111111111111',
      data: { a: [1, null] },
      bytes: 'AQID',
    });
    expect((await send('admin', 'GET', '/items/kinds/1')).data).toEqual(data);
  });

  it('every value can be written as it was read', async () => {
    const row = {
      id: 2,
      word: 'ünï "quoted" \\ 日本',
      small: 32767,
      big: '-9223372036854775808',
      ratio: 0.1,
      price: '-12.345678',
      flag: false,
      day: '0999-12-31',
      clock: '23:59:59',
      moment: '1000-01-01T00:00:00',
      instant: '2038-01-19T03:14:07Z',
      code: '00000000-0000-0000-0000-000000000000',
      data: ['list', { deep: true }, null, 1.5],
      bytes: '/+8=',
    };
    expect((await send('admin', 'POST', '/items/kinds', row)).data).toEqual(row);
    expect((await send('admin', 'PATCH', '/items/kinds/2', row)).data).toEqual(row);
  });

  it('lists of texts and JSON values keep their shape', async () => {
    const { data } = await send('admin', 'POST', '/items/note?fields=tags,data', {
      text: 'a',
      tags: ['x', 'y'],
      data: 'null',
    });
    expect(data).toEqual({ tags: ['x', 'y'], data: null });
    expect(
      (await send('admin', 'POST', '/items/note?fields=tags,data', { text: 'a', tags: '', data: '"t"' }))
        .data,
    ).toEqual({ tags: [], data: 't' });
    expect((await send('admin', 'POST', '/items/note', { text: 'a', tags: ['a,b'] })).codes).toEqual([
      'FAILED_VALIDATION',
    ]);
  });

  it('a singleton is one object: its defaults first, then what was saved', async () => {
    const empty = { id: null, title: 'Untitled', size: 3, ratio: '1.50' };
    expect((await send('admin', 'GET', '/items/settings')).data).toEqual(empty);
    expect((await send('admin', 'SEARCH', '/items/settings', { query: { fields: ['title'] } })).data).toEqual(
      { title: 'Untitled' },
    );
    const { data } = await send('admin', 'PATCH', '/items/settings?fields=title,size', { title: 'Ours' });
    expect(data).toEqual({ title: 'Ours', size: 3 });
    expect((await send('admin', 'PATCH', '/items/settings?fields=title,size', { size: 4 })).data).toEqual({
      title: 'Ours',
      size: 4,
    });
    expect((await send('admin', 'GET', '/items/settings?fields=title,size')).data).toEqual({
      title: 'Ours',
      size: 4,
    });
    expect((await send('admin', 'POST', '/items/settings', {})).codes).toEqual(['ROUTE_NOT_FOUND']);
    expect((await send('admin', 'PATCH', '/items/settings/1', {})).codes).toEqual(['ROUTE_NOT_FOUND']);
  });
});
