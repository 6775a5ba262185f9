/** Keeps the prepared statements of a connection by SQL text. */
import { LRUCache } from 'lru-cache';

/** Maximum per connection. Servers may limit the total of all connections; the smallest default is about 16 000. */
const maxStatements = 256;

export type StatementCache<Statement extends object> = LRUCache<string, Statement>;

/**
 * Creates the cache of a connection, which evicts the statement that was used least recently.
 * @param onEvict closes a statement on the server
 */
export const createStatements = <Statement extends object>(
  onEvict: (text: string, statement: Statement) => void = () => undefined,
): StatementCache<Statement> =>
  new LRUCache({
    max: maxStatements,
    dispose(statement, text, reason) {
      if (reason === 'evict') onEvict(text, statement);
    },
  });
