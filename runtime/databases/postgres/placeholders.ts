/**
 * Statements are written with `?`, which PostgreSQL spells `$1`, `$2`, …: numbered once per text, when it is prepared.
 * Names and literals are passed over, whatever is in them.
 */
const parts = /"[^"]*"|'[^']*'|\?/g;

export const numberPlaceholders = (text: string): string => {
  let count = 0;
  return text.replaceAll(parts, (part) => (part === '?' ? `$${(count += 1)}` : part));
};
