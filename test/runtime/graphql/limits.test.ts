/** Limits of documents, tested from both sides. */
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { checkNesting, checkCounts, checkSelections } from '../../../runtime/graphql/limits.js';

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Selections so many levels deep. */
const nested = (levels: number): string => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`;

/** So many levels, all but the first in a fragment. */
const withFragment = (levels: number) => parse(`{ a { ...F } } fragment F on T ${nested(levels - 1)}`);

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
    [40, 'levels', (count) => checkSelections(parse(nested(count))), /deeper than 40 levels/],
    [
      2_000,
      'fields',
      (count) => checkSelections(parse(`{ ${times(count, (index) => `a${index}`)} }`)),
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
        ),
      /more than 2000 fields/,
    ],
  ])('%d %s and no more', (most, _, check, message) => {
    expect(() => check(most)).not.toThrow();
    expect(() => check(most + 1)).toThrow(message);
  });

  it('brackets in texts and comments, and side by side', () => {
    const many = '{'.repeat(300);
    for (const text of [`"${many}"`, `"""${many}\\""" """`, `# ${many}\n`, '{}'.repeat(300), '[('.repeat(50)])
      expect(() => checkNesting(text)).not.toThrow();
    expect(() => checkNesting(`"${'{'}" ${many}`)).toThrow('200 brackets');
  });

  it('levels in fragments, which count', () => {
    expect(() => checkSelections(withFragment(40))).not.toThrow();
    expect(() => checkSelections(withFragment(41))).toThrow('40 levels');
  });

  it.each([
    ['{ a(x: 1, y: 2) a(y: 2, x: 1) }', null],
    ['{ a(x: {b: 1, c: 2}) a(x: {c: 2, b: 1}) }', null],
    ['{ a(x: [1, 2]) a(x: [2, 1]) }', 'conflict'],
    ['{ a(x: 1) a }', 'conflict'],
    ['{ b: a b }', 'conflict'],
  ])('several fields with one response key only if they are equal: %s', (text, message) => {
    let thrown: unknown = null;
    try {
      checkSelections(parse(text));
    } catch (error) {
      thrown = error;
    }
    expect(thrown === null ? null : /conflict/.exec(String(thrown))?.[0]).toBe(message);
  });
});
