/** A caller grants no more than the caller holds, and takes over nobody who holds more. */
import { describe, expect, it } from 'vitest';
import { touchesIdentity } from '../../../runtime/access/escalation.js';
import type { AccessRows } from '../../../runtime/access/policies.js';
import { permission } from './access-rows.js';
import {
  before,
  complete,
  office,
  rated,
  changing,
  creating,
  find,
  giving,
  type Case,
  type Edit,
  type Policy,
} from './escalation-changes.js';

const beyond = (action: string, collection: string): string =>
  `"${action}" on "${collection}" beyond your own permissions`;

describe('a new permission', () => {
  it.each<[string, Parameters<typeof permission>[1], AccessRows['permissions']?]>([
    ['the same', { fields: ['id', 'title', 'pages'] }],
    ['of fewer fields', { fields: ['pages'] }],
    ['of no field', { fields: null }],
    ['of one field where the own is of all', { collection: 'pen', fields: ['colour'] }],
    ['of all fields where the own is', { collection: 'pen' }],
    ['of no field, as the own', { collection: 'pen', action: 'delete', fields: null }],
    ['of fewer rows where the own rule is empty', { collection: 'pen', permissions: { id: { _eq: 1 } } }],
    ['of the same rows', { collection: 'film', permissions: rated }],
    ['of fewer rows, by what the caller reads', { fields: ['id'], permissions: { pages: { _gt: 1 } } }],
    [
      'of fewer rows, by conditions that are combined',
      {
        fields: ['id'],
        permissions: { _or: [{ pages: { _gt: 1 } }, { _and: [{ title: { _null: true } }] }] },
      },
    ],
    [
      'of fewer rows, by several conditions on one field',
      { fields: ['id'], permissions: { pages: { _or: [{ _gt: 1 }, { _and: [{ _lt: 0 }] }] } } },
    ],
    [
      'of fewer rows, by functions of what the caller reads',
      { collection: 'pen', permissions: { 'year(born)': { _gt: 1 } } },
    ],
    [
      'of fewer rows, by the presence of a concealed value',
      { collection: 'pen', permissions: { pin: { _null: true }, code: { _nnull: true } } },
    ],
    [
      'of fewer rows, by a column of the user that the caller reads',
      { collection: 'pen', permissions: { title: { _eq: '$CURRENT_USER.title' } } },
      [permission('own', { collection: 'svc_users' })],
    ],
    [
      'of fewer rows, by values in JSON',
      { collection: 'pen', permissions: { data: { _json: { size: { _gt: 1 } } } } },
    ],
    [
      'of fewer rows, by the key of the user',
      { collection: 'pen', permissions: { title: { _in: ['$CURRENT_USER', '$NOW'] } } },
    ],
    ['with the validation of the own', { action: 'update', fields: ['title'], validation: complete }],
    ['with a validation where the own has none', { fields: ['id'], validation: complete }],
    ['with the presets of the own', { action: 'create', fields: ['title'], presets: { kind: 'x' } }],
    ['with presets that set nothing', { fields: ['id'], presets: {} }],
  ])('%s is granted', (_, parts, held = []) => {
    const from = { permissions: [...before.permissions, ...held] };
    expect(find({ from, to: creating({}, ...held, permission('new', parts)) })).toBeNull();
  });

  it.each<[string, Parameters<typeof permission>[1]]>([
    ['of another collection', { collection: 'salary' }],
    ['of another action', { action: 'delete', fields: null }],
    ['of another field', { fields: ['id', 'price'] }],
    ['of all fields', {}],
    ['of a field where the own is of none', { collection: 'pen', action: 'delete', fields: ['id'] }],
    ['of all rows', { collection: 'film' }],
    ['of other rows', { collection: 'film', permissions: { rating: { _gte: 3 } } }],
    [
      'of fewer rows where the own are not all',
      { collection: 'film', permissions: { ...rated, id: { _eq: 1 } } },
    ],
    ['of rows by what the caller does not read', { fields: ['id'], permissions: { price: { _gt: 1 } } }],
    [
      'of rows by what the caller reads and what not',
      { fields: ['id'], permissions: { pages: { _gt: 1 }, price: { _gt: 1 } } },
    ],
    [
      'of rows by what the caller does not read, in a combination',
      { fields: ['id'], permissions: { _or: [{ pages: { _gt: 1 } }, { _and: [{ price: { _gt: 1 } }] }] } },
    ],
    ['of rows by related rows', { fields: ['id'], permissions: { title: { name: { _eq: 1 } } } }],
    ['of rows by some of a list', { fields: ['id'], permissions: { title: { _some: {} } } }],
    ['of rows by none of a list', { fields: ['id'], permissions: { title: { _none: {} } } }],
    [
      'of rows by a comparison and by some of a list',
      { fields: ['id'], permissions: { title: { _gt: 1, _some: {} } } },
    ],
    [
      'of rows by related rows, as an alternative',
      { fields: ['id'], permissions: { title: { _or: [{ name: { _eq: 1 } }] } } },
    ],
    [
      'of rows by related rows, in a combination',
      { fields: ['id'], permissions: { title: { _and: [{ _gt: 1 }, { name: { _eq: 1 } }] } } },
    ],
    ['of rows by the keys of a list', { collection: 'pen', permissions: { parts: { _in: [1] } } }],
    ['of rows by the length of a list', { collection: 'pen', permissions: { 'count(parts)': { _gt: 1 } } }],
    ['of rows by an empty list', { collection: 'pen', permissions: { parts: { _null: true } } }],
    ['of rows by a concealed value', { collection: 'pen', permissions: { pin: { _eq: 'x' } } }],
    ['of rows by a hashed value', { collection: 'pen', permissions: { code: { _eq: 'x' } } }],
    [
      'of rows by a column of the user that the caller does not read',
      { collection: 'pen', permissions: { title: { _in: ['$CURRENT_USER.title'] } } },
    ],
    [
      'of rows by values in concealed JSON',
      { collection: 'pen', permissions: { sealed: { _json: { size: { _gt: 1 } } } } },
    ],
    ['of rows by a comparison of no field', { collection: 'pen', permissions: { _eq: 1 } }],
    ['of rows by some of no list', { collection: 'pen', permissions: { _some: { id: 1 } } }],
    ['by a rule that is no filter', { collection: 'pen', permissions: { title: { _like: 'x' } } }],
    [
      'with a validation of what the caller does not read',
      { fields: ['id'], validation: { price: { _gt: 1 } } },
    ],
    [
      'with a validation of a concealed value',
      { collection: 'pen', validation: { pin: { _starts_with: 'x' } } },
    ],
    [
      'with a validation by a column of the user that the caller does not read',
      { collection: 'pen', validation: { title: { _eq: '$CURRENT_USER.title' } } },
    ],
    ['without the validation of the own', { action: 'update', fields: ['title'] }],
    [
      'with another validation',
      { action: 'update', fields: ['title'], validation: { title: { _null: true } } },
    ],
    ['with other presets', { action: 'create', fields: ['title'], presets: { kind: 'y' } }],
    ['without the presets of the own', { action: 'create', fields: ['title'] }],
  ])('%s is not', (_, parts) => {
    const wanted = permission('new', parts);
    expect(find({ to: creating({}, wanted) })).toBe(beyond(wanted.action, wanted.collection));
  });

  it.each(['pin', 'code'])('of rows by the %s of the user, which nobody reads, is not granted', (column) => {
    const from = { permissions: [...before.permissions, permission('own', { collection: 'svc_users' })] };
    const wanted = permission('new', {
      collection: 'pen',
      permissions: { title: { _eq: `$CURRENT_USER.${column}` } },
    });
    const to = { ...creating({}), permissions: [...from.permissions, wanted] };
    expect(find({ from, to })).toBe(beyond('read', 'pen'));
  });

  it('of a policy that is gone is ignored', () => {
    const gone = permission('gone', { collection: 'salary' });
    expect(find({ to: { permissions: [...before.permissions, gone] } })).toBeNull();
  });

  it('of rows by a field that the caller reads on some rows only is not granted', () => {
    const wanted = permission('new', { collection: 'film', permissions: { rating: { _gt: 4 } } });
    expect(find({ to: creating({}, wanted) })).toBe(beyond('read', 'film'));
  });

  it('of rows by a field that the caller may write but not read is not granted', () => {
    const own = permission('own', { collection: 'pen', action: 'update' });
    const reads = permission('own', { collection: 'pen', fields: ['id'] });
    const wanted = permission('new', {
      collection: 'pen',
      action: 'update',
      permissions: { price: { _gt: 1 } },
    });
    const others = before.permissions.filter(({ collection }) => collection !== 'pen');
    const from = { permissions: [...others, own, reads] };
    const policies = [...before.policies, { id: 'new', admin: false }];
    expect(find({ from, to: { policies, permissions: [...from.permissions, wanted] } })).toBe(
      beyond('update', 'pen'),
    );
  });

  it('that existed before is not a new one, regardless of other changes of its policy', () => {
    const more = permission('other', { fields: ['id'] });
    expect(find({ to: { permissions: [...before.permissions, more] } })).toBeNull();
    const removed = before.permissions.filter(({ policy }) => policy !== 'other');
    expect(find({ to: { permissions: removed } })).toBeNull();
  });

  it("that becomes wider than the caller's is not granted", () => {
    const permissions = before.permissions.map((each) =>
      each.policy === 'other' ? { ...each, fields: ['id'] } : each,
    );
    expect(find({ to: { permissions } })).toBe(beyond('read', 'salary'));
  });

  it('may be granted by an administrator', () => {
    expect(find({ admin: true, to: creating({}, permission('new', { collection: 'salary' })) })).toBeNull();
  });
});

