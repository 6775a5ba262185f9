/** Policies, permissions, roles and users written through their owners: the rules of a direct write hold. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { libraryMeta, librarySql } from './library.js';
import { managerAccess } from './managers.js';

const dialects = dialectsOf(import.meta.url);

const held = { collection: 'book', action: 'read', fields: ['title'], permissions: { stock: { _gt: 0 } } };
const beyond = { collection: 'review', action: 'read', fields: ['*'] };

describe.each(dialects)('access rows through their owner on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), meta: libraryMeta, access: managerAccess });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const idOf = (kind: 'policies' | 'roles' | 'users', name: string): string =>
    server().ids[kind].get(name) ?? '';
  const role = (name: string) => idOf('roles', name);
  const user = (name: string) => idOf('users', name);
  const policy = (name: string) => idOf('policies', name);
  const state = async (): Promise<unknown> => {
    const tables = ['users?fields=id,email,status,role,token', 'roles?fields=*', 'policies?fields=*'];
    return Promise.all(
      [...tables, 'access?fields=*', 'permissions?fields=*'].map(
        async (table) => (await send('admin', 'GET', `/${table}&sort=id&limit=-1`)).data,
      ),
    );
  };

  const readsAsListed = () =>
    server().request('GET', '/items/book?fields=title&limit=1', {
      headers: { authorization: 'Bearer listed-token-of-the-test' },
    });

  it('a policy takes its permissions and holders', async () => {
    const made = await send('manager', 'POST', '/policies?fields=name,permissions.collection,access.user', {
      name: 'Shared',
      permissions: [held],
      access: [{ user: user('guest') }],
    });
    expect(made.data).toEqual({
      name: 'Shared',
      permissions: [{ collection: 'book' }],
      access: [{ user: user('guest') }],
    });
    expect((await send('guest', 'GET', '/items/book?fields=title&limit=1')).status).toBe(200);
  });

  it('GraphQL takes the same lists', async () => {
    const query = `mutation ($permissions: [related_svc_permissions_input]) {
      create_policies_item(data: { name: "Shared", permissions: $permissions }) { permissions { collection } }
    }`;
    const create = async (permissions: unknown) => {
      const body = { query, variables: { permissions } };
      return (await server().request('POST', '/graphql/system', { as: 'manager', body })).body;
    };
    const taken = { permissions: [{ collection: 'book' }] };
    expect(await create([held])).toEqual({ data: { create_policies_item: taken } });
    expect(await create([beyond])).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  });

  it('a user takes policies, and loses those left out', async () => {
    const made = await send('manager', 'POST', '/users?fields=id,policies.policy', {
      email: 'listed@example.com',
      token: 'listed-token-of-the-test',
      policies: [{ policy: policy('Titles') }],
    });
    const { id, policies } = made.data as { readonly id: string; readonly policies: unknown };
    expect(policies).toEqual([{ policy: policy('Titles') }]);
    expect((await readsAsListed()).status).toBe(200);
    const taken = await send('manager', 'PATCH', `/users/${id}?fields=policies`, { policies: [] });
    expect(taken.data).toEqual({ policies: [] });
    expect((await readsAsListed()).status).toBe(403);
  });

  it('a role takes policies, users and children', async () => {
    const made = await send('manager', 'POST', '/roles?fields=policies.policy,users.email,children.name', {
      name: 'Team',
      policies: [{ policy: policy('Titles') }],
      users: [{ email: 'member@example.com', password: 'a long password', token: 'member-token-of-test' }],
      children: [{ name: 'Below' }],
    });
    expect(made.data).toEqual({
      policies: [{ policy: policy('Titles') }],
      users: [{ email: 'member@example.com' }],
      children: [{ name: 'Below' }],
    });
    const member = { headers: { authorization: 'Bearer member-token-of-test' } };
    expect((await server().request('GET', '/items/book?fields=title&limit=1', member)).status).toBe(200);
  });

  it.each<[string, string, () => string, () => unknown]>([
    ['a permission of a new policy', 'POST', () => '/policies', () => ({ name: 'x', permissions: [beyond] })],
    [
      'a permission of an old policy',
      'PATCH',
      () => `/policies/${policy('Titles')}`,
      () => ({ permissions: { create: [beyond] } }),
    ],
    [
      'a policy to oneself',
      'PATCH',
      () => `/policies/${policy('Prices')}`,
      () => ({ access: { create: [{ user: user('manager') }] } }),
    ],
    [
      'a policy to everybody',
      'PATCH',
      () => `/policies/${policy('Prices')}`,
      () => ({ access: { create: [{}] } }),
    ],
    [
      'a policy to a role',
      'PATCH',
      () => `/roles/${role('Plain')}`,
      () => ({ policies: { create: [{ policy: policy('Prices') }] } }),
    ],
    [
      'a policy to a new role with a user',
      'POST',
      () => '/roles',
      () => ({ name: 'x', users: [{ email: 'x@example.com' }], policies: [{ policy: policy('Prices') }] }),
    ],
    [
      'a policy to a new user',
      'POST',
      () => '/users',
      () => ({ email: 'x@example.com', policies: [{ policy: policy('Prices') }] }),
    ],
    [
      'a policy to another user',
      'PATCH',
      () => `/users/${user('plain')}`,
      () => ({ policies: [{ policy: policy('Prices') }] }),
    ],
    [
      'a policy to oneself, in the own record',
      'PATCH',
      () => `/users/${user('manager')}`,
      () => ({ policies: { create: [{ policy: policy('Titles') }] } }),
    ],
    [
      'a role to oneself',
      'PATCH',
      () => `/roles/${role('Plain')}`,
      () => ({ users: { update: [{ id: user('manager') }] } }),
    ],
    ['a role to a user', 'PATCH', () => `/roles/${role('Chief')}`, () => ({ users: [user('guest')] })],
    [
      'a role to a new user',
      'PATCH',
      () => `/roles/${role('Chief')}`,
      () => ({ users: { create: [{ email: 'x@example.com' }] } }),
    ],
    [
      'a weaker role to somebody with more',
      'PATCH',
      () => `/roles/${role('Plain')}`,
      () => ({ users: { update: [{ id: user('chief'), token: 'mine-and-long-enough' }] } }),
    ],
    [
      'the token of somebody with more',
      'PATCH',
      () => `/roles/${role('Chief')}`,
      () => ({ users: { update: [{ id: user('chief'), token: 'mine-and-long-enough' }] } }),
    ],
    [
      'somebody with more to no role',
      'PATCH',
      () => `/roles/${role('Chief')}`,
      () => ({ users: { delete: [user('chief')] } }),
    ],
    ['everybody with more to no role', 'PATCH', () => `/roles/${role('Chief')}`, () => ({ users: [] })],
    [
      'a role above a role',
      'PATCH',
      () => `/roles/${role('Chief')}`,
      () => ({ children: { update: [{ id: role('Plain') }] } }),
    ],
    [
      'a role below one that has more',
      'PATCH',
      () => `/roles/${role('Chief')}`,
      () => ({ children: { create: [{ name: 'x' }] } }),
    ],
    [
      'administration by a policy in place of its key',
      'POST',
      () => '/access',
      () => ({ policy: { name: 'x', admin_access: true }, user: user('manager') }),
    ],
    [
      'administration by a change of the policy of a permission',
      'POST',
      () => '/permissions',
      () => ({ ...held, policy: { id: policy('Titles'), admin_access: true } }),
    ],
    [
      'a permission by its policy',
      'POST',
      () => '/access',
      () => ({ user: user('guest'), policy: { name: 'x', permissions: [beyond] } }),
    ],
    [
      'a role by a new one below it',
      'POST',
      () => '/users',
      () => ({ email: 'x@example.com', role: { name: 'x', parent: role('Chief') } }),
    ],
    [
      'the token of somebody with more, in place of a key',
      'POST',
      () => '/access',
      () => ({ policy: policy('Titles'), user: { id: user('chief'), token: 'mine-and-long-enough' } }),
    ],
    [
      'a role to oneself, in place of a key',
      'POST',
      () => '/access',
      () => ({ policy: policy('Titles'), user: { id: user('manager'), role: role('Plain') } }),
    ],
  ])('%s cannot be granted', async (_, method, path, bodyOf) => {
    const before = await state();
    const { status, codes } = await send('manager', method, path(), bodyOf());
    expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
    expect(await state()).toEqual(before);
  });

  it('rows that the caller may not write directly are not written through an owner', async () => {
    const before = await state();
    for (const [path, body] of [
      ['/policies', { name: 'x', permissions: [held] }],
      [`/roles/${role('Plain')}`, { users: [] }],
    ] as const) {
      const { status } = await send('plain', path === '/policies' ? 'POST' : 'PATCH', path, body);
      expect(status).toBe(403);
    }
    expect(await state()).toEqual(before);
  });

  it('a role cannot be above itself', async () => {
    const before = await state();
    const [chief, clerk] = [role('Chief'), role('Clerk')];
    for (const body of [
      { parent: chief },
      { parent: clerk },
      { children: [clerk, chief] },
      { parent: { name: 'New', parent: chief } },
    ]) {
      const { status, text } = await send('admin', 'PATCH', `/roles/${chief}`, body);
      expect({ body, status }).toEqual({ body, status: 422 });
      expect(text).toContain('cannot be above itself');
    }
    expect(await state()).toEqual(before);
  });

  it('the last administrator cannot be removed through a list', async () => {
    const [admin] = (await send('admin', 'GET', '/users?filter[email][_eq]=admin@example.com')).data as [
      { readonly id: string; readonly role: string },
    ];
    const [link] = (await send('admin', 'GET', `/access?filter[role][_eq]=${admin.role}`)).data as [
      { readonly id: string; readonly policy: string },
    ];
    const before = await state();
    for (const [path, body] of [
      [`/roles/${admin.role}`, { users: [] }],
      [`/roles/${admin.role}`, { users: { update: [{ id: admin.id, status: 'suspended' }] } }],
      [`/roles/${admin.role}`, { policies: [] }],
      [`/policies/${link.policy}`, { access: { delete: [link.id] } }],
      [`/roles/${role('Plain')}`, { users: [admin.id] }],
    ] as const) {
      const { status, codes } = await send('admin', 'PATCH', path, body);
      expect({ path, body, status, codes }).toEqual({
        path,
        body,
        status: 422,
        codes: ['UNPROCESSABLE_ENTITY'],
      });
    }
    expect(await state()).toEqual(before);
  });
});
