import { describe, expect, it } from 'vitest';
import {
  createGrant,
  restrictGrant,
  type Grant,
  type Permission,
  type Rule,
} from '../../../runtime/access/grant.js';
import { createPolicyIndex, type AccessRows } from '../../../runtime/access/policies.js';
import {
  createRegistry,
  defineCollection,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';

const registry = createRegistry([
  defineCollection({
    name: 'work',
    path: '/items/work',
    key: ['id'],
    fields: { id: integer(), title: string(), price: integer() },
    relations: { parts: oneToMany('work', ['id'], ['id']) },
  }),
]);
const work = registry.collections.get('work') as Collection;

const permission = (options: Partial<Permission>): Permission => ({
  collection: 'work',
  action: 'read',
  permissions: null,
  validation: null,
  presets: null,
  fields: ['*'],
  ...options,
});

const grantOf = (...permissions: readonly Partial<Permission>[]): Grant =>
  createGrant({
    collection: work,
    action: 'read',
    admin: false,
    permissions: permissions.map(permission),
  }) as Grant;

/** `always`, or the values its filters compare with. */
const say = (rule: Rule | undefined): unknown =>
  rule?.kind === 'filters' ? rule.filters.map(({ values }) => values[0]) : rule?.kind;

const fieldsOf = (grant: Grant): Record<string, unknown> =>
  Object.fromEntries([...grant.fields].map(([name, rule]) => [name, say(rule)]));

const where = (value: number) => ({ permissions: { price: { _eq: value } } });

const valid = (value: number) => ({ validation: { price: { _eq: value } } });

describe('a grant', () => {
  it('cannot be created without policies', () => {
    expect(createGrant({ collection: work, action: 'read', admin: false, permissions: [] })).toBeNull();
  });

  it('of an administrator allows everything, regardless of permissions', () => {
    const grant = createGrant({
      collection: work,
      action: 'read',
      admin: true,
      permissions: [permission({ ...where(1), fields: [], presets: { price: 1 } })],
    }) as Grant;
    expect(fieldsOf(grant)).toEqual({ id: 'always', title: 'always', price: 'always', parts: 'always' });
    expect([grant.everyField, say(grant.rows), grant.permissions, grant.presets]).toEqual([
      true,
      'always',
      [],
      {},
    ]);
  });

  it.each<[string, Partial<Permission>[], unknown]>([
    ['no filter is every row', [{}], 'always'],
    ['an empty filter is every row', [{ permissions: {} }], 'always'],
    ['one filter', [where(1)], [1]],
    ['several are joined by or', [where(1), where(2)], [1, 2]],
    ['one without filter wins', [where(1), {}], 'always'],
  ])('permits rows: %s', (_, permissions, want) => {
    expect(say(grantOf(...permissions).rows)).toEqual(want);
  });

  it.each<[string, Partial<Permission>[], Record<string, unknown>]>([
    [
      '* is every field and relation',
      [{}],
      { id: 'always', title: 'always', price: 'always', parts: 'always' },
    ],
    ['a list is the list', [{ fields: ['id', 'parts'] }], { id: 'always', parts: 'always' }],
    ['no list is nothing', [{ fields: null }], {}],
    ['an empty list is nothing', [{ fields: [] }], {}],
    ['names that are not there are nothing', [{ fields: ['gone'] }], {}],
    ['one permission: the rule of the row is enough', [{ ...where(1), fields: ['id'] }], { id: 'always' }],
    [
      'a field that only one lists shows on its rows alone',
      [
        { ...where(1), fields: ['id'] },
        { ...where(2), fields: ['id', 'title'] },
      ],
      { id: 'always', title: [2] },
    ],
    [
      'a field that a permission without filter lists shows everywhere',
      [{ ...where(1), fields: ['id'] }, { fields: ['title'] }],
      { id: [1], title: 'always' },
    ],
    [
      'of three, two',
      [
        { ...where(1), fields: ['title'] },
        { ...where(2), fields: ['title'] },
        { ...where(3), fields: ['id'] },
      ],
      { id: [3], title: [1, 2] },
    ],
  ])('permits fields: %s', (_, permissions, want) => {
    expect(fieldsOf(grantOf(...permissions))).toEqual(want);
  });

  it('distinguishes * from a list of all fields', () => {
    expect(grantOf({ fields: ['id', 'title', 'price', 'parts'] }).everyField).toBe(false);
    expect(grantOf({ fields: ['id'] }, { fields: ['*'] }).everyField).toBe(true);
  });

  it('is limited to rows and fields of the matching permissions', () => {
    const grant = grantOf(
      { ...where(1), ...valid(1), fields: ['price'] },
      { ...where(2), fields: ['title'] },
      { ...where(3), ...valid(3), fields: ['price', 'title'] },
    );
    const left = (...passed: readonly unknown[]) => {
      const narrowed = restrictGrant(grant, ({ validation }) => passed.includes(String(say(validation))));
      return narrowed && [say(narrowed.rows), fieldsOf(narrowed)];
    };
    expect(left('1', '3', 'always')).toEqual([say(grant.rows), fieldsOf(grant)]);
    expect(left('always')).toEqual([[2], { title: 'always' }]);
    expect(left('always', '3')).toEqual([[2, 3], { title: 'always', price: [3] }]);
    expect(left()).toBeNull();
  });

  it.each<[string, Partial<Permission>]>([
    ['a rule that is no filter', { permissions: { price: { _bogus: 1 } } }],
    ['a validation that is no filter', { validation: { price: { _bogus: 1 } } }],
    ['a time that is none', { permissions: { price: { _gt: '$NOW(soon)' } } }],
    ['a time that is none, in a list', { validation: { price: { _in: [1, '$NOW(soon)'] } } }],
    ['a preset of a time that is none', { presets: { price: '$NOW(soon)' } }],
  ])('permits nothing by %s', (_, invalid) => {
    expect(grantOf(invalid)).toBeNull();
    expect(say(grantOf(invalid, where(1)).rows)).toEqual([1]);
  });

  it('unites presets', () => {
    expect(grantOf({ presets: { title: 'a' } }, {}, { presets: { price: 2 } }).presets).toEqual({
      title: 'a',
      price: 2,
    });
  });
});

const rows: AccessRows = {
  version: '7',
  roles: [
    { id: 'top', parent: null },
    { id: 'middle', parent: 'top' },
    { id: 'leaf', parent: 'middle' },
    { id: 'ring', parent: 'gnir' },
    { id: 'gnir', parent: 'ring' },
    { id: 'orphan', parent: 'gone' },
  ],
  policies: ['a', 'b', 'c', 'd', 'public'].map((id) => ({ id, admin: id === 'd' })),
  access: [
    { policy: 'a', role: 'top', user: null },
    { policy: 'b', role: 'leaf', user: null },
    { policy: 'c', role: null, user: 'u' },
    { policy: 'd', role: 'ring', user: null },
    { policy: 'public', role: null, user: null },
    { policy: 'gone', role: null, user: 'u' },
  ],
  permissions: [{ ...permission({}), policy: 'a' }],
};

describe('the policies', () => {
  const book = createPolicyIndex(rows);
  const policiesOf = (id: string | null, role: string | null) =>
    book.policiesOf(id === null ? null : { id, role, status: 'active', columns: {} });

  it.each([
    [null, null, ['public']],
    ['x', null, ['public']],
    ['u', null, ['c', 'public']],
    ['u', 'leaf', ['a', 'b', 'c']],
    ['x', 'middle', ['a']],
    ['x', 'ring', ['d']],
    ['x', 'gnir', ['d']],
    ['x', 'orphan', []],
    ['x', 'gone', ['public']],
  ])('of user %s with role %s are %j', (user, role, want) => {
    expect(policiesOf(user, role).ids).toEqual(want);
  });

  it('that are equal are one set with one cache', () => {
    expect(policiesOf('x', 'middle')).toBe(policiesOf('y', 'top'));
    expect(policiesOf('x', 'middle').cache).not.toBe(policiesOf('x', 'leaf').cache);
  });

  it('make an administrator if one of them does', () => {
    expect(policiesOf('x', 'ring').admin).toBe(true);
    expect(policiesOf(null, null).admin).toBe(false);
    expect(policiesOf('u', 'leaf').admin).toBe(false);
  });

  it('create one grant per collection and action', () => {
    const policies = policiesOf('x', 'middle');
    expect(policies.grant(work, 'read')).not.toBeNull();
    expect(policies.grant(work, 'read')).toBe(policies.grant(work, 'read'));
    expect(policies.grant(work, 'update')).toBeNull();
    expect(policiesOf('x', 'orphan').grant(work, 'read')).toBeNull();
  });
});
