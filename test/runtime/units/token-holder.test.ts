/** A token of a login is valid for its user only so long. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TokenClaims } from '../../../runtime/access/access.js';
import type { Executor } from '../../../runtime/databases/contract.js';
import { createAccessSource, credentialOf } from '../../../runtime/execute/access-source.js';

const now = 1_700_000_000_000;
const hour = 3_600_000;
const password = 'a hash';

const user = { id: 'ann', role: null, status: 'active', password, token: null, tfa_secret: null };

/** Renewed once, a second ago. */
const session = {
  generation: 1,
  rotated: now - 1_000,
  expires: now + 2 * hour,
  credential: credentialOf(password),
};

interface Stored {
  readonly user?: object;
  readonly session?: object;
}

const holderOf = (claims: Partial<TokenClaims>, stored: Stored = {}) => {
  const executor = {
    quote: (name: string) => name,
    query: async (text: string) =>
      text.includes('from svc_users') ? [{ ...user, ...stored.user }] : [{ ...session, ...stored.session }],
  } as unknown as Executor;
  const readClaims = async () => ({
    user: 'ann',
    session: 's',
    generation: null,
    expires: now + hour,
    ...claims,
  });
  return createAccessSource({
    executor,
    reserved: executor,
    readClaims,
    storedForms: async (token) => [token],
    noteUse: () => {},
  }).findHolder('token');
};

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a token of a login', () => {
  it.each<[string, Partial<TokenClaims>, Stored, number | null]>([
    ['stands for its user until it ends', {}, {}, now + hour],
    ['ends with its session', { expires: now + 3 * hour }, {}, now + 2 * hour],
    ['of the present cookie lives as long', { generation: 1 }, {}, now + hour],
    ['of the cookie before lives ten seconds more', { generation: 0 }, {}, now + 9_000],
    ['of that cookie ends then', { generation: 0 }, { session: { rotated: now - 10_000 } }, null],
    ['of a cookie before that is over', { generation: 0 }, { session: { generation: 2 } }, null],
    ['of a cookie to come is none', { generation: 2 }, {}, null],
    ['is over with its session', {}, { session: { expires: now } }, null],
    ['is over with the password', {}, { user: { password: 'another' } }, null],
  ])('%s', async (_, claims, stored, until) => {
    expect((await holderOf(claims, stored))?.expires ?? null).toBe(until);
  });

  it('of a suspended user is refused as such', async () => {
    await expect(holderOf({}, { user: { status: 'suspended' } })).rejects.toMatchObject({
      code: 'USER_SUSPENDED',
    });
  });
});
