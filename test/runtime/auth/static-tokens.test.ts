/** Static tokens: their shape, the form in which they are stored, and their last use. */
import { describe, expect, it } from 'vitest';
import { createKeys } from '../../../runtime/auth/keys.js';
import { convertTokens, createStaticTokens } from '../../../runtime/auth/static-tokens.js';
import { until } from '../../until.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings, type TestServer } from '../server-harness.js';
import { peopleServer } from './people.js';

const [oldSecret, newSecret] = [
  'an old secret of thirty-two bytes or more',
  'a new secret of thirty-two bytes or more',
];

const statusWith = async (target: TestServer, token: string): Promise<number> =>
  (await target.request('GET', '/users/me', { headers: { authorization: `Bearer ${token}` } })).status;

describe.each(sampleSettings(import.meta.url))('static tokens on $dialect through $listener', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting, environment: { SECRET: oldSecret } });
  const pathOf = (name: string) => `/users/${server().ids.users.get(name)}`;
  const startHashing = (SECRET: string) => server().startAnother({ SECRET, STATIC_TOKENS: 'hashed' });
  const setToken = (target: TestServer, name: string, token: string) =>
    target.request('PATCH', pathOf(name), { as: 'admin', body: { token } });
  const storedOf = async (name: string): Promise<string> => {
    const id = server().ids.users.get(name) ?? '';
    const [row] = await server().database.query('select token from svc_users where id = ?', [id]);
    return String(row?.token);
  };

  it.each([
    ['short', 'fifteen-letters'],
    ['a JWT', `eyJhbGciOiJIUzI1NiJ9.${'x'.repeat(40)}`],
    ['with a letter that a header cannot carry', 'with a space in it and more'],
  ])('that are %s are rejected', async (_, token) => {
    const answer = await setToken(server(), 'ann', token);
    expect(answer.errors).toMatchObject([{ code: 'FAILED_VALIDATION', field: 'token' }]);
    expect(answer.text).toContain('at least 16');
    expect(answer.text).not.toContain(token);
  });

  it('are stored as they are', async () => {
    const token = 'plain-token-of-ben';
    expect((await setToken(server(), 'ben', token)).status).toBe(200);
    expect(await storedOf('ben')).toBe(token);
    expect(await statusWith(server(), token)).toBe(200);
  });

  it('are stored as keyed hashes if configured', async () => {
    const hashing = await startHashing(oldSecret);
    try {
      const token = 'hashed-token-of-cleo';
      expect((await setToken(hashing, 'cleo', token)).status).toBe(200);
      const stored = await storedOf('cleo');
      expect(stored).toMatch(/^hmac:[\w-]{43}$/);
      for (const target of [hashing, server()]) {
        expect(await statusWith(target, token)).toBe(200);
        expect(await statusWith(target, stored)).toBe(401);
      }
    } finally {
      await hashing.close();
    }
  });

  it('that are hashed are valid as long as their secret', async () => {
    const token = 'hashed-token-of-dora';
    const [old, both, renewed] = await Promise.all([
      startHashing(oldSecret),
      startHashing(`${newSecret},${oldSecret}`),
      startHashing(newSecret),
    ]);
    try {
      await setToken(old, 'dora', token);
      expect(await statusWith(both, token)).toBe(200);
      expect(await statusWith(renewed, token)).toBe(401);
    } finally {
      await Promise.all([old.close(), both.close(), renewed.close()]);
    }
  });

  it('in plain text are converted once and stay valid', async () => {
    const token = 'a-plain-token-of-eve';
    await setToken(server(), 'eve', token);
    const hashed = createStaticTokens(createKeys([oldSecret]), 'hashed');
    const { database } = server();
    expect(await convertTokens(database, createStaticTokens(createKeys([oldSecret]), 'plain'))).toBe(0);
    expect(await convertTokens(database, hashed)).toBeGreaterThan(0);
    expect(await convertTokens(database, hashed)).toBe(0);
    expect(await storedOf('eve')).toMatch(/^hmac:/);
    const another = await server().startAnother({ SECRET: oldSecret });
    try {
      expect(await statusWith(another, token)).toBe(200);
    } finally {
      await another.close();
    }
  });

  it('update last_access', async () => {
    const lastAccess = async () => {
      const { data } = await server().request('GET', `${pathOf('fay')}?fields=last_access`, { as: 'admin' });
      return (data as { readonly last_access: string | null }).last_access;
    };
    expect(await lastAccess()).toBeNull();
    await server().request('GET', '/users/me', { as: 'fay' });
    await until(async () => (await lastAccess()) !== null);
  });
});
