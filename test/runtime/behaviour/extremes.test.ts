/** Requests that are large or deep beyond any sense: answered or refused, and the server stays. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { closedAccess, libraryMeta, librarySql } from './library.js';

const dialects = dialectsOf(import.meta.url);

const nest = (open: string, close: string, levels: number): string =>
  open.repeat(levels) + close.repeat(levels);
const numbers = (count: number): string => Array.from({ length: count }, (_, index) => index).join();

describe.each(dialects)('extremes on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), meta: libraryMeta, access: closedAccess });
  const send = async (method: string, path: string, raw: string) => {
    const { status, codes } = await server().request(method, path, {
      as: 'admin',
      raw,
      headers: { 'content-type': 'application/json' },
    });
    return { status, codes };
  };

  it.each([
    ['POST', `{"title":${nest('[', ']', 100_000)}}`],
    ['POST', nest('[', ']', 100_000)],
    ['PATCH', `{"keys":[1],"data":{"note":${nest('{"a":', '}', 50_000).replace('}', '1}')}}}`],
    ['SEARCH', `{"query":{"filter":${nest('{"_and":[', ']}', 50_000)}}}`],
  ])('%s: a body that nests thousands of levels is an invalid payload', async (method, raw) => {
    expect(await send(method, '/items/book', raw)).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
  });

  it('ignores brackets within texts', async () => {
    const { status } = await send(
      'POST',
      '/items/book',
      JSON.stringify({ title: 'x', note: `\\"${'['.repeat(2_000)}` }),
    );
    expect(status).toBe(200);
  });

  it.each([
    `{"search":"${'x'.repeat(100_000)}"}`,
    `{"filter":{"title":{"_contains":"${'x'.repeat(100_000)}"}}}`,
    `{"fields":["${'a.'.repeat(100_000)}a"]}`,
    `{"sort":["${'author.'.repeat(100_000)}id"]}`,
    `{"filter":${nest('{"author":', '}', 200).replace('}', '1}')}}`,
    `{"deep":${nest('{"author":', '}', 200).replace(':}', ':{}}')}}`,
    `{"filter":{"_or":[${Array.from({ length: 20_000 }, (_, index) => `{"id":${index}}`).join()}]}}`,
  ])('rejects an excessive query: %#', async (query) => {
    expect(await send('SEARCH', '/items/book', `{"query":${query}}`)).toEqual({
      status: 400,
      codes: ['INVALID_QUERY'],
    });
  });

  it.each([
    ['SEARCH', `{"query":{"filter":{"id":{"_in":[${numbers(100_000)}]}},"fields":["id"]}}`],
    ['SEARCH', `{"keys":[${numbers(100_000)}],"query":{"fields":["id"]}}`],
    ['DELETE', `[${numbers(100_000)}]`],
    ['PATCH', `{"keys":[${numbers(100_000)}],"data":{"year":1}}`],
    ['SEARCH', `{"query":{"fields":[${'"id",'.repeat(50_000)}"id"],"limit":1}}`],
    ['SEARCH', `{"query":{"sort":[${'"id",'.repeat(50_000)}"id"],"limit":1}}`],
  ])('%s with a hundred thousand values is answered or rejected: %#', async (method, raw) => {
    const { status } = await send(method, '/items/book', raw);
    expect(status).toBeLessThan(500);
  });

  it('writes thousands of items with their own values and deletes them', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => ({ id: 10_000 + index, title: `${index}` }));
    expect((await send('POST', '/items/book?fields=id', JSON.stringify(rows))).status).toBe(200);
    const changes = rows.slice(0, 1_000).map(({ id }) => ({ id, title: `again ${id}` }));
    expect((await send('PATCH', '/items/book?fields=id', JSON.stringify(changes))).status).toBe(200);
    const path = '/items/book?filter[title][_starts_with]=again&meta=filter_count&limit=0';
    expect((await server().request('GET', path, { as: 'admin' })).body).toMatchObject({
      meta: { filter_count: 1_000 },
    });
    expect((await send('DELETE', '/items/book', JSON.stringify(rows.map(({ id }) => id)))).status).toBe(204);
    expect((await server().request('GET', path, { as: 'admin' })).body).toMatchObject({
      meta: { filter_count: 0 },
    });
  });

  it('the server still responds afterwards', async () => {
    expect((await server().request('GET', '/items/country/de', { as: 'admin' })).status).toBe(200);
    expect(server().observations.filter(({ kind }) => kind === 'requestFailed')).toEqual([]);
  });
});
