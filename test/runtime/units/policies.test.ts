/** Which policies a caller holds, and what variables read of roles and policies. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, type Collection } from '../../../contract/collection.js';
import { integer } from '../../../contract/fields.js';
import { readAddressList, requireAddress } from '../../../runtime/access/addresses.js';
import type { Principal } from '../../../runtime/access/principal.js';
import { createPolicyIndex, type AccessRows } from '../../../runtime/access/policies.js';
import { isUnresolvable, resolveVariable } from '../../../runtime/access/variables.js';
import { permission } from './access-rows.js';

const rows: AccessRows = {
  version: '1',
  roles: [
    { id: 'top', parent: null, columns: { name: 'Top', parent: null } },
    { id: 'leaf', parent: 'top', columns: { name: 'Leaf', parent: 'top' } },
    { id: 'lone', parent: null },
    { id: 'named', parent: null, columns: { name: 'top' } },
  ],
  policies: [
    { id: 'z', admin: false, columns: { 'a.b': 'dotted', name: 'Zed' } },
    { id: 'root', admin: true, secondFactor: true },
    { id: 'home', admin: false, addresses: ['10.0.0.0/8'] },
    { id: 'public', admin: false },
    { id: 'office', admin: false, addresses: [' 192.0.2.1 ', ''] },
  ],
  access: [
    { policy: 'z', role: 'leaf', user: null },
    { policy: 'root', role: 'top', user: null },
    { policy: 'home', role: null, user: 'ann' },
    { policy: 'public', role: null, user: null },
    { policy: 'office', role: null, user: null },
    { policy: 'z', role: null, user: 'ben' },
    { policy: 'public', role: null, user: 'ben' },
  ],
  permissions: [
    permission('z'),
    permission('public', { action: 'update' }),
    permission('z', { collection: 'pen' }),
  ],
};

const userOf = (id: string, role: string | null = null) => ({
  id,
  role,
  status: 'active',
  columns: { role, email: `${id}@example.com` },
});

describe('the policies', () => {
  it.each<[string, ReturnType<typeof userOf> | null, string, readonly string[]]>([
    ['of nobody are the public ones', null, '198.51.100.1', ['public']],
    ['of nobody are those of the address as well', null, '192.0.2.1', ['office', 'public']],
    ['of a user without role are the public ones too', userOf('ben'), '198.51.100.1', ['public', 'z']],
    ['of a user with a role are not', userOf('eve', 'lone'), '192.0.2.1', []],
    ['of a role are those of its ancestors', userOf('eve', 'leaf'), '', ['root', 'z']],
    ['of an address hold there', userOf('ann'), '10.1.2.3', ['home', 'public']],
  ])('%s', (_, user, address, ids) => {
    expect(createPolicyIndex(rows).policiesOf(user, () => address).ids).toEqual(ids);
  });

  it('of a user without one for the address reject it', () => {
    expect(() => createPolicyIndex(rows).policiesOf(userOf('ann'), () => '192.0.2.1')).toThrow(
      expect.objectContaining({ code: 'INVALID_IP' }),
    );
  });

  it('make an administrator, and require a second factor, if one of them does', () => {
    const index = createPolicyIndex(rows);
    const seen = [userOf('eve', 'leaf'), userOf('ben'), null].map((user) => {
      const { admin, requiresSecondFactor } = index.policiesOf(user);
      return [admin, requiresSecondFactor];
    });
    expect(seen).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ]);
    expect([index.emptySet.ids, index.emptySet.admin]).toEqual([[], false]);
  });

  it('permit the operations of operators if one of them does, or makes an administrator', () => {
    const policies = rows.policies.map((each) => (each.id === 'z' ? { ...each, operator: true } : each));
    const index = createPolicyIndex({ ...rows, policies });
    const users = [userOf('ben'), userOf('ann'), userOf('eve', 'lone'), null];
    expect(users.map((user) => index.policiesOf(user, () => '10.0.0.1').operator)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(createPolicyIndex(rows).policiesOf(userOf('eve', 'leaf')).operator).toBe(true);
  });

  it('depend on the address if one of them does', () => {
    const index = createPolicyIndex(rows);
    const users = [null, userOf('ann'), userOf('eve', 'leaf'), userOf('eve', 'lone')];
    expect(users.map((user) => index.dependsOnAddress(user))).toEqual([true, true, false, false]);
  });

  it('permit only by their own permissions for collection and action', () => {
    const registry = createRegistry(
      ['book', 'pen'].map((name) =>
        defineCollection({ name, path: `/items/${name}`, key: ['id'], fields: { id: integer() } }),
      ),
    );
    const index = createPolicyIndex(rows);
    const [ben, nobody] = [index.policiesOf(userOf('ben')), index.policiesOf(null)];
    const may = ({ grant }: typeof ben, name: string, action: 'read' | 'update' | 'delete') =>
      grant(registry.collections.get(name) as Collection, action) !== null;
    expect(ben.permissions).toHaveLength(3);
    expect(nobody.permissions).toHaveLength(1);
    expect([may(ben, 'book', 'read'), may(ben, 'pen', 'read'), may(ben, 'book', 'update')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([may(ben, 'pen', 'update'), may(ben, 'book', 'delete')]).toEqual([false, false]);
    expect([may(nobody, 'book', 'read'), may(nobody, 'book', 'update')]).toEqual([false, true]);
  });
});

const resolve = (text: string, user: ReturnType<typeof userOf> | null) => {
  const index = createPolicyIndex(rows);
  const principal = {
    user,
    policies: index.policiesOf(user),
    roles: index.rolesOf(user),
    records: index.records,
  } as Principal;
  return resolveVariable(text, principal, new Date(0));
};

describe('variables', () => {
  it.each([
    ['$CURRENT_USER.email', 'eve@example.com'],
    ['$CURRENT_USER.role', 'leaf'],
    ['$CURRENT_USER.role.name', 'Leaf'],
    ['$CURRENT_USER.role.parent.name', 'Top'],
    ['$CURRENT_USER.role.name.parent', null],
    ['$CURRENT_USER.role.name.name', null],
    ['$CURRENT_USER.role.parent.parent.name', null],
    ['$CURRENT_USER.email.name', null],
    ['$CURRENT_ROLE', 'leaf'],
    ['$CURRENT_ROLE.name', 'Leaf'],
    ['$CURRENT_ROLE.parent', 'top'],
    ['$CURRENT_ROLE.parent.name', 'Top'],
    ['$CURRENT_ROLE.other', null],
    ['$CURRENT_ROLES', ['leaf', 'top']],
    ['$CURRENT_ROLES.name', ['Leaf', 'Top']],
    ['$CURRENT_POLICIES', ['root', 'z']],
    ['$CURRENT_POLICIES.name', [null, 'Zed']],
    ['$CURRENT_POLICIES.a.b', [null, 'dotted']],
  ])('%s is resolved by %j', (text, value) => {
    expect(resolve(text, userOf('eve', 'leaf'))).toEqual(value);
  });

  it('reads other roles by "parent" only, not by a name that is the id of one', () => {
    expect(resolve('$CURRENT_ROLE.name', userOf('eve', 'named'))).toBe('top');
    expect(resolve('$CURRENT_ROLE.name.name', userOf('eve', 'named'))).toBeNull();
  });

  it.each(['$CURRENT_USER.role.name', '$CURRENT_ROLE.name', '$CURRENT_USER.email'])(
    '%s without a user is null',
    (text) => {
      expect(resolve(text, null)).toBeNull();
    },
  );

  it.each([
    ['$NOW(+1 month)', '1970-02-01T00:00:00.000Z'],
    ['$NOW(+1 year)', '1971-01-01T00:00:00.000Z'],
    ['$NOW(+1 y)', '1971-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    expect(resolve(text, null)).toBe(moment);
  });

  it.each(['1 xmo', '1 months2', '1 yearsx', '1 xyear', '1 mont', '1 yea', 'soon'])(
    '$NOW(%s) is invalid',
    (offset) => {
      expect(() => resolve(`$NOW(${offset})`, null)).toThrow(`"$NOW(${offset})" is not a valid time`);
      expect(isUnresolvable(`$NOW(${offset})`)).toBe(true);
    },
  );

  it.each(['$CURRENT_USR', '$CURRENT_USERS.name', '$CURRENT_'])('%s is no variable', (name) => {
    expect(isUnresolvable(name)).toBe(true);
  });

  it.each(['$NOW', '$NOW(1 d)', 'soon', '$CURRENT_USER.nothing', '$CURRENT', '$5', 7, null])(
    '%j is checked for being a variable',
    (value) => {
      expect(isUnresolvable(value)).toBe(false);
    },
  );
});

describe('a list of addresses', () => {
  it.each([
    ['10.0.0.0/8, 192.0.2.1', '192.0.2.1', true],
    ['10.0.0.0/8,192.0.2.1', '192.0.2.2', false],
    ['nowhere', '192.0.2.1', false],
    ['', '192.0.2.1', true],
    [' , ', '192.0.2.1', true],
    [null, '192.0.2.1', true],
  ])('%j permits %s: %s', (column, address, isIn) => {
    let code: unknown = null;
    try {
      requireAddress(readAddressList(column), address);
    } catch (error) {
      ({ code } = error as { code: string });
    }
    expect(code).toBe(isIn ? null : 'INVALID_IP');
  });
});
