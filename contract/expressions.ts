/**
 * Regular expressions that users write: ECMAScript syntax, matched in time linear in the text. An expression means
 * what it means in ECMAScript with the flag `u`, or is not supported.
 */
import { LRUCache } from 'lru-cache';
import { RE2Set, RE2JSException } from 're2js';
import { translateExpression, UnsupportedSyntax } from './expression-syntax.js';

export type Expression =
  | {
      readonly supported: true;
      /** Returns whether a part of the text matches, or null where the text is too long to decide. */
      test(text: string): boolean | null;
    }
  | {
      readonly supported: false;
      /** What is not supported, such as `look-ahead "(?="`. */
      readonly reason: string;
    };

/** Characters of an expression, which bound the cost of compiling it. */
const maxLength = 1_000;
/** Instructions of a compiled expression; each character of a text takes at most as many steps. */
const maxInstructions = 3_000;
/** Steps of one test; where every one is taken, it lasts about 0.4 s. */
const maxSteps = 4_000_000;
/** Bytes of the states that one expression remembers between tests. */
const maxStateBytes = 256 * 1024;

const compiled = new LRUCache<string, Expression>({ max: 500 });

/** Compiles an expression, or returns the one compiled before. */
export const compileExpression = (source: string): Expression => {
  if (source.length > maxLength) return unsupported(`more than ${maxLength} characters`);
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const expression = compile(source);
  compiled.set(source, expression);
  return expression;
};

/** Returns a sentence that says why an expression is not supported, or null where it is. */
export const findUnsupported = (source: string): string | null => {
  const expression = compileExpression(source);
  return expression.supported
    ? null
    : `"${source}" is not a supported regular expression: ${expression.reason}`;
};

const unsupported = (reason: string): Expression => ({ supported: false, reason });

const compile = (source: string): Expression => {
  try {
    return createExpression(translateExpression(source));
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return unsupported(error.message);
    if (error instanceof RE2JSException)
      return unsupported(error.message.replace(/^error parsing regexp: /, ''));
    throw error;
  }
};

const createExpression = (syntax: string): Expression => {
  // a set of one: unlike a single expression it needs no groups, and its memory can be bounded
  const set = new RE2Set(RE2Set.UNANCHORED, 0, maxStateBytes);
  set.add(syntax);
  set.compile();
  const instructions = set.prog.numInst();
  if (instructions > maxInstructions) return unsupported('too many repetitions');
  const longest = Math.floor(maxSteps / instructions);
  return {
    supported: true,
    test: (text) => (text.length > longest ? null : set.match(text).length > 0),
  };
};

/** Returns a sentence for each unsupported expression of a filter in JSON. */
export const findUnsupportedIn = (filter: unknown): readonly string[] => {
  if (typeof filter !== 'object' || filter === null) return [];
  return Object.entries(filter).flatMap(([key, value]) =>
    key === '_regex' && typeof value === 'string' ? (findUnsupported(value) ?? []) : findUnsupportedIn(value),
  );
};