describe('the conditions of a policy', () => {
  const notes = permission('new', { collection: 'note' });
  const secrets = permission('new', { collection: 'secret' });
  const elsewhere = '"read" on "note" from addresses that your own policy does not allow';
  const unproven =
    '"read" on "secret" without the second factor that your own policy requires ("enforce_tfa")';

  it.each<[string, Partial<Policy>, AccessRows['permissions'][number], string | null]>([
    ['the same addresses in another order', { addresses: office.toReversed() }, notes, null],
    ['a part of the addresses', { addresses: ['10.0.0.0/8'] }, notes, null],
    ['more addresses', { addresses: [...office, '172.16.0.0/12'] }, notes, elsewhere],
    ['any address', {}, notes, elsewhere],
    ['any address, with a second factor', { secondFactor: true }, notes, elsewhere],
    ['the second factor', { secondFactor: true }, secrets, null],
    ['the second factor and fewer addresses', { secondFactor: true, addresses: office }, secrets, null],
    ['no second factor', {}, secrets, unproven],
    ['fewer addresses, but no second factor', { addresses: office }, secrets, unproven],
  ])('%s', (_, parts, wanted, found) => {
    expect(find({ to: creating(parts, wanted) })).toBe(found);
  });

  it.each<[string, string, Partial<Policy>, string | null]>([
    ['fewer addresses of an own policy', 'office', { addresses: ['10.0.0.0/8'] }, null],
    ['more addresses of an own policy', 'office', { addresses: [...office, '172.16.0.0/12'] }, elsewhere],
    ['no addresses any more', 'office', { addresses: [] }, elsewhere],
    ['addresses of a policy that permits more', 'other', { addresses: office }, beyond('read', 'salary')],
    [
      'addresses of an administrator',
      'root',
      { addresses: office },
      'the addresses of a policy with "admin_access"',
    ],
    ['another name', 'other', { columns: { name: 'x' } }, null],
    ['administration', 'other', { admin: true }, 'a policy with "admin_access"'],
    ['no administration any more', 'root', { admin: false }, null],
  ])('change: %s', (_, id, parts, found) => {
    expect(find({ to: changing(id, parts) })).toBe(found);
  });

  it('of a new administrator are none that the caller may grant', () => {
    expect(find({ to: creating({ admin: true }) })).toBe('a policy with "admin_access"');
  });
});

