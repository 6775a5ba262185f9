/** Caches parsed query strings, with a limit on their number and length. */
import { LRUCache } from 'lru-cache';
import { parseQuery, type ParsedQuery } from '../request/query.js';

/** Parsed queries by query string, cached from the second use on: most texts with inline values are not repeated. */
const parsedQueries = new LRUCache<string, ParsedQuery>({ max: 1_000 });
const seenOnce = new LRUCache<string, true>({ max: 1_000 });
const maxParsedLength = 2_048;

/** Parses a query string. @throws INVALID_QUERY */
export const parseCachedQuery = (text: string): ParsedQuery => {
  const cached = parsedQueries.get(text);
  if (cached !== undefined) return cached;
  const parsed = parseQuery(text);
  if (text.length > maxParsedLength) return parsed;
  if (seenOnce.delete(text)) {
    parsedQueries.set(text, parsed);
  } else {
    seenOnce.set(text, true);
  }
  return parsed;
};
