/** HTTP: how bodies are read, decompressed and limited. */
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sendChunks } from '../harness/send-chunks.js';
import { useServer } from '../harness/use-server.js';
import { adminToken, sampleAllSettings } from '../server-harness.js';
import { until } from '../../until.js';
import { libraryMeta, librarySql } from './library.js';

const json = { 'content-type': 'application/json' };

/** 64 MiB of blanks, compressed; once, because it takes seconds. */
const blanks = ((text) => ({
  gzip: gzipSync(text),
  deflate: deflateSync(text),
  br: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
}))(Buffer.alloc(64 * 1024 * 1024, ' '));

describe.each(sampleAllSettings(import.meta.url))('bodies on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: librarySql(setting.dialect), meta: libraryMeta });
  const post = (raw: string | Uint8Array, headers: Readonly<Record<string, string>> = json) =>
    server().request('POST', '/items/book', { as: 'admin', raw, headers });

  const refusalOf = async (raw: string | Uint8Array, headers?: Readonly<Record<string, string>>) => {
    const { status, codes, text } = await post(raw, headers);
    return [status, ...codes, text];
  };

  it.each(['{"title":', '{title: "x"}', '{"title": "x",}', 'undefined', '\u0000', '{"title": "x"} trailing'])(
    '%j is an invalid payload',
    async (raw) => {
      const { status, codes } = await post(raw);
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
    },
  );

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
        expect(await refusalOf(raw)).toEqual([400, 'INVALID_PAYLOAD', expect.stringContaining('surrogate')]);
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
    ['gzip', blanks.gzip],
    ['deflate', blanks.deflate],
    ['br', blanks.br],
  ] as const)('compressed with %s are limited by their uncompressed size', async (encoding, raw) => {
    const headers = { ...json, 'content-encoding': encoding };
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
    expect((await server().request('GET', '/items/book/201?fields=title', { as: 'admin' })).status).toBe(200);
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

  it('of clients that reset the connection are no loss of the database', async () => {
    const { port, hostname, pathname } = new URL(`${server().url}/items/book`);
    const before = server().observations.length;
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    const head = [
      `POST ${pathname} HTTP/1.1`,
      'host: x',
      `authorization: Bearer ${adminToken}`,
      'content-type: application/json',
      'content-length: 100',
      'expect: 100-continue',
    ];
    await new Promise<void>((resolve) =>
      socket.write(`${head.join('\r\n')}\r\n\r\n{"title":`, () => resolve()),
    );
    // the server has the head by then
    await once(socket, 'data');
    socket.resetAndDestroy();
    const since = () => server().observations.slice(before);
    await until(() => since().some((each) => each.kind === 'requestFinished'));
    expect(since().map(({ kind }) => kind)).toEqual(['requestFinished']);
    expect(since()[0]).toMatchObject({ status: 400 });
  });

  it('just below the limit are read', async () => {
    const { data } = await server().request('PATCH', '/items/book/203?fields=title', {
      as: 'admin',
      body: { title: 'Large', note: 'x'.repeat(60_000), isbn: null },
    });
    expect(data).toEqual({ title: 'Large' });
  });
});
