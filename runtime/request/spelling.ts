/** Parameters whose other spellings would change the meaning of a write, instead of being ignored. */
import { invalidQuery } from '../../contract/errors.js';

/** Returns whether a query may have a parameter whose letters contain a word, however it is spelled; escapes may hide it. */
export const mayName = (query: string, word: string): boolean =>
  query.includes('%') || lettersOf(query).includes(word);

/** @throws INVALID_QUERY where a name differs from `name` only in case and in characters that are no letters */
export const refuseMisspelled = (name: string, given: Iterable<string>): void => {
  const letters = lettersOf(name);
  for (const each of given) {
    if (each !== name && lettersOf(each) === letters)
      throw invalidQuery(`the parameter is "${name}", not "${each}"`);
  }
};

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');
