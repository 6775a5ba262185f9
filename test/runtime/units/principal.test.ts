/** Finds the caller by the holder of a token, the address and the second factor. */
import { describe, expect, it } from 'vitest';
import { createPolicyIndex, type User } from '../../../runtime/access/policies.js';
import { requireSecondFactor, resolvePolicies, type Holder } from '../../../runtime/access/principal.js';
import { accessRows } from './access-rows.js';
import { codeOf } from './refusals.js';

const index = createPolicyIndex(
  accessRows({
    version: '7',
    roles: [
      { id: 'leaf', parent: 'top' },
      { id: 'top', parent: null },
    ],
    policies: [
      { id: 'plain', admin: false },
      { id: 'office', admin: false, addresses: ['10.0.0.0/8'] },
      { id: 'strict', admin: false, secondFactor: true },
    ],
    access: [
      { policy: 'plain', role: null, user: null },
      { policy: 'plain', role: 'top', user: null },
      { policy: 'office', role: null, user: 'max' },
      { policy: 'strict', role: null, user: 'eve' },
    ],
  }),
);

const holderOf = (id: string, user: Partial<User> = {}, parts: Partial<Holder> = {}): Holder => ({
  user: { id, role: null, status: 'active', columns: {}, ...user },
  session: 'session',
  credentialDigest: 'digest',
  expires: 0,
  ...parts,
});

describe('a principal', () => {
  it('has what the holder of the token has', () => {
    const holder = holderOf('ann', { role: 'leaf' });
    const { principal } = resolvePolicies(holder, index);
    expect(principal).toMatchObject({
      user: holder.user,
      session: 'session',
      credentialDigest: 'digest',
      roles: ['leaf', 'top'],
      version: '7',
      needsSecondFactor: false,
    });
    expect(principal?.policies.ids).toEqual(['plain']);
  });

  it('of an anonymous caller has the public policies', () => {
    const { principal } = resolvePolicies(null, index);
    expect(principal).toMatchObject({ user: null, session: null, credentialDigest: '', roles: [] });
    expect(principal?.policies.ids).toEqual(['plain']);
  });

  it.each<[string, Holder, string, readonly string[] | string]>([
    ['the policies', holderOf('max'), '10.0.0.1', ['office', 'plain']],
    ['the policies', holderOf('max'), '192.0.2.1', 'INVALID_IP'],
    ['the user', holderOf('ann', { columns: { ip_access: '192.0.2.0/24' } }), '192.0.2.1', ['plain']],
    ['the user', holderOf('ann', { columns: { ip_access: '192.0.2.0/24' } }), '10.0.0.1', 'INVALID_IP'],
  ])('depends on the address where %s do', (_, holder, address, want) => {
    const { principal, resolve } = resolvePolicies(holder, index);
    let ids: unknown;
    const code = codeOf(() => {
      ids = resolve(() => address).policies.ids;
    });
    expect([principal, code ?? ids]).toEqual([null, want]);
  });

  it('never reads the address if nothing depends on it', () => {
    const { resolve } = resolvePolicies(holderOf('ann'), index);
    const { policies } = resolve(() => {
      throw new Error('the address was read');
    });
    expect(policies.ids).toEqual(['plain']);
  });

  it.each<[boolean | undefined, boolean, readonly string[]]>([
    [undefined, true, []],
    [false, true, []],
    [true, false, ['plain', 'strict']],
  ])('whose second factor is set up (%s) needs one first: %s', (secondFactor, needs, ids) => {
    const user = secondFactor === undefined ? {} : { secondFactor };
    const { principal } = resolvePolicies(holderOf('eve', user), index);
    expect([principal?.needsSecondFactor, principal?.policies.ids]).toEqual([needs, ids]);
    const checked = codeOf(() => principal !== null && requireSecondFactor(principal));
    expect(checked).toBe(needs ? 'FORBIDDEN' : null);
  });

  it('of an anonymous caller needs no second factor, although a public policy requires one', () => {
    const strict = createPolicyIndex(
      accessRows({
        policies: [{ id: 'strict', admin: false, secondFactor: true }],
        access: [{ policy: 'strict', role: null, user: null }],
      }),
    );
    const { principal } = resolvePolicies(null, strict);
    expect([principal?.needsSecondFactor, principal?.policies.ids]).toEqual([false, ['strict']]);
  });
});
