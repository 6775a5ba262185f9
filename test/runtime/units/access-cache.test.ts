/** Cached principals expire with the token, the access version and the cache size. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { apiError } from '../../../contract/errors.js';
import { createAccess } from '../../../runtime/access/access.js';
import { untilConfirmed, StalePrincipal } from '../../../runtime/access/confirmation.js';
import type { Holder } from '../../../runtime/access/principal.js';
import type { AccessRows } from '../../../runtime/access/policies.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';

const now = 1_700_000_000_000;

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const rowsOf = (version: string, parts: Partial<AccessRows> = {}): AccessRows => ({
  version,
  roles: [],
  policies: [],
  access: [],
  permissions: [],
  ...parts,
});

const holder: Holder = {
  user: { id: 'ann', role: null, status: 'active', columns: {} },
  session: null,
  credentialDigest: '',
  expires: Number.POSITIVE_INFINITY,
};

interface Source {
  rows: AccessRows | Error;
  holder: Holder | null;
}

const createCounted = (parts: Partial<Source> = {}) => {
  const source: Source = { rows: rowsOf('1'), holder, ...parts };
  const asked: string[] = [];
  const access = createAccess({
    loadRows: async () => {
      asked.push('rows');
      if (source.rows instanceof Error) throw source.rows;
      return source.rows;
    },
    findHolder: async () => {
      asked.push('holder');
      return source.holder;
    },
    readVersion: async () => (source.rows instanceof Error ? '' : source.rows.version),
  });
  const taken = () => asked.splice(0);
  return { source, access, taken };
};

const requestFrom = (address: string): ApiRequest =>
  ({
    query: '',
    method: 'GET',
    headers: { authorization: 'Bearer token' },
    address: () => address,
  }) as unknown as ApiRequest;
const request = requestFrom('127.0.0.1');

/** Rules of one policy, which holds for the addresses alone. */
const rulesFor = (addresses: readonly string[]) => ({
  policies: [{ id: 'p', admin: false, addresses }],
  access: [{ policy: 'p', role: null, user: 'ann' }],
});

/** Returns the outcomes of consecutive runs with these results. */
const runAll = (results: readonly (string | null)[]) => {
  let run = 0;
  return untilConfirmed(async () => {
    const result = results[run] ?? null;
    run += 1;
    if (result === 'stale') throw new StalePrincipal();
    return result;
  });
};

describe('a caller', () => {
  it('is read once, and again after the rules have expired', async () => {
    const { access, taken } = createCounted();
    await access.identify(request);
    await access.identify(request);
    expect(taken()).toEqual(['rows', 'holder']);
    vi.setSystemTime(now + 3_999);
    await access.identify(request);
    expect(taken()).toEqual([]);
    vi.setSystemTime(now + 4_000);
    await access.identify(request);
    expect(taken()).toEqual(['rows', 'holder']);
  });

  it('is read again if the token expires before', async () => {
    const { access, taken, source } = createCounted({ holder: { ...holder, expires: now + 100 } });
    await access.identify(request);
    taken();
    vi.setSystemTime(now + 99);
    await access.identify(request);
    expect(taken()).toEqual([]);
    source.holder = null;
    vi.setSystemTime(now + 100);
    await expect(access.identify(request)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });

  it('that is unknown is not cached', async () => {
    const { access, taken, source } = createCounted({ holder: null });
    await expect(access.identify(request)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    source.holder = holder;
    expect((await access.identify(request)).user?.id).toBe('ann');
    expect(taken()).toEqual(['rows', 'holder', 'holder']);
  });

  it('whose rules cannot be read fails without affecting the next', async () => {
    const { access, source } = createCounted({ rows: new Error('gone') });
    await expect(access.identify(request)).rejects.toThrow('gone');
    source.rows = rowsOf('1');
    expect((await access.identify(request)).user?.id).toBe('ann');
  });

  it('is reused for the same version and read again for a newer one', async () => {
    const { access, taken, source } = createCounted();
    const principal = await access.identify(request);
    expect(await access.confirm(principal)).toBe(true);
    taken();
    source.rows = rowsOf('2');
    expect(await access.confirm(principal)).toBe(false);
    expect((await access.identify(request)).version).toBe('2');
    expect(taken()).toEqual(['rows', 'holder']);
  });

  it('is rejected for an address by current rules', async () => {
    const { access, source } = createCounted({ rows: rowsOf('1', rulesFor(['10.0.0.0/8'])) });
    const other = requestFrom('192.0.2.1');
    expect((await access.identify(requestFrom('10.0.0.1'))).policies.ids).toEqual(['p']);
    await expect(Promise.resolve(access.identify(other))).rejects.toMatchObject({ code: 'INVALID_IP' });
    source.rows = rowsOf('2', rulesFor(['192.0.2.0/24']));
    expect((await access.identify(other)).policies.ids).toEqual(['p']);
  });
});

describe('a user who is admitted without a token', () => {
  const ann = holder.user;

  it('has the policies of the user', async () => {
    const { access, taken } = createCounted({ rows: rowsOf('1', rulesFor([])) });
    const admitted = await access.admit(ann, request);
    expect(admitted.user).toBe(ann);
    expect([admitted.session, admitted.policies.ids]).toEqual([null, ['p']]);
    expect(taken()).toEqual(['rows']);
  });

  it('is rejected if unknown', async () => {
    const { access } = createCounted();
    await expect(access.admit(null, request)).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });

  it('is rejected for an address by current rules', async () => {
    const { access, source } = createCounted({ rows: rowsOf('1', rulesFor(['10.0.0.0/8'])) });
    const other = requestFrom('192.0.2.1');
    await expect(access.admit(ann, other)).rejects.toMatchObject({ code: 'INVALID_IP' });
    source.rows = rowsOf('2', rulesFor(['192.0.2.0/24']));
    expect((await access.admit(ann, other)).policies.ids).toEqual(['p']);
  });
});

describe('a request whose caller changes during it', () => {
  it('is repeated up to five times', async () => {
    expect(await runAll([null, 'stale', null, null, 'done'])).toBe('done');
    await expect(runAll([null, null, null, null, null, 'done'])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('is not repeated for other errors', async () => {
    let runs = 0;
    const failing = untilConfirmed(async () => {
      runs += 1;
      throw apiError('FORBIDDEN', { reason: 'no' });
    });
    await expect(failing).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(runs).toBe(1);
  });
});
