import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import { loadDialect } from '../../../runtime/databases/open.js';
import { dialectsOf } from '../../databases.js';
import { handleItems, type Handle } from '../harness/items.js';
import { accessOf, adminToken } from './access.js';
import { openArchive, type Archive } from './archive.js';
import { toStoredToken } from '../harness/plain-tokens.js';
import { unboundedServices } from '../harness/unbounded-services.js';

const dialects = dialectsOf(import.meta.url);

type Query = Readonly<Record<string, unknown>>;

const many = (count: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Requests of a size nobody thought of. */
describe.each(dialects)('on %s', (dialect) => {
  let archive: Archive;
  let handle: Handle;

  beforeAll(async () => {
    archive = await openArchive(dialect);
    const limits = { fallback: 100, maximum: null, nestedRows: null };
    handle = handleItems({
      registry: archive.registry,
      database: archive.database,
      dialect: await loadDialect(dialect),
      access: accessOf({ policies: [], holders: [] }),
      limits,
      publicLimits: limits,
      maxDepth: 10,
      ...unboundedServices,
      toStoredToken,
      observe: () => undefined,
      tagOf: async () => null,
    });
  });

  afterAll(() => archive.close());

  /** Rows, or the code of the refusal. Anything else is a fault. */
  const search = async (collection: string, query: Query): Promise<readonly Query[] | string> => {
    const body = Buffer.from(JSON.stringify({ query }));
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const request = {
      id: 'x',
      method: 'SEARCH',
      path: `/items/${collection}`,
      query: '',
      headers,
      address: () => '127.0.0.1',
      isSecure: () => false,
      isUntrustedOrigin: () => false,
      closeSignal: () => new AbortController().signal,
      onClose: () => undefined,
      stream: () => {
        throw new Error('no stream');
      },
      body: async () => body,
    };
    try {
      const response = await handle(request);
      return (JSON.parse(String(response.body)) as { data: readonly Query[] }).data;
    } catch (error) {
      if (error instanceof ApiErrors) return error.problems[0]?.code ?? 'none';
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  };

  it.each([1, 1000, 10_000])('accepts a list of %d values', async (count) => {
    const filter = { id: { _in: many(count, (index) => index + 1) } };
    expect(await search('person', { filter, fields: 'id', limit: -1 })).toHaveLength(Math.min(count, 12));
  });

  it.each([60_000, 100_000])('rejects a list of %d values', async (count) => {
    expect(await search('person', { filter: { id: { _in: many(count, (index) => index) } } })).toBe(
      'INVALID_QUERY',
    );
  });

  it.each(['_or', '_and'])('%s accepts 2 000 conditions', async (key) => {
    const filter = { [key]: many(2_000, () => ({ id: { _eq: 1 } })) };
    expect(await search('person', { filter, fields: 'id' })).toEqual([{ id: 1 }]);
  });

  it.each(['_or', '_and'])('%s rejects 2 001 conditions', async (key) => {
    expect(await search('person', { filter: { [key]: many(2_001, () => ({ id: { _eq: 1 } })) } })).toBe(
      'INVALID_QUERY',
    );
  });

  it('limits the relations of fields to what a database can join', async () => {
    expect(await search('letter', { fields: '*.*.*', limit: 1 })).toHaveLength(1);
    expect(await search('letter', { fields: '*.*.*.*.*.*.*.*', limit: 1 })).toBe('INVALID_QUERY');
  });

  it('accepts a search of 10 000 characters', async () => {
    expect(await search('letter', { search: '*%'.repeat(5_000) })).toEqual([]);
    expect(await search('letter', { filter: { title: { _contains: '*%'.repeat(5_000) } } })).toEqual([]);
    expect(await search('letter', { search: 'x'.repeat(10_001) })).toBe('INVALID_QUERY');
    expect(await search('letter', { filter: { title: { _contains: 'x'.repeat(10_001) } } })).toBe(
      'INVALID_QUERY',
    );
  });

  it.each([
    ['limit', { limit: 9_007_199_254_740_991 }],
    ['offset', { offset: 9_007_199_254_740_991 }],
    ['page', { page: 9_007_199_254_740_991, limit: 9_007_199_254_740_991 }],
    ['page of all', { page: 2, limit: -1 }],
  ])('accepts a %s beyond the number of rows', async (_, query) => {
    expect(await search('person', { ...query, fields: 'id' })).toBeInstanceOf(Array);
    expect(
      await search('person', {
        fields: 'letters.id',
        deep: {
          letters: Object.fromEntries(Object.entries(query).map(([name, value]) => [`_${name}`, value])),
        },
      }),
    ).toBeInstanceOf(Array);
  });
});
