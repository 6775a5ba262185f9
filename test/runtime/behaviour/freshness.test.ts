/** Changes made in one instance apply to the next request of another. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf, startTestServer, type TestAccess, type TestServer } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const settings = settingsOf(import.meta.url);

const access: TestAccess = {
  policies: {
    Titles: [{ collection: 'book', action: 'read', fields: ['id', 'title'] }],
    Years: [{ collection: 'book', action: 'read', fields: ['year'] }],
    Writer: [
      { collection: 'book', action: 'read', fields: ['*'] },
      { collection: 'book', action: 'update', fields: ['title'] },
      { collection: 'book', action: 'create', fields: ['title'] },
      { collection: 'book', action: 'delete' },
    ],
    Dates: [{ collection: 'book', action: 'read', fields: ['*'] }],
  },
  roles: { Reader: { policies: ['Titles'] }, Historian: { policies: ['Years'] } },
  users: {
    reader: { role: 'Reader' },
    mover: { role: 'Reader' },
    writer: { policies: ['Writer'] },
    dater: { policies: ['Dates'] },
    climber: { policies: ['Years'] },
    leaver: { policies: ['Titles'] },
    renamer: { policies: ['Titles'] },
    slow: { policies: ['Titles'] },
    late: { policies: ['Titles'] },
    nobody: {},
  },
};

interface Row {
  readonly id: unknown;
}

describe.each(settings)('two instances on $dialect through $listener', (setting) => {
  const first = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta, access });
  let second: TestServer;
  beforeAll(async () => {
    second = await first().startAnother();
  });
  afterAll(() => second.close());

  const admin = (method: string, path: string, body?: unknown) =>
    first().request(method, path, { as: 'admin', ...(body !== undefined && { body }) });
  const books = (as: string, query = 'limit=1&sort=id') =>
    second.request('GET', `/items/book?${query}`, { as });
  const write = (method: string, path: string, body?: unknown) =>
    second.request(method, path, { as: 'writer', ...(body !== undefined && { body }) });
  const paths = async (): Promise<readonly string[]> => {
    const { body } = await second.request('GET', '/server/specs/oas', { as: 'nobody' });
    return Object.keys((body as { readonly paths: Record<string, unknown> }).paths).filter((path) =>
      path.startsWith('/items/'),
    );
  };
  const find = async (path: string): Promise<unknown> =>
    ((await admin('GET', path)).data as readonly Row[])[0]?.id;
  const permission = (policy: string, action: string): Promise<unknown> =>
    find(`/permissions?filter[policy][name][_eq]=${policy}&filter[action][_eq]=${action}&fields=id`);

  it('applies a changed permission to the next read', async () => {
    expect((await books('reader')).data).toEqual([{ id: 1, title: 'Volume 001' }]);
    const id = await permission('Titles', 'read');
    expect((await admin('PATCH', `/permissions/${id}`, { fields: ['id', 'isbn'] })).status).toBe(200);
    expect((await books('reader')).data).toEqual([{ id: 1, isbn: 'A-1' }]);
    expect((await admin('PATCH', `/permissions/${id}`, { permissions: { id: { _gt: 204 } } })).status).toBe(
      200,
    );
    expect((await books('reader', '')).data).toEqual([{ id: 205, isbn: null }]);
    expect(
      (await admin('PATCH', `/permissions/${id}`, { fields: ['id', 'title'], permissions: null })).status,
    ).toBe(200);
    expect((await books('reader')).data).toEqual([{ id: 1, title: 'Volume 001' }]);
  });

  it('rejects the next write after a permission is revoked', async () => {
    expect((await write('PATCH', '/items/book/5', { title: 'Once' })).status).toBe(200);
    const taken = await Promise.all(
      ['update', 'create', 'delete'].map((action) => permission('Writer', action)),
    );
    expect((await admin('DELETE', '/permissions', taken)).status).toBe(204);
    expect((await write('PATCH', '/items/book/5', { title: 'Twice' })).codes).toEqual(['FORBIDDEN']);
    expect((await write('POST', '/items/book', { title: 'Twice' })).codes).toEqual(['FORBIDDEN']);
    expect((await write('DELETE', '/items/book/204')).codes).toEqual(['FORBIDDEN']);
    expect((await admin('GET', '/items/book/5?fields=title')).data).toEqual({ title: 'Once' });
  });

  it('rejects the next mutation after a permission is revoked, as one that was never permitted', async () => {
    const policy = first().ids.policies.get('Dates');
    const given = { policy, collection: 'book', action: 'update', fields: ['isbn'] };
    const { data } = await admin('POST', '/permissions?fields=id', given);
    const query = 'mutation { update_book_item(id: 3, data: { isbn: "A-3" }) { id } }';
    const mutate = async () => {
      const { body } = await second.request('POST', '/graphql', { as: 'dater', body: { query } });
      const { errors } = body as {
        readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
      };
      return errors?.map(({ extensions }) => extensions.code);
    };
    expect(await mutate()).toBeUndefined();
    expect((await admin('DELETE', `/permissions/${String((data as Row).id)}`)).status).toBe(204);
    expect(await mutate()).toEqual(['GRAPHQL_VALIDATION']);
  });

  it('accepts the next write after a permission is granted', async () => {
    const policy = first().ids.policies.get('Dates');
    const given = { policy, collection: 'book', action: 'update', fields: ['year'] };
    expect(
      (await second.request('PATCH', '/items/book/2', { as: 'dater', body: { year: 1 } })).codes,
    ).toEqual(['FORBIDDEN']);
    expect((await admin('POST', '/permissions', given)).status).toBe(200);
    const { data } = await second.request('PATCH', '/items/book/2?fields=year', {
      as: 'dater',
      body: { year: 1 },
    });
    expect(data).toEqual({ year: 1 });
  });

  it('applies a new role, status and token to the next request', async () => {
    const { users, roles } = first().ids;
    const path = `/users/${users.get('mover')}`;
    expect((await books('mover')).data).toEqual([{ id: 1, title: 'Volume 001' }]);
    await admin('PATCH', path, { role: roles.get('Historian') });
    expect((await books('mover', 'limit=1&sort=-year')).data).toEqual([{ year: 2001 }]);
    await admin('PATCH', path, { status: 'suspended' });
    expect((await books('mover')).codes).toEqual(['INVALID_CREDENTIALS']);
    await admin('PATCH', path, { status: 'active', token: 'another-token-of-ann' });
    expect((await books('mover')).codes).toEqual(['INVALID_CREDENTIALS']);
    const headers = { authorization: 'Bearer another-token-of-ann' };
    expect(
      (await second.request('GET', '/items/book?limit=1&fields=year&sort=-year', { headers })).data,
    ).toEqual([{ year: 2001 }]);
  });

  it('applies the removal of a policy from a role or user to the next request', async () => {
    const { policies, users } = first().ids;
    expect((await books('leaver')).status).toBe(200);
    const held = await find(`/access?filter[user][_eq]=${users.get('leaver')}&fields=id`);
    await admin('DELETE', `/access/${String(held)}`);
    expect((await books('leaver')).codes).toEqual(['FORBIDDEN']);
    await admin('POST', '/access', { user: users.get('leaver'), policy: policies.get('Years') });
    expect((await books('leaver', 'limit=1&sort=-year')).data).toEqual([{ year: 2001 }]);
  });

  it('does not authenticate a deleted user', async () => {
    expect((await books('renamer')).status).toBe(200);
    expect((await admin('DELETE', `/users/${first().ids.users.get('renamer')}`)).status).toBe(204);
    expect((await books('renamer')).codes).toEqual(['INVALID_CREDENTIALS']);
  });

  it('applies admin_access of a policy, on and off', async () => {
    const path = `/policies/${first().ids.policies.get('Years')}`;
    expect((await second.request('GET', '/items/author', { as: 'climber' })).codes).toEqual(['FORBIDDEN']);
    await admin('PATCH', path, { admin_access: true });
    expect((await second.request('GET', '/items/author', { as: 'climber' })).status).toBe(200);
    await admin('PATCH', path, { admin_access: false });
    expect((await second.request('GET', '/items/author', { as: 'climber' })).codes).toEqual(['FORBIDDEN']);
  });

  it('updates the description of the API', async () => {
    expect(await paths()).toEqual([]);
    const { policies, users } = first().ids;
    await admin('POST', '/access', { user: users.get('nobody'), policy: policies.get('Titles') });
    expect(await paths()).toContain('/items/book');
  });

  it('reads items that the other instance has written', async () => {
    await admin('PATCH', '/items/book/3', { title: 'Fresh' });
    expect((await second.request('GET', '/items/book/3?fields=title', { as: 'admin' })).data).toEqual({
      title: 'Fresh',
    });
  });

  it('answers requests during a change of permissions by one state or the other', async () => {
    const id = await permission('Titles', 'read');
    const flip = async (): Promise<void> => {
      for (let round = 0; round < 10; round += 1) {
        await admin('PATCH', `/permissions/${id}`, { fields: round % 2 === 0 ? ['id'] : ['id', 'title'] });
      }
    };
    const read = async (): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (let round = 0; round < 40; round += 1) seen.push((await books('slow', 'filter[id][_eq]=4')).text);
      return seen;
    };
    const [, seen] = await Promise.all([flip(), read()]);
    const states = ['{"data":[{"id":4}]}', '{"data":[{"id":4,"title":"Volume 004"}]}'];
    expect(seen.filter((text) => !states.includes(text))).toEqual([]);
    expect((await books('slow', 'filter[id][_eq]=4')).text).toBe(states[1]);
  });
});

const changes = `
update svc_permissions set fields = 'title' where collection = 'book' and fields = 'id,title';
update svc_users set status = 'suspended' where email = 'slow@example.com';
`;

afterEach(() => void vi.useRealTimers());

it('notices rows changed by SQL within five seconds, on every database through every listener', async () => {
  const servers = await Promise.all(
    settings.map((setting) => startTestServer({ ...setting, sql: librarySql(setting.dialect), access })),
  );
  try {
    const ask = (as: string, query = 'limit=1') =>
      Promise.all(servers.map((server) => server.request('GET', `/items/book?${query}`, { as })));
    const begun = Date.now();
    vi.setSystemTime(begun);
    for (const { data } of await ask('reader')) expect(data).toEqual([{ id: 1, title: 'Volume 001' }]);
    for (const { status } of await ask('slow')) expect(status).toBe(200);
    await Promise.all(servers.map((server) => server.execute(changes)));
    vi.setSystemTime(begun + 3_500);
    // whoever comes meanwhile is seen by rules read before
    await ask('late');
    vi.setSystemTime(begun + 5_000);
    for (const { data } of await ask('reader', 'limit=1&sort=title'))
      expect(data).toEqual([{ title: 'Few Words' }]);
    for (const { data } of await ask('late', 'limit=1&sort=title'))
      expect(data).toEqual([{ title: 'Few Words' }]);
    for (const { codes } of await ask('slow')) expect(codes).toEqual(['INVALID_CREDENTIALS']);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
});
