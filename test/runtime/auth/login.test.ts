/** Logins, their tokens and how they end. */
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printerOf } from '../../../runtime/schema/ddl.js';
import { cookiesOf } from '../harness/cookies.js';
import { useServer } from '../harness/use-server.js';
import { settings, testSecret, type TestServer } from '../server-harness.js';
import { login, logIn, password, peopleServer, readBooks, refresh } from './people.js';

describe.each(settings)('logins on $dialect through $door', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting });
  let other: TestServer;
  beforeAll(async () => {
    other = await server().startAnother();
  });
  afterAll(() => other.close());

  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    server().request('GET', path, { headers });
  const renew = (cookie: string, more: Readonly<Record<string, string>> = {}, mode?: string) =>
    server().request('POST', '/auth/refresh', {
      headers: { cookie, ...more },
      ...(mode !== undefined && { body: { mode } }),
    });

  const askSystem = (query: string, headers: Readonly<Record<string, string>>) =>
    server().request('POST', '/graphql/system', { headers, body: { query } });

  const claims = async () => {
    const { access_token: token } = await logIn(server(), 'ann');
    const { id, session } = jwt.decode(token) as Record<string, string>;
    return { id, session, iss: 'svc' };
  };
  const endedCookie = async () => {
    const cookie = cookiesOf(await login(server(), 'ann', { mode: 'session' })).get('svc_session_token');
    await server().request('POST', '/auth/logout', {
      headers: { cookie: `svc_session_token=${cookie?.value}` },
      body: { mode: 'session' },
    });
    return cookie?.value;
  };
  const ask = async (token: string) => (await readBooks(server(), token)).codes;

  it('answers with an access token, its lifetime and a refresh token', async () => {
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

  it('takes the token in the header or the query string, not in both', async () => {
    const { access_token: token } = await logIn(server(), 'ann');
    const path = `/items/book/1?fields=id&access_token=${token}`;
    expect((await get(path, {})).data).toEqual({ id: 1 });
    expect((await get(path, { authorization: `Bearer ${token}` })).codes).toEqual(['INVALID_PAYLOAD']);
  });

  it('keeps neither token nor refresh token where a database shell could read them', async () => {
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
  ])('answers %s with the same words', async (_, body) => {
    const answer = await login(server(), 'ann', body);
    expect([answer.status, answer.text]).toEqual([
      401,
      '{"errors":[{"message":"Invalid credentials.","extensions":{"code":"INVALID_CREDENTIALS"}}]}',
    ]);
  });

  it('looks for the address as given, then in lower case', async () => {
    expect((await login(server(), 'ann', { email: 'ANN@Example.com' })).status).toBe(200);
  });

  it('tells everything that is wrong with a body, and never what was in it', async () => {
    const { status, codes, text } = await server().request('POST', '/auth/login', {
      body: { email: 'canary', otp: 7, mode: 'magic' },
    });
    expect([status, codes]).toEqual([400, Array(4).fill('INVALID_PAYLOAD')]);
    expect(text).not.toContain('canary');
  });

  it('knows one provider that takes passwords', async () => {
    const body = { email: 'ann@example.com', password };
    expect((await server().request('POST', '/auth/login/default', { body })).status).toBe(200);
    expect((await server().request('POST', '/auth/login/acme', { body })).errors).toEqual([
      { code: 'ROUTE_NOT_FOUND', path: '/auth/login/acme' },
    ]);
    expect((await get('/auth', {})).body).toEqual({ data: [], disableDefault: false });
  });

  it('refuses a bad token on every route but the ping', async () => {
    const headers = { authorization: 'Bearer nobody-knows-this' };
    expect((await get('/auth', headers)).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await get('/server/ping', headers)).text).toBe('pong');
  });

  describe('a refresh', () => {
    it('replaces the refresh token', async () => {
      const { refresh_token: token } = await logIn(server(), 'ann');
      const answer = await refresh(other, token);
      expect(answer.data).toMatchObject({ expires: 900_000, refresh_token: expect.any(String) });
      const { refresh_token: next, access_token: access } = answer.data as Record<string, string>;
      expect(next).not.toBe(token);
      expect((await readBooks(server(), access ?? '')).status).toBe(200);
      expect((await refresh(server(), next ?? '')).status).toBe(200);
    });

    it('gives the same to all that ask at once, in every process', async () => {
      const { refresh_token: token } = await logIn(server(), 'ann');
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => refresh(index % 2 === 0 ? server() : other, token)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      const next = new Set(answers.map(({ data }) => (data as Record<string, string>).refresh_token));
      expect(next.size).toBe(1);
      expect((await refresh(server(), String([...next][0]))).status).toBe(200);
    });

    it('with a token that was used long ago ends the session', async () => {
      const { refresh_token: token, access_token: access } = await logIn(server(), 'ann');
      const { data } = await refresh(server(), token);
      const { refresh_token: next } = data as Record<string, string>;
      expect((await readBooks(other, access)).status).toBe(200);
      await server().database.write({
        text: 'update svc_sessions set rotated = rotated - 10001',
        values: [],
      });
      expect((await refresh(server(), token)).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await refresh(server(), next ?? '')).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await readBooks(other, access)).codes).toEqual(['INVALID_CREDENTIALS']);
    });

    it.each([
      ['nothing', {}, undefined],
      ['a token in the body for a cookie', {}, { refresh_token: 'x', mode: 'cookie' }],
      ['a token in a cookie for the body', { cookie: 'svc_refresh_token=x' }, { mode: 'json' }],
      ['an unknown mode', {}, { refresh_token: 'x', mode: 'magic' }],
    ])('with %s is refused', async (_, headers, body) => {
      const options = { headers, ...(body !== undefined && { body }) };
      expect((await server().request('POST', '/auth/refresh', options)).codes).toEqual(['INVALID_PAYLOAD']);
    });

    it('with an unknown or expired token is refused', async () => {
      expect((await refresh(server(), 'not-a-token')).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await refresh(server(), `${randomUUID()}.${'x'.repeat(43)}`)).codes).toEqual([
        'INVALID_CREDENTIALS',
      ]);
      const { refresh_token: token } = await logIn(server(), 'cleo');
      const text = `update svc_sessions set expires = 1 where ${printerOf(setting.dialect).quote('user')} = ?`;
      await server().database.write({ text, values: [server().ids.users.get('cleo') ?? ''] });
      expect((await refresh(server(), token)).codes).toEqual(['INVALID_CREDENTIALS']);
    });
  });

  describe('cookies', () => {
    it('hold the refresh token in mode cookie', async () => {
      const answer = await login(server(), 'ann', { mode: 'cookie' });
      expect(answer.data).toEqual({ access_token: expect.any(String), expires: 900_000 });
      const cookie = cookiesOf(answer).get('svc_refresh_token');
      expect(cookie?.attributes).toEqual(['httponly', 'max-age=604800', 'path=/', 'samesite=lax']);
      const renewed = await renew(`svc_refresh_token=${cookie?.value}`);
      expect(renewed.data).toEqual({ access_token: expect.any(String), expires: 900_000 });
      expect(cookiesOf(renewed).get('svc_refresh_token')?.value).not.toBe(cookie?.value);
    });

    it('are the login in mode session, and nothing is in the answer', async () => {
      const answer = await login(server(), 'ann', { mode: 'session' });
      expect(answer.data).toEqual({ expires: 86_400_000 });
      const { value, attributes } = cookiesOf(answer).get('svc_session_token') ?? {};
      expect(attributes).toEqual(['httponly', 'max-age=86400', 'path=/', 'samesite=lax']);
      const cookie = `svc_session_token=${value}`;
      expect((await get('/items/book/1?fields=id', { cookie })).data).toEqual({ id: 1 });
      const renewed = await renew(cookie, {}, 'session');
      expect(renewed.data).toEqual({ expires: 86_400_000 });
      const next = `svc_session_token=${cookiesOf(renewed).get('svc_session_token')?.value}`;
      expect((await get('/items/book/1?fields=id', { cookie: next })).status).toBe(200);
      // for requests that were under way
      expect((await get('/items/book/1?fields=id', { cookie })).status).toBe(200);
    });

    it('are taken back by a logout, and when they are no good', async () => {
      const answer = await login(server(), 'ann', { mode: 'session' });
      const cookie = `svc_session_token=${cookiesOf(answer).get('svc_session_token')?.value}`;
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

    it.each([
      ['ended', () => endedCookie()],
      ['expired', async () => jwt.sign(await claims(), testSecret, { expiresIn: -60 })],
      ['signed with another secret', async () => jwt.sign(await claims(), 'x'.repeat(40), { expiresIn: 60 })],
    ])('that have %s keep nobody from logging in, and are refused elsewhere', async (_, make) => {
      const headers = { cookie: `svc_session_token=${await make()}` };
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

    it('that are no good keep nobody from logging in by GraphQL, and are refused for everything else', async () => {
      const headers = { cookie: `svc_session_token=${await endedCookie()}` };
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

    it('are no worse for a login that fails', async () => {
      const answer = await login(server(), 'ann', { mode: 'session' });
      const headers = { cookie: `svc_session_token=${cookiesOf(answer).get('svc_session_token')?.value}` };
      const wrong = { email: 'ann@example.com', password: 'nope' };
      const failed = await server().request('POST', '/auth/login', { headers, body: wrong });
      const query = `mutation { auth_login(email: "${wrong.email}", password: "${wrong.password}") { expires } }`;
      const failedThere = await askSystem(query, headers);
      expect([failed.status, failed.codes]).toEqual([401, ['INVALID_CREDENTIALS']]);
      expect(failedThere.text).toContain('INVALID_CREDENTIALS');
      for (const each of [failed, failedThere]) expect(each.headers.getSetCookie()).toEqual([]);
      expect((await get('/items/book/1?fields=id', headers)).data).toEqual({ id: 1 });
    });

    it('are taken back where they cannot be renewed', async () => {
      const refused = await renew(`svc_session_token=${await endedCookie()}`, {}, 'session');
      expect(refused.codes).toEqual(['INVALID_CREDENTIALS']);
      expect(cookiesOf(refused).get('svc_session_token')).toMatchObject({ value: '' });
    });

    it('that are no good are counted like anybody’s request', async () => {
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

    it('count for nothing where a page of somebody else makes use of them', async () => {
      const answer = await login(server(), 'ben', { mode: 'session' });
      const cookie = `svc_session_token=${cookiesOf(answer).get('svc_session_token')?.value}`;
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

  describe('a logout', () => {
    it('ends the session at once, its access tokens too, in every process', async () => {
      const { refresh_token: token, access_token: access } = await logIn(server(), 'ann');
      const stays = await logIn(server(), 'ann');
      expect((await readBooks(other, access)).status).toBe(200);
      const out = await server().request('POST', '/auth/logout', { body: { refresh_token: token } });
      expect([out.status, out.text]).toEqual([204, '']);
      expect((await readBooks(other, access)).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await refresh(other, token)).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await readBooks(other, stays.access_token)).status).toBe(200);
    });

    it('twice is as good as once; with nothing it is refused', async () => {
      const { refresh_token: token } = await logIn(server(), 'ann');
      const out = (body: unknown) => server().request('POST', '/auth/logout', { body });
      expect((await out({ refresh_token: token })).status).toBe(204);
      expect((await out({ refresh_token: token })).status).toBe(204);
      expect((await out({})).codes).toEqual(['INVALID_PAYLOAD']);
    });
  });

  describe('an access token', () => {
    it('has to be signed here, and to be in time', async () => {
      const body = await claims();
      expect(await ask(jwt.sign(body, testSecret, { expiresIn: 60 }))).toEqual([]);
      expect(await ask(jwt.sign(body, testSecret, { expiresIn: -1 }))).toEqual(['TOKEN_EXPIRED']);
      expect(await ask(jwt.sign(body, 'x'.repeat(40), { expiresIn: 60 }))).toEqual(['INVALID_TOKEN']);
      expect(await ask(jwt.sign(body, '', { algorithm: 'none', expiresIn: 60 }))).toEqual(['INVALID_TOKEN']);
      expect(await ask(jwt.sign({ ...body, iss: 'them' }, testSecret))).toEqual(['INVALID_CREDENTIALS']);
      expect(await ask(jwt.sign({ ...body, session: randomUUID() }, testSecret, { expiresIn: 60 }))).toEqual([
        'INVALID_CREDENTIALS',
      ]);
      expect(await ask(jwt.sign({ ...body, session: undefined }, testSecret, { expiresIn: 60 }))).toEqual([
        'INVALID_TOKEN',
      ]);
    });

    it('stops when its time is over, however often it was used before', async () => {
      const short = await server().startAnother({ ACCESS_TOKEN_TTL: '1s' });
      try {
        const { access_token: token } = await logIn(short, 'ann');
        const until = Date.now() + 4_000;
        let codes: readonly unknown[] = [];
        while (codes.length === 0 && Date.now() < until) codes = (await readBooks(short, token)).codes;
        expect(codes).toEqual(['TOKEN_EXPIRED']);
      } finally {
        await short.close();
      }
    });

    it('survives a change of the secret while both are known', async () => {
      const { access_token: token, refresh_token: kept } = await logIn(server(), 'ann');
      const fresh = 'another-secret-0123456789abcdef0123456';
      const rotated = await server().startAnother({ SECRET: `${fresh},${testSecret}` });
      const after = await server().startAnother({ SECRET: fresh });
      try {
        expect((await readBooks(rotated, token)).status).toBe(200);
        expect((await readBooks(after, token)).codes).toEqual(['INVALID_TOKEN']);
        const { data } = await refresh(rotated, kept);
        expect((await readBooks(after, (data as { access_token: string }).access_token)).status).toBe(200);
      } finally {
        await Promise.all([rotated.close(), after.close()]);
      }
    });
  });

  describe('own sessions', () => {
    it('are listed, and ended one by one', async () => {
      const mine = await logIn(server(), 'cleo');
      const phone = await logIn(server(), 'cleo');
      await logIn(server(), 'ben');
      const as = { headers: { authorization: `Bearer ${mine.access_token}` } };
      const { data } = await server().request('GET', '/auth/sessions', as);
      const listed = data as readonly { id: string; current: boolean; ip: string }[];
      expect(listed.map(({ current }) => current).sort()).toEqual([false, true]);
      expect(listed.every(({ ip }) => ip === '127.0.0.1')).toBe(true);
      const ended = listed.find(({ current }) => !current)?.id;
      expect((await server().request('DELETE', `/auth/sessions/${ended}`, as)).status).toBe(204);
      expect((await readBooks(other, phone.access_token)).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await readBooks(other, mine.access_token)).status).toBe(200);
      expect((await server().request('DELETE', `/auth/sessions/${ended}`, as)).codes).toEqual(['FORBIDDEN']);
    });

    it('are nobody else’s to see or end', async () => {
      const { access_token: token } = await logIn(server(), 'ben');
      const { session } = jwt.decode(token) as { session: string };
      const as = { as: 'ann' };
      expect((await server().request('DELETE', `/auth/sessions/${session}`, as)).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect((await server().request('GET', '/auth/sessions')).codes).toEqual(['FORBIDDEN']);
      expect((await readBooks(server(), token)).status).toBe(200);
    });
  });
});
