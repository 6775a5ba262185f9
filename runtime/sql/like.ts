/** Builds LIKE patterns with `!` as the escape character. */
import type { Match } from '../databases/contract.js';

/** Escapes the special characters of a text, so that a pattern matches them as they are. */
export const escapeLike = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');

/**
 * Builds a pattern. `escaped`: the text as `escapeLike` returns it. `rest`: the wildcard for the text before
 * or after it.
 */
export const likePattern = (kind: Match, escaped: string, rest = '%'): string => {
  if (kind === 'contains' || kind === 'icontains') return `${rest}${escaped}${rest}`;
  return kind === 'startsWith' || kind === 'istartsWith' ? `${escaped}${rest}` : `${rest}${escaped}`;
};
