/** Pages of other origins: what they may send, what they may read of the answer, and which may act by cookie. */
import { describe, expect, it } from 'vitest';
import { cookiesOf } from './harness/cookies.js';
import { useServer } from './harness/use-server.js';
import { login, peopleServer } from './auth/people.js';
import { allSettings, type Answer, type TestServer } from './server-harness.js';

const shop = 'https://shop.example';
const stranger = 'https://evil.example';

const corsOf = ({ headers }: Answer): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'x-a,x-b' };

const cookieOn = async (server: () => TestServer): Promise<string> => {
  const answer = await login(server(), 'ben', { mode: 'session' });
  return `svc_session_token=${cookiesOf(answer).get('svc_session_token')?.value}`;
};
const write = (server: () => TestServer, origin: string, cookie: string) =>
  server().request('PATCH', '/items/book/201?fields=title', {
    body: { title: 'Written' },
    headers: { cookie, origin, 'sec-fetch-site': 'cross-site' },
  });

const from = (origin: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { origin, ...more },
});

/** The database has no part in it. */
const listeners = allSettings.filter(({ dialect }) => dialect === 'sqlite');

describe.each(listeners)('pages of other origins through $listener', (setting) => {
  const base = { ...peopleServer(setting), ...setting };
  const off = useServer(base);
  const open = useServer({ ...base, environment: { CORS_ORIGIN: 'true' } });
  const listed = useServer({ ...base, environment: { CORS_ORIGIN: `${shop}, https://*.shop.example` } });
  const trusting = useServer({
    ...base,
    environment: { CORS_ORIGIN: `${shop},https://*.shop.example`, CORS_CREDENTIALS: 'true' },
  });
  it('cannot read responses by default', async () => {
    for (const [method, headers] of [
      ['GET', {}],
      ['OPTIONS', preflight],
    ] as const) {
      const answer = await off().request(method, '/server/ping', from(shop, headers));
      expect([corsOf(answer), answer.headers.get('vary')]).toEqual([{}, null]);
    }
  });

  it('can read responses with CORS_ORIGIN=*, but not with cookies', async () => {
    const answer = await open().request('GET', '/server/ping', from(stranger));
    expect(corsOf(answer)).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(corsOf(answer)).not.toHaveProperty('access-control-allow-credentials');
    expect(answer.headers.get('vary')).toBeNull();
  });

  it.each([shop, 'https://de.shop.example'])('of the listed origin %s can read responses', async (origin) => {
    const answer = await listed().request('GET', '/server/ping', from(origin));
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': expect.stringMatching(/ETag.*RateLimit.*Retry-After.*X-Svc-Rows/),
    });
  });

  it('are distinguished by caches with Vary', async () => {
    for (const headers of [{ origin: shop }, { origin: stranger }, {}]) {
      const answer = await listed().request('GET', '/server/ping', { headers });
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it.each([stranger, 'null', 'https://shop.example.evil.example', 'http://shop.example'])(
    'of the origin %s can neither read nor write',
    async (origin) => {
      expect(corsOf(await listed().request('GET', '/server/ping', from(origin)))).toEqual({});
      const answer = await listed().request('OPTIONS', '/items/book/1', from(origin, preflight));
      expect(corsOf(answer)).toEqual({});
    },
  );

  it.each([
    ['/items/book', 'GET, SEARCH, POST, PATCH, DELETE, HEAD, OPTIONS'],
    ['/items/book/1', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ['/users/me', 'GET, PATCH, HEAD, OPTIONS'],
    ['/auth/login', 'POST, OPTIONS'],
    ['/graphql', 'GET, POST, HEAD, OPTIONS'],
    ['/queue/demo/image', 'POST, OPTIONS'],
    ['/nowhere', 'GET, HEAD, SEARCH, POST, PUT, PATCH, DELETE, OPTIONS'],
  ])('receive the methods of %s in a preflight: %s', async (path, methods) => {
    const answer = await listed().request('OPTIONS', path, from(shop, preflight));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': shop,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'x-a,x-b',
      'access-control-expose-headers': expect.any(String),
      'access-control-max-age': '7200',
    });
  });

  it('can read errors of every kind', async () => {
    for (const path of [
      '/nowhere',
      '/items/book/9999',
      '/items/book?access_token=nobodys',
      '/queue/none/such',
    ]) {
      const answer = await listed().request('GET', path, from(shop));
      expect([path, answer.status >= 400, corsOf(answer)['access-control-allow-origin']]).toEqual([
        path,
        true,
        shop,
      ]);
    }
  });

  it('receive the usual response to OPTIONS without a preflight', async () => {
    const answer = await listed().request('OPTIONS', '/items/book/1', from(shop));
    expect(answer.headers.get('allow')).toBe('GET, PATCH, DELETE, HEAD, OPTIONS');
    expect(corsOf(answer)).not.toHaveProperty('access-control-allow-methods');
  });

  describe('requests with cookies', () => {
    it.each([shop, 'https://de.shop.example'])('can write from %s with CORS_CREDENTIALS', async (origin) => {
      const answer = await write(trusting, origin, await cookieOn(trusting));
      expect([answer.status, answer.data]).toEqual([200, { title: 'Written' }]);
      expect(corsOf(answer)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
      });
    });

    it.each([stranger, 'null'])('cannot write from %s', async (origin) => {
      const answer = await write(trusting, origin, await cookieOn(trusting));
      expect([answer.codes, corsOf(answer)]).toEqual([['FORBIDDEN'], {}]);
    });

    it('cannot write from a listed origin without CORS_CREDENTIALS', async () => {
      expect((await write(listed, shop, await cookieOn(listed))).codes).toEqual(['FORBIDDEN']);
      expect((await write(open, shop, await cookieOn(open))).codes).toEqual(['FORBIDDEN']);
    });
  });
});
