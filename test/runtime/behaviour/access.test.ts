/** Who sees and does what. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settings, type TestAccess } from '../server-harness.js';
import { busyAuthor, libraryMeta, librarySql, restoreSql } from './library.js';

const everything = { id: { _nnull: true } };

const access: TestAccess = {
  policies: {
    /** Bruno's books, some fields. */
    Few: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'title', 'author', 'shelves'],
        permissions: { author: { _eq: 2 } },
      },
      {
        collection: 'author',
        action: 'read',
        fields: ['id', 'name', 'books'],
        permissions: { id: { _in: [2, 3] } },
      },
      { collection: 'book_shelf', action: 'read', fields: ['book', 'shelf', 'position'], permissions: {} },
    ],
    /** Books after 1990, with their year. */
    Recent: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'year', 'note', 'author'],
        permissions: { year: { _gt: 1990 } },
      },
    ],
    Everything: [
      { collection: 'book', action: 'read', fields: ['*'] },
      { collection: 'author', action: 'read', fields: ['*'] },
    ],
    Clerk: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'title', 'stock', 'lent', 'note'],
        permissions: { note: { _neq: 'hidden' } },
      },
      {
        collection: 'book',
        action: 'create',
        fields: ['title', 'stock', 'note', 'year'],
        validation: { _and: [{ stock: { _lte: 10 } }, { note: { _in: ['a', 'b', 'hidden'] } }] },
        presets: { stock: 2, note: 'a', lent: true },
      },
      {
        collection: 'book',
        action: 'update',
        fields: ['title', 'stock'],
        permissions: { lent: { _eq: false } },
        validation: { stock: { _lt: 1000 } },
        presets: { note: 'touched' },
      },
      { collection: 'book', action: 'update', fields: ['lent'], permissions: {} },
      { collection: 'book', action: 'delete', permissions: { author: { country: { code: { _eq: 'pl' } } } } },
      { collection: 'review', action: 'create', fields: ['*'] },
      { collection: 'review', action: 'update', fields: ['*'], permissions: {} },
    ],
    /** Reaches rows through relations, in every direction. */
    Related: [
      {
        collection: 'author',
        action: 'read',
        fields: ['*'],
        permissions: { books: { _some: { title: { _contains: 'Words' } } } },
      },
      {
        collection: 'book',
        action: 'read',
        fields: ['*'],
        permissions: { author: { country: { name: { _eq: 'Poland' } } } },
      },
      {
        collection: 'book',
        action: 'update',
        fields: ['*'],
        permissions: { shelves: { shelf: { room: { _eq: 'south' } } } },
      },
      { collection: 'book', action: 'delete', permissions: { review: { _none: { stars: { _gt: 0 } } } } },
      { collection: 'country', action: 'read', fields: ['*'] },
    ],
    Self: [
      {
        collection: 'svc_users',
        action: 'read',
        fields: ['id', 'email'],
        permissions: { id: { _eq: '$CURRENT_USER' } },
      },
      {
        collection: 'svc_roles',
        action: 'read',
        fields: ['name'],
        permissions: { id: { _in: '$CURRENT_ROLES' } },
      },
      {
        collection: 'svc_policies',
        action: 'read',
        fields: ['name'],
        permissions: { id: { _in: '$CURRENT_POLICIES' } },
      },
      {
        collection: 'author',
        action: 'read',
        fields: ['name'],
        permissions: { born: { _lt: '$NOW(-60 years)' } },
      },
    ],
    Strangers: [
      { collection: 'country', action: 'read', fields: ['code'], permissions: { code: { _neq: 'xx' } } },
    ],
    Broken: [
      { collection: 'book', action: 'read', fields: ['*'], permissions: { year: { _neq: '$CURRENT_USER' } } },
    ],
  },
  roles: {
    Staff: { policies: ['Self'] },
    Desk: { parent: 'Staff', policies: ['Clerk'] },
  },
  users: {
    few: { policies: ['Few'] },
    both: { policies: ['Few', 'Recent'] },
    all: { policies: ['Everything'] },
    clerk: { role: 'Desk' },
    related: { policies: ['Related'] },
    broken: { policies: ['Broken'] },
    nobody: {},
  },
  public: ['Strangers'],
};

