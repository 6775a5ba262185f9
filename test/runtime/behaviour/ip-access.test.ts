/** Policies and users that are limited to networks. */
import { beforeEach, describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const access: TestAccess = {
  policies: {
    Titles: [{ collection: 'book', action: 'read', fields: ['id', 'title'] }],
    Prices: [{ collection: 'book', action: 'read', fields: ['id', 'price'] }],
    Strangers: [{ collection: 'country', action: 'read', fields: ['*'] }],
  },
  users: { both: { policies: ['Titles', 'Prices'] }, one: { policies: ['Titles'] } },
  public: ['Strangers'],
};

describe.each(sampleDialects(import.meta.url))('addresses on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: librarySql(dialect),
    meta: libraryMeta,
    access,
    environment: { TRUST_PROXY: '1' },
  });
  const from = (address: string, as: string | null, path = '/items/book/201') =>
    server().request('GET', path, { ...(as !== null && { as }), headers: { 'x-forwarded-for': address } });
  const restrict = async (path: string, list: readonly string[] | null): Promise<number> =>
    (await server().request('PATCH', path, { as: 'admin', body: { ip_access: list } })).status;
  const user = (name: string): string => `/users/${server().ids.users.get(name)}`;
  const policy = (name: string): string => `/policies/${server().ids.policies.get(name)}`;

  beforeEach(async () => {
    for (const path of [user('both'), user('one'), policy('Titles'), policy('Prices'), policy('Strangers')]) {
      await restrict(path, null);
    }
  });

  it.each([
    [['192.0.2.7'], '192.0.2.7', '192.0.2.8'],
    [['192.0.2.0/24'], '192.0.2.255', '192.0.3.0'],
    [['10.0.0.1', '192.0.2.0/31'], '192.0.2.1', '192.0.2.2'],
    [['192.0.2.7'], '::ffff:192.0.2.7', '::ffff:192.0.2.8'],
    [['::ffff:192.0.2.0/120'], '192.0.2.9', '192.0.3.9'],
    [['192.0.2.7'], '::ffff:c000:207', '::ffff:c000:208'],
    [['::ffff:c000:200/120'], '0:0:0:0:0:ffff:192.0.2.9', '192.0.3.9'],
    [['2001:db8::/32'], '2001:db8:ffff::1', '2001:db9::1'],
    [['2001:DB8::1'], '2001:db8:0:0:0:0:0:1', '2001:db8::2'],
    [['::/0'], '2001:db8::1', '192.0.2.7'],
    [['0.0.0.0/0'], '192.0.2.7', '2001:db8::1'],
  ])('%j permits %s and not %s', async (list, inside, outside) => {
    expect(await restrict(user('one'), list)).toBe(200);
    expect((await from(inside, 'one')).status).toBe(200);
    const { status, codes } = await from(outside, 'one');
    expect({ status, codes }).toEqual({ status: 401, codes: ['INVALID_IP'] });
  });

  it('ignores a policy that does not apply to the address', async () => {
    await restrict(policy('Prices'), ['10.0.0.0/8']);
    expect((await from('10.1.2.3', 'both')).data).toEqual({ id: 201, title: 'Few Words', price: '5.50' });
    expect((await from('192.0.2.7', 'both')).data).toEqual({ id: 201, title: 'Few Words' });
    expect((await from('10.1.2.3', 'both')).data).toHaveProperty('price');
  });

  it('returns the reason only to users without a remaining policy', async () => {
    await restrict(policy('Titles'), ['10.0.0.0/8']);
    expect((await from('192.0.2.7', 'one')).codes).toEqual(['INVALID_IP']);
    expect((await from('192.0.2.7', 'both')).data).toEqual({ id: 201, price: '5.50' });
    await restrict(policy('Strangers'), ['10.0.0.0/8']);
    expect((await from('192.0.2.7', null, '/items/country')).codes).toEqual(['FORBIDDEN']);
    expect((await from('10.0.0.1', null, '/items/country')).status).toBe(200);
  });

  it.each([
    '10.0.0',
    '10.0.0.0/33',
    'localhost',
    '::1/129',
    '10.0.0.1-10.0.0.9',
    '1.2.3.4/x',
    '::ffff:1.2.3.4/90',
  ])('%s is rejected on write', async (entry) => {
    for (const path of [user('one'), policy('Titles')]) {
      const body = { ip_access: ['10.0.0.1', entry] };
      const { status, errors } = await server().request('PATCH', path, { as: 'admin', body });
      expect(status).toBe(400);
      expect(errors).toEqual([expect.objectContaining({ code: 'FAILED_VALIDATION', field: 'ip_access' })]);
    }
  });

  it('an invalid network stored directly permits no address', async () => {
    await server().execute(`update svc_users set ip_access = 'everywhere' where email = 'one@example.com'`);
    await server().execute('update svc_access_version set version = version + 1');
    expect((await from('192.0.2.7', 'one')).codes).toEqual(['INVALID_IP']);
  });

  it('uses X-Forwarded-For of trusted proxies only', async () => {
    await restrict(user('one'), ['192.0.2.7']);
    expect((await from('10.9.9.9, 192.0.2.7', 'one')).status).toBe(200);
    expect((await from('192.0.2.7, 10.9.9.9', 'one')).codes).toEqual(['INVALID_IP']);
    expect((await server().request('GET', '/items/book/201', { as: 'one' })).codes).toEqual(['INVALID_IP']);
  });
});
