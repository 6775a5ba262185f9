import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, readQuery, type FieldNode } from '../../../runtime/request/query.js';
import { codeOf } from './refusals.js';

const say = (nodes: readonly FieldNode[] | null): string | null =>
  nodes === null
    ? null
    : nodes
        .map(({ name, children }) => (children.length === 0 ? name : `${name}(${say(children)})`))
        .join(' ');

const shapeOf = (text: string): string => parseQuery(text).shape;

/** A path of so many names. */
const pathOf = (names: number): string => Array.from({ length: names }, () => 'a').join('.');

/** Fields of a text of so many characters. */
const fieldsOf = (length: number) => parseQuery(`fields=${'a'.repeat(length)}`).query.fields;

describe('fields', () => {
  it.each([
    ['', null],
    ['fields=', null],
    ['fields=,', null],
    ['fields=*', '*'],
    ['fields=a,b', 'a b'],
    ['fields= a , b ', 'a b'],
    ['fields[]=a&fields[]=b.c', 'a b(c)'],
    ['fields=a&fields=b', 'a b'],
    ['fields=a,a', 'a'],
    ['fields=a.b,a.c,a.b.d', 'a(b b(d) c)'],
    ['fields=*.*', '*(*)'],
    ['fields=a,a.b', 'a a(b)'],
    ['fields=\\ a,b\\ , c ,d\\\\ ', ' a b  c d\\'],
    ['fields=constructor.__proto__', 'constructor(__proto__)'],
  ])('%s is %j', (text, want) => {
    expect(say(parseQuery(text).query.fields)).toBe(want);
  });

  it.each(['fields', 'sort'])('of %s cross at most 64 relations', (parameter) => {
    expect(codeOf(() => parseQuery(`${parameter}=${pathOf(64)}`))).toBeNull();
    expect(codeOf(() => parseQuery(`${parameter}=${pathOf(65)}`))).toBe('INVALID_QUERY');
  });

  it('are cached by their text up to 2000 characters', () => {
    expect(fieldsOf(2_000)).toBe(fieldsOf(2_000));
    expect(fieldsOf(2_001)).not.toBe(fieldsOf(2_001));
  });
});

describe('numbers', () => {
  it.each([
    ['limit=10', 10],
    ['limit=0', 0],
    ['offset=007', 7],
    ['page=1', 1],
  ])('%s is read', (text, want) => {
    const { query, values } = parseQuery(text);
    const slot = [query.limit, query.offset, query.page].find((each) => typeof each === 'number');
    expect(values[slot as number]).toBe(want);
  });

  it('-1 removes the limit', () => {
    expect(parseQuery('limit=-1').query.limit).toBe('all');
    expect(readQuery({ limit: -1 }).query.limit).toBe('all');
  });

  it.each([
    'limit=-2',
    'limit=abc',
    'limit=1.5',
    'limit=1e3',
    'offset=-1',
    'page=-1',
    'page=x',
    'limit=9999999999999999',
  ])('%s is rejected', (text) => {
    expect(codeOf(() => parseQuery(text))).toBe('INVALID_QUERY');
  });

  it.each([{ limit: 1.5 }, { limit: true }, { offset: [] }, { page: {} }, { limit: 2 ** 60 }])(
    '%j is rejected',
    (query) => {
      expect(codeOf(() => readQuery(query))).toBe('INVALID_QUERY');
    },
  );
});

