/** Decides which texts the character sets of MySQL and MariaDB can represent, and converts them. */
import type { Collations } from '../contract.js';

/** Characters of each set; other sets are assumed to contain only ASCII. latin1 is Windows-1252. */
const patterns: ReadonlyMap<string, RegExp> = new Map([
  ['latin1', /^[\0-\u007f\u00a0-ÿ€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/],
  ['utf8mb3', /^[\0-\uffff]*$/u],
  ['utf8', /^[\0-\uffff]*$/u],
  ['ucs2', /^[\0-\uffff]*$/u],
]);

const ascii = /^[\0-\u007f]*$/;

/**
 * Returns whether the character set of a collation is known to contain every character of a text.
 * @param collation begins with the name of its character set, as in `latin1_swedish_ci`
 */
export const hasCharacters = (collation: string, text: string): boolean =>
  (patterns.get(setOf(collation)) ?? ascii).test(text);

const setOf = (collation: string): string => collation.split('_')[0] ?? '';

/** Returns a collation of all Unicode characters that is case-insensitive if the given one is. */
export const unicodeCollation = (collation: string): string =>
  collation.endsWith('_ci') ? 'utf8mb4_unicode_520_ci' : 'utf8mb4_bin';

/** Prints what a change of the collation does to texts. */
export const collations: Collations = {
  convert: (value, collation) => `convert(${value} using ${setOf(collation)}) collate ${collation}`,
  lossOf: (value, { from, to }) => {
    const [old, set] = [setOf(from), setOf(to)];
    if (old === set || set === 'utf8mb4') return null;
    const condition = `hex(convert(convert(${value} using ${set}) using ${old})) <> hex(${value})`;
    return { condition, set };
  },
};
