/** Entity tags of items, of system items and of singletons, in REST and GraphQL, and writes that compare them. */
import { describe, expect, it, vi } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type Answer, type TestAccess } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const schema = `
create table "book" ("id" {counter}, "title" varchar(40), "secret" varchar(40));
create table "config" ("id" integer primary key, "name" varchar(40), "secret" varchar(40));
create table "fresh" ("id" {counter}, "name" varchar(40));
insert into "book" ("id", "title", "secret") values (1, 'one', 'a'), (2, 'two', 'b'), (3, 'three', 'c');
insert into "config" ("id", "name", "secret") values (1, 'stored', 'a');
`;

const access: TestAccess = {
  policies: {
    Clerk: [
      { collection: 'book', action: 'read', fields: ['id', 'title'] },
      { collection: 'book', action: 'update', fields: ['title'] },
      { collection: 'config', action: 'read', fields: ['id', 'name'] },
      { collection: 'config', action: 'update', fields: ['name'] },
      { collection: 'svc_users', action: 'read', fields: ['id', 'first_name'] },
      { collection: 'svc_users', action: 'update', fields: ['first_name'] },
    ],
  },
  roles: { Staff: { policies: [] } },
  users: { clerk: { policies: ['Clerk'] }, zoe: { role: 'Staff' } },
};

const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? 'none';

interface Root {
  readonly endpoint: string;
  readonly query: string;
  readonly update: string;
  readonly data: string;
}

