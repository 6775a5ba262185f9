/** The activity log. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestMeta } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const dialects = dialectsOf(import.meta.url);

const meta: TestMeta = {
  ...libraryMeta,
  collections: {
    ...libraryMeta.collections,
    book: { accountability: 'all' },
    author: { accountability: 'activity' },
  },
};

interface Row {
  readonly action: string;
  readonly collection: string;
  readonly item: string;
  readonly fields: readonly string[] | null;
  readonly user: string | null;
  readonly timestamp: string;
  readonly ip: string;
  readonly user_agent: string;
}

const short = ({ action, item, fields }: Row) => [action, item, fields];

describe.each(dialects)('activity on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: librarySql(dialect),
    meta,
    access: {
      policies: { Clerk: [{ collection: 'book', action: 'update', fields: ['title'] }] },
      users: { clerk: { policies: ['Clerk'] }, leaver: { policies: ['Clerk'] } },
    },
    environment: { TRUST_PROXY: '1' },
  });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, {
      as,
      headers: { 'user-agent': 'shelf/1', 'x-forwarded-for': '::ffff:192.0.2.7' },
      ...(body !== undefined && { body }),
    });
  const rows = async (collection: string): Promise<readonly Row[]> =>
    (await send('admin', 'GET', `/activity?filter[collection][_eq]=${collection}&sort=id`)).data as Row[];
  const clear = () => server().execute('delete from svc_activity');

  it('records every written item, with the names of its fields for `all`', async () => {
    await clear();
    const made = await send('admin', 'POST', '/items/book?fields=id', [
      { title: 'a' },
      { title: 'b', note: 'secret words' },
    ]);
    const [first, second] = made.data as [{ readonly id: number }, { readonly id: number }];
    await send('admin', 'PATCH', '/items/book', { keys: [first.id, second.id], data: { stock: 2 } });
    await send('clerk', 'PATCH', `/items/book/${first.id}`, { title: 'c' });
    await send('admin', 'DELETE', `/items/book/${second.id}`);
    const found = await rows('book');
    expect(found.map(short)).toEqual([
      ['create', String(first.id), ['title']],
      ['create', String(second.id), ['title', 'note']],
      ['update', String(first.id), ['stock']],
      ['update', String(second.id), ['stock']],
      ['update', String(first.id), ['title']],
      ['delete', String(second.id), null],
    ]);
    expect(JSON.stringify(found)).not.toContain('secret words');
    const clerk = found.find(({ user }) => user === server().ids.users.get('clerk'));
    expect(clerk).toMatchObject({ ip: '192.0.2.7', user_agent: 'shelf/1', item: String(first.id) });
    expect(Math.abs(Date.parse(clerk?.timestamp ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('records no fields unless configured, and no other collections', async () => {
    await clear();
    await send('admin', 'PATCH', '/items/author/2', { name: 'x', books: [201, { title: 'y' }] });
    await send('admin', 'POST', '/items/country', { code: 'yy', name: 'y' });
    expect((await rows('author')).map(short)).toEqual([['update', '2', null]]);
    expect((await rows('book')).map(({ action }) => action).toSorted()).toEqual([
      'create',
      'update',
      'update',
    ]);
    expect(await rows('country')).toEqual([]);
  });

  it('is rolled back with its write', async () => {
    await clear();
    expect(
      (await send('admin', 'POST', '/items/book', [{ title: 'a' }, { title: 'b', isbn: 'B-1' }])).status,
    ).toBe(400);
    expect(
      (await send('clerk', 'PATCH', '/items/book', { keys: [201, 9999], data: { title: 'x' } })).status,
    ).toBe(403);
    expect(await rows('book')).toEqual([]);
  });

  it('never contains a secret, and records changes of rules', async () => {
    await clear();
    const made = await send('admin', 'POST', '/users', {
      email: 'canary@example.com',
      token: 'canary-token-number-1',
    });
    const { id } = made.data as { readonly id: string };
    await send('admin', 'PATCH', `/users/${id}`, { token: 'canary-token-number-2' });
    const found = await rows('svc_users');
    expect(found.map(({ action, item }) => [action, item])).toEqual([
      ['create', id],
      ['update', id],
    ]);
    const stored = await server().database.query('select * from svc_activity');
    expect(JSON.stringify(stored)).not.toContain('canary-token');
    expect(JSON.stringify(server().observations)).not.toContain('canary-token');
  });

  it('refers to the user and remains after the user is deleted', async () => {
    await clear();
    await send('leaver', 'PATCH', '/items/book/201', { title: 'x' });
    const path = '/activity?fields=user.email&filter[collection][_eq]=book';
    expect((await send('admin', 'GET', path)).data).toEqual([{ user: { email: 'leaver@example.com' } }]);
    const leaver = server().ids.users.get('leaver');
    await server().execute(`delete from svc_users where id = '${leaver}'`);
    expect((await rows('book')).map(({ user }) => user)).toEqual([leaver]);
  });

  it('cannot be written, and requires permission to read', async () => {
    for (const [method, path, body] of [
      ['POST', '/activity', { action: 'create', collection: 'book', item: '1' }],
      ['PATCH', '/activity', { query: { limit: -1 }, data: { user: null } }],
      ['DELETE', '/activity', { query: { limit: -1 } }],
    ] as const) {
      expect((await send('admin', method, path, body)).codes).toEqual(['ROUTE_NOT_FOUND']);
    }
    expect((await server().request('GET', '/activity')).codes).toEqual(['FORBIDDEN']);
  });

  it('keeps the beginning of a long user agent', async () => {
    await clear();
    await server().request('POST', '/items/book', {
      as: 'admin',
      headers: { 'user-agent': 'x'.repeat(300) },
      body: { title: 'd' },
    });
    expect((await rows('book')).map(({ user_agent: agent }) => agent)).toEqual(['x'.repeat(255)]);
  });

  it('records no change of a row that only stays in a list', async () => {
    const made = await send('admin', 'POST', '/items/author?fields=id,books.id', {
      name: 'N',
      books: [{ title: 'e' }],
    });
    const { id, books } = made.data as { readonly id: number; readonly books: readonly object[] };
    await clear();
    expect((await send('admin', 'PATCH', `/items/author/${id}`, { books })).status).toBe(200);
    expect(await rows('book')).toEqual([]);
    await send('admin', 'PATCH', '/items/book', { query: { filter: { title: { _eq: 'e' } } }, data: {} });
    expect(await rows('book')).toEqual([]);
  });
});
