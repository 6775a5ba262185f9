/** Nested lists and relational filters. */
import { describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';
import { busyAuthor, closedAccess, libraryMeta, librarySql } from './library.js';

const settings = settingsOf(import.meta.url);

interface Author {
  readonly id: number;
  readonly books: readonly unknown[];
}

describe.each(settings)('relations on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: librarySql(setting.dialect),
    meta: libraryMeta,
    access: closedAccess,
  });

  const read = async (path: string, query: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const text = Object.entries(query)
      .map(
        ([name, value]) =>
          `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
      )
      .join('&');
    const { data, codes } = await server().request('GET', `${path}?${text}`, { as: 'admin' });
    return data ?? codes;
  };
  const ids = async (collection: string, filter: unknown): Promise<unknown> => {
    const data = await read(`/items/${collection}`, { fields: 'id', sort: 'id', limit: 5, filter });
    return (data as { readonly id?: number }[]).map((row) => row.id ?? row);
  };
  const books = async (
    deep: Readonly<Record<string, unknown>>,
    fields = 'id,books.id',
  ): Promise<readonly Author[]> =>
    (await read('/items/author', { fields, sort: 'id', deep: { books: deep } })) as readonly Author[];
  const lengths = async (deep: Readonly<Record<string, unknown>>): Promise<readonly number[]> =>
    (await books(deep)).map((author) => author.books.length);

  describe('deep', () => {
    it('returns a page for every parent', async () => {
      expect(await books({ _limit: 2, _sort: '-id' })).toEqual([
        { id: 1, books: [{ id: busyAuthor.books }, { id: busyAuthor.books - 1 }] },
        { id: 2, books: [{ id: 203 }, { id: 202 }] },
        { id: 3, books: [] },
        { id: 4, books: [{ id: 204 }] },
      ]);
    });

    it('a nested list has 100 items by default, all with limit -1, none with 0', async () => {
      expect(await lengths({})).toEqual([100, 3, 0, 1]);
      expect(await lengths({ _limit: -1 })).toEqual([busyAuthor.books, 3, 0, 1]);
      expect(await lengths({ _limit: 0 })).toEqual([0, 0, 0, 0]);
      expect(await lengths({ _limit: 120 })).toEqual([120, 3, 0, 1]);
    });

    it('offset and page count per parent', async () => {
      expect((await books({ _limit: 2, _page: 2 })).map((author) => author.books)).toEqual([
        [{ id: 3 }, { id: 4 }],
        [{ id: 203 }],
        [],
        [],
      ]);
      expect((await books({ _offset: 1, _limit: 1 })).map((author) => author.books)).toEqual([
        [{ id: 2 }],
        [{ id: 202 }],
        [],
        [],
      ]);
      expect((await books({ _offset: 129, _limit: -1 })).map((author) => author.books.length)).toEqual([
        1, 0, 0, 0,
      ]);
    });

    it('applies filter, search and sort to the list', async () => {
      expect(await books({ _filter: { lent: { _eq: true } }, _search: 'word' })).toMatchObject([
        { books: [] },
        { books: [{ id: 202 }] },
        { books: [] },
        { books: [] },
      ]);
      const byYear = await books({ _sort: ['-year', 'id'], _limit: 3, _filter: { id: { _gt: 200 } } });
      expect(byYear[1]).toEqual({ id: 2, books: [{ id: 202 }, { id: 201 }, { id: 203 }] });
    });

    it('accepts filters over relations in a nested list', async () => {
      const filter = { _filter: { shelves: { shelf: { room: { _eq: 'south' } } } } };
      expect((await books(filter)).map((author) => author.books)).toEqual([[], [{ id: 201 }], [], []]);
    });

    it('rejects a cycle of relations that exceeds the number of nested items', async () => {
      const circle = 'author.books.'.repeat(4);
      expect(await read('/items/author/1', { fields: `books.${circle}id` })).toEqual(['QUERY_TOO_COMPLEX']);
      expect(await read('/items/author/2', { fields: 'books.author.books.id' })).toMatchObject({
        books: [{ author: { books: [{ id: 201 }, { id: 202 }, { id: 203 }] } }, {}, {}],
      });
    });

    it('applies to lists within lists and lists behind many-to-one', async () => {
      const found = await books(
        { _filter: { id: { _gt: 200 } }, review: { _sort: '-stars', _limit: 1 } },
        'id,books.id,books.review.stars',
      );
      expect(found[1]).toEqual({
        id: 2,
        books: [
          { id: 201, review: [{ stars: 5 }] },
          { id: 202, review: [{ stars: 3 }] },
          { id: 203, review: [] },
        ],
      });
      const deep = { author: { books: { _limit: 1, _sort: '-id' } } };
      expect(await read('/items/book/201', { fields: 'author.books.id', deep })).toEqual({
        author: { books: [{ id: 203 }] },
      });
    });

    it('returns null for a many-to-one that its filter excludes, and keeps the row', async () => {
      const deep = { author: { _filter: { country: { _eq: 'pl' } } } };
      expect(
        await read('/items/book', { fields: 'id,author.name', filter: { id: { _in: [1, 201, 205] } }, deep }),
      ).toEqual([
        { id: 1, author: null },
        { id: 201, author: { name: 'Bruno Few' } },
        { id: 205, author: null },
      ]);
    });

    it('such a filter can cross relations and does not affect order and filter of the list', async () => {
      const deep = { author: { _filter: { country: { name: { _eq: 'Germany' } } } } };
      const filter = { id: { _in: [1, 201] }, author: { name: { _nnull: true } } };
      expect(
        await read('/items/book', { fields: 'id,author.name', sort: '-author.name', filter, deep }),
      ).toEqual([
        { id: 201, author: null },
        { id: 1, author: { name: 'Anna Busy' } },
      ]);
    });

    it('means the same in brackets as in JSON', async () => {
      const path = '/items/author/2?fields=books.id&deep[books][_limit]=1&deep[books][_sort]=-id';
      expect((await server().request('GET', path, { as: 'admin' })).data).toEqual({ books: [{ id: 203 }] });
    });

    it.each([
      [{ _sort: 'colour' }, 'FORBIDDEN'],
      [{ _filter: { colour: { _eq: 1 } } }, 'FORBIDDEN'],
      [{ _limit: -3 }, 'INVALID_QUERY'],
      [{ _page: 'x' }, 'INVALID_QUERY'],
      [{ _filter: { year: { _eq: 'x' } } }, 'INVALID_QUERY'],
    ])('%j is %s', async (deep, code) => {
      expect(await books(deep)).toEqual([code]);
    });
  });

  describe('lists', () => {
    it('are keys by default; a composite key is joined by commas', async () => {
      expect(await read('/items/author/2', { fields: 'books' })).toEqual({ books: [201, 202, 203] });
      expect(await read('/items/shelf/1', { fields: 'books' })).toEqual({
        books: ['202,1', '201,1', '203,1'],
      });
    });

    it('are in the order of the sort field of the relation, null last', async () => {
      expect(await read('/items/shelf/1', { fields: 'books.position,books.book.title' })).toEqual({
        books: [
          { position: 1, book: { title: 'Fewer Words' } },
          { position: 2, book: { title: 'Few Words' } },
          { position: null, book: { title: 'Last Words' } },
        ],
      });
    });

    it('nest through a many-to-many', async () => {
      expect(
        await read('/items/book/201', { fields: 'shelves.shelf.room,shelves.shelf.books.book.id' }),
      ).toEqual({
        shelves: [
          { shelf: { room: 'south', books: [{ book: { id: 201 } }] } },
          {
            shelf: {
              room: 'north',
              books: [{ book: { id: 202 } }, { book: { id: 201 } }, { book: { id: 203 } }],
            },
          },
        ],
      });
    });

    it('can be read side by side', async () => {
      const found = await read('/items/book/201', { fields: 'review.stars,shelves.position,author.books' });
      expect(found).toEqual({
        review: [{ stars: 5 }, { stars: 1 }],
        shelves: [{ position: 1 }, { position: 2 }],
        author: { books: [201, 202, 203] },
      });
    });

    it('are empty for a parent without rows and null without a parent', async () => {
      expect(await read('/items/author/3', { fields: 'books.id' })).toEqual({ books: [] });
      expect(await read('/items/book/205', { fields: 'author.books.id' })).toEqual({ author: null });
    });

    it('are complete for many parents', async () => {
      const found = (await read('/items/book', { fields: 'id,review.id', limit: -1, sort: 'id' })) as {
        readonly review: unknown[];
      }[];
      expect(found).toHaveLength(busyAuthor.books + 5);
      expect(found.flatMap(({ review }) => review)).toEqual([{ id: 4 }, { id: 1 }, { id: 2 }, { id: 3 }]);
    });
  });

  describe('filters', () => {
    it('through many-to-one test the related row', async () => {
      expect(await ids('book', { author: { name: { _starts_with: 'Bruno' } } })).toEqual([201, 202, 203]);
      expect(
        await ids('book', { author: { country: { name: { _eq: 'Poland' } } }, lent: { _eq: true } }),
      ).toEqual([202]);
      expect(await ids('book', { author: { _null: true } })).toEqual([205]);
      expect(await ids('book', { author: { _in: [2, 4] } })).toEqual([201, 202, 203, 204]);
    });

    it('on a list match if at least one row matches', async () => {
      expect(await ids('author', { books: { title: { _contains: 'Words' } } })).toEqual([2]);
      expect(await ids('author', { books: { _some: { year: { _gte: 2000 } } } })).toEqual([4]);
      expect(await ids('author', { books: { review: { stars: { _eq: 5 } } } })).toEqual([2]);
    });

    it('_none matches if no row matches, also for empty lists', async () => {
      expect(await ids('author', { books: { _none: { lent: { _eq: true } } } })).toEqual([3, 4]);
      expect(await ids('author', { books: { _none: { stock: { _gt: 0 } } } })).toEqual([3]);
    });

    it('_null tests for an empty list; an empty object matches all', async () => {
      expect(await ids('author', { books: { _null: true } })).toEqual([3]);
      expect(await ids('author', { books: { _nnull: true } })).toEqual([1, 2, 4]);
      expect(await ids('author', { books: { _none: {} } })).toEqual([1, 2, 3, 4]);
      expect(await ids('author', { books: {} })).toEqual([1, 2, 3, 4]);
    });

    it('conditions in one _some apply to one row, those in several to any', async () => {
      const [lent, old] = [{ lent: { _eq: true } }, { year: { _eq: 1990 } }];
      expect(await ids('author', { books: { _some: { ...lent, ...old } } })).toEqual([]);
      expect(await ids('author', { books: { ...lent, ...old } })).toEqual([]);
      expect(await ids('author', { _and: [{ books: lent }, { books: old }] })).toEqual([]);
      expect(await ids('author', { _and: [{ books: { _some: lent } }, { books: { _some: old } }] })).toEqual([
        2,
      ]);
      expect(await ids('author', { _or: [{ books: lent }, { books: old }] })).toEqual([1, 2]);
    });

    it('cross junctions', async () => {
      expect(await ids('shelf', { books: { book: { title: { _eq: 'Few Words' } } } })).toEqual([1, 3]);
      expect(
        await ids('book', { shelves: { shelf: { room: { _eq: 'north' }, number: { _eq: 2 } } } }),
      ).toEqual([1]);
    });

    it.each([
      ['author', { books: { _lt: 1 } }, 'INVALID_QUERY'],
      ['book', { author: { _some: { id: 1 } } }, 'INVALID_QUERY'],
      ['book', { author: { colour: { _eq: 1 } } }, 'FORBIDDEN'],
      ['book', { title: { length: { _eq: 1 } } }, 'FORBIDDEN'],
      ['book', { 'year(title)': { _gt: 1 } }, 'INVALID_QUERY'],
      ['book', { author: { secret: { _eq: 'beta' } } }, 'INVALID_QUERY'],
    ])('%s filtered by %j is %s', async (collection, filter, code) => {
      expect(await ids(collection, filter)).toEqual([code]);
    });
  });
});

const unique = `
create table "clerk" ("id" {counter}, "code" varchar(10), constraint "clerk_code" unique ("code"));
create table "task" ("id" integer not null primary key, "clerk" varchar(10), foreign key ("clerk") references "clerk" ("code"));
create table "lifecycle" ("id" integer not null primary key, "clerk" integer, foreign key ("clerk") references "clerk" ("id"));
insert into "clerk" ("id", "code") values (1, 'a'), (2, null), (3, 'c'), (4, null);
insert into "task" values (1, 'a'), (2, null), (3, 'c');
insert into "lifecycle" values (1, 1), (2, 2), (3, null);
`;

describe.each(settings)('lists that refer to a unique column on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, unique),
    access: {
      policies: {
        /** Shows lists of the first two clerks alone. */
        Some: [
          { collection: 'clerk', action: 'read', fields: ['id'] },
          {
            collection: 'clerk',
            action: 'read',
            fields: ['task', 'lifecycle'],
            permissions: { id: { _lt: 3 } },
          },
          { collection: 'task', action: 'read', fields: ['*'] },
          { collection: 'lifecycle', action: 'read', fields: ['*'] },
        ],
      },
      users: { some: { policies: ['Some'] } },
    },
  });
  const read = async (as: string, path: string): Promise<unknown> =>
    (await server().request('GET', `/items/${path}`, { as })).data;

  it('are empty if it is null, and null if a rule hides them', async () => {
    expect(await read('admin', 'clerk?fields=task&sort=id')).toEqual([
      { task: [1] },
      { task: [] },
      { task: [3] },
      { task: [] },
    ]);
    expect(await read('some', 'clerk?fields=task.id,id,lifecycle&sort=id')).toEqual([
      { task: [{ id: 1 }], id: 1, lifecycle: [1] },
      { task: [], id: 2, lifecycle: [2] },
      { task: null, id: 3, lifecycle: null },
      { task: null, id: 4, lifecycle: null },
    ]);
  });

  it('are the same below a related item, and null without one', async () => {
    const [first, second, none] = [{ clerk: { task: [1] } }, { clerk: { task: [] } }, { clerk: null }];
    for (const as of ['admin', 'some'])
      expect(await read(as, 'lifecycle?fields=clerk.task&sort=id')).toEqual([first, second, none]);
  });
});
