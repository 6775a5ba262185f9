/** Refuses misspelled parameters, which would change the meaning of a write if they were ignored. */
import { invalidQuery } from '../../contract/errors.js';

/** Returns a test of whether a query may have a parameter whose letters contain a word, however spelled; escapes may hide it. */
export const mayName = (word: string): ((query: string) => boolean) => {
  const pattern = new RegExp([...word].join('[^a-z]*'), 'i');
  return (query) => query.includes('%') || pattern.test(query);
};

/** Refuses names that differ from `name` only in case and in characters that are no letters. @throws INVALID_QUERY */
export const refuseMisspelled = (name: string, given: Iterable<string>): void => {
  const letters = lettersOf(name);
  for (const each of given) {
    if (each !== name && lettersOf(each) === letters)
      throw invalidQuery(`the parameter is "${name}", not "${each}"`);
  }
};

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');
