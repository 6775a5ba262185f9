/** Caches parsed query strings, with a limit on their number and length. */
import { LRUCache } from 'lru-cache';
import { invalidQuery } from '../../contract/errors.js';
import { parseQuery, type ParsedQuery } from '../request/query.js';

/** Parsed queries by query string, cached from the second use on: most texts with inline values are not repeated. */
const parsedQueries = new LRUCache<string, ParsedQuery>({ max: 1_000 });
/** Texts that were parsed once: the latest ones, and those before them. */
let seenLately = new Set<string>();
let seenBefore = new Set<string>();
const maxSeenLately = 500;
const maxParsedLength = 2_048;

/** Parses a query string. @throws INVALID_QUERY */
export const parseCachedQuery = (text: string): ParsedQuery => {
  const cached = parsedQueries.get(text);
  if (cached !== undefined) return cached;
  const parsed = parseQuery(text);
  if (text.length > maxParsedLength) return parsed;
  if (seenLately.has(text) || seenBefore.has(text)) parsedQueries.set(text, parsed);
  else markSeen(text);
  return parsed;
};

/** Drops half of what was seen at a time, since a cache that evicts one by one costs as much as parsing. */
const markSeen = (text: string): void => {
  if (seenLately.size >= maxSeenLately) {
    seenBefore = seenLately;
    seenLately = new Set();
  }
  seenLately.add(text);
};

/** Parses the query string of a write. @throws INVALID_QUERY */
export const parseWriteQuery = (text: string): ParsedQuery => {
  const parsed = parseCachedQuery(text);
  if (parsed.query.exportAs !== null) throw invalidQuery('"export" is for reads');
  return parsed;
};
