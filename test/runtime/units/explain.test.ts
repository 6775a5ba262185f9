/** Which policies permit an action to a user, and why. */
import { describe, expect, it } from 'vitest';
import { integer, string } from '../../../contract/fields.js';
import { explainAccess } from '../../../runtime/access/explain.js';
import type { AccessRows, Action, User } from '../../../runtime/access/policies.js';
import { findPermissionFaults, type CollectionNames } from '../../../runtime/plan/rule-faults.js';
import { accessRows, permission } from './access-rows.js';

const rows = accessRows({
  roles: [
    { id: 'top', parent: null, columns: { name: 'Top' } },
    { id: 'leaf', parent: 'top' },
  ],
  policies: [
    { id: 'reads', admin: false, columns: { name: 'Readers' }, addresses: [' 10.0.0.0/8 ', ''] },
    { id: 'some', admin: false },
    { id: 'strict', admin: false, secondFactor: true },
    { id: 'root', admin: true },
  ],
  access: [
    { policy: 'reads', role: null, user: 'ann' },
    { policy: 'reads', role: 'top', user: null },
    { policy: 'reads', role: 'leaf', user: null },
    { policy: 'some', role: null, user: null },
    { policy: 'strict', role: null, user: 'ben' },
    { policy: 'root', role: null, user: 'root' },
  ],
  permissions: [
    permission('reads'),
    permission('reads', { action: 'delete', fields: null }),
    permission('reads', { collection: 'pen' }),
    permission('some', { fields: ['title', 'colour'], permissions: { id: { _eq: 1 } } }),
    permission('strict', { permissions: {} }),
  ],
});

const findNames = (collection: string): CollectionNames | undefined =>
  collection === 'book'
    ? { fields: new Map(Object.entries({ id: integer(), title: string() })), targets: new Map() }
    : undefined;

interface Asked {
  readonly user?: Partial<User>;
  readonly action?: Action;
  readonly readonly?: boolean;
  readonly rows?: Partial<AccessRows>;
}

const explain = (id: string, { user = {}, action = 'read', readonly = false, ...options }: Asked = {}) =>
  explainAccess(
    { ...rows, ...options.rows },
    {
      user: { id, role: null, status: 'active', columns: {}, ...user },
      collection: { name: 'book', readonly },
      action,
      findFaults: (each) => findPermissionFaults(each, findNames),
    },
  );

const heldBy = (id: string, role: string | null) =>
  explain(id, { user: { role } }).policies.map((policy) => [policy.id, policy.heldBy]);

describe('an explanation', () => {
  it('names every way in which a user holds a policy', () => {
    expect(heldBy('ann', 'leaf')).toEqual([['reads', ['user', 'role Top', 'role leaf']]]);
    expect(heldBy('eve', 'top')).toEqual([['reads', ['role Top']]]);
    expect(heldBy('ann', null)).toEqual([
      ['reads', ['user']],
      ['some', ['public']],
    ]);
    expect(heldBy('eve', null)).toEqual([['some', ['public']]]);
  });

  it('has of each policy the permissions of the collection and the action, and the names that do not exist', () => {
    expect(explain('ann').policies).toEqual([
      {
        id: 'reads',
        name: 'Readers',
        heldBy: ['user'],
        admin: false,
        addresses: ['10.0.0.0/8'],
        permissions: [{ permissions: null, validation: null, presets: null, fields: ['*'], faults: [] }],
      },
      {
        id: 'some',
        name: 'some',
        heldBy: ['public'],
        admin: false,
        addresses: [],
        permissions: [
          {
            permissions: { id: { _eq: 1 } },
            validation: null,
            presets: null,
            fields: ['title', 'colour'],
            faults: [{ part: 'fields', problem: '"colour" does not exist' }],
          },
        ],
      },
    ]);
  });

  it('leaves out policies that do not permit the action, except those of administrators', () => {
    expect(explain('ann', { action: 'update' })).toMatchObject({ access: 'none', policies: [] });
    expect(explain('root', { action: 'update' })).toMatchObject({
      access: 'full',
      policies: [{ id: 'root', admin: true, permissions: [] }],
    });
  });

  it.each<[string, string, readonly AccessRows['permissions'][number][]]>([
    ['every field of every row', 'full', [permission('some')]],
    ['an empty rule', 'full', [permission('some', { permissions: {} })]],
    ['some rows', 'partial', [permission('some', { permissions: { id: { _eq: 1 } } })]],
    ['some fields', 'partial', [permission('some', { fields: ['id'] })]],
    ['no field', 'partial', [permission('some', { fields: null })]],
    ['some rows, and everything', 'full', [permission('some', { fields: ['id'] }), permission('some')]],
    ['nothing', 'none', []],
  ])('says of %s that access is %s', (_, access, permissions) => {
    expect(explain('eve', { rows: { permissions } }).access).toBe(access);
  });

  it('reports full access if one policy of several permits everything', () => {
    const permissions = [permission('reads', { fields: ['id'] }), permission('some')];
    expect(explain('ann', { rows: { permissions } }).access).toBe('full');
  });

  it.each<[Action, boolean, number]>([
    ['read', true, 2],
    ['delete', true, 0],
    ['delete', false, 1],
  ])('%s of a collection that is read-only (%s) is permitted by %s policies', (action, readonly, count) => {
    const explained = explain('ann', { action, readonly });
    expect([explained.policies.length, explained.readonly]).toEqual([count, readonly]);
  });

  it('has the addresses of the user', () => {
    const lists = ['10.0.0.0/8, 192.0.2.1,', null, undefined].map(
      (ip_access) => explain('ann', { user: { columns: { ip_access } } }).addresses,
    );
    expect(lists).toEqual([['10.0.0.0/8', '192.0.2.1'], [], []]);
  });

  it.each<[string, boolean | undefined, boolean]>([
    ['ben', undefined, true],
    ['ben', false, true],
    ['ben', true, false],
    ['ann', undefined, false],
  ])('of %s, whose second factor is set up: %s, says that it is pending: %s', (id, secondFactor, pending) => {
    const user = secondFactor === undefined ? {} : { secondFactor };
    expect(explain(id, { user }).pending).toBe(pending);
  });
});
