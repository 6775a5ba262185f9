/** Backslash escapes in string literals of SQL, which more than one database has. */

/** Resolves the escapes of a literal's content: `a\'b` becomes `a'b`; an unknown one is its character. */
export const unescapeBackslashes = (text: string): string =>
  text.replace(/\\([\s\S])/g, (_, escaped: string) => escapes.get(escaped) ?? escaped);

const escapes: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['Z', '\u001a'],
]);
