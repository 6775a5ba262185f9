/** Matches texts with the regular expressions of rules, in a bounded time for a whole request. */
import { invalidPayload } from '../../contract/errors.js';
import { compileExpression } from '../../contract/expressions.js';

/**
 * Returns whether a text matches an expression. What is not supported, or is too long for the expression, does not.
 * @throws INVALID_PAYLOAD where the expressions of the request have taken too long
 */
export type Matcher = (text: string, source: string) => boolean;

/**
 * Milliseconds that the expressions of one request may take, while nobody else is served. Time is measured, as the number of
 * steps is not known before: a simple expression takes one for a character, others as many as they have instructions.
 */
const maxTime = 2_000;

/** Creates the matcher of one request. */
export const createMatcher = (now: () => number = () => performance.now()): Matcher => {
  let spent = 0;
  return (text, source) => {
    if (spent > maxTime)
      throw invalidPayload(
        `regular expressions take more than ${maxTime / 1000} seconds to validate the request; send fewer items at once, or shorter texts`,
      );
    const start = now();
    const expression = compileExpression(source);
    const isMatch = expression.supported && expression.test(text) === true;
    spent += now() - start;
    return isMatch;
  };
};
