/** Cached principals are found by exactly the sent credential. */
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../../runtime/access/access.js';
import type { Holder } from '../../../runtime/access/principal.js';
import { apiError } from '../../../contract/errors.js';
import {
  clearedCookies,
  headerKey,
  readCredential,
  SessionError,
  toSessionError,
} from '../../../runtime/access/credentials.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';

const holderOf = (id: string): Holder => ({
  user: { id, role: null, status: 'active', columns: {} },
  session: null,
  credentialDigest: '',
  expires: Number.POSITIVE_INFINITY,
});

/** Tokens, by who holds them; one of them looks like a header. */
const holders = new Map([
  ['secret', 'ann'],
  ['Bearer secret', 'ben'],
]);

const createKnown = () => {
  const asked: string[] = [];
  const access = createAccess({
    loadRows: async () => ({ version: '1', roles: [], policies: [], access: [], permissions: [] }),
    async findHolder(token) {
      asked.push(token);
      const id = holders.get(token);
      return id === undefined ? null : holderOf(id);
    },
    readVersion: async () => '1',
  });
  return { access, asked };
};

interface Sent {
  readonly authorization?: string;
  readonly query?: string;
  readonly cookie?: string;
}

const requestWith = ({ query = '', ...headers }: Sent): ApiRequest => ({
  id: '1',
  method: 'GET',
  path: '/items/book',
  query,
  headers,
  address: () => '127.0.0.1',
  isSecure: () => false,
  isUntrustedOrigin: () => false,
  closeSignal: () => new AbortController().signal,
  onClose: () => undefined,
  stream: () => {
    throw new Error('no stream');
  },
  body: async () => Buffer.alloc(0),
});

const header: Sent = { authorization: 'Bearer secret' };

it.each<[string, Sent, string | null]>([
  ['a header', header, 'ann'],
  ['a header with more blanks', { authorization: 'Bearer   secret ' }, 'ann'],
  ['a header in other letters', { authorization: 'bearer secret' }, 'ann'],
  ['a parameter', { query: 'access_token=secret' }, 'ann'],
  ['a parameter that looks like a header', { query: 'access_token=Bearer%20secret' }, 'ben'],
  [
    'a parameter beside another header',
    { query: 'access_token=secret', authorization: 'Basic secret' },
    'ann',
  ],
  ['that other header alone', { authorization: 'Basic secret' }, null],
  ['a session cookie', { cookie: 'svc_session_token=secret' }, 'ann'],
  [
    'a session cookie beside another header',
    { cookie: 'svc_session_token=secret', authorization: '' },
    'ann',
  ],
  ['nothing', {}, null],
  ['an empty header', { authorization: '' }, null],
  ['a bare token', { authorization: 'secret' }, null],
])('%s gives the same result regardless of earlier requests', async (_, sent, expected) => {
  const { access } = createKnown();
  const others: readonly Sent[] = [
    {},
    header,
    { query: 'access_token=Bearer%20secret' },
    { query: 'access_token=secret', authorization: 'Basic secret' },
    { cookie: 'svc_session_token=secret' },
    sent,
  ];
  for (const before of others) {
    await access.identify(requestWith(before));
    const { user } = await access.identify(requestWith(sent));
    expect(user?.id ?? null).toBe(expected);
  }
});

it('rejects a token in the header with another one in the URL, even if the first is cached', async () => {
  const { access } = createKnown();
  await access.identify(requestWith(header));
  expect(() => access.identify(requestWith({ ...header, query: 'access_token=secret' }))).toThrow(
    'send only one',
  );
});

it('looks up a header once', async () => {
  const { access, asked } = createKnown();
  for (let each = 0; each < 3; each += 1) await access.identify(requestWith(header));
  expect(asked).toEqual(['secret']);
});

const sentBy = (method: string): ApiRequest => ({
  ...requestWith({ cookie: 'svc_session_token=secret' }),
  method,
  isUntrustedOrigin: () => true,
});

describe('a session cookie sent by a page of another origin', () => {
  it.each(['GET', 'HEAD', 'SEARCH', 'OPTIONS'])('is accepted for a %s', (method) => {
    expect(readCredential(sentBy(method))?.token).toBe('secret');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is rejected for a %s without Origin and Sec-Fetch-Site',
    (method) => {
      expect(() => readCredential(sentBy(method))).toThrow('pages of this server');
      expect(readCredential({ ...sentBy(method), headers: { ...header } })?.token).toBe('secret');
    },
  );
});

it.each<[Sent, object | null]>([
  [header, { token: 'secret', key: 'Bearer secret', cookie: false }],
  [{ authorization: 'bearer  secret' }, { token: 'secret', key: '\nsecret', cookie: false }],
  [{ query: 'access_token=secret' }, { token: 'secret', key: '\nsecret', cookie: false }],
  [
    { query: 'a=1&access_token=', ...header },
    { token: 'secret', key: 'Bearer secret', cookie: false },
  ],
  [{ query: 'access_token=' }, null],
  [
    { query: 'my_access_token=x', ...header },
    { token: 'secret', key: 'Bearer secret', cookie: false },
  ],
  [{ cookie: 'a=1; svc_session_token=secret; b=2' }, { token: 'secret', key: '\nsecret', cookie: true }],
  [{ cookie: 'my_svc_session_token=secret' }, null],
  [{ cookie: 'a=1' }, null],
])('%j is read as %j', (sent, credential) => {
  expect(readCredential(requestWith(sent))).toEqual(credential);
});

it('accepts a session cookie for a write from a page of this server', () => {
  const request = { ...sentBy('POST'), isUntrustedOrigin: () => false };
  expect(readCredential(request)?.token).toBe('secret');
});

const errorOf = (sent: Sent): Promise<unknown> =>
  Promise.resolve(createKnown().access.identify(requestWith(sent))).then(
    () => null,
    (error: unknown) => error,
  );

it('rejects only an unknown session cookie as an ended session, which clears the cookie', async () => {
  expect(await errorOf({ cookie: 'svc_session_token=other' })).toBeInstanceOf(SessionError);
  for (const sent of [{ authorization: 'Bearer other' }, { query: 'access_token=other' }]) {
    const error = await errorOf(sent);
    expect(error).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(error).not.toBeInstanceOf(SessionError);
  }
});

const keyOf = (sent: Sent) => headerKey(requestWith(sent));

it('authenticates by a header without a token in the URL', () => {
  expect([keyOf(header), keyOf({ ...header, query: 'limit=1' })]).toEqual(['Bearer secret', 'Bearer secret']);
  expect([keyOf({}), keyOf({ ...header, query: 'access_token=x' })]).toEqual(['', '']);
});

const sessionErrorOf = (cause: unknown): unknown => {
  try {
    return toSessionError(cause);
  } catch (each) {
    return each;
  }
};

it('clears a cookie only if its session is invalid', () => {
  const error = apiError('INVALID_CREDENTIALS', {});
  const cleared = 'svc_session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=';
  expect(clearedCookies(sessionErrorOf(error), 'lax')).toEqual([`${cleared}Lax`]);
  expect(clearedCookies(sessionErrorOf(error), 'strict')).toEqual([`${cleared}Strict`]);
  expect(clearedCookies(sessionErrorOf(error), 'none')).toEqual([`${cleared}None; Secure`]);
  expect(sessionErrorOf(error)).toMatchObject({ code: 'INVALID_CREDENTIALS', message: error.message });
  expect([error, sessionErrorOf(new Error('other'))].map((each) => clearedCookies(each, 'lax'))).toEqual([
    [],
    [],
  ]);
});
