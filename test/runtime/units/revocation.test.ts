/** Which writes of the access collections other processes have to learn of before they are answered. */
import { expect, it } from 'vitest';
import { mayRevoke } from '../../../runtime/access/revocation.js';
import type { Permission } from '../../../runtime/access/grant.js';
import type { Collection, Field } from '../../../contract/collection.js';

type Written = Parameters<typeof mayRevoke>[0][number];

const permission = (part: Partial<Permission>) =>
  ({
    policy: 'p',
    collection: 'x',
    action: 'read',
    permissions: null,
    validation: null,
    presets: null,
    fields: null,
    ...part,
  }) as Permission & { readonly policy: string };

const collectionWith = (validation: Field['validation']) =>
  ({ fields: new Map([['owner', { validation }]]) }) as unknown as Collection;

const rules = {
  permissions: [
    permission({ permissions: { _and: [{ city: { _in: ['$CURRENT_USER.city'] } }] } }),
    permission({ validation: { team: { _eq: '$CURRENT_USER.team' } } }),
    permission({ presets: { country: '$CURRENT_USER.country' } }),
  ],
  registry: {
    collections: new Map([['x', collectionWith({ owner: { _eq: '$CURRENT_USER.title' } } as never)]]),
  },
};

const write = (name: string, action: Written['action'], ...fields: string[]): Written => ({
  collection: { name },
  action,
  fields,
});

it.each<[string, Written]>([
  ['a new role', write('svc_roles', 'create', 'name')],
  ['a permission', write('svc_permissions', 'update', 'fields')],
  ['a deleted access row', write('svc_access', 'delete')],
  ['a deleted user', write('svc_users', 'delete')],
  ...['ip_access', 'password', 'provider', 'role', 'status', 'tfa_secret', 'token'].map(
    (name): [string, Written] => [`the ${name} of a user`, write('svc_users', 'update', 'first_name', name)],
  ),
  ...['city', 'team', 'country', 'title'].map((name): [string, Written] => [
    `the ${name}, which a rule names`,
    write('svc_users', 'update', name),
  ]),
])('%s may revoke', (_, written) => {
  expect(mayRevoke([write('svc_users', 'create', 'role'), written], rules)).toBe(true);
});

it.each<[string, Written]>([
  ['a new user', write('svc_users', 'create', 'role', 'token', 'status')],
  ['a name', write('svc_users', 'update', 'first_name', 'last_name')],
  ['a column whose name only begins like one in a rule', write('svc_users', 'update', 'cit')],
])('%s does not', (_, written) => {
  expect(mayRevoke([written], rules)).toBe(false);
});

it('nothing written revokes nothing', () => {
  expect(mayRevoke([], rules)).toBe(false);
});
