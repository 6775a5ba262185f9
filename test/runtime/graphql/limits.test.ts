/** Limits of documents, tested from both sides. */
import { buildSchema, GraphQLSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { checkNesting, checkCounts, checkSelections } from '../../../runtime/graphql/limits.js';

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Selections so many levels deep. */
const nested = (levels: number): string => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`;

/** So many levels, all but the first in a fragment. */
const withFragment = (levels: number) => parse(`{ a { ...F } } fragment F on T ${nested(levels - 1)}`);

/** Without types, every fragment applies. */
const anySchema = new GraphQLSchema({});

const withUnion = buildSchema(`
  type Query { any: Any } union Any = A | B
  type A { text: String! maybe: String number: Int a: A }
  type B { text: String! maybe: String! number: Int b: B }
`);

const conflictOf = (text: string, schema: GraphQLSchema): string | null => {
  try {
    checkSelections(parse(text), schema);
    return null;
  } catch (error) {
    return /conflict/.exec(String(error))?.[0] ?? String(error);
  }
};

describe('a document can have', () => {
  it.each<[number, string, (count: number) => void, RegExp]>([
    [200, 'brackets in each other', (count) => checkNesting(nested(count)), /deeper than 200 brackets/],
    [
      200,
      'operations and fragments',
      (count) => checkCounts(parse(times(count, (index) => `query q${index} { a }`))),
      /more than 200 operations/,
    ],
    [
      100,
      'aliases',
      (count) => checkCounts(parse(`{ ${times(count, (index) => `a${index}: a`)} }`)),
      /more than 100 aliases/,
    ],
    [
      100,
      'directives',
      (count) => checkCounts(parse(`{ ${times(count, () => 'a @skip(if: false)')} }`)),
      /more than 100 directives/,
    ],
    [40, 'levels', (count) => checkSelections(parse(nested(count)), anySchema), /deeper than 40 levels/],
    [
      2_000,
      'fields',
      (count) => checkSelections(parse(`{ ${times(count, (index) => `a${index}`)} }`), anySchema),
      /more than 2000 fields/,
    ],
    [
      2_000,
      'fields of all operations',
      (count) =>
        checkSelections(
          parse(
            `query a { ${times(1_000, (index) => `a${index}`)} } query b { ${times(count - 1_000, (index) => `a${index}`)} }`,
          ),
          anySchema,
        ),
      /more than 2000 fields/,
    ],
  ])('%d %s and no more', (most, _, check, message) => {
    expect(() => check(most)).not.toThrow();
    expect(() => check(most + 1)).toThrow(message);
  });

  it('any number of brackets in texts and comments, and side by side', () => {
    const many = '{'.repeat(300);
    for (const text of [`"${many}"`, `"""${many}\\""" """`, `# ${many}\n`, '{}'.repeat(300), '[('.repeat(50)])
      expect(() => checkNesting(text)).not.toThrow();
    expect(() => checkNesting(`"${'{'}" ${many}`)).toThrow('200 brackets');
  });

  it('levels in fragments, which count as nested', () => {
    expect(() => checkSelections(withFragment(40), anySchema)).not.toThrow();
    expect(() => checkSelections(withFragment(41), anySchema)).toThrow('40 levels');
  });

  it.each([
    ['... on A { x: text } ... on B { x: text }', null],
    ['... on A { x: a { text } } ... on B { x: b { maybe } }', null],
    ['... on A { x: text } ... on B { x: number }', 'conflict'],
    ['... on A { x: maybe } ... on B { x: maybe }', 'conflict'],
    ['... on A { x: a { text } } ... on B { x: text }', 'conflict'],
    ['... on A { x: text } ... on Any { ... on A { x: maybe } }', 'conflict'],
    ['... on A { ... on Any { ... on B { x: text } } x: maybe }', null],
    ['__typename ... on B { __typename }', null],
  ])('one response key on types of a union only for equal types of values: %s', (text, message) => {
    expect(conflictOf(`{ any { ${text} } }`, withUnion)).toBe(message);
  });

  it.each([
    ['{ a(x: 1, y: 2) a(y: 2, x: 1) }', null],
    ['{ a(x: {b: 1, c: 2}) a(x: {c: 2, b: 1}) }', null],
    ['{ a(x: [1, 2]) a(x: [2, 1]) }', 'conflict'],
    ['{ a(x: 1) a }', 'conflict'],
    ['{ b: a b }', 'conflict'],
  ])('several fields with one response key only if they are equal: %s', (text, message) => {
    expect(conflictOf(text, anySchema)).toBe(message);
  });
});
