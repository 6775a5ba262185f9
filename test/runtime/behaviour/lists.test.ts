/** Lists and items: fields, order, pages, search and counts. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';
import { busyAuthor, closedAccess, libraryMeta, librarySql } from './library.js';

const settings = settingsOf(import.meta.url);

interface Item {
  readonly id: number;
}

const last = (query: string): string => `/items/book?filter[id][_gt]=200&fields=id&${query}`;

describe.each(settings)('lists on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: librarySql(setting.dialect),
    meta: libraryMeta,
    access: closedAccess,
  });
  const get = (path: string) => server().request('GET', path, { as: 'admin' });
  const search = (path: string, body: unknown) => server().request('SEARCH', path, { as: 'admin', body });
  const ids = async (path: string): Promise<unknown> => {
    const { data, codes } = await get(path);
    return data === undefined ? codes : (data as Item[]).map(({ id }) => id);
  };

  describe('fields', () => {
    it('returns the columns of an item and the lists in meta', async () => {
      const { data } = await get('/items/book/201');
      expect(data).toEqual({
        id: 201,
        title: 'Few Words',
        isbn: 'B-1',
        author: 2,
        year: 1990,
        price: '5.50',
        stock: 3,
        lent: false,
        note: '100% plain_text',
        shelves: ['201,3', '201,1'],
      });
    });

    it('returns a list without meta by its name and not by *', async () => {
      const { data } = await get('/items/book/201?fields=review');
      expect(data).toEqual({ review: [1, 2] });
    });

    it('returns only requested fields in the requested order', async () => {
      const { text } = await get('/items/book/201?fields=year,title,id');
      expect(text).toBe('{"data":{"year":1990,"title":"Few Words","id":201}}');
    });

    it('* expands one level and *.* two', async () => {
      const { data: one } = await get('/items/author/2?fields=*');
      expect(one).toMatchObject({ id: 2, country: 'pl', books: [201, 202, 203] });
      const { data: both } = await get('/items/author/2?fields=*.*');
      expect(both).toMatchObject({
        country: { code: 'pl', name: 'Poland' },
        books: [{ id: 201, author: 2 }, { id: 202 }, { id: 203 }],
      });
    });

    it('unites a star and named fields', async () => {
      const { data } = await get('/items/author/2?fields=*,country.name,books.title');
      expect(data).toMatchObject({
        id: 2,
        name: 'Bruno Few',
        country: { name: 'Poland' },
        books: [{ title: 'Few Words' }, { title: 'Fewer Words' }, { title: 'Last Words' }],
      });
    });

    it('returns a concealed value as asterisks, or null', async () => {
      const { data } = await get('/items/author?fields=secret&sort=id');
      expect(data).toEqual([
        { secret: '**********' },
        { secret: '**********' },
        { secret: null },
        { secret: '**********' },
      ]);
    });

    it.each([
      ['colour', 403, 'FORBIDDEN'],
      ['author.colour', 403, 'FORBIDDEN'],
      ['title.length', 403, 'FORBIDDEN'],
      ['year(title)', 400, 'INVALID_QUERY'],
    ])('fields=%s returns %i %s', async (fields, status, code) => {
      const answer = await get(`/items/book/201?fields=${fields}`);
      expect({ status: answer.status, codes: answer.codes }).toEqual({ status, codes: [code] });
    });

    it('rejects more than ten levels of relations', async () => {
      const deep = `${'author.books.'.repeat(6)}id`;
      const { status, codes } = await get(`/items/book/201?fields=${deep}`);
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_QUERY'] });
    });
  });

  describe('order', () => {
    it('is by key by default', async () => {
      expect(await ids(last(''))).toEqual([201, 202, 203, 204, 205]);
    });

    it('is by several fields, ascending or descending', async () => {
      expect(await ids(last('sort=-lent,-id'))).toEqual([202, 205, 204, 203, 201]);
      expect(await ids(last('sort[]=stock&sort[]=-year'))).toEqual([202, 205, 204, 203, 201]);
    });

    it('follows many-to-one relations', async () => {
      expect(await ids(`${last('sort=-author.name,id')}&filter[author][_nnull]=true`)).toEqual([
        204, 201, 202, 203,
      ]);
      expect(
        await ids(`${last('sort=author.country.name,id')}&filter[author][country][_nnull]=true`),
      ).toEqual([201, 202, 203]);
    });

    it('is total: equal values are sorted by key', async () => {
      const pages = await Promise.all(
        [1, 2, 3].map((page) => ids(`${last('sort=lent&limit=2')}&page=${page}`)),
      );
      expect(pages.flat()).toEqual([201, 203, 204, 205, 202]);
    });

    it.each([
      ['colour', 'FORBIDDEN'],
      ['author.colour', 'FORBIDDEN'],
      ['author.secret', 'INVALID_QUERY'],
      ['shelves.position', 'INVALID_QUERY'],
    ])('sort=%s is %s', async (sort, code) => {
      expect(await ids(last(`sort=${sort}`))).toEqual([code]);
    });
  });

  describe('pages', () => {
    it('a list has 100 items by default, all with limit -1, none with 0', async () => {
      expect(((await get('/items/book?fields=id')).data as Item[]).length).toBe(100);
      expect(((await get('/items/book?fields=id&limit=-1')).data as Item[]).length).toBe(
        busyAuthor.books + 5,
      );
      expect((await get('/items/book?fields=id&limit=0')).data).toEqual([]);
    });

    it('limit and offset select a page; page begins at one and overrides offset', async () => {
      expect(await ids(last('limit=2'))).toEqual([201, 202]);
      expect(await ids(last('limit=2&offset=3'))).toEqual([204, 205]);
      expect(await ids(last('offset=4'))).toEqual([205]);
      expect(await ids(last('limit=2&page=2'))).toEqual([203, 204]);
      expect(await ids(last('limit=2&page=2&offset=1'))).toEqual([203, 204]);
      expect(await ids(last('limit=2&page=0'))).toEqual([201, 202]);
      expect(await ids(last('limit=2&page=99'))).toEqual([]);
      expect(await ids(last('limit=-1&offset=3'))).toEqual([204, 205]);
    });

    it.each(['limit=-2', 'limit=many', 'limit=1.5', 'offset=-1', 'page=-1', 'limit=99999999999999999999'])(
      '%s is an invalid query',
      async (query) => {
        expect(await ids(last(query))).toEqual(['INVALID_QUERY']);
      },
    );
  });

  describe('search', () => {
    it('finds texts in any case', async () => {
      expect(await ids('/items/book?fields=id&search=WORD')).toEqual([201, 202, 203]);
    });

    it('finds numbers that are equal', async () => {
      expect(await ids('/items/book?fields=id&search=1990')).toEqual([201]);
      expect(await ids('/items/book?fields=id&search=5.50')).toEqual([201]);
    });

    it('takes % and _ as characters', async () => {
      expect(await ids('/items/book?fields=id&search=%25')).toEqual([201]);
      expect(await ids('/items/book?fields=id&search=n_t')).toEqual([201]);
      expect(await ids('/items/book?fields=id&search=i_t')).toEqual([]);
    });

    it('returns nothing for a text that no value contains', async () => {
      expect(await ids('/items/book?fields=id&search=%00')).toEqual([]);
      expect(await ids('/items/book?fields=id&filter[title][_contains]=%00')).toEqual([]);
      expect(await ids('/items/book?fields=id&filter[title][_istarts_with]=V%00x')).toEqual([]);
    });

    it('treats variables as text', async () => {
      for (const text of ['$NOW(x)', '$NOW', '$CURRENT_USER', '$CURRENT_ROLES']) {
        const made = await server().request('POST', '/items/book', {
          as: 'admin',
          body: { title: `<${text}>` },
        });
        const { id } = made.data as Item;
        expect(await ids(`/items/book?fields=id&search=${text}>`)).toEqual([id]);
        expect(await ids(`/items/book?fields=id&search=${text}`)).toContain(id);
        await server().request('DELETE', `/items/book/${id}`, { as: 'admin' });
      }
    });

    it('excludes concealed values', async () => {
      expect(await ids('/items/author?fields=id&search=alpha')).toEqual([]);
    });

    it('is combined with a filter', async () => {
      expect(await ids('/items/book?fields=id&search=word&filter[lent][_eq]=true')).toEqual([202]);
    });
  });

  describe('meta', () => {
    it('counts all items and filtered items', async () => {
      const { body } = await get(`${last('limit=1')}&meta=*`);
      expect(body).toEqual({
        meta: { total_count: busyAuthor.books + 5, filter_count: 5 },
        data: [{ id: 201 }],
      });
    });

    it('counts apply search and relational filters, not the page', async () => {
      const { body } = await get(
        '/items/book?fields=id&search=word&filter[author][name][_contains]=Few&meta=filter_count&limit=0',
      );
      expect(body).toEqual({ meta: { filter_count: 3 }, data: [] });
    });

    it('is rejected for an item or if it is unknown', async () => {
      expect((await get('/items/book/201?fields=id&meta=*')).body).toEqual({ data: { id: 201 } });
      expect(await ids(last('meta=pages'))).toEqual(['INVALID_QUERY']);
    });
  });

  describe('SEARCH', () => {
    it('reads the query from the body and ignores the query string', async () => {
      const query = { filter: { id: { _gt: 200 } }, fields: ['id'], sort: ['-id'], limit: 2 };
      expect((await search('/items/book?limit=1&fields=title', { query })).data).toEqual([
        { id: 205 },
        { id: 204 },
      ]);
    });

    it('takes keys', async () => {
      const body = { keys: [203, 201, 999], query: { fields: ['id'] } };
      expect((await search('/items/book', body)).data).toEqual([{ id: 201 }, { id: 203 }]);
      expect((await search('/items/book_shelf', { keys: ['201,3'] })).data).toEqual([
        { book: 201, shelf: 3, position: 1 },
      ]);
    });

    it('returns everything for an empty body', async () => {
      const { data } = await server().request('SEARCH', '/items/country', { as: 'admin' });
      expect(data).toHaveLength(3);
    });

    it.each([
      [{ filter: {} }, 'INVALID_PAYLOAD'],
      [{ keys: 1 }, 'INVALID_PAYLOAD'],
      [[], 'INVALID_PAYLOAD'],
      [{ query: [] }, 'INVALID_QUERY'],
      [{ query: { limit: -7 } }, 'INVALID_QUERY'],
      [{ keys: ['x'] }, 'FORBIDDEN'],
    ])('%j is %s', async (body, code) => {
      expect((await search('/items/book', body)).codes).toEqual([code]);
    });
  });

  it.each(['version=draft', 'export=xlsx'])('%s is reported as not served', async (query) => {
    expect(await ids(last(query))).toEqual(['INVALID_QUERY']);
  });

  it('an unknown parameter is ignored', async () => {
    expect(await ids(last('colour=red&limit=1'))).toEqual([201]);
  });

  it.each([
    '/items/book/999',
    '/items/book/one',
    '/items/book/1,2',
    '/items/country/zz',
    '/items/nothing',
    '/items/svc_users',
  ])('%s is forbidden like a missing collection', async (path) => {
    const { status, codes } = await get(path);
    expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
  });

  it('returns the error of a missing item for one outside the filter', async () => {
    expect((await get('/items/book/201?filter[lent][_eq]=true')).codes).toEqual(['FORBIDDEN']);
  });
});

describe.each(settings)('limits of the configuration on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: librarySql(setting.dialect),
    access: { policies: { All: [{ collection: 'book', action: 'read', fields: ['*'] }] }, public: ['All'] },
    environment: { QUERY_LIMIT_DEFAULT: '7', QUERY_LIMIT_MAX: '20', QUERY_LIMIT_MAX_PUBLIC: '3' },
  });
  const count = async (query: string, as?: string): Promise<unknown> => {
    const { data, codes } = await server().request(
      'GET',
      `/items/book?fields=id&${query}`,
      as === undefined ? {} : { as },
    );
    return data === undefined ? codes : (data as unknown[]).length;
  };

  const write = async (method: string, path: string, body: unknown): Promise<unknown> =>
    (await server().request(method, path, { as: 'admin', body })).data;

  it('applies the configured default and maximum', async () => {
    expect(await count('', 'admin')).toBe(7);
    expect(await count('limit=-1', 'admin')).toBe(20);
    expect(await count('limit=20', 'admin')).toBe(20);
    expect(await count('limit=21', 'admin')).toEqual(['INVALID_QUERY']);
  });

  it('have a separate maximum without authentication', async () => {
    expect(await count('')).toBe(3);
    expect(await count('limit=-1')).toBe(3);
    expect(await count('limit=4')).toEqual(['INVALID_QUERY']);
  });

  it('a write returns all written items, with lists up to the maximum', async () => {
    const keys = Array.from({ length: 25 }, (_, index) => index + 1);
    const notes = { keys, data: { note: 'x' } };
    expect(await write('PATCH', '/items/book?fields=note', notes)).toHaveLength(25);
    const named = keys.map((key) => ({ title: `New ${key}` }));
    expect(await write('POST', '/items/book?fields=title', named)).toHaveLength(25);
    expect(await write('POST', '/items/book?fields=author.name,title', named)).toHaveLength(25);
    const query = `mutation { update_book_items(ids: [${keys}], data: { note: "y" }) { note } }`;
    const { update_book_items: updated } = (await write('POST', '/graphql', { query })) as Record<
      string,
      unknown
    >;
    expect(updated).toHaveLength(25);
    const author = (await write('PATCH', '/items/author/1?fields=book.id&deep[book][_limit]=-1', {
      name: 'A',
    })) as { readonly book: readonly unknown[] };
    expect(author.book).toHaveLength(20);
  });
});
