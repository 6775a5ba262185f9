/** Caching: who keeps answers, entity tags, conditions of reads and writes, and compressed answers. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { login, peopleServer } from '../auth/people.js';
import { sampleSettings, type Answer } from '../server-harness.js';

const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? 'none';

/** Ours, not what a client of the test asks for by itself. */
const plain = { 'accept-encoding': 'identity' };

describe.each(sampleSettings(import.meta.url))('caching on $dialect through $listener', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, as = 'admin') =>
    server().request('GET', path, { as, headers: { ...plain, ...headers } });
  const write = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) =>
    server().request(method, path, { as: 'admin', headers, body });
  const ask = (path: string, accepted: string) => get(path, { 'accept-encoding': accepted });
  const graphql = async (query: string) =>
    (await server().request('POST', '/graphql', { as: 'admin', body: { query } })).body as {
      readonly errors?: readonly { readonly extensions: unknown }[];
      readonly extensions?: { readonly meta: { readonly book: { readonly etag: string } } };
    };
  const item = '/items/book/201?fields=id,title';

  it('an item and a list are cached privately, and an item is revalidated', async () => {
    const answers = [await get(item), await get('/items/book?limit=2')];
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toBe('Authorization, Cookie, Accept-Encoding');
    }
    expect(answers.map(tagOf)).toEqual([expect.stringMatching(/^"[\w-]{22}"$/), 'none']);
  });

  it.each([
    '/users/me',
    '/users',
    '/roles',
    '/server/health',
    '/auth',
    '/items/book/9999',
    '/nowhere',
    '/.well-known/nothing',
  ])('%s is not cached', async (path) => {
    const { headers } = await get(path);
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null]);
  });

  it('writes and logins are not cached', async () => {
    const written = await write('PATCH', item, {}, { title: 'Kept' });
    const answers = [written, await login(server(), 'ann')];
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store');
  });

  it('compares the tag of REST or GraphQL in GraphQL', async () => {
    const read = '{ book: book_by_id(id: 201, meta: "etag") { id } }';
    const update = (tag: string) =>
      graphql(
        `mutation { update_book_item(id: 201, data: { title: "by tag" }, ifMatch: ${JSON.stringify(tag)}) { title } }`,
      );
    await write('PATCH', '/items/book/201', {}, { title: 'before' });
    const tag = (await graphql(read)).extensions?.meta.book.etag ?? '';
    expect(tag).toBe(tagOf(await get('/items/book/201')));
    expect(await update(tag)).toEqual({ data: { update_book_item: { title: 'by tag' } } });
    const failed = [{ extensions: { code: 'PRECONDITION_FAILED', header: 'If-Match' } }];
    expect(await update(tag)).toMatchObject({ errors: failed });
    const removal = `mutation { delete_book_item(id: 201, ifMatch: ${JSON.stringify(tag)}) { id } }`;
    expect(await graphql(removal)).toMatchObject({ errors: failed });
    expect(await graphql('{ book_by_id(id: 201, meta: "count") { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'INVALID_QUERY' } }],
    });
  });

  it('returns 304 for a current tag', async () => {
    const tag = tagOf(await get(item));
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, tag.replace(/"$/, '-gzip"'), '*']) {
      const { status, text, headers } = await get(item, { 'if-none-match': known });
      expect({ status, text, tag: headers.get('etag') }).toEqual({ status: 304, text: '', tag });
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('content-length')).toBeNull();
    }
    expect((await get(item, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('returns different tags for different fields, callers and values', async () => {
    const first = tagOf(await get(item));
    expect(tagOf(await get(item))).toBe(first);
    expect(tagOf(await get('/items/book/201?fields=title'))).not.toBe(first);
    await write('PATCH', item, {}, { title: 'Another' });
    expect(tagOf(await get(item))).not.toBe(first);
  });

  it('returns the tag of GET for HEAD', async () => {
    const head = await server().request('HEAD', item, { as: 'admin', headers: plain });
    expect(tagOf(head)).toBe(tagOf(await get(item)));
  });

  it('a write with the current tag succeeds once', async () => {
    const tag = tagOf(await get(item));
    const body = { title: 'Matched' };
    const done = await write('PATCH', item, { 'if-match': tag }, body);
    expect([done.status, done.data]).toEqual([200, { id: 201, title: 'Matched' }]);
    const refused = await write('PATCH', item, { 'if-match': tag }, { title: 'Lost' });
    expect([refused.status, refused.errors]).toEqual([
      412,
      [{ code: 'PRECONDITION_FAILED', header: 'If-Match' }],
    ]);
    expect((await get(item)).data).toEqual({ id: 201, title: 'Matched' });
    expect((await write('PATCH', item, { 'if-match': '*' }, body)).status).toBe(200);
  });

  it('compares the tag of the fields of the URL', async () => {
    const tag = tagOf(await get('/items/book/201?fields=id'));
    await write('PATCH', item, {}, { title: 'Changed beside it' });
    const path = '/items/book/201?fields=id';
    expect((await write('PATCH', path, { 'if-match': tag }, { title: 'Fine' })).status).toBe(200);
    expect((await write('PATCH', item, { 'if-match': tag }, { title: 'Lost' })).status).toBe(412);
  });

  it('performs one of several concurrent writes with one tag', async () => {
    const tag = tagOf(await get(item));
    const racing = Array.from({ length: 8 }, (_, index) =>
      write('PATCH', item, { 'if-match': tag }, { title: `Racer ${index}` }),
    );
    const statuses = (await Promise.all(racing)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
  });

  it('deletes nothing with another tag', async () => {
    const path = '/items/review/4';
    const tag = tagOf(await get(path));
    expect((await write('DELETE', path, { 'if-match': '"other"' })).codes).toEqual(['PRECONDITION_FAILED']);
    expect((await get(path)).status).toBe(200);
    expect((await write('DELETE', path, { 'if-match': tag })).status).toBe(204);
    expect((await write('DELETE', path, { 'if-match': tag })).codes).toEqual(['FORBIDDEN']);
  });

  it.each([
    ['PATCH', '/items/book', { keys: [201], data: { title: 'x' } }],
    ['DELETE', '/items/book', [201]],
    ['POST', '/items/book', { title: 'x' }],
  ])('%s %s rejects If-Match', async (method, path, body) => {
    const { status, text } = await write(method, path, { 'if-match': '"any"' }, body);
    expect([status, text]).toEqual([400, expect.stringContaining('one item by its key')]);
  });

  describe('compressed responses', () => {
    const list = '/items/book?limit=-1&fields=*,author.*';
    it.each([
      ['br, gzip', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['gzip;q=0', null],
      ['deflate', null],
      ['identity', null],
    ])('for Accept-Encoding: %s use %s', async (accepted, encoding) => {
      const [answer, whole] = [await ask(list, accepted), await get(list)];
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('vary')).toBe('Authorization, Cookie, Accept-Encoding');
      expect(answer.text).toBe(whole.text);
      const length = Number(answer.headers.get('content-length'));
      expect(length < whole.text.length / 2).toBe(encoding !== null);
    });

    it('have a tag of their own', async () => {
      const names = Array.from({ length: 120 }, (_, index) => `t${index}`);
      const path = `/items/book/201?fields=${names}&${names.map((name) => `alias[${name}]=title`).join('&')}`;
      const [answer, whole] = [await ask(path, 'br'), await get(path)];
      expect([answer.headers.get('content-encoding'), tagOf(answer)]).toEqual([
        'br',
        tagOf(whole).replace(/"$/, '-br"'),
      ]);
      expect((await get(path, { 'if-none-match': tagOf(answer), 'accept-encoding': 'br' })).status).toBe(304);
    });

    it('exclude small responses and those with tokens', async () => {
      expect((await ask('/items/book/201', 'br')).headers.get('content-encoding')).toBeNull();
      for (const path of ['/auth/login/default', '/auth']) {
        const answer = await server().request('GET', path, { headers: { 'accept-encoding': 'br' } });
        expect(answer.headers.get('content-encoding')).toBeNull();
      }
    });
  });
});