describe('the other parameters', () => {
  it('sort in the given order', () => {
    expect(parseQuery('sort=-a,b.c,-b.d').query.sort).toEqual([
      { path: ['a'], descending: true },
      { path: ['b', 'c'], descending: false },
      { path: ['b', 'd'], descending: true },
    ]);
  });

  it('sort by a name once', () => {
    expect(parseQuery('sort=a,-a,a').query.sort).toEqual([{ path: ['a'], descending: false }]);
  });

  it.each([
    ['meta=*', ['total_count', 'filter_count']],
    ['meta=filter_count', ['filter_count']],
    ['meta=filter_count,total_count', ['total_count', 'filter_count']],
    ['', []],
  ])('%s requests %j', (text, want) => {
    expect(parseQuery(text).query.meta).toEqual(want);
  });

  it('search for a text or a number', () => {
    expect(parseQuery('search=5').values).toEqual(['5']);
    expect(readQuery({ search: 5 }).values).toEqual(['5']);
    expect(parseQuery('search=').query.search).toBeNull();
  });

  it('are ignored if they are unknown', () => {
    expect(parseQuery('foo=1&access_token=x&filter=')).toEqual(parseQuery(''));
  });

  it('nest with underscores', () => {
    const { query, values } = parseQuery(
      'deep={"a":{"_limit":2,"_sort":"-x","b":{"_filter":{"c":{"_eq":1}}}}}',
    );
    expect(values).toEqual([2, 1]);
    expect(query.deep.map(({ relation }) => relation)).toEqual(['a']);
    expect(query.deep[0]?.query).toMatchObject({ limit: 0, sort: [{ path: ['x'], descending: true }] });
    expect(query.deep[0]?.query.deep[0]?.query.filter).toEqual({
      kind: 'field',
      name: 'c',
      filter: { kind: 'compare', operator: 'eq', slot: 1 },
    });
  });

  it.each([
    'filter=1',
    'filter=[]',
    'filter={',
    'deep=x',
    'deep={"a":{"_limit":-2}}',
    'sort[a]=b',
    'fields[a]=b',
    'search[a]=b',
    'meta=count',
    'aggregate=count',
    'aggregate[median]=a',
    'aggregate[count]=',
    'aggregate[sum]=*',
    'having[count][_gt]=1',
    'groupBy[a]=b',
    'alias=a',
    'alias[a.b]=c',
    'alias[a]=b.c',
    'alias[a][b]=c',
    'timezone=Mars',
    'timezone=%2B01:00',
    'export=xlsx',
    'deep[a][_aggregate]=x',
  ])('%s is rejected', (text) => {
    expect(codeOf(() => parseQuery(text))).toBe('INVALID_QUERY');
  });
});

describe('a query', () => {
  it('is equal in brackets, as JSON and in a body', () => {
    const filter = { a: { b: { _eq: 'x' } }, _or: [{ c: { _null: 'true' } }, { d: { _in: ['1', '2'] } }] };
    const deep = { list: { _limit: '3', _filter: { e: { _gt: '4' } } } };
    const fromBody = readQuery({ filter, deep, fields: ['a', 'b.c'], sort: ['-a'], limit: 5 });
    const asJson = `filter=${encodeURIComponent(JSON.stringify(filter))}&deep=${encodeURIComponent(JSON.stringify(deep))}`;
    const inBrackets =
      'filter[a][b][_eq]=x&filter[_or][0][c][_null]=true&filter[_or][1][d][_in]=1,2&deep[list][_limit]=3&deep[list][_filter][e][_gt]=4';
    for (const text of [asJson, inBrackets]) {
      expect(parseQuery(`${text}&fields=a,b.c&sort=-a&limit=5`)).toEqual(fromBody);
    }
  });

  it('has a shape without its values', () => {
    expect(shapeOf('filter[a][_eq]=1&limit=5&search=x')).toBe(
      shapeOf('filter[a][_eq]=secret&limit=7&search=y'),
    );
    expect(shapeOf('limit=5')).not.toBe(shapeOf('limit=-1'));
    expect(shapeOf('filter[a][_eq]=1')).not.toBe(shapeOf('filter[a][_neq]=1'));
    expect(shapeOf('filter[a][_null]=true')).not.toBe(shapeOf('filter[a][_null]=false'));
  });

  it.each([
    ['deep', { deep: nest(20_000) }],
    ['filter', { filter: nest(20_000) }],
    ['fields', { fields: 'a.'.repeat(20_000) }],
    ['sort', { sort: 'a.'.repeat(20_000) }],
    ['meta', { meta: nest(20_000) }],
  ])('is rejected or parsed if %s is nested very deeply', (_, query) => {
    expect([null, 'INVALID_QUERY']).toContain(codeOf(() => readQuery(query)));
  });

  it('is parsed or rejected for any value', () => {
    const key = fc.constantFrom(
      'fields',
      'filter',
      'sort',
      'limit',
      'offset',
      'page',
      'search',
      'meta',
      'deep',
      '__proto__',
    );
    const isTotal = fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 3 })), (query) => {
      expect([null, 'INVALID_QUERY']).toContain(codeOf(() => readQuery(query)));
    });
    fc.assert(isTotal, { seed: 32, numRuns: 500 });
  });
});

/** Hoisted: the tables above use it. */
function nest(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}
