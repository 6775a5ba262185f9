import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../runtime/errors.js';
import { createHandle, type Handle } from '../../../runtime/handle.js';
import { loadDialect } from '../../../runtime/sql/dialects.js';
import { dialects } from '../../databases.js';
import { accessOf, adminToken } from './access.js';
import { openArchive, type Archive } from './archive.js';

type Query = Readonly<Record<string, unknown>>;

/** Requests of a size nobody thought of. */
describe.each(dialects)('on %s', (dialect) => {
  let archive: Archive;
  let handle: Handle;

  beforeAll(async () => {
    archive = await openArchive(dialect);
    const limits = { fallback: 100, most: null };
    handle = createHandle({
      registry: archive.registry,
      database: archive.database,
      dialect: await loadDialect(dialect),
      access: accessOf({ policies: [], holders: [] }),
      limits,
      publicLimits: limits,
      maxDepth: 10,
    });
  });

  afterAll(() => archive.close());

  /** Rows, or the code of the refusal. Anything else is a fault. */
  const search = async (collection: string, query: Query): Promise<readonly Query[] | string> => {
    const body = Buffer.from(JSON.stringify({ query }));
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const request = { id: 'x', method: 'SEARCH', path: `/items/${collection}`, query: '', headers, body: async () => body };
    try {
      const response = await handle(request);
      return (JSON.parse(String(response?.body)) as { data: readonly Query[] }).data;
    } catch (error) {
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  };

  const many = (count: number, make: (index: number) => unknown): unknown[] => Array.from({ length: count }, (_, index) => make(index));

  it.each([1, 1000, 10_000])('a list of %d values is looked through', async (count) => {
    const filter = { id: { _in: many(count, (index) => index + 1) } };
    expect(await search('person', { filter, fields: 'id', limit: -1 })).toHaveLength(Math.min(count, 12));
  });

  it.each([60_000, 100_000])('a list of %d values is too much to ask', async (count) => {
    expect(await search('person', { filter: { id: { _in: many(count, (index) => index) } } })).toBe('INVALID_QUERY');
  });

  it.each(['_or', '_and'])('%s may join 500 conditions', async (key) => {
    const filter = { [key]: many(500, () => ({ id: { _eq: 1 } })) };
    expect(await search('person', { filter, fields: 'id' })).toEqual([{ id: 1 }]);
  });

  it.each(['_or', '_and'])('%s of 20 000 conditions is too much to ask', async (key) => {
    expect(await search('person', { filter: { [key]: many(20_000, () => ({ id: { _eq: 1 } })) } })).toBe('INVALID_QUERY');
  });

  it('fields may reach many relations, but not more than a database joins', async () => {
    expect(await search('letter', { fields: '*.*.*', limit: 1 })).toHaveLength(1);
    expect(await search('letter', { fields: '*.*.*.*.*.*.*.*', limit: 1 })).toBe('INVALID_QUERY');
  });

  it('a text that is searched for may be long', async () => {
    expect(await search('letter', { search: 'x'.repeat(60_000) })).toEqual([]);
    expect(await search('letter', { filter: { title: { _contains: '*%'.repeat(30_000) } } })).toEqual([]);
  });

  it.each([
    ['limit', { limit: 9_007_199_254_740_991 }],
    ['offset', { offset: 9_007_199_254_740_991 }],
    ['page', { page: 9_007_199_254_740_991, limit: 9_007_199_254_740_991 }],
    ['page of all', { page: 2, limit: -1 }],
  ])('a %s beyond every table is answered', async (_, query) => {
    expect(await search('person', { ...query, fields: 'id' })).toBeInstanceOf(Array);
    expect(await search('person', { fields: 'letters.id', deep: { letters: Object.fromEntries(Object.entries(query).map(([name, value]) => [`_${name}`, value])) } })).toBeInstanceOf(Array);
  });
});
