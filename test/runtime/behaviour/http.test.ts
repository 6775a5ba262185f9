/** HTTP: tokens, bodies, routes, request ids, and what the server says about itself. */
import { Agent } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sendChunks } from '../harness/send-chunks.js';
import { useServer } from '../harness/use-server.js';
import { adminToken, allSettings, type TestAccess } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

const access: TestAccess = {
  policies: { Titles: [{ collection: 'book', action: 'read', fields: ['id', 'title'] }] },
  users: {
    reader: { policies: ['Titles'] },
    suspended: { policies: ['Titles'], columns: { status: 'suspended' } },
    odd: { token: 'AbC', policies: ['Titles'] },
  },
};

const json = { 'content-type': 'application/json' };

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const itemPaths = ({ paths }: { readonly paths: object }) =>
  Object.keys(paths).filter((path) => path.startsWith('/items/'));

describe.each(allSettings)('HTTP on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta, access });
  const book = '/items/book/201?fields=title';
  const post = (raw: string | Uint8Array, headers: Readonly<Record<string, string>> = json) =>
    server().request('POST', '/items/book', { as: 'admin', raw, headers });

  const refusalOf = async (raw: string | Uint8Array, headers?: Readonly<Record<string, string>>) => {
    const { status, codes, text } = await post(raw, headers);
    return [status, ...codes, text];
  };

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

  describe('bodies', () => {
    it.each([
      '{"title":',
      '{title: "x"}',
      '{"title": "x",}',
      'undefined',
      '\u0000',
      '{"title": "x"} trailing',
    ])('%j is an invalid payload', async (raw) => {
      const { status, codes } = await post(raw);
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
    });

    it.each([
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ])('of the type "%s" are rejected', async (type) => {
      const { status, errors } = await post('{"title":"x"}', { 'content-type': type });
      expect({ status, errors }).toMatchObject({
        status: 415,
        errors: [{ code: 'UNSUPPORTED_MEDIA_TYPE', where: 'Content-Type' }],
      });
    });

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/merge-patch+json',
    ])('of the type %s are read', async (type) => {
      const raw = JSON.stringify({ title: 'Typed' });
      const { data } = await server().request('PATCH', '/items/book/203?fields=title', {
        as: 'admin',
        raw,
        headers: { 'content-type': type },
      });
      expect(data).toEqual({ title: 'Typed' });
    });

    it('that are not UTF-8 are an invalid payload', async () => {
      for (const hex of ['ff', 'c3', 'eda080', 'c080']) {
        const raw = Buffer.concat([Buffer.from('{"title":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
        expect(await refusalOf(raw)).toEqual([400, 'INVALID_PAYLOAD', expect.stringContaining('UTF-8')]);
      }
    });

    it.each(['\\ud800', '\\udc00', 'x\\uDBFFx', '\\ude00\\ud83d', '\\ud83d\\\\\\ude00', '\\\\\\ud800'])(
      'with the lone surrogate %s are an invalid payload, and so are queries',
      async (half) => {
        for (const raw of [`{"title":"${half}"}`, `{"${half}":"x"}`]) {
          expect(await refusalOf(raw)).toEqual([
            400,
            'INVALID_PAYLOAD',
            expect.stringContaining('surrogate'),
          ]);
        }
        const filter = encodeURIComponent(`{"title":{"_eq":"${half}"}}`);
        const { status, codes } = await server().request('GET', `/items/book?filter=${filter}`, {
          as: 'admin',
        });
        expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_QUERY'] });
        const variables = encodeURIComponent(`{"title":"${half}"}`);
        const path = `/graphql?query={__typename}&variables=${variables}`;
        expect((await server().request('GET', path, { as: 'admin' })).status).toBe(400);
      },
    );

    it('with escaped surrogate pairs are read', async () => {
      const raw = '{"title":"\\ud83d\\ude00 \\\\ud800 \\u00e9"}';
      const { data } = await server().request('PATCH', '/items/book/203?fields=title', {
        as: 'admin',
        raw,
        headers: json,
      });
      expect(data).toEqual({ title: '😀 \\ud800 é' });
    });

    it.each([
      ['gzip', gzipSync],
      ['GZIP', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['identity', (text: string) => Buffer.from(text)],
    ] as const)('compressed with %s are read', async (encoding, compress) => {
      const { data } = await server().request('PATCH', '/items/book/203?fields=title', {
        as: 'admin',
        raw: compress(JSON.stringify({ title: `Packed ${encoding}` })),
        headers: { ...json, 'content-encoding': encoding },
      });
      expect(data).toEqual({ title: `Packed ${encoding}` });
    });

    it.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const)('compressed with %s are limited by their uncompressed size', async (encoding, compress) => {
      const headers = { ...json, 'content-encoding': encoding };
      const raw = compress(Buffer.alloc(64 * 1024 * 1024, ' '));
      expect(await refusalOf(raw, headers)).toEqual([413, 'CONTENT_TOO_LARGE', expect.any(String)]);
    });

    it('in another encoding than stated or an unknown one are rejected', async () => {
      const packed = gzipSync('{}');
      for (const encoding of ['zstd', 'gzip, br', 'compress']) {
        const headers = { ...json, 'content-encoding': encoding };
        expect(await refusalOf(packed, headers)).toEqual([
          415,
          'UNSUPPORTED_MEDIA_TYPE',
          expect.stringContaining(`"${encoding}"`),
        ]);
      }
      for (const [encoding, raw] of [
        ['gzip', '{}'],
        ['br', packed],
        ['gzip', packed.subarray(0, 12)],
      ] as const) {
        const headers = { ...json, 'content-encoding': encoding };
        expect(await refusalOf(raw, headers)).toEqual([400, 'INVALID_PAYLOAD', expect.any(String)]);
      }
    });

    it('over the limit are rejected with their own code', async () => {
      const { status, errors } = await post(JSON.stringify({ title: 'x', note: 'x'.repeat(1_100_000) }));
      expect({ status, errors }).toMatchObject({ status: 413, errors: [{ code: 'CONTENT_TOO_LARGE' }] });
    });

    it('over the limit are rejected without a Content-Length too', async () => {
      const answer = await sendChunks(
        `${server().url}/items/book`,
        Array.from({ length: 24 }, () => ' '.repeat(65_536)),
      );
      expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('CONTENT_TOO_LARGE') });
      expect((await server().request('GET', book, { as: 'admin' })).status).toBe(200);
    });

    it.each([{}, { 'content-length': '16777216' }])(
      'over the limit are read to their end, so that the response arrives and the connection stays open: %j',
      async (headers) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const chunks = Array.from({ length: 256 }, () => ' '.repeat(65_536));
        const send = () => sendChunks(`${server().url}/items/book`, chunks, { agent, headers });
        const [first, second] = [await send(), await send()];
        agent.destroy();
        expect([first.status, second.status]).toEqual([413, 413]);
        expect(second.port).toBe(first.port);
      },
    );

    it('just below the limit are read', async () => {
      const { data } = await server().request('PATCH', '/items/book/203?fields=title', {
        as: 'admin',
        body: { title: 'Large', note: 'x'.repeat(60_000), isbn: null },
      });
      expect(data).toEqual({ title: 'Large' });
    });
  });

  describe('routes', () => {
    it.each([
      ['GET', '/items'],
      ['GET', '/items/'],
      ['GET', '/nowhere'],
      ['GET', '/'],
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

    it('has a Content-Length of 0 if it is empty', async () => {
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
        checks: { database: { status: 'ok', milliseconds: expect.any(Number) } },
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
      expect(itemPaths(reader)).toEqual(['/items/book', '/items/book/{key}']);
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
      expect(server().observations.filter((each) => each.kind === 'requestFailed')).toEqual([]);
    });
  });
});

describe.each(allSettings)('an internal error on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta });

  it('is generic in the response and has its statement, without values, in the log', async () => {
    await server().execute('drop table review');
    const secret = 'Zq7-secret-value';
    const path = `/items/book?filter[review][words][_eq]=${secret}`;
    const { status, body } = await server().request('GET', path, {
      as: 'admin',
      headers: { 'x-request-id': 'failed-1' },
    });
    expect({ status, body }).toEqual({
      status: 500,
      body: { errors: [{ message: expect.any(String), extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
    });
    expect(JSON.stringify(body)).not.toMatch(/review|table|select/i);
    const told = server().observations.find((each) => each.kind === 'requestFailed');
    expect(told).toMatchObject({ id: 'failed-1', method: 'GET', route: '/items/book' });
    const { error, sql } = told as { readonly error: Error; readonly sql?: string };
    expect(sql).toMatch(/review[^]*(?:\?|\$1)/);
    expect(`${JSON.stringify(told)} ${error.message} ${error.stack}`).not.toContain(secret);
  });
});
