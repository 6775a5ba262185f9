import * as fc from 'fast-check';
import qs from 'qs';
import { describe, expect, it } from 'vitest';
import { asList, parseQueryString } from '../../../runtime/request/query-string.js';
import { codeOf } from './refusals.js';

/** Objects as maps, and the ones with the keys 0..n-1 as lists: what a query string cannot tell apart is equal. */
const plain = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const list = asList(value);
  if (list !== null) return list.map(plain);
  return new Map(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};

const parsed = (text: string): unknown => plain(parseQueryString(text));

const referenceOptions = { depth: 24, arrayLimit: 1000, plainObjects: true, allowPrototypes: true };

/** Brackets in names are structure, and whole numbers are places in a list. */
const name = fc
  .oneof(
    fc.constantFrom(
      'filter',
      '_and',
      'a b',
      'ä',
      '𝄞',
      'constructor',
      'toString',
      '_eq',
      'a.b',
      'x+y',
      '%',
      '&',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  )
  .filter((text) => !/^\d+$|[[\]]/.test(text) && text !== '__proto__');

const { tree } = fc.letrec((tie) => ({
  tree: fc.dictionary(name, tie('node'), { minKeys: 1, maxKeys: 4 }),
  node: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.array(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    tie('tree'),
  ),
}));

describe('a query string', () => {
  it.each(['indices', 'brackets', 'repeat'] as const)(
    'equals the result of the reference parser: %s',
    (arrayFormat) => {
      const isSame = fc.property(tree, (value) => {
        const text = qs.stringify(value, { arrayFormat });
        expect(parsed(text)).toEqual(plain(qs.parse(text, referenceOptions)));
      });
      fc.assert(isSame, { seed: 11, numRuns: 200 });
    },
  );

  it.each([
    ['', {}],
    ['&&', {}],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=b%3Dc%26d', { a: 'b=c&d' }],
    ['a=x+y%2Bz', { a: 'x y+z' }],
    ['a=%F0%9D%84%9E', { a: '𝄞' }],
    ['a[b][c]=1&a[b][d]=2', { a: { b: { c: '1', d: '2' } } }],
    ['a%5Bb%5D=1', { a: { b: '1' } }],
    ['a=1&a=2&a=3', { a: { 0: '1', 1: '2', 2: '3' } }],
    ['a[b]=1&a[b]=2', { a: { b: { 0: '1', 1: '2' } } }],
    ['a[]=1&a[]=2', { a: { 0: '1', 1: '2' } }],
    ['a[1]=y&a[0]=x', { a: { 0: 'x', 1: 'y' } }],
    ['a[][b]=1', { a: { 0: { b: '1' } } }],
    ['[a]=1', { '[a]': '1' }],
    ['a[b=1', { 'a[b': '1' }],
    ['a]=1', { 'a]': '1' }],
    ['sort=-a&sort=b&fields=x', { sort: { 0: '-a', 1: 'b' }, fields: 'x' }],
  ])('%j is read', (text, want) => {
    expect(plain(parseQueryString(text))).toEqual(plain(want));
  });

  it.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString'])(
    'can contain %s',
    (key) => {
      const result = parseQueryString(`${key}[polluted]=1&filter[${key}][_eq]=2&${key}[${key}]=3`);
      expect(Object.getPrototypeOf(result)).toBeNull();
      expect(plain(result)).toEqual(
        new Map<string, unknown>([
          [
            key,
            new Map([
              ['polluted', '1'],
              [key, '3'],
            ]),
          ],
          ['filter', new Map([[key, new Map([['_eq', '2']])]])],
        ]),
      );
      expect('polluted' in {}).toBe(false);
    },
  );

  it.each([
    ['a lone percent sign', 'a=%'],
    ['a wrong percent code', 'a=%zz'],
    ['half a character', '%C3=1'],
    ['bytes that are not UTF-8', 'a=%ff'],
    ['brackets deeper than 24 names', `a${'[b]'.repeat(24)}=1`],
    ['more than 1000 parameters', '&'.repeat(1000)],
    ['a parameter without brackets, then with them', 'filter={}&filter[id][_eq]=2'],
    ['a parameter with brackets, then without', 'filter[id][_eq]=2&filter={}'],
    ['both forms below a parameter', 'filter[id]=1&filter[id][_eq]=2'],
    ['a list after its only entry', 'fields=a&fields[]=b'],
  ])('is rejected for %s', (_, text) => {
    expect(codeOf(() => parseQueryString(text))).toBe('INVALID_QUERY');
  });

  it.each([
    ['24 names', `a${'[b]'.repeat(23)}=1`],
    ['1000 parameters', '&'.repeat(999)],
  ])('can have %s', (_, text) => {
    expect(codeOf(() => parseQueryString(text))).toBeNull();
  });

  it('is parsed or rejected for any text', () => {
    const alphabet = fc.constantFrom(
      'a',
      '[',
      ']',
      '[]',
      '=',
      '&',
      '%',
      '%5B',
      '+',
      '0',
      '1',
      '.',
      '𝄞',
      '\ud834',
      '__proto__',
    );
    const isTotal = fc.property(fc.array(alphabet, { maxLength: 40 }), (parts) => {
      expect([null, 'INVALID_QUERY']).toContain(codeOf(() => parseQueryString(parts.join(''))));
    });
    fc.assert(isTotal, { seed: 12, numRuns: 1000 });
  });
});

it.each([
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [[], []],
  [{ 0: 'a', 1: 'b' }, ['a', 'b']],
  [{ 1: 'a' }, null],
  [{ 0: 'a', b: 'c' }, null],
  [{}, null],
  [null, null],
  ['a', null],
])('%j as a list is %j', (value, want) => {
  expect(asList(value)).toEqual(want);
});
