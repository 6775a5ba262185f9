/** Cookies of logins: valid, expired and forged ones. */
import jwt from 'jsonwebtoken';
import { describe, expect, it } from 'vitest';
import { reservePort } from '../../services/ports.js';
import { createClient } from '../harness/client.js';
import { cookiesOf } from '../harness/cookies.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings, testSecret, type Answer } from '../server-harness.js';
import { claimsOf, login, logIn, password, peopleServer } from './people.js';

const sessionCookie = (answer: Answer) =>
  `svc_session_token=${cookiesOf(answer).get('svc_session_token')?.value}`;

describe.each(sampleSettings(import.meta.url))('cookies on $dialect through $listener', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting });

  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    server().request('GET', path, { headers });
  const renew = (cookie: string, more: Readonly<Record<string, string>> = {}, mode?: string) =>
    server().request('POST', '/auth/refresh', {
      headers: { cookie, ...more },
      ...(mode !== undefined && { body: { mode } }),
    });
  const askSystem = (query: string, headers: Readonly<Record<string, string>>) =>
    server().request('POST', '/graphql/system', { headers, body: { query } });
  const endedSession = async () => {
    const cookie = sessionCookie(await login(server(), 'ann', { mode: 'session' }));
    await server().request('POST', '/auth/logout', { headers: { cookie }, body: { mode: 'session' } });
    return cookie;
  };

  it('hold the refresh token in mode cookie', async () => {
    const answer = await login(server(), 'ann', { mode: 'cookie' });
    expect(answer.data).toEqual({ access_token: expect.any(String), expires: 900_000 });
    const cookie = cookiesOf(answer).get('svc_refresh_token');
    expect(cookie?.attributes).toEqual(['httponly', 'max-age=604800', 'path=/', 'samesite=lax']);
    const renewed = await renew(`svc_refresh_token=${cookie?.value}`);
    expect(renewed.data).toEqual({ access_token: expect.any(String), expires: 900_000 });
    expect(cookiesOf(renewed).get('svc_refresh_token')?.value).not.toBe(cookie?.value);
  });

  it('hold the session in mode session, without tokens in the body', async () => {
    const answer = await login(server(), 'ann', { mode: 'session' });
    expect(answer.data).toEqual({ expires: 86_400_000 });
    const { value, attributes } = cookiesOf(answer).get('svc_session_token') ?? {};
    expect(attributes).toEqual(['httponly', 'max-age=86400', 'path=/', 'samesite=lax']);
    const cookie = `svc_session_token=${value}`;
    expect((await get('/items/book/1?fields=id', { cookie })).data).toEqual({ id: 1 });
    const renewed = await renew(cookie, {}, 'session');
    expect(renewed.data).toEqual({ expires: 86_400_000 });
    const next = sessionCookie(renewed);
    expect((await get('/items/book/1?fields=id', { cookie: next })).status).toBe(200);
    // for requests that were under way
    expect((await get('/items/book/1?fields=id', { cookie })).status).toBe(200);
  });

  it('end the session where one is renewed that was replaced twice', async () => {
    const first = sessionCookie(await login(server(), 'ann', { mode: 'session' }));
    const second = sessionCookie(await renew(first, {}, 'session'));
    const third = sessionCookie(await renew(second, {}, 'session'));
    expect((await get('/items/book/1?fields=id', { cookie: third })).status).toBe(200);
    expect((await renew(first, {}, 'session')).status).toBe(401);
    expect((await get('/items/book/1?fields=id', { cookie: third })).status).toBe(401);
  });

  it('are renewed for ten seconds more after they were replaced, and then end the session', async () => {
    const first = sessionCookie(await login(server(), 'ann', { mode: 'session' }));
    const second = sessionCookie(await renew(first, {}, 'session'));
    expect((await renew(first, {}, 'session')).status).toBe(200);
    await server().database.write({
      text: 'update svc_sessions set rotated = rotated - 10001',
      values: [],
    });
    expect((await renew(first, {}, 'session')).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await get('/items/book/1?fields=id', { cookie: second })).status).toBe(401);
  });

  it('are cleared by a logout and if they are invalid', async () => {
    const answer = await login(server(), 'ann', { mode: 'session' });
    const cookie = sessionCookie(answer);
    const out = await server().request('POST', '/auth/logout', {
      headers: { cookie },
      body: { mode: 'session' },
    });
    expect([out.status, out.text]).toEqual([204, '']);
    expect(cookiesOf(out).get('svc_session_token')).toMatchObject({
      value: '',
      attributes: expect.arrayContaining(['max-age=0']),
    });
    for (const broken of [cookie, 'svc_session_token=garbage']) {
      const refused = await get('/items/book/1', { cookie: broken });
      expect(refused.codes).toEqual(['INVALID_CREDENTIALS']);
      expect(cookiesOf(refused).get('svc_session_token')).toMatchObject({ value: '' });
    }
  });

  it('of refresh tokens are cleared by a logout', async () => {
    const answer = await login(server(), 'ann', { mode: 'cookie' });
    const cookie = `svc_refresh_token=${cookiesOf(answer).get('svc_refresh_token')?.value ?? ''}`;
    const options = { headers: { cookie }, body: { mode: 'cookie' } };
    const out = await server().request('POST', '/auth/logout', options);
    expect(out.status).toBe(204);
    expect(cookiesOf(out).get('svc_refresh_token')).toMatchObject({
      value: '',
      attributes: expect.arrayContaining(['max-age=0']),
    });
  });

  it.each([
    ['ended', () => endedSession()],
    [
      'expired',
      async () =>
        `svc_session_token=${jwt.sign(await claimsOf(server(), 'ann'), testSecret, { expiresIn: -60 })}`,
    ],
    [
      'signed with another secret',
      async () =>
        `svc_session_token=${jwt.sign(await claimsOf(server(), 'ann'), 'x'.repeat(40), { expiresIn: 60 })}`,
    ],
  ])('with %s do not prevent a login and are rejected elsewhere', async (_, make) => {
    const headers = { cookie: await make() };
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await server().request(method, path, { headers, ...(body !== undefined && { body }) });
      return [answer.status, ...answer.codes];
    };
    const { refresh_token: token } = await logIn(server(), 'ann');
    const credentials = { email: 'ann@example.com', password };
    expect(await ask('GET', '/auth')).toEqual([200]);
    expect(await ask('POST', '/auth/login', credentials)).toEqual([200]);
    expect(await ask('POST', '/auth/login/default', credentials)).toEqual([200]);
    expect(await ask('POST', '/auth/login', { ...credentials, password: 'nope' })).toEqual([
      401,
      'INVALID_CREDENTIALS',
    ]);
    expect(await ask('POST', '/auth/refresh', { refresh_token: token })).toEqual([200]);
    expect(await ask('POST', '/auth/password/request', { email: 'ann@example.com' })).toEqual([204]);
    expect(await ask('POST', '/auth/password/reset', { token: 'x', password })).toEqual([
      403,
      'INVALID_TOKEN',
    ]);
    expect(await ask('POST', '/auth/logout', { mode: 'session' })).toEqual([204]);
    const refused = await server().request('GET', '/users/me', { headers });
    expect([401, 403]).toContain(refused.status);
    expect(cookiesOf(refused).get('svc_session_token')).toMatchObject({ value: '' });
  });

  it('that are invalid do not prevent a login by GraphQL, and are rejected otherwise', async () => {
    const headers = { cookie: await endedSession() };
    const login = `auth_login(email: "ann@example.com", password: "${password}") { access_token }`;
    const { text, status } = await askSystem(`mutation { ${login} }`, headers);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { data: { auth_login: { access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) } } },
    ]);
    const refused = [
      '{ users_me { id } }',
      '{ server_ping }',
      '{ __typename }',
      '{ nothing_of_the_kind }',
      `mutation { ${login} update_users_me(data: { title: "x" }) { id } }`,
    ];
    for (const query of refused) {
      const answer = await askSystem(query, headers);
      expect([query, answer.status, answer.codes]).toEqual([query, 401, ['INVALID_CREDENTIALS']]);
      expect(cookiesOf(answer).get('svc_session_token')).toMatchObject({ value: '' });
    }
  });

  it('are kept by a failed login', async () => {
    const answer = await login(server(), 'ann', { mode: 'session' });
    const headers = { cookie: sessionCookie(answer) };
    const wrong = { email: 'ann@example.com', password: 'nope' };
    const failed = await server().request('POST', '/auth/login', { headers, body: wrong });
    const query = `mutation { auth_login(email: "${wrong.email}", password: "${wrong.password}") { expires } }`;
    const failedThere = await askSystem(query, headers);
    expect([failed.status, failed.codes]).toEqual([401, ['INVALID_CREDENTIALS']]);
    expect(failedThere.text).toContain('INVALID_CREDENTIALS');
    for (const each of [failed, failedThere]) expect(each.headers.getSetCookie()).toEqual([]);
    expect((await get('/items/book/1?fields=id', headers)).data).toEqual({ id: 1 });
  });

  it('are cleared if they cannot be renewed', async () => {
    const refused = await renew(await endedSession(), {}, 'session');
    expect(refused.codes).toEqual(['INVALID_CREDENTIALS']);
    expect(cookiesOf(refused).get('svc_session_token')).toMatchObject({ value: '' });
  });

  it('are named where a renewal without a mode has none', async () => {
    for (const path of ['/auth/refresh', '/auth/logout']) {
      const { status, errors } = await server().request('POST', path, { body: {} });
      expect([status, errors]).toMatchObject([
        400,
        [
          {
            reason: expect.stringMatching(/"refresh_token" is missing.*"svc_refresh_token".*mode "session"/),
          },
        ],
      ]);
    }
  });

  it('that are invalid count as public requests', async () => {
    const limited = await server().startAnother({
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_POINTS: '2',
      RATE_LIMITER_DURATION: '1h',
    });
    try {
      const headers = { cookie: 'svc_session_token=garbage' };
      const statuses: number[] = [];
      for (let each = 0; each < 3; each += 1)
        statuses.push((await limited.request('GET', '/auth', { headers })).status);
      expect(statuses).toEqual([200, 200, 429]);
    } finally {
      await limited.close();
    }
  });

  it('are secure behind a trusted proxy with TLS', async () => {
    const behind = await server().startAnother({ TRUST_PROXY: '1' });
    try {
      const answer = await behind.request('POST', '/auth/login', {
        body: { email: 'ann@example.com', password, mode: 'cookie' },
        headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' },
      });
      expect(cookiesOf(answer).get('svc_refresh_token')?.attributes).toContain('secure');
    } finally {
      await behind.close();
    }
  });

  it('are secure if the public URL is https, even behind a TLS proxy', async () => {
    const port = await reservePort();
    const behind = await server().startAnother({
      PORT: String(port),
      PUBLIC_URL: `https://127.0.0.1:${port}`,
    });
    const inFront = createClient(behind.url.replace('https:', 'http:'), new Map());
    try {
      for (const [mode, name] of [
        ['cookie', 'svc_refresh_token'],
        ['session', 'svc_session_token'],
      ] as const)
        expect(cookiesOf(await login(inFront, 'ann', { mode })).get(name)?.attributes).toContain('secure');
    } finally {
      await behind.close();
    }
  });

  it('are ignored in requests from other origins', async () => {
    const answer = await login(server(), 'ben', { mode: 'session' });
    const cookie = sessionCookie(answer);
    const write = (headers: Readonly<Record<string, string>>) =>
      server().request('PATCH', '/items/book/7?fields=id', {
        headers: { cookie, ...headers },
        body: { title: 'Taken' },
      });
    expect((await write({ origin: 'https://evil.example' })).codes).toEqual(['FORBIDDEN']);
    expect((await write({ origin: 'null' })).codes).toEqual(['FORBIDDEN']);
    expect((await write({ 'sec-fetch-site': 'cross-site' })).codes).toEqual(['FORBIDDEN']);
    expect((await write({ origin: new URL(server().url).origin })).status).toBe(200);
    expect((await write({})).status).toBe(200);
    const refreshed = await login(server(), 'ben', { mode: 'cookie' });
    const held = `svc_refresh_token=${cookiesOf(refreshed).get('svc_refresh_token')?.value}`;
    expect((await renew(held, { origin: 'https://evil.example' })).codes).toEqual(['FORBIDDEN']);
  });
});

