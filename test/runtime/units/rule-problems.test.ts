/** Rules of users, policies and permissions that could never be evaluated. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection } from '../../../contract/collection.js';
import { ApiErrors, type ApiError } from '../../../contract/errors.js';
import { csv, integer, json } from '../../../contract/fields.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import { planCreate } from '../../../runtime/plan/write.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const fields = {
  id: integer({ auto: true }),
  permissions: json({ nullable: true }),
  validation: json({ nullable: true }),
  presets: json({ nullable: true }),
  ip_access: csv({ nullable: true }),
};

const names = ['svc_permissions', 'svc_policies', 'svc_users', 'notes'];

const { collections } = createRegistry(
  names.map((name) =>
    defineCollection({
      name,
      path: null,
      key: ['id'],
      fields,
      ...(name === 'notes' ? {} : { access: true }),
    }),
  ),
);

const { policiesOf } = createPolicyIndex({
  version: '1',
  roles: [],
  policies: [{ id: 'p', admin: true }],
  access: [{ policy: 'p', role: null, user: 'ann' }],
  permissions: [],
});

/** Expected values in the problems of a payload, by field. */
const problemsOf = (name: string, payload: Readonly<Record<string, unknown>>): unknown => {
  const collection = collections.get(name);
  if (collection === undefined) throw new Error(`no ${name}`);
  try {
    planCreate(collection, [payload], {
      policies: policiesOf({ id: 'ann', role: null, status: 'active', columns: {} }),
      maxDepth: 10,
      resolve: (value) => value,
      matches: createMatcher(),
      fills: { user: null, now: () => '', uuid: () => '' },
    });
    return null;
  } catch (error) {
    const [problem] = error instanceof ApiErrors ? error.problems : [error];
    const { code, details } = problem as ApiError;
    return [code, details.type, details.field, details.expected];
  }
};

const problem = (field: string, expected: string) => ['FAILED_VALIDATION', 'rule', field, expected];

const moments = 'moments as in $NOW(-1 day)';
const variables = 'the variables $NOW, $CURRENT_USER, $CURRENT_ROLE, $CURRENT_ROLES, $CURRENT_POLICIES';
const networks = 'addresses and networks, as in 10.0.0.0/8 or ::1';

describe('a rule of a permission', () => {
  it.each<[unknown, string | null]>([
    [null, null],
    ['null', null],
    [{}, null],
    [{ a: { _eq: 1 } }, null],
    [{ a: { _gt: '$NOW(-1 day)' } }, null],
    [{ a: { _gt: '$NOW(yesterday)' } }, moments],
    [{ title: { _neq: '$CURRENT_USR' } }, variables],
    [{ a: { _in: ['x', '$NOW(yesterday)'] } }, moments],
    [[], 'an object'],
    ['"text"', 'an object'],
    ['5', 'an object'],
  ])('%j is accepted, or %j is expected', (value, expected) => {
    for (const field of ['permissions', 'validation'])
      expect(problemsOf('svc_permissions', { [field]: value })).toEqual(
        expected === null ? null : problem(field, expected),
      );
  });

  it('must be a filter', () => {
    const found = problemsOf('svc_permissions', { permissions: { a: { _equals: 1 } } });
    expect(found).toEqual(problem('permissions', expect.stringMatching(/^a filter \(.*"_equals"/) as string));
  });
});

describe('presets of a permission', () => {
  it.each<[unknown, string | null]>([
    [null, null],
    ['null', null],
    [{ a: 1, b: '$NOW' }, null],
    [{ a: '$NOW(yesterday)' }, moments],
    [{ a: 1, b: '$NOW(yesterday)' }, moments],
    [[], 'an object'],
    ['5', 'an object'],
  ])('%j is accepted, or %j is expected', (value, expected) => {
    expect(problemsOf('svc_permissions', { presets: value })).toEqual(
      expected === null ? null : problem('presets', expected),
    );
  });
});

describe('the networks of a policy and of a user', () => {
  it.each<[unknown, string | null]>([
    [null, null],
    ['', null],
    ['10.0.0.0/8,::1', null],
    [['10.0.0.1'], null],
    ['10.0.0.0/8,home', networks],
    ['10.0.0.0/40', networks],
  ])('%j is accepted, or %j is expected', (value, expected) => {
    for (const name of ['svc_policies', 'svc_users'])
      expect(problemsOf(name, { ip_access: value })).toEqual(
        expected === null ? null : problem('ip_access', expected),
      );
  });
});

it('columns of the same names in other collections hold anything', () => {
  expect(problemsOf('notes', { permissions: [], ip_access: 'home' })).toBeNull();
});