describe.each(settings)('entity tags on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema),
    meta: { collections: { config: { singleton: true }, fresh: { singleton: true } } },
    access,
  });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, as = 'admin') =>
    server().request('GET', path, { as, headers: { 'accept-encoding': 'identity', ...headers } });
  const patch = (path: string, tag: string, body: unknown, as = 'admin') =>
    server().request('PATCH', path, { as, headers: { 'if-match': tag }, body });
  const graphql = async (endpoint: string, query: string, as = 'admin') =>
    (await server().request('POST', endpoint, { as, body: { query } })).body as {
      readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
      readonly extensions?: { readonly meta: { readonly item: { readonly etag: string } } };
    };
  const targets = (): Readonly<Record<string, Root & { readonly path: string }>> => {
    const [user, role] = [server().ids.users.get('zoe'), server().ids.roles.get('Staff')];
    const items = '/graphql';
    const system = '/graphql/system';
    return {
      item: {
        path: '/items/book/1',
        endpoint: items,
        query: 'book_by_id(id: 1, meta: "etag") { id }',
        update: 'update_book_item(id: 1',
        data: 'title',
      },
      user: {
        path: `/users/${user}`,
        endpoint: system,
        query: `users_by_id(id: "${user}", meta: "etag") { id }`,
        update: `update_users_item(id: "${user}"`,
        data: 'first_name',
      },
      role: {
        path: `/roles/${role}`,
        endpoint: system,
        query: `roles_by_id(id: "${role}", meta: "etag") { id }`,
        update: `update_roles_item(id: "${role}"`,
        data: 'name',
      },
      singleton: {
        path: '/items/config',
        endpoint: items,
        query: 'config(meta: "etag") { id }',
        update: 'update_config(',
        data: 'name',
      },
    };
  };
  const each = ['item', 'user', 'role', 'singleton'] as const;
  const pathOf = (name: string): string => (targets()[name] as { path: string }).path;

  it.each(each)('one %s is answered with 304 where it has not changed', async (name) => {
    const tag = tagOf(await get(pathOf(name)));
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const { status, text } = await get(pathOf(name), { 'if-none-match': tag });
    expect([status, text]).toEqual([304, '']);
    expect((await get(pathOf(name), { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each(each)('one %s is kept by caches only where it is of no system collection', async (name) => {
    const isSystem = name === 'user' || name === 'role';
    const first = await get(pathOf(name));
    const second = await get(pathOf(name), { 'if-none-match': tagOf(first) });
    for (const { headers } of [first, second])
      expect(headers.get('cache-control')).toBe(isSystem ? 'no-store' : 'private, no-cache');
  });

  it.each(each)('one %s has the same tag in GraphQL, which compares it', async (name) => {
    const { path, endpoint, query, update, data } = targets()[name] as Root & { path: string };
    const tag = (await graphql(endpoint, `{ item: ${query} }`)).extensions?.meta.item.etag ?? '';
    expect(tag).toBe(tagOf(await get(path)));
    const write = (value: string) =>
      graphql(
        endpoint,
        `mutation { ${update} data: { ${data}: "${value}" }, ifMatch: ${JSON.stringify(tag)}) { ${data} } }`,
      );
    expect((await write('by tag')).errors).toBeUndefined();
    expect((await write('lost')).errors?.map(({ extensions }) => extensions.code)).toEqual([
      'PRECONDITION_FAILED',
    ]);
    expect((await get(`${path}?fields=${data}`)).data).toEqual({ [data]: 'by tag' });
  });

  it.each(each)('of several writers with one tag of one %s, exactly one wins', async (name) => {
    const { path, data } = targets()[name] as Root & { path: string };
    const tag = tagOf(await get(path));
    const racing = ['a', 'b', 'c', 'd'].map((value) => patch(path, tag, { [data]: `racer ${value}` }));
    const answers = await Promise.all(racing);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
    const won = answers.find(({ status }) => status === 200)?.data as Readonly<Record<string, unknown>>;
    expect((await get(`${path}?fields=${data}`)).data).toEqual({ [data]: won[data] });
  });

  it('a write reads the tag on the connection of its transaction, so that it needs no second one', async () => {
    const tag = tagOf(await get('/items/book/2'));
    const rows = vi.spyOn(server().database, 'rows');
    const { status } = await patch('/items/book/2', tag, { title: 'compared' });
    const texts = rows.mock.calls.map(([{ text }]) => text).filter((text) => text.includes('book'));
    rows.mockRestore();
    expect([status, texts]).toEqual([200, []]);
  });

  it('of several writers of a singleton that is not stored yet, one creates it', async () => {
    const first = await get('/items/fresh');
    expect(first.data).toEqual({ id: null, name: null });
    const racing = ['a', 'b', 'c', 'd'].map((name) => patch('/items/fresh', tagOf(first), { name }));
    const statuses = (await Promise.all(racing)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, 412, 412, 412]);
    expect(await server().database.query('select count(*) as n from fresh')).toEqual([
      { n: expect.toSatisfy((count: unknown) => Number(count) === 1) },
    ]);
  });

  it.each(['/items/book/2', '/items/book/3?fields=*', '/items/config'])(
    'a field that the caller may not read does not change the tag of %s',
    async (path) => {
      const before = await get(path, {}, 'clerk');
      expect(before.data).not.toHaveProperty('secret');
      const write = async (body: unknown) =>
        (await server().request('PATCH', path.replace(/\?.*/, ''), { as: 'admin', body })).status;
      const whole = tagOf(await get(path));
      expect(await write({ secret: 'changed' })).toBe(200);
      expect(tagOf(await get(path))).not.toBe(whole);
      expect(tagOf(await get(path, {}, 'clerk'))).toBe(tagOf(before));
      const readable = path.includes('config') ? 'name' : 'title';
      expect((await patch(path, tagOf(before), { [readable]: 'kept' }, 'clerk')).status).toBe(200);
    },
  );

  it('a field of a user that the caller may not read does not change its tag', async () => {
    const path = `/users/${server().ids.users.get('zoe')}`;
    const before = tagOf(await get(path, {}, 'clerk'));
    expect(
      (await server().request('PATCH', path, { as: 'admin', body: { last_name: 'Hidden' } })).status,
    ).toBe(200);
    expect(tagOf(await get(path, {}, 'clerk'))).toBe(before);
    expect((await patch(path, before, { first_name: 'Zoe' }, 'clerk')).status).toBe(200);
    expect((await patch(path, before, { first_name: 'Zo' }, 'clerk')).status).toBe(412);
  });

  it('deletes one item of a system collection only with its tag', async () => {
    const { id } = (await server().request('POST', '/roles', { as: 'admin', body: { name: 'Gone' } }))
      .data as {
      readonly id: string;
    };
    const remove = (tag: string) =>
      server().request('DELETE', `/roles/${id}`, { as: 'admin', headers: { 'if-match': tag } });
    const tag = tagOf(await get(`/roles/${id}`));
    expect((await remove('"other"')).status).toBe(412);
    expect((await remove(tag)).status).toBe(204);
  });

  it('a dry run compares the tag too', async () => {
    const tag = tagOf(await get('/items/config'));
    expect((await patch('/items/config?dry_run=true', tag, { name: 'tried' })).status).toBe(200);
    expect((await patch('/items/config?dry_run=true', '"other"', { name: 'tried' })).status).toBe(412);
    expect(tagOf(await get('/items/config'))).toBe(tag);
  });

  it.each([
    ['PATCH', '/users/me', { first_name: 'x' }],
    ['POST', '/utils/sort/book', { item: 1, to: 2 }],
    ['POST', '/graphql', { query: 'mutation { update_book_item(id: 1, data: { title: "x" }) { id } }' }],
    ['PATCH', '/roles', { keys: [], data: { name: 'x' } }],
  ])('%s %s refuses If-Match, which it does not compare', async (method, path, body) => {
    const before = tagOf(await get('/items/book/1'));
    const { status, text } = await server().request(method, path, {
      as: 'admin',
      headers: { 'if-match': '"any"' },
      body,
    });
    expect([status, text]).toEqual([400, expect.stringContaining('If-Match is for')]);
    expect(tagOf(await get('/items/book/1'))).toBe(before);
  });
});
