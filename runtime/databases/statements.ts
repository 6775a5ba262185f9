/** Keeps the prepared statements of a connection by SQL text, least recently used first. */

/** Maximum per connection. Servers may limit the total of all connections; the smallest default is about 16 000. */
const maxStatements = 256;

/** Returns the statement of a text and marks it as most recently used. */
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

/** Evicts the least recently used statement of a full map. @returns the evicted one, to be closed on the server */
export const evictStatement = <Statement>(
  statements: Map<string, Statement>,
): readonly [text: string, Statement] | undefined => {
  const [unused] = statements;
  if (statements.size < maxStatements || unused === undefined) return undefined;
  statements.delete(unused[0]);
  return unused;
};