describe('a policy that the caller may not grant', () => {
  const refused = 'a policy with permissions beyond your own';

  it.each<[string, Edit]>([
    ['is not given to a user', giving({ user: 'max' })],
    ['is not given to a role', giving({ role: 'plain' })],
    ['is not given to everybody', giving({})],
    ['is not given to a user, if it is one of administrators', giving({ policy: 'root', user: 'max' })],
    [
      'is not given by a role above',
      { roles: before.roles.map((role) => (role.id === 'plain' ? { ...role, parent: 'chief' } : role)) },
    ],
    ['is not given to a new role', { roles: [...before.roles, { id: 'new', parent: 'chief' }] }],
    ['is not given with one that is held already', giving({ policy: 'own' }, { user: 'ann' })],
  ])('%s', (_, to) => {
    expect(find({ to })).toBe(refused);
  });

  it.each<[string, Edit]>([
    ['stays with its holders', {}],
    ['stays with a role whose parent it comes from', giving({ role: 'clerk' })],
    ['may be taken away', { access: before.access.filter(({ policy }) => policy !== 'other') }],
    ['is not one that permits nothing', giving({ policy: 'empty' }, { policy: 'empty', role: 'plain' })],
    ['is not an own one', giving({ policy: 'own', user: 'ann' }, { policy: 'office', role: 'plain' })],
  ])('%s', (_, to) => {
    expect(find({ to })).toBeNull();
  });

  it('includes one that gives administrator access, even if the caller held it before', () => {
    const to = { ...changing('empty', { admin: true }) };
    expect(
      find({ from: changing('empty', { admin: true }), to: { ...to, ...giving({ policy: 'empty' }) } }),
    ).toBe(refused);
  });
});

