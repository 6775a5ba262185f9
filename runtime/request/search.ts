/** Reads the body of a SEARCH. */
import { invalidPayload, invalidQuery } from '../../contract/errors.js';
import type { ApiRequest } from './api-request.js';
import { readJson } from './body.js';
import { readQuery, type ParsedQuery } from './query.js';

/**
 * Reads `{query?, keys?}`, which replaces the query string.
 * @throws INVALID_PAYLOAD for another body, INVALID_QUERY for a query that is no object
 */
export const readSearch = async (
  request: ApiRequest,
): Promise<{ readonly parsed: ParsedQuery; readonly keys: unknown }> => {
  const body = await readJson(request, {});
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidPayload('SEARCH requires a body such as {"query": {…}} or {"keys": […]}');
  }
  const { query = {}, keys, ...rest } = body as Record<string, unknown>;
  const [unknownKey] = Object.keys(rest);
  if (unknownKey !== undefined)
    throw invalidPayload(`SEARCH accepts only "query" and "keys", not "${unknownKey}"`);
  if (typeof query !== 'object' || query === null || Array.isArray(query))
    throw invalidQuery('"query" must be an object');
  return { parsed: readQuery(query as Record<string, unknown>), keys };
};
