/**
 * Replaces the placeholders `?` by `$1`, `$2`, … once per statement, when it is prepared; quoted identifiers and
 * literals are skipped.
 */
const parts = /"[^"]*"|'[^']*'|\?/g;

/** Numbers the placeholders from 1, in the order of the text. */
export const numberPlaceholders = (text: string): string => {
  let count = 0;
  return text.replaceAll(parts, (part) => (part === '?' ? `$${(count += 1)}` : part));
};
