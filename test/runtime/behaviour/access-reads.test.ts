/** Permissions on reads. */
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../server-harness.js';
import { busyAuthor } from './library.js';
import { useStaff } from './staff.js';

const settings = settingsOf(import.meta.url);

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

const everything = { id: { _nnull: true } };

describe.each(settings)('access on $dialect through $listener', (setting) => {
  const { server, send, get, ids } = useStaff(setting);

  describe('reading', () => {
    it('returns different rows and fields of one URL to two users', async () => {
      const path = '/items/book?filter[id][_gt]=200&sort=id&limit=2';
      expect(await get('few', path)).toEqual([
        { id: 201, title: 'Few Words', author: 2, shelves: ['201,3', '201,1'] },
        { id: 202, title: 'Fewer Words', author: 2, shelves: ['202,1'] },
      ]);
      expect(await get('clerk', path)).toEqual([
        { id: 201, title: 'Few Words', stock: 3, lent: false, note: '100% plain_text' },
        { id: 202, title: 'Fewer Words', stock: 0, lent: true, note: 'Ein Wort' },
      ]);
      expect(await get('nobody', path)).toEqual(['FORBIDDEN']);
    });

    it('unites policies: a cell of one is shown on its rows and null on others', async () => {
      expect(await get('both', '/items/book?fields=id,title,year,author&sort=id')).toEqual([
        { id: 201, title: 'Few Words', year: null, author: 2 },
        { id: 202, title: 'Fewer Words', year: 1991, author: 2 },
        { id: 203, title: 'Last Words', year: null, author: 2 },
        { id: 204, title: null, year: 2000, author: 4 },
        { id: 205, title: null, year: 2001, author: null },
      ]);
    });

    it('unites policies: a list of one is shown on its rows and null on others', async () => {
      expect(await get('both', '/items/book?fields=id,shelves.position&sort=id')).toEqual([
        { id: 201, shelves: [{ position: 1 }, { position: 2 }] },
        { id: 202, shelves: [{ position: 1 }] },
        { id: 203, shelves: expect.any(Array) },
        { id: 204, shelves: null },
        { id: 205, shelves: null },
      ]);
    });

    it('returns the same error for a forbidden and a missing item', async () => {
      expect(await get('few', '/items/book/1')).toEqual(['FORBIDDEN']);
      expect((await send('few', 'GET', '/items/book/1')).text).toBe(
        (await send('few', 'GET', '/items/book/9999')).text,
      );
      expect(
        (await send('few', 'SEARCH', '/items/book', { keys: [1, 201], query: { fields: ['id'] } })).data,
      ).toEqual([{ id: 201 }]);
    });

    it('applies the rules of the related collection to nested rows', async () => {
      expect(await get('few', '/items/author?fields=name,books.title&sort=id')).toEqual([
        {
          name: 'Bruno Few',
          books: [{ title: 'Few Words' }, { title: 'Fewer Words' }, { title: 'Last Words' }],
        },
        { name: 'Cleo None', books: [] },
      ]);
      expect(await get('few', '/items/book/201?fields=author.name')).toEqual({
        author: { name: 'Bruno Few' },
      });
      expect(await get('both', '/items/book/204?fields=id,author.name')).toEqual({ id: 204, author: null });
    });

    it('returns null in a list of keys if the key field is hidden, or a part of it', async () => {
      const shown = (await get('titles', '/items/author/2?fields=books.id')) as {
        readonly books: readonly { readonly id: unknown }[];
      };
      expect(shown.books.map(({ id }) => id).filter((id) => id !== null)).toEqual([201]);
      expect(await get('titles', '/items/author/2?fields=books')).toEqual({
        books: shown.books.map(({ id }) => id),
      });
      expect(await get('titles', '/items/shelf/1?fields=books')).toEqual({ books: ['202,1', null, null] });
      expect(await get('few', '/items/author/2?fields=books')).toEqual({ books: [201, 202, 203] });
    });

    it('omits relations to unreadable collections from fields', async () => {
      expect(await get('few', '/items/book/201?fields=id,shelves.position,shelves.shelf.room')).toEqual({
        id: 201,
        shelves: [{ position: 1 }, { position: 2 }],
      });
    });

    it('applies rules through relations in every direction', async () => {
      expect(await ids('related', '/items/author?fields=id&sort=id')).toEqual([2]);
      expect(await ids('related', '/items/book?fields=id&sort=id')).toEqual([201, 202, 203]);
      expect(await get('related', '/items/book/201?fields=author.country.name')).toEqual({
        author: { country: { name: 'Poland' } },
      });
    });

    it('matches no rows by an invalid rule', async () => {
      expect(await get('broken', '/items/book')).toEqual([]);
    });

    it('resolves variables to the caller and the time', async () => {
      expect(await get('clerk', '/users')).toEqual([
        { id: server().ids.users.get('clerk'), email: 'clerk@example.com' },
      ]);
      expect(await get('clerk', '/roles?sort=name')).toEqual([{ name: 'Desk' }, { name: 'Staff' }]);
      expect(await get('clerk', '/policies?sort=name')).toEqual([{ name: 'Clerk' }, { name: 'Self' }]);
      expect(await get('clerk', '/items/author?sort=name')).toEqual([
        { name: 'Anna Busy' },
        { name: 'Bruno Few' },
      ]);
      expect(
        await ids('admin', `/users?fields=email&filter=${json({ id: { _eq: '$CURRENT_USER' } })}`),
      ).toEqual([{ email: 'admin@example.com' }]);
    });
  });

  describe('closed by default', () => {
    it.each([
      '/items/book',
      '/items/book/1',
      '/users',
      '/roles',
      '/policies',
      '/permissions',
      '/access',
      '/items/svc_users',
      '/items/nothing',
    ])('GET %s is forbidden without authentication and for users without policies', async (path) => {
      expect(await get(null, path)).toEqual(['FORBIDDEN']);
      expect(await get('nobody', path)).toEqual(['FORBIDDEN']);
    });

    it.each([
      ['POST', '/items/book', { title: 'x' }],
      ['PATCH', '/items/book/201', { title: 'x' }],
      ['PATCH', '/items/book', { keys: [201], data: { title: 'x' } }],
      ['DELETE', '/items/book/204', undefined],
      ['DELETE', '/items/book', [204]],
      ['POST', '/users', { email: 'me@example.com' }],
      ['POST', '/permissions', { policy: 'x', collection: 'book', action: 'read' }],
    ])(
      '%s %s is forbidden for readers, without authentication and for users without policies',
      async (method, path, body) => {
        for (const as of ['few', 'all', 'nobody', null]) {
          const { status, codes } = await send(as, method, path, body);
          expect({ as, status, codes }).toEqual({ as, status: 403, codes: ['FORBIDDEN'] });
        }
      },
    );

    it('applies public policies without authentication and to users without a role', async () => {
      const path = '/items/country?sort=code';
      const shown = [{ code: 'de' }, { code: 'pl' }];
      expect(await get(null, path)).toEqual(shown);
      expect(await get('nobody', path)).toEqual(shown);
      expect(await get('few', path)).toEqual(shown);
      expect(await get('clerk', path)).toEqual(['FORBIDDEN']);
    });
  });

  describe('hidden values do not affect responses', () => {
    it('filters treat hidden cells as null', async () => {
      expect(
        await ids('both', `/items/book?fields=id&filter=${json({ title: { _nnull: true } })}&sort=id`),
      ).toEqual([201, 202, 203]);
      expect(await ids('both', `/items/book?fields=id&filter=${json({ title: { _eq: 'Stray' } })}`)).toEqual(
        [],
      );
      expect(
        await ids('both', `/items/book?fields=id&filter=${json({ year: { _null: true } })}&sort=id`),
      ).toEqual([201, 203]);
      expect(
        await ids('both', `/items/book?fields=id&filter=${json({ title: { _neq: 'Stray' } })}&sort=id`),
      ).toEqual([201, 202, 203]);
    });

    it('sorts treat hidden cells as null', async () => {
      const found = await ids('both', '/items/book?fields=id&sort=-title,id');
      expect(found).toEqual([203, 202, 201, 204, 205]);
    });

    it('searches ignore hidden fields, cells and rows', async () => {
      expect(await ids('both', '/items/book?fields=id&search=Stray')).toEqual([]);
      expect(await ids('both', '/items/book?fields=id&search=Words&sort=id')).toEqual([201, 202, 203]);
      expect(await ids('both', '/items/book?fields=id&search=plain_text')).toEqual([]);
      expect(await ids('both', '/items/book?fields=id&search=1990')).toEqual([]);
      expect(await ids('few', '/items/book?fields=id&search=Volume')).toEqual([]);
    });

    it('counts include readable rows only', async () => {
      const { body } = await send('few', 'GET', '/items/book?meta=*&limit=0&search=Fewer');
      expect(body).toEqual({ meta: { total_count: 3, filter_count: 1 }, data: [] });
      expect(
        ((await send('all', 'GET', '/items/book?meta=*&limit=0')).body as { meta: unknown }).meta,
      ).toEqual({
        total_count: busyAuthor.books + 5,
        filter_count: busyAuthor.books + 5,
      });
    });

    it('filters over relations include permitted rows only', async () => {
      expect(
        await ids(
          'both',
          `/items/book?fields=id&filter=${json({ author: { name: { _contains: 'Stray' } } })}`,
        ),
      ).toEqual([]);
      expect(
        await ids('few', `/items/author?fields=id&filter=${json({ books: { _some: everything } })}`),
      ).toEqual([2]);
      expect(
        await ids('few', `/items/author?fields=id&filter=${json({ books: { _none: everything } })}`),
      ).toEqual([3]);
      expect(await ids('few', `/items/author?fields=id&filter=${json({ books: { _null: true } })}`)).toEqual([
        3,
      ]);
    });

    it('sorts over relations include permitted rows only', async () => {
      const found = await get('both', '/items/book?fields=id,author.name&sort=-author.name,id');
      expect(found).toMatchObject([
        { id: 201 },
        { id: 202 },
        { id: 203 },
        { id: 204, author: null },
        { id: 205, author: null },
      ]);
    });

    it('filters and sorts reject unreadable relations', async () => {
      expect(
        await get('both', `/items/book?filter=${json({ shelves: { shelf: { room: { _eq: 'north' } } } })}`),
      ).toEqual(['FORBIDDEN']);
      expect(await get('all', '/items/author?sort=country.name')).toEqual(['FORBIDDEN']);
    });
  });
});
