/** The time that the regular expressions of one request take. */
import { expect, it } from 'vitest';
import { createMatcher } from '../../../runtime/plan/matcher.js';

/** A matcher whose tests take the given time. */
const matcherOf = (milliseconds: number) => {
  let time = 0;
  return createMatcher(() => (time += milliseconds));
};

it('matches until the expressions of the request have taken two seconds', () => {
  const matches = matcherOf(1_000);
  const tested = ['a', 'b', 'a'].map((text) => matches(text, '^a$'));
  expect(tested).toEqual([true, false, true]);
  for (const source of ['^a$', '(?=a)'])
    expect(() => matches('a', source)).toThrow(
      'regular expressions take more than 2 seconds to validate the request; send fewer items at once, or shorter texts',
    );
});

it('matches nothing by an expression that is not supported', () => {
  expect(matcherOf(0)('a', '(?=a)')).toBe(false);
});