/** The policies of these names give operator access, no others. */
const operating = (...names: readonly string[]): Edit => ({
  policies: before.policies.map((each) => Object.assign({}, each, { operator: names.includes(each.id) })),
});

describe('operator access', () => {
  it('is not added to a policy by a caller without it', () => {
    expect(find({ to: operating('empty') })).toBe('a policy with "operator_access"');
    expect(find({ to: creating({ operator: true }) })).toBe('a policy with "operator_access"');
  });

  it('is not added to another policy, although one has it already', () => {
    expect(find({ from: operating('unheld'), to: operating('unheld', 'empty') })).toBe(
      'a policy with "operator_access"',
    );
  });

  it('is not given to others by a caller without it', () => {
    const from = operating('unheld');
    expect(find({ from, to: { ...from, ...giving({ policy: 'unheld', user: 'ann' }) } })).toBe(
      'a policy with permissions beyond your own',
    );
  });

  it('is added and given by a caller with it', () => {
    const from = operating('own');
    expect(find({ from, to: operating('own', 'empty') })).toBeNull();
    expect(find({ from, to: { ...from, ...giving({ policy: 'own', user: 'ann' }) } })).toBeNull();
  });

  it('stays where it is', () => {
    expect(find({ from: operating('unheld'), to: operating('unheld') })).toBeNull();
    expect(find({ from: operating('unheld'), to: operating() })).toBeNull();
  });
});

describe('a user', () => {
  const taken = 'a user with permissions beyond your own';

  it.each<[string, Pick<Case, 'usersBefore' | 'usersAfter'>, string | null]>([
    ['who holds no more', { usersBefore: [{ id: 'ann', role: 'plain' }] }, null],
    ['who holds more', { usersBefore: [{ id: 'eve', role: null }] }, taken],
    ['whose role holds more', { usersBefore: [{ id: 'ann', role: 'chief' }] }, taken],
    ['whose role has a parent that holds more', { usersBefore: [{ id: 'ann', role: 'clerk' }] }, taken],
    ['who holds more afterwards', { usersAfter: [{ id: 'ann', role: 'chief' }] }, taken],
    ['who holds no more afterwards', { usersAfter: [{ id: 'ann', role: 'plain' }] }, null],
  ])('%s', (_, users, found) => {
    expect(find(users)).toBe(found);
  });

  it('who holds more by public policies only is not taken over', () => {
    const from = giving({});
    expect(find({ from, usersBefore: [{ id: 'ann', role: null }] })).toBeNull();
  });

  it.each([
    'auth_data',
    'email',
    'external_identifier',
    'ip_access',
    'password',
    'provider',
    'role',
    'status',
    'tfa_secret',
    'token',
  ])('is identified by %s', (field) => {
    expect(touchesIdentity(['first_name', field])).toBe(true);
  });

  it('is not identified by a name', () => {
    expect(touchesIdentity(['first_name', 'last_name'])).toBe(false);
    expect(touchesIdentity([])).toBe(false);
  });
});