describe.each(settings)('access on $dialect through $door', (setting) => {
  const server = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta, access });

  const send = (as: string | null, method: string, path: string, body?: unknown) =>
    server().request(method, path, { ...(as !== null && { as }), ...(body !== undefined && { body }) });
  const get = async (as: string | null, path: string): Promise<unknown> => {
    const { data, codes } = await send(as, 'GET', path);
    return data ?? codes;
  };
  const ids = async (as: string | null, path: string): Promise<unknown> => {
    const data = await get(as, path);
    return (data as { readonly id?: unknown }[]).map((row) => row.id ?? row);
  };
  const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

  describe('reading', () => {
    it('two users see different rows and fields of one URL', async () => {
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

    it('policies are united: a cell of one shows on its rows and is null on others', async () => {
      expect(await get('both', '/items/book?fields=id,title,year,author&sort=id')).toEqual([
        { id: 201, title: 'Few Words', year: null, author: 2 },
        { id: 202, title: 'Fewer Words', year: 1991, author: 2 },
        { id: 203, title: 'Last Words', year: null, author: 2 },
        { id: 204, title: null, year: 2000, author: 4 },
        { id: 205, title: null, year: 2001, author: null },
      ]);
    });

    it('an item outside the rows is as absent as a missing one', async () => {
      expect(await get('few', '/items/book/1')).toEqual(['FORBIDDEN']);
      expect((await send('few', 'GET', '/items/book/1')).text).toBe(
        (await send('few', 'GET', '/items/book/9999')).text,
      );
      expect(
        (await send('few', 'SEARCH', '/items/book', { keys: [1, 201], query: { fields: ['id'] } })).data,
      ).toEqual([{ id: 201 }]);
    });

    it('nested rows are those of the related collection', async () => {
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

    it('a relation to where nothing may be read is left out of fields', async () => {
      expect(await get('few', '/items/book/201?fields=id,shelves.position,shelves.shelf.room')).toEqual({
        id: 201,
        shelves: [{ position: 1 }, { position: 2 }],
      });
    });

    it('rules reach through relations in every direction', async () => {
      expect(await ids('related', '/items/author?fields=id&sort=id')).toEqual([2]);
      expect(await ids('related', '/items/book?fields=id&sort=id')).toEqual([201, 202, 203]);
      expect(await get('related', '/items/book/201?fields=author.country.name')).toEqual({
        author: { country: { name: 'Poland' } },
      });
    });

    it('a rule that makes no sense opens nothing', async () => {
      expect(await get('broken', '/items/book')).toEqual([]);
    });

    it('variables stand for the caller and the time', async () => {
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
    ])('GET %s is forbidden for strangers and for users without policies', async (path) => {
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
    ])('%s %s is forbidden for readers, strangers and users without policies', async (method, path, body) => {
      for (const as of ['few', 'all', 'nobody', null]) {
        const { status, codes } = await send(as, method, path, body);
        expect({ as, status, codes }).toEqual({ as, status: 403, codes: ['FORBIDDEN'] });
      }
    });

    it('public policies hold for strangers and for users without a role, not for users with one', async () => {
      const path = '/items/country?sort=code';
      const shown = [{ code: 'de' }, { code: 'pl' }];
      expect(await get(null, path)).toEqual(shown);
      expect(await get('nobody', path)).toEqual(shown);
      expect(await get('few', path)).toEqual(shown);
      expect(await get('clerk', path)).toEqual(['FORBIDDEN']);
    });
  });

  describe('forbidden names', () => {
    /** The same words, whatever the name. */
    const wording = async (as: string, path: string, name: string): Promise<string> =>
      (await send(as, 'GET', path.replaceAll('NAME', name))).text.replaceAll(name, 'NAME');

    it.each([
      '/items/book?fields=NAME',
      '/items/book?fields=id,author.NAME',
      '/items/book?sort=NAME',
      '/items/book?sort=author.NAME',
      '/items/book?filter[NAME][_eq]=1',
      '/items/book?filter[author][NAME][_eq]=1',
      '/items/author?fields=books.id&deep[books][_sort]=NAME',
      '/items/author?fields=books.id&deep[books][_filter][NAME][_eq]=1',
    ])('GET %s is answered alike for a forbidden and an unknown field', async (path) => {
      const [hidden, unknown] = await Promise.all([
        wording('few', path, 'secret'),
        wording('few', path, 'foobar'),
      ]);
      expect(hidden).toBe(unknown);
      expect(hidden).toContain('FORBIDDEN');
      const [year, none] = await Promise.all([wording('few', path, 'year'), wording('few', path, 'quux')]);
      expect(year).toBe(none);
    });

    it.each([
      '/items/book?fields=NAME.id',
      '/items/book?filter[NAME][id][_eq]=1',
      '/items/book?filter[NAME][_some][id][_eq]=1',
      '/items/book?sort=NAME.id',
    ])('GET %s is answered alike for a forbidden and an unknown relation', async (path) => {
      const [hidden, unknown] = await Promise.all([
        wording('few', path, 'review'),
        wording('few', path, 'nobody'),
      ]);
      expect(hidden).toBe(unknown);
      expect(hidden).toContain('FORBIDDEN');
    });

    it.each(['/items/NAME', '/items/NAME/1', '/items/NAME?fields=x', '/items/NAME?filter[x]=1&sort=y'])(
      'GET %s is answered alike for a forbidden and an unknown collection',
      async (path) => {
        const [hidden, unknown] = await Promise.all([
          wording('few', path, 'shelf'),
          wording('few', path, 'quark'),
        ]);
        expect(hidden).toBe(unknown);
        expect(hidden).toContain('FORBIDDEN');
      },
    );

    it('a payload is answered alike for a forbidden and an unknown field', async () => {
      const wordingOf = async (name: string) =>
        (await send('clerk', 'POST', '/items/book', { title: 'x', [name]: 1 })).text.replaceAll(name, 'NAME');
      expect(await wordingOf('price')).toBe(await wordingOf('bogus'));
      expect(await wordingOf('price')).toContain('FORBIDDEN');
    });

    it('only readable fields are hinted at', async () => {
      expect((await send('few', 'GET', '/items/book?fields=titel')).text).not.toContain('note');
      expect((await send('few', 'GET', '/items/book?fields=title_')).text).toContain(
        'did you mean \\"title\\"',
      );
      expect((await send('few', 'GET', '/items/book?fields=yearr')).text).not.toContain('did you mean');
    });

    it('whoever has every field is told the difference in a payload', async () => {
      expect((await send('admin', 'POST', '/items/book', { title: 'x', bogus: 1 })).codes).toEqual([
        'INVALID_PAYLOAD',
      ]);
      expect((await send('all', 'GET', '/items/book?fields=bogus')).codes).toEqual(['FORBIDDEN']);
    });
  });

  describe('hidden values influence nothing', () => {
    it('filters by hidden cells find as if they were null', async () => {
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

    it('order by hidden cells is order by null', async () => {
      const found = await ids('both', '/items/book?fields=id&sort=-title,id');
      expect(found).toEqual([203, 202, 201, 204, 205]);
    });

    it('search does not see hidden fields, cells and rows', async () => {
      expect(await ids('both', '/items/book?fields=id&search=Stray')).toEqual([]);
      expect(await ids('both', '/items/book?fields=id&search=Words&sort=id')).toEqual([201, 202, 203]);
      expect(await ids('both', '/items/book?fields=id&search=plain_text')).toEqual([]);
      expect(await ids('both', '/items/book?fields=id&search=1990')).toEqual([]);
      expect(await ids('few', '/items/book?fields=id&search=Volume')).toEqual([]);
    });

    it('counts are those of the rows one may read', async () => {
      const { body } = await send('few', 'GET', '/items/book?meta=*&limit=0&search=Fewer');
      expect(body).toEqual({ meta: { total_count: 3, filter_count: 1 }, data: [] });
      expect(
        ((await send('all', 'GET', '/items/book?meta=*&limit=0')).body as { meta: unknown }).meta,
      ).toEqual({
        total_count: busyAuthor.books + 5,
        filter_count: busyAuthor.books + 5,
      });
    });

    it('filters over relations see permitted rows only', async () => {
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

    it('order over relations sees permitted rows only', async () => {
      const found = await get('both', '/items/book?fields=id,author.name&sort=-author.name,id');
      expect(found).toMatchObject([
        { id: 201 },
        { id: 202 },
        { id: 203 },
        { id: 204, author: null },
        { id: 205, author: null },
      ]);
    });

    it('relations that may not be read can be neither filtered nor sorted by', async () => {
      expect(
        await get('both', `/items/book?filter=${json({ shelves: { shelf: { room: { _eq: 'north' } } } })}`),
      ).toEqual(['FORBIDDEN']);
      expect(await get('all', '/items/author?sort=country.name')).toEqual(['FORBIDDEN']);
    });
  });

  describe('writing', () => {
    beforeEach(() => server().execute(restoreSql(setting.dialect)));

    it('presets fill in what the payload leaves out, beyond the permitted fields', async () => {
      expect(
        (await send('clerk', 'POST', '/items/book?fields=title,stock,note,lent', { title: 'x' })).data,
      ).toEqual({
        title: 'x',
        stock: 2,
        note: 'a',
        lent: true,
      });
      expect(
        (await send('clerk', 'POST', '/items/book?fields=stock,note', { title: 'x', stock: 5, note: 'b' }))
          .data,
      ).toEqual({ stock: 5, note: 'b' });
      expect(
        (await send('clerk', 'PATCH', '/items/book/201?fields=title,note', { title: 'y' })).data,
      ).toEqual({ title: 'y', note: 'touched' });
    });

    it('validation refuses payloads, every failed rule told', async () => {
      const { status, errors } = await send('clerk', 'POST', '/items/book', {
        title: 'x',
        stock: 11,
        note: 'z',
      });
      expect(status).toBe(400);
      expect(errors.map(({ code, field, type }) => ({ code, field, type }))).toEqual([
        { code: 'FAILED_VALIDATION', field: 'stock', type: 'lte' },
        { code: 'FAILED_VALIDATION', field: 'note', type: 'in' },
      ]);
      expect(
        (await send('clerk', 'POST', '/items/book', [{ title: 'x' }, { title: 'x', stock: 11 }])).codes,
      ).toEqual(['FAILED_VALIDATION']);
      expect(await get('admin', '/items/book?filter[title][_eq]=x')).toEqual([]);
    });

    it('a field outside the list is forbidden, and nothing is stored', async () => {
      expect((await send('clerk', 'POST', '/items/book', { title: 'x', price: 1 })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect((await send('clerk', 'PATCH', '/items/book/201', { title: 'x', year: 1 })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect(await get('admin', '/items/book/201?fields=title')).toEqual({ title: 'Few Words' });
    });

    it('a new item that may not be read is answered with nothing', async () => {
      const hidden = await send('clerk', 'POST', '/items/book', { title: 'x', note: 'hidden' });
      expect({ status: hidden.status, text: hidden.text }).toEqual({ status: 204, text: '' });
      const review = await send('clerk', 'POST', '/items/review', { book: 201, stars: 2 });
      expect({ status: review.status, text: review.text }).toEqual({ status: 204, text: '' });
      expect(
        (
          await send('clerk', 'POST', '/items/review', [
            { book: 201, stars: 2 },
            { book: 201, stars: 3 },
          ])
        ).status,
      ).toBe(204);
      expect((await send('clerk', 'PATCH', '/items/review/1', { stars: 4 })).status).toBe(204);
      expect(await get('admin', '/items/review/1?fields=stars')).toEqual({ stars: 4 });
    });

    it('each field may be changed on the rows of its own permission', async () => {
      expect((await send('clerk', 'PATCH', '/items/book/201?fields=title', { title: 'x' })).data).toEqual({
        title: 'x',
      });
      expect((await send('clerk', 'PATCH', '/items/book/202', { title: 'x' })).codes).toEqual(['FORBIDDEN']);
      expect((await send('clerk', 'PATCH', '/items/book/202?fields=lent', { lent: false })).data).toEqual({
        lent: false,
      });
      expect((await send('clerk', 'PATCH', '/items/book/203?fields=lent', { lent: true })).data).toEqual({
        lent: true,
      });
      expect((await send('clerk', 'PATCH', '/items/book/203', { lent: false, title: 'x' })).codes).toEqual([
        'FORBIDDEN',
      ]);
    });

    it('an update of many is all or nothing', async () => {
      const body = { keys: [201, 202, 203], data: { stock: 7 } };
      expect((await send('clerk', 'PATCH', '/items/book', body)).codes).toEqual(['FORBIDDEN']);
      expect(
        (
          await send('clerk', 'PATCH', '/items/book', [
            { id: 201, stock: 7 },
            { id: 202, stock: 7 },
          ])
        ).codes,
      ).toEqual(['FORBIDDEN']);
      const query = { filter: { author: { _eq: 2 } } };
      expect((await send('clerk', 'PATCH', '/items/book', { query, data: { stock: 7 } })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect(await get('admin', '/items/book?fields=stock&filter[author][_eq]=2&sort=id')).toEqual([
        { stock: 3 },
        { stock: 0 },
        { stock: 1 },
      ]);
      expect(
        (await send('clerk', 'PATCH', '/items/book?fields=stock', { keys: [201, 203], data: { stock: 7 } }))
          .data,
      ).toEqual([{ stock: 7 }, { stock: 7 }]);
    });

    it('a deletion of many is all or nothing', async () => {
      expect((await send('clerk', 'DELETE', '/items/book', [203, 204])).codes).toEqual(['FORBIDDEN']);
      expect((await send('clerk', 'DELETE', '/items/book/204')).codes).toEqual(['FORBIDDEN']);
      expect(await ids('admin', '/items/book?fields=id&filter[id][_in]=203,204')).toEqual([203, 204]);
      expect((await send('clerk', 'DELETE', '/items/book', [203])).status).toBe(204);
    });

    it('rules of writes reach through relations too', async () => {
      expect((await send('related', 'PATCH', '/items/book/201?fields=title', { title: 'x' })).data).toEqual({
        title: 'x',
      });
      expect((await send('related', 'PATCH', '/items/book/202', { title: 'x' })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect(
        (await send('related', 'PATCH', '/items/book', { keys: [201, 203], data: { title: 'x' } })).codes,
      ).toEqual(['FORBIDDEN']);
      expect((await send('related', 'DELETE', '/items/book/201')).codes).toEqual(['FORBIDDEN']);
      expect((await send('related', 'DELETE', '/items/book/203')).status).toBe(204);
    });

    it('by query, only what one may read is found', async () => {
      const query = { filter: { note: { _eq: 'hidden' } } };
      await server().execute("update book set note = 'hidden' where id = 204");
      expect((await send('clerk', 'PATCH', '/items/book', { query, data: { lent: true } })).data).toEqual([]);
      expect(await get('admin', '/items/book/204?fields=lent')).toEqual({ lent: false });
    });

    it('a value that is hidden is not told by a refusal', async () => {
      await server().execute("update book set note = 'hidden' where id = 204");
      const [hidden, missing] = [
        await send('clerk', 'PATCH', '/items/book/1', { price: 1 }),
        await send('clerk', 'PATCH', '/items/book/9999', { price: 1 }),
      ];
      expect(hidden.text).toBe(missing.text);
    });
  });

  describe('the administrator', () => {
    it('sees and does everything', async () => {
      expect(await get('admin', '/items/book/1?fields=id,author.secret,review.stars')).toEqual({
        id: 1,
        author: { secret: '**********' },
        review: [{ stars: 4 }],
      });
      expect((await send('admin', 'GET', '/users?limit=1&fields=email')).status).toBe(200);
    });

    it('cannot be the last one and go', async () => {
      const [admin] = (await get('admin', '/users?fields=id&filter[email][_eq]=admin@example.com')) as {
        readonly id: string;
      }[];
      const path = `/users/${admin?.id}`;
      for (const body of [{ status: 'suspended' }, { role: null }]) {
        const { status, codes } = await send('admin', 'PATCH', path, body);
        expect({ status, codes }).toEqual({ status: 422, codes: ['UNPROCESSABLE_ENTITY'] });
      }
      expect((await send('admin', 'DELETE', path)).codes).toEqual(['UNPROCESSABLE_ENTITY']);
      expect((await send('admin', 'GET', path)).status).toBe(200);
    });
  });
});
