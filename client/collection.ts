/** Reads and writes the items of a collection, without types. */
import { toApiError } from './errors.js';
import { keyToBody, keyToPath, type AnyKey } from './key.js';
import { toBody, toParameters, type AnyQuery } from './parameters.js';
import * as rest from './rest/index.js';
import { dataOf, type Call, type CallOptions } from './transport.js';

/** Paths under which a collection is served. */
export interface CollectionTarget {
  /** Path segment of the collection. */
  readonly collection: string;
  readonly call: Call;
}

interface AnySelection {
  readonly keys?: readonly AnyKey[];
  readonly query?: AnyQuery;
}

type AnyChanges = (AnySelection & { readonly data: object }) | readonly object[];

export const createItems = (target: CollectionTarget) => {
  const { collection, call } = target;
  const all = (query: AnyQuery = {}) => ({ path: { collection }, query: toParameters(query) });
  const one = (key: AnyKey, query: AnyQuery = {}) => ({
    path: { collection, key: keyToPath(key) },
    query: toParameters(query),
  });
  const create = async (body: object, query?: AnyQuery, options?: CallOptions) =>
    dataOf(await call((shared) => rest.createItems({ ...shared, ...all(query), body }), options));

  return {
    list: async (query: AnyQuery = {}, options?: CallOptions) => {
      const answer = await read(target, query, options);
      const data = dataOf(answer);
      return query.meta === undefined || query.meta.length === 0 ? data : { data, meta: answer.meta };
    },

    pages: (query: AnyQuery = {}, options?: CallOptions) => readPages(target, query, options),

    iterate: async function* iterate(query: AnyQuery = {}, options?: CallOptions) {
      for await (const page of readPages(target, query, options)) yield* page;
    },

    get: async (key: AnyKey, query: AnyQuery = {}, options?: CallOptions) => {
      const request = one(key, query);
      if (fitsUrl(request.query))
        return dataOf(await call((shared) => rest.readItem({ ...shared, ...request }), options));
      const body = { keys: [keyToBody(key)], query: toBody(query) };
      const [item] = dataOf(await search(target, body, options)) as readonly unknown[];
      if (item === undefined) throw missingItem(collection);
      return item;
    },

    create,

    createMany: async (data: readonly object[], query?: AnyQuery, options?: CallOptions) =>
      (await create(data, query, options)) ?? [],

    update: async (key: AnyKey, body: object, query?: AnyQuery, options?: CallOptions) =>
      dataOf(await call((shared) => rest.updateItem({ ...shared, ...one(key, query), body }), options)),

    updateMany: async (changes: AnyChanges, query?: AnyQuery, options?: CallOptions) => {
      const body = isList(changes) ? changes : { ...toSelection(changes), data: changes.data };
      return (
        dataOf(await call((shared) => rest.updateItems({ ...shared, ...all(query), body }), options)) ?? []
      );
    },

    delete: (key: AnyKey, options?: CallOptions) =>
      call((shared) => rest.deleteItem({ ...shared, path: one(key).path }), options),

    deleteMany: async (which: readonly AnyKey[] | AnySelection, options?: CallOptions) => {
      const body = toSelection(isList(which) ? { keys: which } : which);
      await call((shared) => rest.deleteItems({ ...shared, path: { collection }, body }), options);
    },
  };
};

/** Reads page after page by cursor. */
async function* readPages(target: CollectionTarget, query: AnyQuery, options?: CallOptions) {
  let after: string | undefined;
  do {
    const answer = await read(target, { ...query, after, meta: ['cursor'] }, options);
    yield dataOf(answer) as readonly unknown[];
    const { cursor } = (answer.meta ?? {}) as { readonly cursor?: string | null };
    after = cursor ?? undefined;
  } while (after !== undefined);
}

/** Creates the methods of a collection that is a single item without a key. */
export const createSingleton = (target: CollectionTarget) => ({
  get: async (query: AnyQuery = {}, options?: CallOptions) => dataOf(await read(target, query, options)),

  update: async (body: object, query: AnyQuery = {}, options?: CallOptions) => {
    const request = { path: { collection: target.collection }, query: toParameters(query), body };
    return dataOf(await target.call((shared) => rest.updateItems({ ...shared, ...request }), options));
  },
});

/** Characters; longer query strings are sent as the body of a SEARCH request. */
const maxQueryLength = 2_000;

const fitsUrl = (parameters: Record<string, string>): boolean =>
  new URLSearchParams(parameters).toString().length <= maxQueryLength;

const read = (target: CollectionTarget, query: AnyQuery, options?: CallOptions) => {
  const request = { path: { collection: target.collection }, query: toParameters(query) };
  return fitsUrl(request.query)
    ? target.call((shared) => rest.readItems({ ...shared, ...request }), options)
    : search(target, { query: toBody(query) }, options);
};

interface Search {
  readonly keys?: readonly AnyKey[];
  readonly query: AnyQuery;
}

const search = ({ collection, call }: CollectionTarget, body: Search, options?: CallOptions) => {
  // the generated functions have the methods of OpenAPI, which has no SEARCH
  const method = 'SEARCH' as 'POST';
  return call(
    ({ client, ...shared }) =>
      client.request<rest.ReadItemsResponses>({
        ...shared,
        method,
        url: '/{collection}',
        path: { collection },
        body,
      }),
    options,
  );
};

/** Creates the error for a missing item: SEARCH returns an empty list where GET returns this error. */
const missingItem = (collection: string): Error => {
  const reason = `the item of "${collection}" does not exist or may not be used this way`;
  return toApiError(403, { errors: [{ message: reason, extensions: { code: 'FORBIDDEN', reason } }] });
};

/** Converts a selection to a body. @throws TypeError unless exactly one of `keys` and `query` is given */
const toSelection = ({ keys, query }: AnySelection): object => {
  if (keys !== undefined && query !== undefined) throw new TypeError('give "keys" or "query", not both');
  if (keys !== undefined) return { keys: keys.map(keyToBody) };
  if (query === undefined) throw new TypeError('give "keys" or "query"');
  return { query: toBody(query) };
};

const isList = <Entry>(value: readonly Entry[] | object): value is readonly Entry[] => Array.isArray(value);