describe('cookies with COOKIE_SAME_SITE=none', () => {
  const [setting] = sampleSettings(import.meta.url);
  if (setting === undefined) throw new Error('there is no setting');
  const server = useServer({
    ...peopleServer(setting),
    ...setting,
    environment: { COOKIE_SAME_SITE: 'none', TRUST_PROXY: '1' },
  });
  const secure = { 'x-forwarded-proto': 'https' };
  const logInWith = (mode: string) =>
    server().request('POST', '/auth/login', {
      headers: secure,
      body: { email: 'ann@example.com', password, mode },
    });

  it('are sent by pages of other sites, over TLS', async () => {
    for (const mode of ['session', 'cookie']) {
      const name = mode === 'session' ? 'svc_session_token' : 'svc_refresh_token';
      const { attributes } = cookiesOf(await logInWith(mode)).get(name) ?? {};
      expect(attributes).toEqual(expect.arrayContaining(['samesite=none', 'secure']));
    }
  });

  it('are deleted by answers to such pages', async () => {
    const cookie = sessionCookie(await logInWith('session'));
    const ended = await server().request('POST', '/auth/logout', {
      headers: { cookie, ...secure },
      body: { mode: 'session' },
    });
    const refused = await server().request('GET', '/users/me', { headers: { cookie, ...secure } });
    const query = await server().request('POST', '/graphql', {
      headers: { cookie, ...secure },
      body: { query: '{ book { id } }' },
    });
    for (const answer of [ended, refused, query])
      expect(cookiesOf(answer).get('svc_session_token')?.attributes).toEqual(
        expect.arrayContaining(['max-age=0', 'samesite=none', 'secure']),
      );
  });
});
