import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { compressResponses, encodingFor } from '../../../runtime/http/compress.js';
import type { ApiRequest, ApiResponse } from '../../../runtime/request/api-request.js';

const request = (path: string) =>
  ({ path, method: 'GET', headers: { 'accept-encoding': 'gzip' } }) as unknown as ApiRequest;

const encodingOf = async (path: string, headers: ApiResponse['headers'], length = 1024) => {
  const answer = compressResponses(async () => ({ status: 200, headers, body: 'x'.repeat(length) }));
  return (await answer(request(path))).headers['content-encoding'];
};

const json = { 'content-type': 'application/json; charset=utf-8' };

describe('a response', () => {
  it.each([
    ['of 1 KB', '/items/a', json, 1024, 'gzip'],
    ['below 1 KB', '/items/a', json, 1023, undefined],
    ['of GraphQL', '/graphql', { 'content-type': 'application/graphql-response+json' }, 5000, 'gzip'],
    ['that is a page', '/docs', { 'content-type': 'text/html; charset=utf-8' }, 5000, 'gzip'],
    ['that is a picture', '/files/1/a.png', { 'content-type': 'image/png' }, 5000, undefined],
    ['that is compressed', '/a', { ...json, 'content-encoding': 'br' }, 5000, 'br'],
    ['that holds a secret', '/keys', { ...json, 'cache-control': 'no-store' }, 5000, undefined],
    ['of a login', '/auth/login', json, 5000, undefined],
    ['of a collection called like it', '/items/auth', json, 5000, 'gzip'],
    ['that streams events', '/queue/a', { 'content-type': 'text/event-stream' }, 5000, undefined],
  ] as const)(
    'is compressed only where that helps and is safe: %s',
    async (_, path, headers, length, encoding) => {
      expect(await encodingOf(path, headers, length)).toBe(encoding);
    },
  );
});

const broken = async function* () {
  yield 'one';
  throw new Error('lost');
};

describe('a stream', () => {
  const send = async (body: Readable, accepted: string, headers: ApiResponse['headers'] = json) => {
    const answer = compressResponses(async () => ({ status: 200, headers, body }));
    const sent = { ...request('/items/a'), headers: { 'accept-encoding': accepted } } as ApiRequest;
    const response = await answer(sent);
    return { encoding: response.headers['content-encoding'], body: response.body as Readable };
  };
  const ndjson = { 'content-type': 'application/x-ndjson; charset=utf-8' };

  it.each([
    ['gzip', json, createGunzip],
    ['br', ndjson, createBrotliDecompress],
  ] as const)('is compressed as it is read: %s', async (accepted, headers, createDecoder) => {
    const { encoding, body } = await send(Readable.from(['one ', 'two']), accepted, headers);
    expect(encoding).toBe(accepted);
    expect(await text(body.pipe(createDecoder()))).toBe('one two');
  });

  it('is sent as it is where its length is known, or nobody asked', async () => {
    const file = { ...json, 'content-length': '3' };
    expect((await send(Readable.from(['one']), 'gzip', file)).encoding).toBeUndefined();
    expect((await send(Readable.from(['one']), 'identity')).encoding).toBeUndefined();
  });

  it('fails with its source, and ends it', async () => {
    const { body } = await send(Readable.from(broken()), 'gzip');
    await expect(text(body)).rejects.toThrow('lost');
    const source = new Readable({ read: () => undefined });
    (await send(source, 'gzip')).body.destroy();
    await vi.waitFor(() => expect(source.destroyed).toBe(true));
  });
});

it.each([
  ['gzip', '"abc-gzip"'],
  ['br', '"abc-br"'],
  ['identity', '"abc"'],
])('the entity tag of a response names its encoding: %s', async (accepted, tag) => {
  const headers = { ...json, etag: '"abc"' };
  const answer = compressResponses(async () => ({ status: 200, headers, body: 'x'.repeat(2000) }));
  const sent = { ...request('/items/a'), headers: { 'accept-encoding': accepted } } as ApiRequest;
  expect((await answer(sent)).headers.etag).toBe(tag);
});

it.each([
  [undefined, null],
  ['', null],
  ['gzip', 'gzip'],
  ['gzip, br', 'br'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.000, gzip', 'gzip'],
  ['br;q=0.001, gzip', 'br'],
  ['gzip;q=0.0', null],
  ['deflate', null],
] as const)('of the encodings %j, %j is used', (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding);
});
