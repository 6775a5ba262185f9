/** Logins: their answers, the last access, and the passwords that are allowed. */
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask as graphqlAsk } from '../graphql/library.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestServer } from '../server-harness.js';
import { login, logIn, password, peopleServer, readBooks, refresh } from './people.js';

const settings = settingsOf(import.meta.url);

describe.each(settings)('logins on $dialect through $listener', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting });
  let other: TestServer;
  beforeAll(async () => {
    other = await server().startAnother();
  });
  afterAll(() => other.close());

  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    server().request('GET', path, { headers });

  it('returns an access token, its lifetime and a refresh token', async () => {
    const { status, data, headers } = await login(server(), 'ann');
    expect(status).toBe(200);
    expect(data).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expires: 900_000,
      refresh_token: expect.stringMatching(/^[\w.-]{40,}$/),
    });
    expect(headers.getSetCookie()).toEqual([]);
    const { access_token: token } = data as { access_token: string };
    expect((await readBooks(server(), token)).data).toEqual([{ id: 1 }]);
    expect((await readBooks(other, token)).data).toEqual([{ id: 1 }]);
    expect(jwt.decode(token)).toMatchObject({ id: server().ids.users.get('ann'), iss: 'svc' });
  });

  it('sends tokens and secrets with no-store', async () => {
    const { refresh_token: token } = await logIn(server(), 'ann');
    const post = (path: string, body: object = {}) => server().request('POST', path, { body, as: 'ann' });
    const mutate = (field: string) => post('/graphql/system', { query: `mutation { ${field} }` });
    const answers = [
      await login(server(), 'ann', { mode: 'session' }),
      await refresh(server(), token),
      await post('/users/me/tfa/generate', { password }),
      await post('/keys'),
      await post('/webhooks/secret'),
      await server().request('GET', '/webhooks/secret', { as: 'ann' }),
      await mutate(`auth_login(email: "ann@example.com", password: "${password}") { refresh_token }`),
      await mutate(`users_me_tfa_generate(password: "${password}") { secret }`),
      await mutate('keys_create { key }'),
      await mutate('webhooks_secret_rotate { secrets }'),
    ];
    for (const { status, text, headers } of answers)
      expect([status, text, headers.get('cache-control')]).toEqual([
        200,
        expect.not.stringContaining('errors'),
        'no-store',
      ]);
  });

  it('accepts the token in the header or the query string, but not in both', async () => {
    const { access_token: token } = await logIn(server(), 'ann');
    const path = `/items/book/1?fields=id&access_token=${token}`;
    expect((await get(path, {})).data).toEqual({ id: 1 });
    expect((await get(path, { authorization: `Bearer ${token}` })).codes).toEqual(['INVALID_PAYLOAD']);
  });

  it('stores neither access nor refresh token in plain text', async () => {
    const { access_token: access, refresh_token: token } = await logIn(server(), 'ann');
    const stored = JSON.stringify(await server().database.query('select * from svc_sessions'));
    expect(stored).not.toContain(token.split('.')[1]);
    expect(stored).not.toContain(access.split('.')[2]);
  });

  it.each([
    ['a wrong password', { password: 'nope' }],
    ['an unknown address', { email: 'ghost@example.com' }],
    ['a suspended user', { email: 'gone@example.com' }],
    ['a user without password', { email: 'tokenOnly@example.com' }],
    ['a user of another provider', { email: 'foreign@example.com' }],
    ['an address with an accent', { email: 'änn@example.com' }],
    ['an address with NUL', { email: 'ann\0@example.com' }],
  ])('returns the same error for %s', async (_, body) => {
    const answer = await login(server(), 'ann', body);
    expect([answer.status, answer.text]).toEqual([
      401,
      '{"errors":[{"message":"Invalid credentials.","extensions":{"code":"INVALID_CREDENTIALS"}}]}',
    ]);
  });

  it('looks for the address as given, then in lower case', async () => {
    expect((await login(server(), 'ann', { email: 'ANN@Example.com' })).status).toBe(200);
  });

  it('reports all problems of a body without its values', async () => {
    const { status, codes, text } = await server().request('POST', '/auth/login', {
      body: { email: 'canary', otp: 7, mode: 'magic' },
    });
    expect([status, codes]).toEqual([400, Array(4).fill('INVALID_PAYLOAD')]);
    expect(text).not.toContain('canary');
  });

  it('accepts passwords for the default provider only', async () => {
    const body = { email: 'ann@example.com', password };
    expect((await server().request('POST', '/auth/login/default', { body })).status).toBe(200);
    expect((await server().request('POST', '/auth/login/acme', { body })).errors).toEqual([
      { code: 'ROUTE_NOT_FOUND', path: '/auth/login/acme' },
    ]);
    expect((await get('/auth', {})).body).toEqual({ data: [], disableDefault: false });
  });

  it('rejects an invalid token on every route but the ping', async () => {
    const headers = { authorization: 'Bearer nobody-knows-this' };
    expect((await get('/auth', headers)).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await get('/server/ping', headers)).text).toBe('pong');
  });

  it('set last_access in every mode and at every refresh, and change no other column', async () => {
    const id = server().ids.users.get('cleo');
    const lastAccess = async () => {
      const path = `/users/${id}?fields=last_access`;
      const { data } = await server().request('GET', path, { as: 'admin' });
      return (data as { last_access: string | null }).last_access;
    };
    const forget = () => server().execute('update svc_users set last_access = null');
    const noted = async () => {
      const found = await lastAccess();
      expect(found).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(Math.abs(Date.parse(found ?? '') - Date.now())).toBeLessThan(60_000);
      await forget();
    };
    const traces = async () => [
      await server().database.query('select version from svc_access_version'),
      await server().database.query('select id from svc_activity'),
    ];
    await forget();
    const before = await traces();
    expect((await login(server(), 'cleo', { password: 'no' })).status).toBe(401);
    expect(await lastAccess()).toBeNull();
    const { data } = await login(server(), 'cleo');
    await noted();
    expect((await refresh(server(), (data as { refresh_token: string }).refresh_token)).status).toBe(200);
    await noted();
    for (const mode of ['cookie', 'session']) {
      const { headers } = await login(server(), 'cleo', { mode });
      await noted();
      const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? [];
      const renewal = { headers: { cookie, origin: new URL(server().url).origin }, body: { mode } };
      expect((await server().request('POST', '/auth/refresh', renewal)).status).toBe(200);
      await noted();
    }
    expect(await traces()).toEqual(before);
  });

  it('rejects passwords shorter than PASSWORD_MIN_LENGTH', async () => {
    const strict = await server().startAnother({ PASSWORD_MIN_LENGTH: '12' });
    try {
      const set = (target: typeof strict, password: string) =>
        target.request('PATCH', `/users/${target.ids.users.get('ben')}`, { as: 'admin', body: { password } });
      const message = 'A password has at least 12 characters';
      const refused = await set(strict, 'eleven-char');
      expect(refused.errors).toMatchObject([{ code: 'FAILED_VALIDATION', field: 'password' }]);
      expect(refused.text).toContain(message);
      const mutation = 'mutation { update_users_me(data: { password: "eleven-char" }) { id } }';
      const asked = await graphqlAsk(strict, mutation, { as: 'admin', path: '/graphql/system' });
      expect(asked.codes).toEqual(['FAILED_VALIDATION']);
      const reset = await strict.request('POST', '/auth/password/reset', {
        body: { token: 'x', password: 'eleven-char' },
      });
      expect([reset.codes, reset.text.includes(message)]).toEqual([['INVALID_PAYLOAD'], true]);
      expect((await set(server(), '🔒'.repeat(7))).codes).toEqual(['FAILED_VALIDATION']);
      expect((await set(server(), '🔒'.repeat(8))).status).toBe(200);
      expect((await set(strict, password)).status).toBe(200);
    } finally {
      await strict.close();
    }
  });

  it('rejects an empty password from every caller', async () => {
    const id = server().ids.users.get('ben');
    for (const [method, path, body] of [
      ['PATCH', '/users/me', { password: '' }],
      ['PATCH', `/users/${id}`, { password: '' }],
      ['PATCH', '/users', [{ id, password: '' }]],
      ['POST', '/users', { email: 'empty@example.com', password: '' }],
    ] as const) {
      const answer = await server().request(method, path, { as: 'admin', body });
      expect([answer.status, answer.errors]).toEqual([
        400,
        [expect.objectContaining({ code: 'FAILED_VALIDATION', field: 'password' })],
      ]);
    }
    expect((await login(server(), 'ben')).status).toBe(200);
    const body = { email: 'without@example.com', password: null };
    expect((await server().request('POST', '/users', { as: 'admin', body })).status).toBe(200);
  });

  it.each([
    ['status', ['whatever', 'ACTIVE', 'active ', ''], ['draft', 'invited', 'suspended', 'active']],
    ['token', [''], [null, 'dora-token-of-the-test']],
  ])('rejects invalid values of %s from every caller', async (field, wrong, right) => {
    const set = (value: string | null) =>
      server().request('PATCH', `/users/${server().ids.users.get('dora')}`, {
        as: 'admin',
        body: { [field]: value },
      });
    for (const value of wrong)
      expect((await set(value)).errors).toEqual([
        expect.objectContaining({ code: 'FAILED_VALIDATION', field }),
      ]);
    for (const value of right) expect((await set(value)).status).toBe(200);
  });
});
