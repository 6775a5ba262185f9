/** Callers cannot grant permissions they do not hold, and one active administrator remains. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { ask } from '../graphql/library.js';
import { useServer } from '../harness/use-server.js';
import { libraryMeta, librarySql } from './library.js';
import { managerAccess } from './managers.js';

const dialects = dialectsOf(import.meta.url);

describe.each(dialects)('escalation on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), meta: libraryMeta, access: managerAccess });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const idOf = (kind: 'policies' | 'roles' | 'users', name: string): string =>
    server().ids[kind].get(name) ?? '';
  const create = async (as: string, path: string, body: unknown) => {
    const { status, data, codes } = await send(as, 'POST', path, body);
    return { status, codes, id: (data as { readonly id?: string } | undefined)?.id };
  };
  const titles = () => idOf('policies', 'Titles');
  const state = async (): Promise<unknown> => {
    const tables = [
      // without `last_access`, which every first use of a token sets
      'users?fields=id,email,status,role,token,password,ip_access,provider,external_identifier',
      'roles?fields=*',
      'policies?fields=*',
      'access?fields=*',
      'permissions?fields=*',
    ];
    return Promise.all(
      tables.map(async (table) => (await send('admin', 'GET', `/${table}&sort=id&limit=-1`)).data),
    );
  };

  it.each([
    ['a collection one has nothing on', { collection: 'review', action: 'read', fields: ['*'] }],
    ['another action', { collection: 'author', action: 'update', fields: ['*'] }],
    [
      'more fields',
      { collection: 'book', action: 'read', fields: ['id', 'price'], permissions: { stock: { _gt: 0 } } },
    ],
    ['all fields', { collection: 'book', action: 'read', fields: ['*'], permissions: { stock: { _gt: 0 } } }],
    ['more rows', { collection: 'book', action: 'read', fields: ['title'] }],
    [
      'other rows',
      { collection: 'book', action: 'read', fields: ['title'], permissions: { stock: { _gte: 0 } } },
    ],
    [
      'rows by the keys of a list',
      { collection: 'author', action: 'read', permissions: { books: { _in: [1] } } },
    ],
    [
      'rows by the length of a list',
      { collection: 'author', action: 'read', permissions: { 'count(books)': { _gt: 1 } } },
    ],
    [
      'a validation of a secret',
      { collection: 'svc_users', action: 'update', validation: { token: { _starts_with: 'a' } } },
    ],
    ['presets', { collection: 'author', action: 'read', fields: ['*'], presets: { name: 'x' } }],
  ])('a permission for %s cannot be granted', async (_, permission) => {
    const before = await state();
    const { status, codes } = await create('manager', '/permissions', { policy: titles(), ...permission });
    expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
    expect(await state()).toEqual(before);
  });

  it('held permissions can be granted, as a whole or in part', async () => {
    const policy = await create('manager', '/policies', { name: 'Shared' });
    for (const permission of [
      { collection: 'book', action: 'read', fields: ['title'], permissions: { stock: { _gt: 0 } } },
      { collection: 'author', action: 'read', fields: ['name'], permissions: { id: { _eq: 1 } } },
    ]) {
      const made = await create('manager', '/permissions', { policy: policy.id, ...permission });
      expect(made.status).toBe(200);
    }
    const attached = await create('manager', '/access', { policy: policy.id, user: idOf('users', 'guest') });
    expect(attached.status).toBe(200);
    expect((await send('guest', 'GET', '/items/author?fields=name')).data).toEqual([{ name: 'Anna Busy' }]);
  });

  it('an existing permission cannot be widened', async () => {
    const found = await send('admin', 'GET', `/permissions?filter[policy][_eq]=${titles()}`);
    const [{ id }] = found.data as [{ readonly id: number }];
    for (const body of [
      { permissions: null },
      { fields: ['*'] },
      { collection: 'review' },
      { action: 'delete' },
    ]) {
      expect((await send('manager', 'PATCH', `/permissions/${id}`, body)).codes).toEqual(['FORBIDDEN']);
    }
  });

  it.each([
    ['administration in a new policy', 'POST', '/policies', () => ({ name: 'x', admin_access: true })],
    ['administration in an old one', 'PATCH', '/policies/TITLES', () => ({ admin_access: true })],
    [
      'a policy one does not cover, to oneself',
      'POST',
      '/access',
      () => ({ policy: idOf('policies', 'Prices'), user: idOf('users', 'manager') }),
    ],
    [
      'a policy one does not cover, to everybody',
      'POST',
      '/access',
      () => ({ policy: idOf('policies', 'Prices') }),
    ],
    [
      'a policy one does not cover, to a role',
      'POST',
      '/access',
      () => ({ policy: idOf('policies', 'Prices'), role: idOf('roles', 'Plain') }),
    ],
    ['a role above a role', 'PATCH', '/roles/PLAIN', () => ({ parent: idOf('roles', 'Chief') })],
    [
      'a role below one that has more',
      'POST',
      '/roles',
      () => ({ name: 'x', parent: idOf('roles', 'Chief') }),
    ],
    [
      'a role to a new user',
      'POST',
      '/users',
      () => ({ email: 'x@example.com', role: idOf('roles', 'Chief'), token: 'x-token-of-the-test' }),
    ],
    [
      'a role by way of its parent',
      'POST',
      '/users',
      () => ({ email: 'x@example.com', role: idOf('roles', 'Clerk') }),
    ],
    ['a role to oneself', 'PATCH', '/users/MANAGER', () => ({ role: idOf('roles', 'Chief') })],
    ['the token of somebody with more', 'PATCH', '/users/CHIEF', () => ({ token: 'mine-and-long-enough' })],
    ['the address of somebody with more', 'PATCH', '/users/CHIEF', () => ({ email: 'mine@example.com' })],
    [
      'somebody with more, first without role',
      'PATCH',
      '/users/CHIEF',
      () => ({ role: null, token: 'mine-and-long-enough' }),
    ],
    ['the networks of somebody with more', 'PATCH', '/users/CHIEF', () => ({ ip_access: [] })],
  ])('%s cannot be granted', async (_, method, path, bodyOf) => {
    const before = await state();
    const named = path
      .replace('TITLES', titles())
      .replace('PLAIN', idOf('roles', 'Plain'))
      .replace(/MANAGER|CHIEF/, (name) => idOf('users', name.toLowerCase()));
    const { status, codes } = await send('manager', method, named, bodyOf());
    expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
    expect(await state()).toEqual(before);
  });

  it('fields without effect on access can be changed for any user', async () => {
    const path = `/users/${idOf('users', 'chief')}?fields=first_name`;
    expect((await send('manager', 'PATCH', path, { first_name: 'Ada' })).data).toEqual({ first_name: 'Ada' });
    const role = await create('manager', '/roles', { name: 'Below', parent: idOf('roles', 'Plain') });
    expect(role.status).toBe(200);
    const user = await create('manager', '/users', {
      email: 'new@example.com',
      role: role.id,
      token: 'new-token-of-the-test',
    });
    expect(user.status).toBe(200);
  });

  it('users cannot change identity or permissions in their own record', async () => {
    for (const name of [
      'role',
      'status',
      'policies',
      'provider',
      'token',
      'external_identifier',
      'ip_access',
    ]) {
      for (const as of ['manager', 'admin']) {
        const { status, codes } = await send(as, 'PATCH', '/users/me', { [name]: null });
        expect({ as, name, status, codes }).toEqual({ as, name, status: 403, codes: ['FORBIDDEN'] });
      }
    }
    expect((await send('manager', 'PATCH', '/users/me', { tfa_secret: 'x' })).codes).toEqual([
      'INVALID_PAYLOAD',
    ]);
    expect((await send('guest', 'PATCH', '/users/me', { first_name: 'x' })).codes).toEqual(['FORBIDDEN']);
  });

  it.each([
    ['by key', (id: string, data: object) => ['PATCH', `/users/${id}`, data]],
    ['by key in other case', (id: string, data: object) => ['PATCH', `/users/${id.toUpperCase()}`, data]],
    ['by keys', (id: string, data: object) => ['PATCH', '/users', { keys: [id], data }]],
    ['by a filter', (_: string, data: object) => ['PATCH', '/users', { query: { limit: -1 }, data }]],
    ['in a list', (id: string, data: object) => ['PATCH', '/users', [{ id, ...data }]]],
  ] as const)('users cannot change them in a write %s', async (_, requestOf) => {
    const before = await state();
    const own = idOf('users', 'manager');
    for (const data of [
      { role: null },
      { status: 'active' },
      { provider: 'x' },
      { token: 'x-token-of-the-test' },
      { external_identifier: 'x' },
      { ip_access: [] },
    ]) {
      const [method, path, body] = requestOf(own, data);
      const { status, codes, text } = await send('manager', method as string, path as string, body);
      const refused = `you cannot change your own \\"${Object.keys(data)[0]}\\"`;
      expect({ data, status, codes, told: text.includes(refused) }).toEqual({
        data,
        status: 403,
        codes: ['FORBIDDEN'],
        told: true,
      });
    }
    expect(await state()).toEqual(before);
  });

  it('users cannot change them by GraphQL', async () => {
    const before = await state();
    const own = idOf('users', 'manager');
    for (const field of [
      `update_users_item(id: "${own}", data: { provider: "x" }) { id }`,
      `update_users_items(ids: ["${own}"], data: { provider: "x" }) { id }`,
      `update_users_items(filter: { email: { _nnull: true } }, data: { provider: "x" }) { id }`,
      `update_users_batch(data: [{ id: "${own}", provider: "x" }]) { id }`,
    ]) {
      const { codes } = await ask(server(), `mutation { ${field} }`, {
        as: 'manager',
        path: '/graphql/system',
      });
      expect({ field, codes }).toEqual({ field, codes: ['FORBIDDEN'] });
    }
    expect(await state()).toEqual(before);
  });

  it('administrators can change their own record, and everybody their own profile', async () => {
    const [{ id }] = (await send('admin', 'GET', '/users?filter[email][_eq]=admin@example.com')).data as [
      { readonly id: string },
    ];
    const own = { external_identifier: 'x', provider: 'default', ip_access: null };
    expect((await send('admin', 'PATCH', `/users/${id}`, own)).status).toBe(200);
    const path = `/users/${idOf('users', 'manager')}?fields=first_name`;
    expect((await send('manager', 'PATCH', path, { first_name: 'Max' })).data).toEqual({ first_name: 'Max' });
  });

  it('the last administrator cannot be removed through any row', async () => {
    const before = await state();
    const [user] = (await send('admin', 'GET', '/users?filter[email][_eq]=admin@example.com')).data as [
      { readonly id: string; readonly role: string },
    ];
    const [link] = (await send('admin', 'GET', `/access?filter[role][_eq]=${user.role}`)).data as [
      { readonly id: string; readonly policy: string },
    ];
    for (const [method, path, body] of [
      ['PATCH', `/users/${user.id}`, { status: 'suspended' }],
      ['PATCH', `/users/${user.id}`, { role: null }],
      ['PATCH', '/users', { keys: [user.id], data: { status: 'archived' } }],
      ['PATCH', '/users', [{ id: user.id, status: 'archived' }]],
      ['DELETE', `/users/${user.id}`, undefined],
      ['DELETE', '/users', { query: { filter: { email: { _nnull: true } } } }],
      ['DELETE', `/roles/${user.role}`, undefined],
      ['DELETE', `/access/${link.id}`, undefined],
      ['PATCH', `/access/${link.id}`, { role: null, user: idOf('users', 'guest'), policy: titles() }],
      ['DELETE', `/policies/${link.policy}`, undefined],
      ['PATCH', `/policies/${link.policy}`, { admin_access: false }],
    ] as const) {
      const { status, codes } = await send('admin', method, path, body);
      expect({ method, path, body, status, codes }).toEqual({
        method,
        path,
        body,
        status: 422,
        codes: ['UNPROCESSABLE_ENTITY'],
      });
    }
    expect(await state()).toEqual(before);
  });

  it('two administrators cannot suspend each other at the same time', async () => {
    const [{ role }] = (await send('admin', 'GET', '/users?filter[email][_eq]=admin@example.com')).data as [
      { readonly role: string },
    ];
    const second = await create('admin', '/users', {
      email: 'second@example.com',
      role,
      token: 'second-token-of-the-test',
    });
    const [{ id }] = (await send('admin', 'GET', '/users?filter[email][_eq]=admin@example.com')).data as [
      { readonly id: string },
    ];
    const asSecond = (status: string) =>
      server().request('PATCH', `/users/${id}`, {
        headers: { authorization: 'Bearer second-token-of-the-test' },
        body: { status },
      });
    const answers = await Promise.all([
      send('admin', 'PATCH', `/users/${second.id}`, { status: 'suspended' }),
      asSecond('suspended'),
    ]);
    expect(answers.map(({ status }) => status).toSorted()[0]).toBe(200);
    expect(answers.map(({ status }) => status).toSorted()[1]).toBeGreaterThanOrEqual(401);
    await asSecond('active');
    expect((await send('admin', 'DELETE', `/users/${second.id}`)).status).toBe(204);
  });
});
