/** `users_me`, `update_users_me` and `roles_me`, planned from their selections. */
import { describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess } from '../server-harness.js';
import { ask as askGraphql } from './library.js';

const own = { id: { _eq: '$CURRENT_USER' } };

const access: TestAccess = {
  policies: {
    Self: [
      { collection: 'svc_users', action: 'read', fields: ['id', 'email', 'role'], permissions: own },
      { collection: 'svc_users', action: 'update', fields: ['first_name', 'role'], permissions: own },
      {
        collection: 'svc_roles',
        action: 'read',
        fields: ['name', 'parent'],
        permissions: { id: { _in: '$CURRENT_ROLES' } },
      },
    ],
    Others: [
      { collection: 'svc_users', action: 'read', fields: ['id'], permissions: { id: { _null: true } } },
    ],
    Blind: [{ collection: 'svc_users', action: 'update', fields: ['first_name'], permissions: own }],
  },
  roles: {
    Staff: { policies: ['Self'] },
    Desk: { parent: 'Staff', policies: [] },
    Guest: { policies: [] },
  },
  users: {
    clerk: { role: 'Desk' },
    hidden: { role: 'Guest', policies: ['Others'] },
    blind: { role: 'Guest', policies: ['Blind'] },
    nobody: { role: 'Guest' },
    lone: {},
  },
  // also for whoever has no role
  public: ['Self'],
};

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  const server = useServer({ dialect, access });
  const ask = (query: string, as: string) => askGraphql(server(), query, { as, path: '/graphql/system' });
  const nameOf = async (user: string) => {
    const { data } = await server().request('GET', `/users/${server().ids.users.get(user)}`, { as: 'admin' });
    return (data as { readonly first_name: unknown }).first_name;
  };

  it('selects the own user with its relations', async () => {
    const { data } = await ask(
      '{ users_me { mail: email role { name parent { name } } __typename } }',
      'clerk',
    );
    expect(data).toEqual({
      users_me: {
        mail: 'clerk@example.com',
        role: { name: 'Desk', parent: { name: 'Staff' } },
        __typename: 'svc_users',
      },
    });
  });

  it('applies rules for fields and rows to it', async () => {
    expect((await ask('{ users_me { token } }', 'clerk')).codes).toEqual(['GRAPHQL_VALIDATION']);
    const { body, codes } = await ask('{ users_me { id } }', 'hidden');
    expect([codes, body]).toEqual([['FORBIDDEN'], expect.objectContaining({ data: { users_me: null } })]);
  });

  it('includes parent roles in the own roles', async () => {
    const { data } = await ask('{ roles_me { name } }', 'clerk');
    const { roles_me: roles } = data as { readonly roles_me: readonly unknown[] };
    expect(roles).toHaveLength(2);
    expect(roles).toEqual(expect.arrayContaining([{ name: 'Desk' }, { name: 'Staff' }]));
  });

  it('returns an empty list of roles to a user without a role', async () => {
    expect((await ask('{ roles_me { name } }', 'lone')).data).toEqual({ roles_me: [] });
  });

  it('updates the own record', async () => {
    const { data } = await ask(
      'mutation { update_users_me(data: { first_name: "Cleo" }) { email role { name } } }',
      'clerk',
    );
    expect(data).toEqual({ update_users_me: { email: 'clerk@example.com', role: { name: 'Desk' } } });
    expect(await nameOf('clerk')).toBe('Cleo');
  });

  it('rejects changes of identity, even if permissions allow them', async () => {
    const change = 'update_users_me(data: { first_name: "No", role: null }) { email }';
    expect((await ask(`mutation { ${change} }`, 'clerk')).codes).toEqual(['FORBIDDEN']);
    expect((await ask('{ users_me { role { name } } }', 'clerk')).data).toEqual({
      users_me: { role: { name: 'Desk' } },
    });
    expect(await nameOf('clerk')).not.toBe('No');
  });

  it('returns only success for an update without read permission', async () => {
    const { data } = await ask('mutation { update_users_me(data: { first_name: "Bo" }) }', 'blind');
    expect(data).toEqual({ update_users_me: true });
    expect(await nameOf('blind')).toBe('Bo');
  });

  it.each(['public', 'nobody'])('is not available to %s', async (as) => {
    const fields = as === 'public' ? ['users_me', 'roles_me'] : ['users_me'];
    for (const field of fields) {
      const { codes, problems } = await ask(`{ ${field} { id } }`, as);
      expect({ field, codes, problems }).toEqual({
        field,
        codes: ['GRAPHQL_VALIDATION'],
        problems: [expect.stringContaining(`Cannot query field "${field}"`)],
      });
    }
  });
});
