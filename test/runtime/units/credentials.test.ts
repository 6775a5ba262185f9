/** Who is known from before is found by what was sent, and by nothing that merely looks like it. */
import { expect, it } from 'vitest';
import { createAccess, type Holder } from '../../../runtime/access/access.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';

const holderOf = (id: string): Holder => ({
  user: { id, role: null, status: 'active', columns: {} },
  session: null,
  proof: '',
  until: Number.POSITIVE_INFINITY,
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
  isForeign: () => false,
  gone: () => new AbortController().signal,
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
])('%s says the same whatever was asked before', async (_, sent, expected) => {
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

it('a token in the header and another one in the URL are refused, however well the first is known', async () => {
  const { access } = createKnown();
  await access.identify(requestWith(header));
  expect(() => access.identify(requestWith({ ...header, query: 'access_token=secret' }))).toThrow(
    'sent both',
  );
});

it('a header is looked up once', async () => {
  const { access, asked } = createKnown();
  for (let each = 0; each < 3; each += 1) await access.identify(requestWith(header));
  expect(asked).toEqual(['secret']);
});
