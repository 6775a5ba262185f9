/** Patterns of `like`, with `!` as the escape character. */
import type { Match } from '../databases/contract.js';

export const escapeLike = (text: string): string => text.replaceAll(/[!%_]/g, '!$&');

/** `escaped`: what is looked for, as `escapeLike` leaves it. `rest`: the wildcard for whatever comes before or after. */
export const likePattern = (kind: Match, escaped: string, rest = '%'): string => {
  if (kind === 'contains' || kind === 'icontains') return `${rest}${escaped}${rest}`;
  return kind === 'startsWith' || kind === 'istartsWith' ? `${escaped}${rest}` : `${rest}${escaped}`;
};
