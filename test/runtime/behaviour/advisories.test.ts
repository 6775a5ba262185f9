/** Ways in which platforms of this kind were broken into, tried here. `SECURITY.md` lists them. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const dialects = dialectsOf(import.meta.url);

const secret = 'AbC-canary-0123456789';

const access: TestAccess = {
  policies: {
    People: [
      { collection: 'svc_users', action: 'read', fields: ['*'] },
      {
        collection: 'svc_users',
        action: 'update',
        fields: ['*'],
        permissions: { id: { _eq: '$CURRENT_USER' } },
      },
    ],
    Soon: [{ collection: 'book', action: 'read', fields: ['*'], permissions: { year: { _gt: 1980 } } }],
    Empty: [{ collection: 'book', action: 'read', fields: ['*'], permissions: { id: { _in: [] } } }],
    Roles: [
      { collection: 'book', action: 'read', fields: ['*'], permissions: { note: { _in: '$CURRENT_ROLES' } } },
    ],
    Stale: [{ collection: 'author', action: 'read', fields: ['name', 'nickname'] }],
  },
  users: {
    reader: { policies: ['People'] },
    holder: { token: secret, columns: { first_name: 'Holder' } },
    soon: { policies: ['Soon'] },
    empty: { policies: ['Empty'] },
    roleless: { policies: ['Roles'] },
    stale: { policies: ['Stale'] },
  },
};

describe.each(dialects)('advisories on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), meta: libraryMeta, access });
  const send = (as: string | null, method: string, path: string, body?: unknown) =>
    server().request(method, path, { ...(as !== null && { as }), ...(body !== undefined && { body }) });
  const books = (): Promise<unknown> => server().database.query('select * from book order by id');
  const withToken = (token: string) =>
    server().request('GET', '/users/me', { headers: { authorization: `Bearer ${token}` } });

  it('tokens are compared exactly: case, accents, blanks and length', async () => {
    expect((await withToken(secret)).status).toBe(200);
    for (const other of [
      secret.toLowerCase(),
      secret.replace('b', '%C3%A1'),
      secret.slice(0, -1),
      `${secret}0`,
    ]) {
      expect((await withToken(other)).codes).toEqual(['INVALID_CREDENTIALS']);
    }
    for (const other of ['ÁbC-canary-0123456789', `${secret}\0`, 'a\0.b.c']) {
      const path = `/users/me?access_token=${encodeURIComponent(other)}`;
      expect((await server().request('GET', path)).codes).toEqual(['INVALID_CREDENTIALS']);
    }
  });

  it('addresses with different accents are different', async () => {
    for (const email of ['Ana@Example.com', 'ána@example.com']) {
      const { data } = await send('admin', 'POST', '/users', { email });
      expect(data).toMatchObject({ email: email.toLowerCase() });
    }
    const found = await send('admin', 'GET', '/users?fields=email&filter[email][_eq]=ana@example.com');
    expect(found.data).toEqual([{ email: 'ana@example.com' }]);
    for (const email of ['ana@example.com', 'ANA@example.com']) {
      expect((await send('admin', 'POST', '/users', { email })).codes).toEqual(['RECORD_NOT_UNIQUE']);
    }
  });

  it('concealed values are not revealed by any query parameter', async () => {
    const asterisks = await send('reader', 'GET', '/users?fields=token&filter[first_name][_eq]=Holder');
    expect(asterisks.data).toEqual([{ token: '**********' }]);
    for (const query of [
      `filter[token][_eq]=${secret}`,
      'filter[token][_starts_with]=AbC',
      'filter[token][_gt]=A',
      `filter[token][_in]=${secret}`,
      'sort=token',
      'sort=-token',
      'aggregate[max]=token',
      'groupBy=token&aggregate[count]=*',
      'alias[x]=token&fields=x',
    ]) {
      const { text } = await send('reader', 'GET', `/users?${query}`);
      expect(text.replaceAll(encodeURIComponent(secret), '').replaceAll(secret, '')).not.toContain('AbC');
    }
    for (const search of [secret, 'canary', 'AbC']) {
      expect((await send('reader', 'GET', `/users?search=${search}&fields=id`)).data).toEqual([]);
    }
    const filtered = await send('reader', 'GET', `/users?filter[token][_eq]=${secret}`);
    expect(filtered.codes).toEqual(['INVALID_QUERY']);
    const taken = await send('admin', 'PATCH', `/users/${server().ids.users.get('soon')}`, {
      token: secret,
    });
    expect(taken.codes).toEqual(['RECORD_NOT_UNIQUE']);
    expect(taken.text).not.toContain(secret);
    expect(JSON.stringify(server().observations)).not.toContain(secret);
  });

  it('requests without a valid identity have public permissions', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Basic eDp5' },
      { cookie: 'x=y' },
    ]) {
      for (const path of ['/users', '/items/book', '/permissions', '/activity', '/settings']) {
        const { codes } = await server().request('GET', path, { headers });
        expect({ path, codes: codes.length === 1 && codes[0] !== undefined }).toEqual({ path, codes: true });
        expect(['FORBIDDEN', 'INVALID_CREDENTIALS']).toContain(codes[0]);
      }
    }
    expect((await send(null, 'GET', '/policies/me/globals')).data).toEqual({ app_access: false });
    expect((await send(null, 'GET', '/permissions/me')).data).toEqual({});
    const { status, codes } = await send(null, 'GET', '/users/me');
    expect({ status, codes }).toEqual({ status: 401, codes: ['INVALID_CREDENTIALS'] });
  });

  it('rules with an empty list match no rows', async () => {
    expect((await send('empty', 'GET', '/items/book')).codes).toEqual(['FORBIDDEN']);
    expect((await send('roleless', 'GET', '/items/book?meta=*')).body).toEqual({
      data: [],
      meta: { total_count: 0, filter_count: 0 },
    });
  });

  it('invalid variables in rules are rejected, and match no rows if stored directly', async () => {
    const policy = server().ids.policies.get('Soon');
    for (const part of [
      { permissions: { year: { _gt: '$NOW(soon)' } } },
      { validation: { _or: [{ year: { _in: ['$NOW(-1 fortnight)'] } }] } },
      { presets: { year: '$NOW(+999999999 years)' } },
      { permissions: { title: { _neq: '$CURRENT_USR' } } },
      { presets: { title: '$CURRENT_NAME' } },
    ]) {
      const body = { policy, collection: 'book', action: 'create', fields: ['*'], ...part };
      const { status, errors } = await send('admin', 'POST', '/permissions', body);
      expect({ status, codes: errors.map(({ code, type }) => [code, type]) }).toEqual({
        status: 400,
        codes: [['FAILED_VALIDATION', 'rule']],
      });
    }
    for (const rule of ['{"year":{"_gt":"$NOW(soon)"}}', '{"title":{"_neq":"$CURRENT_USR"}}']) {
      await server().execute(`update svc_permissions set permissions = '${rule}' where policy = '${policy}'`);
      await server().execute('update svc_access_version set version = version + 1');
      expect((await send('soon', 'GET', '/items/book')).codes).toEqual(['FORBIDDEN']);
    }
  });

  it('a permission on a missing field does not apply to a later field of that name', async () => {
    expect((await send('stale', 'GET', '/items/author?fields=nickname')).codes).toEqual(['FORBIDDEN']);
    expect((await send('stale', 'GET', '/items/author?limit=1&sort=name')).data).toEqual([
      { name: 'Anna Busy' },
    ]);
  });

  it('forbidden requests have no effect', async () => {
    const before = await books();
    for (const [method, path, body] of [
      ['POST', '/items/book', { title: 'x' }],
      ['PATCH', '/items/book/201', { title: 'x' }],
      ['PATCH', '/items/book', { query: { limit: -1 }, data: { title: 'x' } }],
      ['DELETE', '/items/book', { keys: [201] }],
      ['PATCH', '/items/author/2', { books: [] }],
    ] as const) {
      expect((await send('soon', method, path, body)).codes).toEqual(['FORBIDDEN']);
    }
    expect(await books()).toEqual(before);
  });
});
