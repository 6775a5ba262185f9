/** Reads and writes of one collection, whatever its types. */
import { keyToBody, keyToPath, type AnyKey } from './key.js';
import { toBody, toParameters, type AnyQuery } from './parameters.js';
import * as rest from './rest/index.js';
import { dataOf, type Call, type CallOptions } from './transport.js';

export interface CollectionOptions {
  /** As it stands in paths. */
  readonly collection: string;
  readonly call: Call;
}

type AnySelection = { readonly keys: readonly AnyKey[] } | { readonly query: AnyQuery };
type AnyChanges = (AnySelection & { readonly data: object }) | readonly object[];

export const createItems = ({ collection, call }: CollectionOptions) => ({
  async list(query: AnyQuery = {}, options?: CallOptions) {
    const answer = await read({ collection, call }, query, options);
    const data = dataOf(answer);
    return query.meta === undefined || query.meta.length === 0 ? data : { data, meta: answer.meta };
  },

  get: (key: AnyKey, query: AnyQuery = {}, options?: CallOptions) =>
    call(
      (shared) =>
        rest.readItem({
          ...shared,
          path: { collection, key: keyToPath(key) },
          query: toParameters(query),
        }),
      options,
    ).then(dataOf),

  create: (data: object, query: AnyQuery = {}, options?: CallOptions) =>
    call(
      (shared) => rest.createItems({ ...shared, path: { collection }, query: toParameters(query), body: data }),
      options,
    ).then(dataOf),

  async createMany(data: readonly object[], query: AnyQuery = {}, options?: CallOptions) {
    return (await this.create(data, query, options)) ?? [];
  },

  update: (key: AnyKey, data: object, query: AnyQuery = {}, options?: CallOptions) =>
    call(
      (shared) =>
        rest.updateItem({
          ...shared,
          path: { collection, key: keyToPath(key) },
          query: toParameters(query),
          body: data,
        }),
      options,
    ).then(dataOf),

  async updateMany(changes: AnyChanges, query: AnyQuery = {}, options?: CallOptions) {
    const body = isList(changes) ? changes : { ...toSelection(changes), data: changes.data };
    const answer = await call(
      (shared) => rest.updateItems({ ...shared, path: { collection }, query: toParameters(query), body }),
      options,
    );
    return dataOf(answer) ?? [];
  },

  async delete(key: AnyKey, options?: CallOptions) {
    await call((shared) => rest.deleteItem({ ...shared, path: { collection, key: keyToPath(key) } }), options);
  },

  async deleteMany(which: readonly AnyKey[] | AnySelection, options?: CallOptions) {
    const body = toSelection(isList(which) ? { keys: which } : which);
    await call((shared) => rest.deleteItems({ ...shared, path: { collection }, body }), options);
  },
});

/** A collection that is one item, and has no key. */
export const createSingleton = ({ collection, call }: CollectionOptions) => ({
  get: async (query: AnyQuery = {}, options?: CallOptions) =>
    dataOf(await read({ collection, call }, query, options)),

  update: (data: object, query: AnyQuery = {}, options?: CallOptions) =>
    call(
      (shared) => rest.updateItems({ ...shared, path: { collection }, query: toParameters(query), body: data }),
      options,
    ).then(dataOf),
});

/** Longer query strings are sent as the body of a SEARCH. */
const longestQuery = 2_000;

const read = ({ collection, call }: CollectionOptions, query: AnyQuery, options?: CallOptions) => {
  const parameters = toParameters(query);
  const path = { collection };
  if (new URLSearchParams(parameters).toString().length <= longestQuery) {
    return call((shared) => rest.readItems({ ...shared, path, query: parameters }), options);
  }
  // OpenAPI knows no SEARCH, the methods of generated functions are those of OpenAPI
  const method = 'SEARCH' as 'POST';
  return call(
    ({ client, ...shared }) =>
      client.request<rest.ReadItemsResponses>({
        ...shared,
        method,
        url: '/{collection}',
        path,
        body: { query: toBody(query) },
      }),
    options,
  );
};

const toSelection = (which: AnySelection): object =>
  'keys' in which ? { keys: which.keys.map(keyToBody) } : { query: toBody(which.query) };

const isList = <Entry>(value: readonly Entry[] | object): value is readonly Entry[] => Array.isArray(value);
