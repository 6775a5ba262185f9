/** Selects the items of a write by keys or by a query. */
import type { Collection } from '../../contract/collection.js';
import { ApiError, invalidPayload, mapAll } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { quoted } from '../../contract/quoted.js';
import { keyList, keyListOfRows, type KeyList } from '../execute/key-list.js';
import { distinctKeys, keyText } from '../execute/stored-keys.js';
import { readKey, splitKeyValue } from '../plan/item.js';
import { locate, type PayloadLocation } from '../plan/problem-collection.js';
import type { Key } from '../plan/write-plan.js';
import { hasCondition } from '../request/filter.js';
import { readQuery, type ParsedQuery } from '../request/query.js';
import { unlimitedReads } from '../execute/read-budget.js';
import { unlimited, type Limits } from '../sql/page.js';
import type { ItemContext } from './context.js';
import { readList } from './read.js';

export interface Selection {
  readonly keys: unknown;
  readonly query: unknown;
  readonly data?: unknown;
  /** Where the body has the keys. */
  readonly pointer: readonly string[];
}

/** Reads `{keys}` or `{query}`, with optional `data`. @throws INVALID_PAYLOAD, also naming every other member */
export const readSelection = (payload: unknown): Selection => {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw invalidPayload('expected {"keys": […]} or {"query": {…}}, or a list');
  }
  const { keys, query, data, ...rest } = payload as Record<string, unknown>;
  const unknown = Object.keys(rest);
  if (unknown.length > 0) throw invalidPayload(unknownMembers(unknown));
  if ((keys === undefined) === (query === undefined)) {
    throw invalidPayload('select the items by either "keys" or "query"');
  }
  return { keys, query, data, pointer: ['keys'] };
};

/** Returns the keys of the selected items. @throws FORBIDDEN when a key is malformed, INVALID_PAYLOAD */
export const selectKeys = async (
  collection: Collection,
  { keys, query, pointer }: Selection,
  context: ItemContext,
): Promise<KeyList> => {
  if (keys !== undefined) {
    const given = readEveryKey(collection, keys, pointer);
    return keyList(distinctKeys(given), (key) => {
      const index = given.findIndex((each) => keyText(each) === keyText(key));
      return placeOf(index, pointer);
    });
  }
  const parsed = keysQuery(collection, readWriteQuery(query));
  const { rows, count } = await readList({ collection, parsed }, unbounded(context));
  return keyListOfRows(collection, rows.bytes, count);
};

/**
 * Reads the query of a write, which must restrict the items by a filter or say how many it means.
 * @throws INVALID_PAYLOAD naming every unknown key, or what is missing
 */
const readWriteQuery = (query: unknown): ParsedQuery => {
  if (!isObject(query)) throw invalidPayload('"query" must be an object');
  const unknown = Object.keys(query).filter((name) => !writeParameters.has(name));
  if (unknown.length > 0) throw invalidPayload(unknownParameters(unknown));
  const parsed = readQuery(query);
  const { filter, limit, page } = parsed.query;
  if (limit === null && (filter === null || !hasCondition(filter))) throw invalidPayload(needsCondition);
  if (limit === null && page !== null) throw invalidPayload('"page" of a write needs a "limit" beside it');
  return parsed;
};

const writeParameters: ReadonlySet<string> = new Set(['filter', 'search', 'sort', 'limit', 'offset', 'page']);

const unknownParameters = (names: readonly string[]): string =>
  `"query" of a write takes ${[...writeParameters].join(', ')}, not ${quoted(names)}`;

const unknownMembers = (names: readonly string[]): string =>
  `a write of many items takes "keys" or "query", and "data", not ${quoted(names)}; filter, limit and the like belong into "query"`;

const needsCondition =
  'a write by query needs a "filter" with at least one condition, or a "limit", of which -1 means every item';

/** Removes the limits of responses: a write without a limit applies to all matching items. */
const unbounded = (context: ItemContext): ItemContext => ({
  ...context,
  limits: noLimits,
  publicLimits: noLimits,
  budget: unlimitedReads(),
});

const noLimits: Limits = { fallback: unlimited, maximum: null, nestedRows: null };

/** Selects only the key. The fields are set as nodes, because a name with a comma could not be parsed from text. */
const keysQuery = ({ key }: Collection, { query, shape, values }: ParsedQuery): ParsedQuery => ({
  query: { ...query, fields: key.map(({ name }) => ({ name, children: [] })) },
  shape: `keys ${shape}`,
  values,
});

/** Returns the distinct keys of a body. @throws INVALID_PAYLOAD */
export const readKeys = (collection: Collection, keys: unknown): readonly Key[] =>
  distinctKeys(readEveryKey(collection, keys, ['keys']));

const readEveryKey = (
  collection: Collection,
  keys: unknown,
  pointer: Selection['pointer'],
): readonly Key[] => {
  if (!Array.isArray(keys)) throw invalidPayload('"keys" must be a list of primary keys');
  return mapAll(keys.entries(), ([index, key]) => {
    try {
      return readKey(collection, splitKeyValue(collection, key));
    } catch (error) {
      throw error instanceof ApiError ? locate(error, placeOf(index, pointer)) : error;
    }
  });
};

const placeOf = (index: number, pointer: Selection['pointer']): PayloadLocation => ({
  index,
  path: [],
  pointer: [...pointer, index],
});

/** Returns the key inside an item. @throws INVALID_PAYLOAD naming the missing part */
export const keyInside = (collection: Collection, payload: unknown): Key => {
  const given = (payload ?? {}) as Record<string, unknown>;
  const missing = collection.key.find(
    (field) => given[field.name] === undefined || given[field.name] === null,
  );
  if (missing !== undefined) throw invalidPayload(`every item of the list needs its key "${missing.name}"`);
  return readKey(
    collection,
    collection.key.map((field) => given[field.name]),
  );
};
