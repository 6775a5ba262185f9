/** A variable of a caller's own query reads only what the caller may read. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, oneToMany } from '../../../contract/collection.js';
import { string } from '../../../contract/fields.js';
import { createPolicyIndex, type AccessRows } from '../../../runtime/access/policies.js';
import { resolvePolicies, type Principal } from '../../../runtime/access/principal.js';
import { resolveQueryVariable } from '../../../runtime/access/query-variables.js';
import { accessRows, permission } from './access-rows.js';

const registry = createRegistry(
  ['svc_users', 'svc_roles', 'svc_policies'].map((name) =>
    defineCollection({
      name,
      path: null,
      key: ['id'],
      fields: { id: string(), name: string(), role: string(), parent: string(), 'a.b': string() },
      relations: { others: oneToMany('svc_users', ['id'], ['id']) },
    }),
  ),
);

const user = { id: 'ann', role: 'leaf', status: 'active', columns: { name: 'Ann', role: 'leaf' } };

type Parts = Parameters<typeof permission>[1];

const resolve = (value: unknown, permissions: readonly Parts[], collections = registry): unknown => {
  const rows: AccessRows = accessRows({
    roles: [
      { id: 'leaf', parent: 'top', columns: { name: 'Leaf', parent: 'top' } },
      { id: 'top', parent: null, columns: { name: 'Top' } },
    ],
    policies: [{ id: 'p', admin: false, columns: { name: 'Policy', 'a.b': 'dotted' } }],
    access: [{ policy: 'p', role: null, user: 'ann' }],
    permissions: permissions.map((parts) => permission('p', parts)),
  });
  const holder = { user, session: null, credentialDigest: '', expires: 0 };
  const principal = resolvePolicies(holder, createPolicyIndex(rows)).principal as Principal;
  return resolveQueryVariable(value, { principal, registry: collections, now: new Date(0) });
};

const own = (
  collection: string,
  operator: string,
  value: unknown,
  fields: readonly string[] = ['*'],
): Parts => ({
  collection,
  fields,
  permissions: { id: { [operator]: value } },
});

const everyUser = { collection: 'svc_users' };
const everyRole = { collection: 'svc_roles' };
const everyPolicy = { collection: 'svc_policies' };

describe('a variable', () => {
  it.each([
    ['$CURRENT_USER', 'ann'],
    ['$CURRENT_ROLE', 'leaf'],
    ['$CURRENT_ROLES', ['leaf', 'top']],
    ['$CURRENT_POLICIES', ['p']],
    ['$NOW', '1970-01-01T00:00:00.000Z'],
    ['$CURRENT_OTHER.name', '$CURRENT_OTHER.name'],
    ['a.name', 'a.name'],
    [7, 7],
  ])('%j needs no permission', (value, want) => {
    expect(resolve(value, [])).toEqual(want);
  });

  it.each<[string, readonly Parts[], unknown]>([
    ['$CURRENT_USER.name', [everyUser], 'Ann'],
    ['$CURRENT_USER.name', [{ ...everyUser, fields: ['name'] }], 'Ann'],
    ['$CURRENT_USER.name', [own('svc_users', '_eq', '$CURRENT_USER')], 'Ann'],
    ['$CURRENT_USER.name', [own('svc_users', '_in', ['bob', '$CURRENT_USER'])], 'Ann'],
    ['$CURRENT_USER.name', [own('svc_users', '_eq', 'bob'), own('svc_users', '_eq', '$CURRENT_USER')], 'Ann'],
    ['$CURRENT_USER.role.name', [everyUser, everyRole], 'Leaf'],
    ['$CURRENT_USER.role.parent.name', [everyUser, everyRole], 'Top'],
    ['$CURRENT_USER.role.name', [everyUser, own('svc_roles', '_eq', '$CURRENT_ROLE')], 'Leaf'],
    ['$CURRENT_ROLE.name', [own('svc_roles', '_eq', '$CURRENT_ROLE')], 'Leaf'],
    ['$CURRENT_ROLE.name', [own('svc_roles', '_in', '$CURRENT_ROLES')], 'Leaf'],
    ['$CURRENT_ROLE.parent.name', [own('svc_roles', '_in', '$CURRENT_ROLES')], 'Top'],
    ['$CURRENT_ROLES.name', [own('svc_roles', '_in', '$CURRENT_ROLES')], ['Leaf', 'Top']],
    ['$CURRENT_POLICIES.name', [own('svc_policies', '_in', '$CURRENT_POLICIES')], ['Policy']],
    ['$CURRENT_POLICIES.a.b', [{ ...everyPolicy, fields: ['a.b'] }], ['dotted']],
  ])('%s is read by who may read it: %j', (value, permissions, want) => {
    expect(resolve(value, permissions)).toEqual(want);
  });

  it.each<[string, readonly Parts[]]>([
    ['$CURRENT_USER.name', []],
    ['$CURRENT_USER.name', [{ ...everyUser, action: 'update' }]],
    ['$CURRENT_USER.name', [{ ...everyUser, fields: ['id'] }]],
    ['$CURRENT_USER.nothing', [everyUser]],
    ['$CURRENT_USER.others', [everyUser]],
    ['$CURRENT_USER.name', [own('svc_users', '_eq', 'bob')]],
    ['$CURRENT_USER.name', [own('svc_users', '_neq', '$CURRENT_USER')]],
    ['$CURRENT_USER.name', [own('svc_users', '_nnull', true)]],
    ['$CURRENT_USER.name', [own('svc_users', '_eq', '$CURRENT_ROLE')]],
    ['$CURRENT_USER.name', [{ ...everyUser, permissions: { name: { _eq: '$CURRENT_USER' } } }]],
    [
      '$CURRENT_USER.name',
      [
        {
          ...everyUser,
          permissions: { _and: [{ id: { _eq: '$CURRENT_USER' } }, { name: { _null: true } }] },
        },
      ],
    ],
    ['$CURRENT_USER.name', [{ ...everyUser, permissions: { id: { _or: [{ _eq: '$CURRENT_USER' }] } } }]],
    [
      '$CURRENT_USER.name',
      [own('svc_users', '_eq', '$CURRENT_USER', ['id']), own('svc_users', '_eq', 'bob', ['name'])],
    ],
    ['$CURRENT_USER.name', [{ ...everyUser, fields: ['id'] }, own('svc_users', '_eq', 'bob', ['name'])]],
    ['$CURRENT_USER.role.name', [everyUser]],
    ['$CURRENT_USER.role.name', [everyRole]],
    ['$CURRENT_ROLE.name', []],
    ['$CURRENT_ROLE.name', [own('svc_roles', '_eq', '$CURRENT_USER')]],
    ['$CURRENT_ROLE.parent.name', [own('svc_roles', '_eq', '$CURRENT_ROLE')]],
    ['$CURRENT_ROLES.name', [own('svc_roles', '_eq', '$CURRENT_ROLE')]],
    ['$CURRENT_POLICIES.name', [own('svc_policies', '_in', '$CURRENT_ROLES')]],
    ['$CURRENT_POLICIES.a.b', [{ ...everyPolicy, fields: ['a'] }]],
  ])('%s is not read by others: %j', (value, permissions) => {
    expect(() => resolve(value, permissions)).toThrow(
      `the variable "${value}" does not exist or may not be used`,
    );
  });

  it('is not read where the collection is not served', () => {
    expect(() => resolve('$CURRENT_USER.name', [everyUser], createRegistry([]))).toThrow('may not be used');
  });
});
