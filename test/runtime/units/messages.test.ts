/** Conversion of requests: client address, and size of the body. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { toApiRequest, type MessageOptions } from '../../../runtime/http/messages.js';
import { isTooDeep, readJson } from '../../../runtime/request/body.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';
import { isUntrustedOrigin } from '../../../runtime/http/origin.js';

const trusted = 'https://app.example';
const trustsOrigin = (origin: string): boolean => origin === trusted;

describe('a request is foreign', () => {
  const own = 'https://api.example';
  it.each<[string, Record<string, string>, string | null, boolean]>([
    ['no browser', {}, null, false],
    ['a page of this server', { origin: 'http://host:8080', host: 'host:8080' }, null, false],
    ['a page of another port', { origin: 'http://host:8081', host: 'host:8080' }, null, true],
    ['a page of another host', { origin: 'http://evil', host: 'host' }, null, true],
    ['a page without origin', { origin: 'null', host: 'host' }, null, true],
    ['a page of the address that is known', { origin: own, host: 'inner' }, own, false],
    ['a page of the host alone', { origin: 'http://inner', host: 'inner' }, own, true],
    [
      'what a browser says is its own',
      { 'sec-fetch-site': 'same-origin', origin: 'http://evil' },
      own,
      false,
    ],
    ['what a user typed', { 'sec-fetch-site': 'none' }, null, false],
    ['a link from elsewhere', { 'sec-fetch-site': 'cross-site' }, null, true],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, null, true],
    ['a page of an origin that is trusted', { origin: trusted }, own, false],
    ['that page without its origin', { 'sec-fetch-site': 'cross-site' }, own, true],
    ['the same with its origin', { 'sec-fetch-site': 'same-site', origin: own }, own, false],
  ])('or not: %s', (_, headers, ownOrigin, expected) => {
    expect(isUntrustedOrigin(headers, { ownOrigin, trustsOrigin })).toBe(expected);
  });
});

const nested = (levels: number, [open = '', close = ''] = '[]'): string =>
  open.repeat(levels) + close.repeat(levels);

const read = (text: string, type = 'application/json', absent?: unknown) =>
  readJson(
    { headers: { 'content-type': type }, body: async () => Buffer.from(text) } as unknown as ApiRequest,
    absent,
  );

describe('a body', () => {
  it('can be nested at most 500 levels deep', async () => {
    expect(isTooDeep(`${nested(500)} `)).toBe(false);
    expect(isTooDeep(nested(501))).toBe(true);
    expect(isTooDeep(`${'{"a":'.repeat(501)}1${'}'.repeat(501)}`)).toBe(true);
    expect(isTooDeep(`[${Array.from({ length: 501 }, () => '[]').join()}]`)).toBe(false);
    expect(isTooDeep(JSON.stringify(['\\"[', '['.repeat(1_000)]))).toBe(false);
    await expect(read(nested(501))).rejects.toThrow('deeper than 500 levels');
  });

  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json'])(
    'is read as %s',
    async (type) => {
      expect(await read('{"a":1}', type)).toEqual({ a: 1 });
    },
  );

  it.each(['text/plain', '', 'application/jsonp', 'text/plain; x=application/json'])(
    'is not read as "%s"',
    async (type) => {
      await expect(read('{}', type)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    },
  );

  it('that is empty has the default, or is rejected', async () => {
    expect(await read('', '', null)).toBeNull();
    await expect(read('')).rejects.toThrow('the body is empty');
    await expect(read('{')).rejects.toThrow('not valid JSON');
  });
});

const closingsOf = (closed: boolean) => {
  const response = Object.assign(new EventEmitter(), { closed, writableFinished: true });
  const request = toApiRequest(
    { url: '/', headers: {}, socket: {} } as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    { base: '' } as MessageOptions,
  );
  let closings = 0;
  request.onClose(() => (closings += 1));
  return { response, request, closings: () => closings };
};

describe('the end of a response', () => {
  it('calls back, also where the client disconnected before', () => {
    const open = closingsOf(false);
    expect(open.closings()).toBe(0);
    open.response.emit('close');
    expect(open.closings()).toBe(1);
    expect(closingsOf(true).closings()).toBe(1);
  });

  it('stops what runs for a client who left, and not what a complete response has ended', () => {
    const { request, response } = closingsOf(false);
    const complete = request.closeSignal();
    response.emit('close');
    response.writableFinished = false;
    const left = request.closeSignal();
    response.emit('close');
    expect([complete.aborted, left.aborted]).toEqual([false, true]);
  });
});

it.each([
  ['/shop/items/a?limit=1', '/items/a', 'limit=1'],
  ['/items/a', '/items/a', ''],
  ['/shop', '/', ''],
  ['/shop?a=1', '/', 'a=1'],
  ['/shops', '/shops', ''],
  ['http://shop.example/shop/items/a?limit=1', '/items/a', 'limit=1'],
  ['HTTP://shop.example?a=1', '/', 'a=1'],
  ['*', '*', ''],
])('the target %s has the path %s and the query "%s"', (url, path, query) => {
  const request = { url, headers: {}, socket: {} } as unknown as IncomingMessage;
  const options = { base: '/shop' } as MessageOptions;
  expect(toApiRequest(request, new EventEmitter() as ServerResponse, options)).toMatchObject({ path, query });
});
