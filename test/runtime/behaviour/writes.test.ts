/** Creates, updates and deletes: of one, of many, by keys, by query, in a batch. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';
import { closedAccess, libraryMeta, librarySql, restoreSql } from './library.js';

const settings = settingsOf(import.meta.url);

describe.each(settings)('writes on $dialect through $listener', (setting) => {
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
  const left = (): Promise<unknown> => read('/items/book_shelf?fields=book,shelf&filter[shelf][_eq]=1');

  describe('create', () => {
    it('returns the stored item with defaults', async () => {
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

    it('returns the requested fields, including relations', async () => {
      const { data } = await send('POST', '/items/book?fields=title,author.name', {
        title: 'New',
        author: 2,
      });
      expect(data).toEqual({ title: 'New', author: { name: 'Bruno Few' } });
    });

    it('of many returns them in order, also with different columns', async () => {
      const rows = [{ title: 'c', year: 3 }, { title: 'a' }, { year: 2, title: 'b' }, { title: 'd' }];
      const { data } = await send('POST', '/items/book?fields=title,year', rows);
      expect(data).toEqual([
        { title: 'c', year: 3 },
        { title: 'a', year: null },
        { title: 'b', year: 2 },
        { title: 'd', year: null },
      ]);
    });

    it('of many keys returns them in order, or in the requested sort', async () => {
      const rows = [5003, 5001, 5002].map((id) => ({ id, title: 'x' }));
      expect((await send('POST', '/items/book?fields=id', rows)).data).toEqual([
        { id: 5003 },
        { id: 5001 },
        { id: 5002 },
      ]);
      const pairs = [5002, 5003, 5001].map((book) => ({ book, shelf: 1, position: 1 }));
      const { data } = await send('POST', '/items/book_shelf?fields=book', pairs);
      expect(data).toEqual([{ book: 5002 }, { book: 5003 }, { book: 5001 }]);
      const more = [5005, 5006, 5004].map((id) => ({ id, title: 'y' }));
      const { data: sorted } = await send('POST', '/items/book?fields=id&sort=-id', more);
      expect(sorted).toEqual([{ id: 5006 }, { id: 5005 }, { id: 5004 }]);
    });

    it('of an empty list returns an empty list', async () => {
      expect((await send('POST', '/items/book', [])).body).toEqual({ data: [] });
    });

    it('uses a given key and generates one for null', async () => {
      expect((await send('POST', '/items/book?fields=id', { id: 5000, title: 'x' })).data).toEqual({
        id: 5000,
      });
      expect((await send('POST', '/items/book?fields=title', { id: null, title: 'y' })).data).toEqual({
        title: 'y',
      });
    });

    it('of many thousand items takes one call', async () => {
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
    it('changes only the sent fields', async () => {
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

    it('without fields changes nothing', async () => {
      expect((await send('PATCH', '/items/book/201?fields=title', {})).data).toEqual({ title: 'Few Words' });
      expect((await send('PATCH', '/items/book/201?fields=title', { title: 'Few Words' })).data).toEqual({
        title: 'Few Words',
      });
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

    it('by query affects the items that match', async () => {
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

    it('in a batch sets different values for each item', async () => {
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

    it('of many by query changes all matches, beyond the default limit of lists', async () => {
      const query = { filter: { author: { _eq: 1 } } };
      await send('PATCH', '/items/book', { query, data: { year: 1234 } });
      const { body } = await send('GET', '/items/book?filter[year][_eq]=1234&meta=filter_count&limit=0');
      expect(body).toMatchObject({ meta: { filter_count: 130 } });
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
    ])('%s with a missing key is forbidden and changes nothing: %j', async (path, body) => {
      const { status, codes } = await send('PATCH', path, body);
      expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
      expect(await read('/items/book/201?fields=title')).toEqual({ title: 'Few Words' });
    });

    it.each([
      ['/items/book/201', { id: 202, title: 'x' }],
      ['/items/book/201', { id: null, title: 'x' }],
      ['/items/book', { keys: [201], data: { id: 202, title: 'x' } }],
      ['/items/book', { keys: [201, 202], data: { id: 201, title: 'x' } }],
      ['/items/book', { query: { filter: { id: 201 } }, data: { id: 202, title: 'x' } }],
      ['/items/book_shelf/201,1', { book: 201, shelf: 2, position: 9 }],
    ])('%s with another key is rejected with the key: %j', async (path, body) => {
      const before = [await read('/items/book/201'), await left()];
      const { status, codes, text } = await send('PATCH', path, body);
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
      expect(text).toMatch(/\\"(id|shelf)\\" is the key/);
      expect([await read('/items/book/201'), await left()]).toEqual(before);
    });

    it.each([
      ['/items/book/201?fields=note', { id: 201, note: 'x' }, { note: 'x' }],
      ['/items/book/201?fields=note', { id: '201', note: 'x' }, { note: 'x' }],
      ['/items/book?fields=note', { keys: [201], data: { id: 201, note: 'x' } }, [{ note: 'x' }]],
      ['/items/book?fields=note', [{ id: 201, note: 'x' }], [{ note: 'x' }]],
      [
        '/items/shelf/1?fields=books.position',
        { books: [{ book: 201, shelf: 1, position: 9 }] },
        { books: [{ position: 9 }] },
      ],
    ])('%s with the same key changes the rest: %j', async (path, body, data) => {
      expect((await send('PATCH', path, body)).body).toEqual({ data });
    });

    it.each([
      [{ data: { title: 'x' } }, 'INVALID_PAYLOAD'],
      [{ keys: [201] }, 'INVALID_PAYLOAD'],
      [{ keys: [201], query: {}, data: {} }, 'INVALID_PAYLOAD'],
      [{ keys: 201, data: {} }, 'INVALID_PAYLOAD'],
      [{ query: [], data: {} }, 'INVALID_PAYLOAD'],
      [{ keys: [201], data: [] }, 'INVALID_PAYLOAD'],
      [{ keys: [201], data: {}, filter: { id: 202 } }, 'INVALID_PAYLOAD'],
      [[{ title: 'x' }], 'INVALID_PAYLOAD'],
      [['x'], 'INVALID_PAYLOAD'],
      [{ query: { filter: { colour: 1 } }, data: {} }, 'FORBIDDEN'],
      [{ query: { limit: -9 }, data: {} }, 'INVALID_QUERY'],
      [[{ title: 'x' }, { id: 201 }, 'x', { id: 'y' }], 'INVALID_PAYLOAD', 'INVALID_PAYLOAD', 'FORBIDDEN'],
    ])('many by %j is %s', async (body, ...codes) => {
      expect((await send('PATCH', '/items/book', body)).codes).toEqual(codes);
    });

    it('a list names the place of each item without a valid key', async () => {
      const list = [{ title: 'x' }, { id: 201 }, { id: 'y' }, { id: 999, title: 'x' }];
      const { errors } = await send('PATCH', '/items/book', list);
      expect(errors).toMatchObject([
        { code: 'INVALID_PAYLOAD', index: 0, pointer: '/0' },
        { code: 'FORBIDDEN', index: 2, pointer: '/2' },
      ]);
      const missing = await send('PATCH', '/items/book', [
        { id: 201, title: 'x' },
        { id: 999, title: 'x' },
      ]);
      expect(missing.errors).toMatchObject([{ code: 'FORBIDDEN', index: 1, pointer: '/1' }]);
    });
  });

  describe('delete', () => {
    it('deletes one item', async () => {
      const { status, text } = await send('DELETE', '/items/book/204');
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect((await send('GET', '/items/book/204')).codes).toEqual(['FORBIDDEN']);
      expect((await send('DELETE', '/items/book/204')).codes).toEqual(['FORBIDDEN']);
    });

    it('deletes many by a list, by keys and by query', async () => {
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

    it('by query applies its limit', async () => {
      await send('DELETE', '/items/review', [4]);
      const query = { filter: { author: { _eq: 1 } }, sort: ['id'] };
      const remaining = async (): Promise<unknown> =>
        (await send('GET', '/items/book?filter[author][_eq]=1&meta=filter_count&limit=0')).body;
      await send('DELETE', '/items/book', { query: { ...query, limit: 5 } });
      expect(await remaining()).toMatchObject({ meta: { filter_count: 125 } });
      await send('DELETE', '/items/book', { query: { ...query, limit: 25, page: 2 } });
      expect(await remaining()).toMatchObject({ meta: { filter_count: 100 } });
      await send('POST', '/items/book', { title: 'One more', author: 1 });
      await send('DELETE', '/items/book', { query });
      expect(await remaining()).toMatchObject({ meta: { filter_count: 0 } });
    });

    it.each([
      [{}],
      [{ filter: null }],
      [{ filter: {} }],
      [{ filter: '' }],
      [{ filter: { _and: [] } }],
      [{ filter: { _or: [] } }],
      [{ filter: { _or: [{ id: 201 }, {}] } }],
      [{ filter: { author: {} } }],
      [{ filter: { reviews: { _some: {} } } }],
      [{ search: 'Words' }],
      [{ sort: ['id'] }],
      [{ offset: 1 }],
      [{ page: 1 }],
      [{ limit: null }],
      [{ filter: { id: 201 }, page: 1 }],
    ])('by a query without a condition is rejected: %j', async (query) => {
      const before = await read('/items/book?fields=id,title&limit=-1');
      for (const [method, body] of [
        ['DELETE', { query }],
        ['PATCH', { query, data: { title: 'x' } }],
      ] as const) {
        const { status, codes } = await send(method, '/items/book', body);
        expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
      }
      expect(await read('/items/book?fields=id,title&limit=-1')).toEqual(before);
    });

    it('by a query with unknown parameters is rejected with all of them and the known ones', async () => {
      const query = { filters: { id: 201 }, limits: 1, limit: -1 };
      const { status, codes, text } = await send('DELETE', '/items/book', { query });
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
      expect(text).toContain('takes filter, search, sort, limit, offset, page, not');
      expect(text).toMatch(/filters.*limits/);
      expect(await read('/items/book/201?fields=id')).toEqual({ id: 201 });
    });

    it('by a query with the limit -1 deletes every item', async () => {
      const count = async (path: string): Promise<unknown> =>
        ((await send('GET', `${path}?meta=total_count&limit=0`)).body as { readonly meta: unknown }).meta;
      await send('PATCH', '/items/book?fields=id', { query: { limit: -1 }, data: { note: 'all' } });
      const { body } = await send('GET', '/items/book?filter[note][_neq]=all&limit=-1');
      expect(body).toEqual({ data: [] });
      expect((await send('DELETE', '/items/review', { query: { limit: -1 } })).status).toBe(204);
      expect(await count('/items/review')).toEqual({ total_count: 0 });
    });

    it('with a missing key is forbidden and deletes nothing', async () => {
      expect((await send('DELETE', '/items/book_shelf', ['201,1', '999,1'])).codes).toEqual(['FORBIDDEN']);
      expect(await left()).toHaveLength(3);
    });

    it('by a query with a parameter beside it names the parameter and deletes nothing', async () => {
      const before = await left();
      const body = { query: { filter: { id: { _gt: 0 } } }, limit: 1, sort: 'id' };
      const { codes, text } = await send('DELETE', '/items/book', body);
      expect(codes).toEqual(['INVALID_PAYLOAD']);
      expect(text).toContain(
        'not \\"limit\\", \\"sort\\"; filter, limit and the like belong into \\"query\\"',
      );
      expect(await left()).toEqual(before);
    });

    it.each([[undefined], [{}], [{ keys: 1 }], [{ keys: [1], query: {} }], ['x'], [7]])(
      'by %j is an invalid payload',
      async (body) => {
        expect((await send('DELETE', '/items/book', body)).codes).toEqual(['INVALID_PAYLOAD']);
      },
    );
  });

  describe('payloads', () => {
    it('rejects unknown fields by name', async () => {
      const { status, codes, text } = await send('POST', '/items/book', { title: 'x', colour: 'red' });
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
      expect(text).toContain('colour');
    });

    it('rejects lists in place of keys', async () => {
      expect((await send('PATCH', '/items/book/201', { author: [2] })).codes).toEqual(['INVALID_PAYLOAD']);
    });

    it('reports all problems of all items with their index', async () => {
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

    it.each(['null', '"text"', '5', 'true', '["x"]', '[null]', '[[]]'])('%s is not an item', async (raw) => {
      const headers = { 'content-type': 'application/json' };
      expect((await server().request('POST', '/items/book', { as: 'admin', raw, headers })).codes).toEqual([
        'INVALID_PAYLOAD',
      ]);
    });
  });
});
