/** Builds LIKE patterns with `!` as the escape character. */
import type { Match } from '../databases/contract.js';

/** Escapes the special characters of a text, so that a pattern matches them as they are. */
export const escapeLike = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');

/**
 * Builds a pattern. `escaped`: the text as `escapeLike` returns it. `rest`: the wildcard for the text before
 * or after it.
 */
export const likePattern = (kind: Match, escaped: string, rest = '%'): string => {
  switch (kind) {
    case 'contains':
    case 'icontains':
      return `${rest}${escaped}${rest}`;
    case 'startsWith':
    case 'istartsWith':
      return `${escaped}${rest}`;
    case 'endsWith':
    case 'iendsWith':
      return `${rest}${escaped}`;
  }
};

const caseInsensitive: Readonly<Record<Match, boolean>> = {
  contains: false,
  icontains: true,
  startsWith: false,
  istartsWith: true,
  endsWith: false,
  iendsWith: true,
};

/** Returns whether a comparison takes upper and lower case for equal. */
export const ignoresCase = (kind: Match): boolean => caseInsensitive[kind];
