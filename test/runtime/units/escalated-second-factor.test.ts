/** Rules for adding and removing the requirement of a second factor. */
import { describe, expect, it } from 'vitest';
import { before, changing, find, giving, type Case } from './escalation-changes.js';

const without = (policy: string) => ({ access: before.access.filter((each) => each.policy !== policy) });

describe('the requirement of a second factor', () => {
  const removed = 'removing the second factor that a policy requires ("enforce_tfa")';
  const added = 'requiring a second factor of users with more permissions ("enforce_tfa")';

  it.each<[string, Case, string | null]>([
    ['stays in an own policy', { to: changing('strict', { secondFactor: false }) }, removed],
    ['stays in a policy that nobody holds', { to: changing('unheld', { secondFactor: false }) }, removed],
    ['goes with its policy', { to: { policies: before.policies.filter(({ id }) => id !== 'unheld') } }, null],
    ['is not shaken off by its holder', { to: without('strict') }, removed],
    ['may be taken from others', { user: { id: 'ann', role: null }, to: without('strict') }, null],
    ['is none of an anonymous caller', { user: null, to: without('strict') }, null],
    [
      'may move to another policy of the caller',
      { to: { access: [...without('strict').access, { policy: 'unheld', role: null, user: 'max' }] } },
      null,
    ],
    [
      'is not shaken off by a caller whom the public policies require it of',
      { from: giving({ policy: 'strict' }), user: { id: 'ann', role: null }, to: { access: before.access } },
      removed,
    ],
    [
      'is none of the public policies for a caller with a role',
      {
        from: giving({ policy: 'strict' }),
        user: { id: 'ann', role: 'plain' },
        to: { access: before.access },
      },
      null,
    ],
  ])('%s', (_, change, found) => {
    expect(find(change)).toBe(found);
  });

  it.each<[string, Case, string | null]>([
    [
      'of a user who holds more',
      { holders: [{ id: 'eve', role: null }], to: giving({ policy: 'unheld', user: 'eve' }) },
      added,
    ],
    ['of a role that holds more', { to: giving({ policy: 'unheld', role: 'chief' }) }, added],
    ['of a role whose parent holds more', { to: giving({ policy: 'unheld', role: 'clerk' }) }, added],
    ['of everybody', { to: giving({ policy: 'unheld' }) }, added],
    [
      'of a user who holds no more',
      { holders: [{ id: 'ann', role: null }], to: giving({ policy: 'unheld', user: 'ann' }) },
      null,
    ],
    [
      'of a user whose role holds more',
      { holders: [{ id: 'ann', role: 'chief' }], to: giving({ policy: 'unheld', user: 'ann' }) },
      added,
    ],
    ['of a role that holds no more', { to: giving({ policy: 'unheld', role: 'plain' }) }, null],
    ['by a policy that others hold', { to: changing('other', { secondFactor: true }) }, added],
    [
      'of those who need one already',
      {
        from: giving({ policy: 'strict', role: 'chief' }),
        to: giving({ policy: 'strict', role: 'chief' }, { policy: 'unheld', role: 'chief' }),
      },
      null,
    ],
    [
      'of everybody who needs one already',
      { from: giving({ policy: 'strict' }), to: giving({ policy: 'strict' }, { policy: 'unheld' }) },
      null,
    ],
  ])('%s', (_, change, found) => {
    expect(find(change)).toBe(found);
  });
});
