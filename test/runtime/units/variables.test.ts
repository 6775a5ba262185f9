import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../runtime/access/principal.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import { resolveVariable } from '../../../runtime/access/variables.js';
import { codeOf } from './refusals.js';

const book = createPolicyIndex({
  version: '1',
  roles: [
    { id: 'staff', parent: null },
    { id: 'editor', parent: 'staff' },
  ],
  policies: [
    { id: 'p2', admin: false },
    { id: 'p1', admin: false },
  ],
  access: [
    { policy: 'p2', role: 'staff', user: null },
    { policy: 'p1', role: null, user: 'u1' },
    { policy: 'gone', role: null, user: 'u1' },
  ],
  permissions: [],
});

const user = {
  id: 'u1',
  role: 'editor',
  status: 'active',
  columns: { email: 'a@b.c', age: 7, nothing: null },
};
const principalOf = (who: Principal['user']): Principal => ({
  user: who,
  policies: book.policiesOf(who),
  roles: book.rolesOf(who),
  session: null,
  credentialDigest: '',
  needsSecondFactor: false,
  records: book.records,
  version: '1',
});
const somebody = principalOf(user);
const nobody = principalOf(null);
const now = new Date('2024-02-29T12:00:00.000Z');

describe('a variable', () => {
  it.each([
    ['$NOW', '2024-02-29T12:00:00.000Z'],
    ['$NOW(+1 day)', '2024-03-01T12:00:00.000Z'],
    ['$NOW(-1 d)', '2024-02-28T12:00:00.000Z'],
    ['$NOW(1)', '2024-03-01T12:00:00.000Z'],
    ['$NOW(-2 hours)', '2024-02-29T10:00:00.000Z'],
    ['$NOW( +90 minutes )', '2024-02-29T13:30:00.000Z'],
    ['$NOW(-1.5 h)', '2024-02-29T10:30:00.000Z'],
    ['$NOW(+30s)', '2024-02-29T12:00:30.000Z'],
    ['$NOW(-250 ms)', '2024-02-29T11:59:59.750Z'],
    ['$NOW(+2 weeks)', '2024-03-14T12:00:00.000Z'],
    ['$NOW(+1 mo)', '2024-03-29T12:00:00.000Z'],
    ['$NOW(-12 MONTHS)', '2023-03-01T12:00:00.000Z'],
    ['$NOW(+4 years)', '2028-02-29T12:00:00.000Z'],
    ['$CURRENT_USER', 'u1'],
    ['$CURRENT_USER.email', 'a@b.c'],
    ['$CURRENT_USER.age', 7],
    ['$CURRENT_USER.nothing', null],
    ['$CURRENT_USER.toString', null],
    ['$CURRENT_USER.__proto__', null],
    ['$CURRENT_ROLE', 'editor'],
    ['$CURRENT_ROLES', ['editor', 'staff']],
    ['$CURRENT_POLICIES', ['p1', 'p2']],
  ])('%s is %j', (text, want) => {
    expect(resolveVariable(text, somebody, now)).toEqual(want);
  });

  it.each([
    ['$CURRENT_USER', null],
    ['$CURRENT_USER.email', null],
    ['$CURRENT_ROLE', null],
    ['$CURRENT_ROLES', []],
    ['$CURRENT_POLICIES', []],
  ])('%s without a user is %j', (text, want) => {
    expect(resolveVariable(text, nobody, now)).toEqual(want);
  });

  it.each([
    '$',
    '$now',
    '$CURRENT_USERS',
    '5 $NOW',
    '',
    'text',
    'toString',
    'constructor.name',
    7,
    true,
    null,
  ])('%j is not a variable', (value) => {
    expect(resolveVariable(value, somebody, now)).toBe(value);
  });

  it.each([
    '$NOW(+999999999999 d)',
    '$NOW(-999999999999999 y)',
    '$NOW(+1 fortnight)',
    '$NOW(soon)',
    '$NOW(+1 d',
  ])('%s is rejected', (text) => {
    expect(codeOf(() => resolveVariable(text, somebody, now))).toBe('INVALID_QUERY');
  });
});
