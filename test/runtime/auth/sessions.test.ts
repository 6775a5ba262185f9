/** Sessions: refreshed, ended, listed, and the access tokens that they issue. */
import { randomBytes, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashRefresh } from '../../../runtime/auth/refresh-tokens.js';
import { renewCookieSession } from '../../../runtime/auth/sessions.js';
import { ask as graphqlAsk } from '../graphql/library.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, testSecret, type TestServer } from '../server-harness.js';
import { claimsOf, login, logIn, peopleServer, readBooks, refresh } from './people.js';

const settings = settingsOf(import.meta.url);

describe.each(settings)('sessions on $dialect through $listener', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting });
  let other: TestServer;
  beforeAll(async () => {
    other = await server().startAnother();
  });
  afterAll(() => other.close());

  const ask = async (token: string) => (await readBooks(server(), token)).codes;

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

    it('returns the same token to concurrent requests in every process', async () => {
      const { refresh_token: token } = await logIn(server(), 'ann');
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => refresh(index % 2 === 0 ? server() : other, token)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      const next = new Set(answers.map(({ data }) => (data as Record<string, string>).refresh_token));
      expect(next.size).toBe(1);
      expect((await refresh(server(), String([...next][0]))).status).toBe(200);
    });

    it('by cookie renews only a session that has no refresh token, and ends no other', async () => {
      const { refresh_token: token, access_token: access } = await logIn(server(), 'ann');
      const { session } = jwt.decode(access) as { session: string };
      const renew = () =>
        renewCookieSession(
          { session, generation: 0 },
          { ttl: 60_000, address: '127.0.0.1' },
          server().database,
        );
      expect(await renew()).toBeNull();
      expect((await refresh(server(), token)).status).toBe(200);
      await server().database.write({
        text: 'update svc_sessions set token = null, generation = 0 where id = ?',
        values: [session],
      });
      expect(await renew()).toMatchObject({ session: { id: session, generation: 1 }, refresh: null });
    });

    it('with an old token ends the session', async () => {
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

    it('with an old token ends the session, also under a new secret', async () => {
      const { refresh_token: token } = await logIn(server(), 'ann');
      const { data } = await refresh(server(), token);
      const rotated = await server().startAnother({ SECRET: `${'n'.repeat(40)},${testSecret}` });
      try {
        await server().database.write({
          text: 'update svc_sessions set rotated = rotated - 10001',
          values: [],
        });
        expect((await refresh(rotated, token)).codes).toEqual(['INVALID_CREDENTIALS']);
        const { refresh_token: next } = data as Record<string, string>;
        expect((await refresh(rotated, next ?? '')).codes).toEqual(['INVALID_CREDENTIALS']);
      } finally {
        await rotated.close();
      }
    });

    it('with a forged token does not change the session', async () => {
      const { refresh_token: token, access_token: access } = await logIn(server(), 'ann');
      const { refresh_token: foreign } = await logIn(server(), 'ben');
      const [session = '', secret = ''] = token.split('.');
      for (const made of ['B'.repeat(43), `${secret.slice(0, 20)}${'B'.repeat(23)}`, foreign.split('.')[1]]) {
        expect((await refresh(server(), `${session}.${made}`)).codes).toEqual(['INVALID_CREDENTIALS']);
      }
      expect((await readBooks(other, access)).status).toBe(200);
      expect((await refresh(server(), token)).status).toBe(200);
    });

    it('accepts a token without a signature', async () => {
      const [session = ''] = (await logIn(server(), 'ann')).refresh_token.split('.');
      const token = `${session}.${randomBytes(32).toString('base64url')}`;
      const text = 'update svc_sessions set token = ? where id = ?';
      await server().database.write({ text, values: [hashRefresh(token), session] });
      const { data } = await refresh(server(), token);
      expect((await refresh(other, (data as Record<string, string>).refresh_token ?? '')).status).toBe(200);
    });

    it.each([
      ['nothing', {}, undefined],
      ['a token in the body for a cookie', {}, { refresh_token: 'x', mode: 'cookie' }],
      ['a token in a cookie for the body', { cookie: 'svc_refresh_token=x' }, { mode: 'json' }],
      ['an unknown mode', {}, { refresh_token: 'x', mode: 'magic' }],
    ])('with %s is rejected', async (_, headers, body) => {
      const options = { headers, ...(body !== undefined && { body }) };
      expect((await server().request('POST', '/auth/refresh', options)).codes).toEqual(['INVALID_PAYLOAD']);
    });

    it('with an unknown or expired token is rejected', async () => {
      expect((await refresh(server(), 'not-a-token')).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await refresh(server(), `${randomUUID()}.${'x'.repeat(43)}`)).codes).toEqual([
        'INVALID_CREDENTIALS',
      ]);
      const { refresh_token: token } = await logIn(server(), 'eve');
      const text = `update svc_sessions set expires = 1 where ${server().database.sql.quote('user')} = ?`;
      await server().database.write({ text, values: [server().ids.users.get('eve') ?? ''] });
      expect((await refresh(server(), token)).codes).toEqual(['INVALID_CREDENTIALS']);
    });
  });

  describe('a logout', () => {
    it('ends the session and its access tokens immediately in every process', async () => {
      const { refresh_token: token, access_token: access } = await logIn(server(), 'ann');
      const stays = await logIn(server(), 'ann');
      expect((await readBooks(other, access)).status).toBe(200);
      const out = await server().request('POST', '/auth/logout', { body: { refresh_token: token } });
      expect([out.status, out.text]).toEqual([204, '']);
      expect((await readBooks(other, access)).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await refresh(other, token)).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await readBooks(other, stays.access_token)).status).toBe(200);
    });

    it('ends the session of a token that was replaced a moment ago', async () => {
      const { refresh_token: token } = await logIn(server(), 'ann');
      const { data } = await refresh(server(), token);
      const { refresh_token: next = '' } = data as Record<string, string>;
      await server().request('POST', '/auth/logout', { body: { refresh_token: token } });
      expect((await refresh(server(), next)).codes).toEqual(['INVALID_CREDENTIALS']);
    });

    it('can be repeated and requires a token', async () => {
      const { refresh_token: token } = await logIn(server(), 'ann');
      const out = (body: unknown) => server().request('POST', '/auth/logout', { body });
      expect((await out({ refresh_token: token })).status).toBe(204);
      expect((await out({ refresh_token: token })).status).toBe(204);
      expect((await out({})).codes).toEqual(['INVALID_PAYLOAD']);
    });
  });

  describe('an access token', () => {
    it('must be signed by this server and not be expired', async () => {
      const body = await claimsOf(server(), 'ann');
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

    it('expires even after it was used', async () => {
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

    it('stays valid during a rotation of the secret', async () => {
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
    it('are listed and ended individually', async () => {
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

    it('are listed while they are valid', async () => {
      const list = async (token: string) =>
        (await server().request('GET', '/auth/sessions', { headers: { authorization: `Bearer ${token}` } }))
          .data as readonly { current: boolean }[];
      const { access_token: before } = await logIn(server(), 'dora');
      expect(await list(before)).toHaveLength(1);
      const path = `/users/${server().ids.users.get('dora')}`;
      const changed = { as: 'admin', body: { password: 'another password' } };
      expect((await server().request('PATCH', path, changed)).status).toBe(200);
      const { data } = await login(server(), 'dora', { password: 'another password' });
      expect(await list((data as { access_token: string }).access_token)).toMatchObject([{ current: true }]);
      const graphql = { as: 'dora', path: '/graphql/system' };
      const { body } = await graphqlAsk(server(), '{ auth_sessions { current } }', graphql);
      expect(body).toMatchObject({ data: { auth_sessions: [{ current: false }] } });
    });

    it('end when their user is suspended, and stay ended when the user is active again', async () => {
      const { refresh_token: token } = await logIn(server(), 'eve');
      const { refresh_token: unconcerned } = await logIn(server(), 'ann');
      const set = async (body: object) => {
        const path = `/users/${server().ids.users.get('eve')}`;
        expect((await server().request('PATCH', path, { as: 'admin', body })).status).toBe(200);
      };
      await set({ status: 'active' });
      const { status, data } = await refresh(server(), token);
      expect(status).toBe(200);
      await set({ status: 'suspended' });
      await set({ status: 'active' });
      const { refresh_token: next } = data as Record<string, string>;
      expect((await refresh(server(), next ?? '')).codes).toEqual(['INVALID_CREDENTIALS']);
      expect((await refresh(server(), unconcerned)).status).toBe(200);
    });

    it('can be listed and ended only by their user', async () => {
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
