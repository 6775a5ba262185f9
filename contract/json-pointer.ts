/** JSON Pointers (RFC 6901). */

/** Prints a pointer of names and indexes, from the outside in; an empty text for none. */
export const printPointer = (tokens: readonly (string | number)[]): string =>
  tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Reads the names and indexes of a pointer, from the outside in. */
export const parsePointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
