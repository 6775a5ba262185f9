/** Prepared statements that a connection keeps, by their texts: the longest unused stands first. */

/** Per connection; a server may limit them over all connections, the smallest default being some 16 000. */
const maxStatements = 256;

/** The statement of that text, which counts as used now. */
export const findStatement = <Statement>(
  statements: Map<string, Statement>,
  text: string,
): Statement | undefined => {
  const present = statements.get(text);
  if (present === undefined) return undefined;
  statements.delete(text);
  statements.set(text, present);
  return present;
};

/** Makes room for one more. @returns what has to leave for it, to be closed on the server */
export const evictStatement = <Statement>(
  statements: Map<string, Statement>,
): readonly [text: string, Statement] | undefined => {
  const [unused] = statements;
  if (statements.size < maxStatements || unused === undefined) return undefined;
  statements.delete(unused[0]);
  return unused;
};
