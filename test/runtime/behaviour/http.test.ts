/** HTTP: tokens, routes, request ids, and what the server says about itself. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { adminToken, sampleAllSettings, type TestAccess } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const access: TestAccess = {
  policies: { Titles: [{ collection: 'book', action: 'read', fields: ['id', 'title'] }] },
  users: {
    reader: { policies: ['Titles'] },
    suspended: { policies: ['Titles'], columns: { status: 'suspended' } },
    odd: { token: 'AbC', policies: ['Titles'] },
  },
};

/** A table that is dropped under the running server. */
const doomed = 'create table doomed (id integer primary key, words varchar(40))';

const json = { 'content-type': 'application/json' };

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const itemPaths = ({ paths }: { readonly paths: object }) =>
  Object.keys(paths).filter((path) => path.startsWith('/items/'));

describe.each(sampleAllSettings(import.meta.url))('HTTP on $dialect through $listener', (setting) => {
  const server = useServer({
    followsSchema: false,
    ...setting,
    sql: `${librarySql(setting.dialect)} ${doomed}`,
    meta: libraryMeta,
    access,
  });
  const book = '/items/book/201?fields=title';

  describe('tokens', () => {
    it('are accepted in the header with a scheme in any case, or in the query', async () => {
      const shown = { title: 'Few Words' };
      expect((await server().request('GET', book, bearer('reader-token'))).data).toEqual(shown);
      expect(
        (await server().request('GET', book, { headers: { authorization: 'bearer  reader-token' } })).data,
      ).toEqual(shown);
      expect((await server().request('GET', `${book}&access_token=reader-token`)).data).toEqual(shown);
    });

    it('in both places are rejected', async () => {
      const { status, codes } = await server().request(
        'GET',
        `${book}&access_token=reader-token`,
        bearer('reader-token'),
      );
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
    });

    it.each([
      'nobody-knows-this',
      'abc',
      'ABC',
      'AbC ',
      "' or 1=1 --",
      'eyJhbGciOiJub25lIn0.eyJpZCI6MX0.',
      'reader-token-',
      '%',
    ])('"%s" is invalid', async (token) => {
      const path = `${book}&access_token=${encodeURIComponent(token)}`;
      const { status, codes, headers } = await server().request('GET', path);
      expect({ status, codes }).toEqual({ status: 401, codes: ['INVALID_CREDENTIALS'] });
      expect(headers.get('www-authenticate')).toBe('Bearer');
    });

    it('of a suspended user are treated as unknown', async () => {
      for (const [method, path] of [
        ['GET', book],
        ['DELETE', '/items/book/201'],
        ['GET', '/server/specs/oas'],
        ['GET', '/server/health'],
      ] as const) {
        expect((await server().request(method, path, { as: 'suspended' })).codes).toEqual([
          'INVALID_CREDENTIALS',
        ]);
      }
    });

    it('that are empty are ignored', async () => {
      expect((await server().request('GET', `${book}&access_token=`)).codes).toEqual(['FORBIDDEN']);
      expect((await server().request('GET', book, { headers: { authorization: 'Bearer ' } })).codes).toEqual([
        'FORBIDDEN',
      ]);
      expect(
        (await server().request('GET', book, { headers: { authorization: 'Basic eDp5' } })).codes,
      ).toEqual(['FORBIDDEN']);
    });
  });

  describe('routes', () => {
    it.each([
      ['GET', '/items'],
      ['GET', '/items/'],
      ['GET', '/nowhere'],
      ['GET', '/items/book/1/title'],
      ['PUT', '/items/book/1'],
      ['POST', '/items/book/1'],
      ['SEARCH', '/items/book/1'],
      ['POST', '/server/ping'],
      ['GET', '/users/me/too'],
      ['GET', '/docs'],
    ])('%s %s is not a route', async (method, path) => {
      const { status, codes } = await server().request(method, path, { as: 'admin' });
      expect({ status, codes }).toEqual({ status: 404, codes: ['ROUTE_NOT_FOUND'] });
    });

    it.each([
      '/items/book/%ff',
      '/items/%ff',
      '/items/book/%',
      '/items/book?filter=%ff',
      '/items/book?%ff=1',
      '/items/book?fields=%E0%A4%A',
    ])('GET %s is a client error', async (path) => {
      const { status } = await server().request('GET', path, { as: 'admin' });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    });

    it('HEAD returns the headers of GET', async () => {
      for (const path of [book, '/items/book?limit=3', '/items/book/9999', '/server/ping']) {
        const [head, get] = await Promise.all([
          server().request('HEAD', path, { as: 'admin' }),
          server().request('GET', path, { as: 'admin' }),
        ]);
        expect({ path, status: head.status, text: head.text }).toEqual({
          path,
          status: get.status,
          text: '',
        });
        expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
        expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      }
    });

    it('rejects too many parameters and too deep brackets', async () => {
      const many = Array.from({ length: 1_001 }, (_, index) => `a${index}=1`).join('&');
      const deep = `filter${'[_and][0]'.repeat(40)}[id][_eq]=1`;
      for (const query of [many, deep]) {
        expect((await server().request('GET', `/items/book?${query}`, { as: 'admin' })).codes).toEqual([
          'INVALID_QUERY',
        ]);
      }
      let filter: unknown = { id: { _eq: 1 } };
      for (let level = 0; level < 100; level += 1) filter = { _and: [filter] };
      const body = { query: { filter } };
      expect((await server().request('SEARCH', '/items/book', { as: 'admin', body })).codes).toEqual([
        'INVALID_QUERY',
      ]);
    });
  });

  describe('every response', () => {
    it('has an id, that of the caller if it is safe', async () => {
      const sent = { as: 'admin', headers: { 'x-request-id': 'my-id.1' } };
      expect((await server().request('GET', book, sent)).headers.get('x-request-id')).toBe('my-id.1');
      const idOf = async (length: number): Promise<number | undefined> => {
        const headers = { 'x-request-id': 'a'.repeat(length) };
        return (await server().request('GET', book, { as: 'admin', headers })).headers.get('x-request-id')
          ?.length;
      };
      expect([await idOf(64), (await idOf(65)) === 65]).toEqual([64, false]);
      const odd = { as: 'admin', headers: { 'x-request-id': 'a b"c' } };
      const seen = new Set<string | null>();
      for (const path of [book, '/items/book/9999', '/server/ping', '/nowhere']) {
        seen.add((await server().request('GET', path, odd)).headers.get('x-request-id'));
      }
      expect(seen.size).toBe(4);
      for (const id of seen) expect(id).toMatch(/^[\w.-]{1,64}$/);
    });

    it('has nosniff', async () => {
      for (const path of [
        book,
        '/items/book/9999',
        '/server/ping',
        '/server/specs/oas',
        '/nowhere',
        '/graphql',
      ]) {
        const { headers } = await server().request('GET', path, { as: 'admin' });
        expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
      }
    });

    it('has version and content type', async () => {
      const { headers } = await server().request('GET', book, { as: 'admin' });
      expect(headers.get('x-svc-version')).toMatch(/^\d+\.\d+\.\d+/);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    });

    it('has a Content-Length, or no body', async () => {
      const { status, headers, text } = await server().request('PATCH', '/items/book/203', {
        as: 'admin',
        body: { title: 'x' },
        headers: { 'accept-encoding': 'identity' },
      });
      expect({ status, empty: text === '' }).toEqual({ status: 200, empty: false });
      const gone = await server().request('DELETE', '/items/review/4', { as: 'admin' });
      expect({ status: gone.status, text: gone.text, type: gone.headers.get('content-type') }).toEqual({
        status: 204,
        text: '',
        type: null,
      });
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    });
  });

  describe('the server', () => {
    it('responds to a ping with any token', async () => {
      for (const options of [{}, bearer('nobody-knows-this'), { as: 'admin' }]) {
        const { status, text } = await server().request('GET', '/server/ping', options);
        expect({ status, text }).toEqual({ status: 200, text: 'pong' });
      }
    });

    it('returns its status to all callers, its checks to administrators', async () => {
      expect((await server().request('GET', '/server/health')).body).toEqual({ status: 'ok' });
      expect((await server().request('GET', '/server/health', { as: 'admin' })).body).toEqual({
        status: 'ok',
        checks: {
          database: { status: 'ok', milliseconds: expect.any(Number) },
          schema: expect.objectContaining({ status: 'ok' }),
        },
      });
    });

    it('describes only what the caller can use', async () => {
      const read = async (as?: string) =>
        (await server().request('GET', '/server/specs/oas', as === undefined ? {} : { as })).body as {
          readonly openapi: string;
          readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        };
      const [stranger, reader, admin] = [await read(), await read('reader'), await read('admin')];
      expect(itemPaths(stranger)).toEqual([]);
      expect(itemPaths(reader)).toEqual(['/items/book', '/items/book/{key}', '/items/book/export']);
      expect(Object.keys(reader.paths['/items/book'] ?? {})).not.toContain('post');
      expect(JSON.stringify(reader)).not.toContain('isbn');
      expect(itemPaths(admin)).toEqual(expect.arrayContaining(['/items/author', '/items/book_shelf/{key}']));
      expect(admin.paths).toEqual(server().openapi.paths);
    });
  });

  describe('the log', () => {
    it('contains no tokens, values or bodies', async () => {
      const secret = 'Zq7-secret-value';
      const filter = `{"title":{"_eq":"${secret}"}}`;
      await server().request(
        'GET',
        `/items/book?filter=${encodeURIComponent(filter)}&access_token=${adminToken}`,
      );
      await server().request('GET', `/items/book?search=${secret}`, { as: 'reader' });
      await server().request('GET', `/items/country/${secret}`, { as: 'admin' });
      await server().request('GET', `/users/${secret}?access_token=${secret}`);
      await server().request('POST', '/items/book', { as: 'admin', body: { title: secret } });
      await server().request('POST', '/items/book', { as: 'admin', body: { title: 1, note: secret } });
      await server().request('POST', '/items/book', {
        as: 'admin',
        raw: `{"title": ${secret}`,
        headers: json,
      });
      const told = JSON.stringify(server().observations);
      for (const hidden of [secret, adminToken, 'reader-token']) expect(told).not.toContain(hidden);
    });

    it('contains every request with the template of its path', async () => {
      await server().request('GET', '/items/country/de', {
        as: 'admin',
        headers: { 'x-request-id': 'logged-1' },
      });
      const seen = server().observations.filter(
        (each) => each.kind === 'requestFinished' && each.id === 'logged-1',
      );
      expect(seen).toMatchObject([{ method: 'GET', route: '/items/country/:id', status: 200 }]);
      const failed = server().observations.filter((each) => each.kind === 'requestFailed');
      expect(failed.filter(({ route }) => route !== '/items/doomed')).toEqual([]);
    });

    it('contains the statement of an internal error without values, and the response is generic', async () => {
      await server().execute('drop table doomed');
      const secret = 'Zq7-secret-value';
      const path = `/items/doomed?filter[words][_eq]=${secret}`;
      const { status, body } = await server().request('GET', path, {
        as: 'admin',
        headers: { 'x-request-id': 'failed-1' },
      });
      expect({ status, body }).toEqual({
        status: 500,
        body: { errors: [{ message: expect.any(String), extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
      });
      expect(JSON.stringify(body)).not.toMatch(/doomed|table|select/i);
      const told = server().observations.find(
        (each) => each.kind === 'requestFailed' && each.id === 'failed-1',
      );
      expect(told).toMatchObject({ id: 'failed-1', method: 'GET', route: '/items/doomed' });
      const { error, sql } = told as { readonly error: Error; readonly sql?: string };
      expect(sql).toMatch(/doomed[^]*(?:\?|\$1)/);
      expect(`${JSON.stringify(told)} ${error.message} ${error.stack}`).not.toContain(secret);
    });
  });
});
