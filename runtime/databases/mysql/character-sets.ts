/** Which texts the character sets of MySQL and MariaDB have the characters for. */

/** Sets beside those that are known by their first 128 characters alone. latin1 is Windows-1252. */
const texts: ReadonlyMap<string, RegExp> = new Map([
  ['latin1', /^[\0-\u007f\u00a0-ÿ€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/],
  ['utf8mb3', /^[\0-\uffff]*$/u],
  ['utf8', /^[\0-\uffff]*$/u],
  ['ucs2', /^[\0-\uffff]*$/u],
]);

const ascii = /^[\0-\u007f]*$/;

/**
 * Whether the character set of the collation certainly has what the text is made of.
 * @param collation begins with the name of its set: `latin1_swedish_ci`
 */
export const hasCharacters = (collation: string, text: string): boolean =>
  (texts.get(collation.slice(0, collation.indexOf('_'))) ?? ascii).test(text);

/** A collation of all characters that tells as much apart as the given one. */
export const completeCollation = (collation: string): string =>
  collation.endsWith('_ci') ? 'utf8mb4_unicode_520_ci' : 'utf8mb4_bin';
