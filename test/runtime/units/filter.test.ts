import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../runtime/request/filter.js';
import { codeOf } from './refusals.js';

/** The tree in one line, with values in the place of their slots. */
const parse = (filter: Readonly<Record<string, unknown>>): string => {
  const values: unknown[] = [];
  return say(parseFilter(filter, values), values);
};

const shapeOf = (value: unknown): string =>
  JSON.stringify(parseFilter({ a: { _eq: value }, b: { _in: [value, 2] } }, []));

type Tree = ReturnType<typeof parseFilter>;

const say = (tree: Tree, values: readonly unknown[]): string => {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return `${tree.kind}(${tree.filters.map((part) => say(part, values)).join(', ')})`;
    case 'field':
      return `${tree.name}: ${say(tree.filter, values)}`;
    case 'some':
    case 'none':
    case 'json':
      return `${tree.kind}(${say(tree.filter, values)})`;
    case 'compare':
      return tree.slot === null ? tree.operator : `${tree.operator} ${JSON.stringify(values[tree.slot])}`;
  }
};

/** So many conditions. */
const many = (count: number) => ({
  _or: Array.from({ length: count / 2 }, () => ({ a: { _eq: 1 }, b: 2 })),
});

describe('a filter', () => {
  it.each<[Record<string, unknown>, string]>([
    [{}, 'and()'],
    [{ a: { _eq: 1 } }, 'a: eq 1'],
    [{ a: 1 }, 'a: eq 1'],
    [{ a: 'x' }, 'a: eq "x"'],
    [{ a: null }, 'a: null'],
    [{ a: { _eq: null } }, 'a: null'],
    [{ a: { _neq: null } }, 'a: nnull'],
    [{ a: {} }, 'a: and()'],
    [{ a: { _gt: 1, _lt: 5 } }, 'a: and(gt 1, lt 5)'],
    [{ a: { _eq: 1 }, b: { _eq: 2 } }, 'and(a: eq 1, b: eq 2)'],
    [{ a: { b: { c: { _in: [1, 2] } } } }, 'a: b: c: in [1,2]'],
    [{ a: { _in: '1,2' } }, 'a: in ["1","2"]'],
    [{ a: { _in: '' } }, 'a: in []'],
    [{ a: { _in: [''] } }, 'a: in [""]'],
    [{ a: { _in: { 0: 'x', 1: 'y' } } }, 'a: in ["x","y"]'],
    [{ a: { _json: { 'b.c[0]': { _gt: 1 }, _or: [{ d: 2 }] } } }, 'a: json(and(b.c[0]: gt 1, or(d: eq 2)))'],
    [{ a: { _between: '1,2' } }, 'a: between ["1","2"]'],
    [{ a: { _null: true } }, 'a: null'],
    [{ a: { _null: 'true' } }, 'a: null'],
    [{ a: { _null: '' } }, 'a: null'],
    [{ a: { _null: false } }, 'a: nnull'],
    [{ a: { _nnull: 0 } }, 'a: null'],
    [{ a: { _empty: '1' } }, 'a: empty'],
    [{ a: { _nempty: 'false' } }, 'a: empty'],
    [{ _and: [{ a: { _eq: 1 } }, { b: { _eq: 2 } }] }, 'and(a: eq 1, b: eq 2)'],
    [{ _or: { 0: { a: { _eq: 1 } } } }, 'or(a: eq 1)'],
    [{ _and: [] }, 'and()'],
    [{ _or: [] }, 'or()'],
    [{ _or: [{}] }, 'or(and())'],
    [{ a: { _or: [{ _eq: 1 }, { _null: true }] } }, 'a: or(eq 1, null)'],
    [
      { list: { _some: { a: { _eq: 1 } }, _none: { b: { _eq: 2 } } } },
      'list: and(some(a: eq 1), none(b: eq 2))',
    ],
    [{ list: { _none: {} } }, 'list: none(and())'],
    [{ constructor: { toString: { _eq: 1 } } }, 'constructor: toString: eq 1'],
    [JSON.parse('{"__proto__":{"_eq":1}}') as Record<string, unknown>, '__proto__: eq 1'],
    [{ _hidden: { _eq: 1 } }, '_hidden: eq 1'],
    [{ a: { _istarts_with: 'x', _nicontains: 'y' } }, 'a: and(istarts_with "x", nicontains "y")'],
  ])('%j is %s', (filter, want) => {
    expect(parse(filter)).toBe(want);
  });

  it.each<[Record<string, unknown>]>([
    [{ a: { _equals: 1 } }],
    [{ _foo: 1 }],
    [{ a: { _eq: {} } }],
    [{ a: { _eq: [1] } }],
    [{ a: [1] }],
    [{ a: { _in: [] } }],
    [{ a: { _in: {} } }],
    [{ a: { _in: [null] } }],
    [{ a: { _in: [[1]] } }],
    [{ a: { _in: 5 } }],
    [{ a: { _between: [1] } }],
    [{ a: { _between: '1,2,3' } }],
    [{ a: { _null: 'yes' } }],
    [{ a: { _null: null } }],
    [{ a: { _lt: null } }],
    [{ _and: 'x' }],
    [{ _or: { a: { _eq: 1 } } }],
    [{ _and: [1] }],
    [{ _and: [null] }],
    [{ list: { _some: [] } }],
    [{ list: { _none: 1 } }],
  ])('%j is rejected', (filter) => {
    expect(codeOf(() => parse(filter))).toBe('INVALID_QUERY');
  });

  it('can be nested at most 64 levels deep', () => {
    const nest = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { a: nest(depth - 1) });
    expect(codeOf(() => parse(nest(64)))).toBeNull();
    expect(codeOf(() => parse(nest(65)))).toBe('INVALID_QUERY');
    expect(codeOf(() => parse(nest(5000)))).toBe('INVALID_QUERY');
  });

  it('can have at most 2000 conditions', () => {
    expect(codeOf(() => parse(many(2_000)))).toBeNull();
    expect(codeOf(() => parse({ _and: [many(2_000), { a: { _null: true } }] }))).toBe('INVALID_QUERY');
  });

  it('has the same shape for all values', () => {
    expect(new Set([1, 'x', true, 'long text'].map(shapeOf)).size).toBe(1);
  });

  it('is parsed or rejected for any value', () => {
    const key = fc.constantFrom(
      'a',
      '_and',
      '_or',
      '_some',
      '_none',
      '_eq',
      '_in',
      '_null',
      '_between',
      '__proto__',
      '_x',
      '0',
    );
    const { node } = fc.letrec((tie) => ({
      node: fc.dictionary(
        key,
        fc.oneof({ depthSize: 'medium' }, fc.jsonValue({ maxDepth: 1 }), tie('node')),
        { maxKeys: 3 },
      ),
    }));
    const isTotal = fc.property(node, (filter) => {
      expect([null, 'INVALID_QUERY']).toContain(
        codeOf(() => parseFilter(filter as Record<string, unknown>, [])),
      );
    });
    fc.assert(isTotal, { seed: 31, numRuns: 500 });
  });
});
