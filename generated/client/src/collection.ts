/** Reads and writes the items of a collection, without types. */
import { toApiError } from './errors.js';
import { keyToBody, keyToPath, type AnyKey } from './key.js';
import { toBody, toParameters, toWrite, type AnyQuery, type AnyRead, type AnyWrite } from './parameters.js';
import * as rest from './rest/index.js';
import { dataOf, type Call, type CallOptions, type Shared } from './transport.js';

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

interface AnyDeletion extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly ifMatch?: string | undefined;
}

/**
 * Creates the methods of `client.items(…)` and of system collections. They take queries as `client/query` has
 * them, return `data`, and reject with `ApiError`.
 */
export const createItems = (target: CollectionTarget) => ({
  ...createReads(target),
  ...createWrites(target),
});

const pathOf = (collection: string, key: AnyKey) => ({ collection, key: keyToPath(key) });

const createReads = (target: CollectionTarget) => {
  const { collection, call } = target;
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

    aggregate: async (query: AnyQuery, options?: CallOptions) => dataOf(await read(target, query, options)),

    get: async (key: AnyKey, { meta, ifNoneMatch, ...query }: AnyRead = {}, options?: CallOptions) => {
      const request = { path: pathOf(collection, key), query: toParameters(query) };
      if (!fitsUrl(request.query))
        return withTag(await searchOne(target, { key, query }, options), null, meta);
      return readTagged(
        { call, meta, ifNoneMatch, read: (shared) => rest.readItem({ ...shared, ...request }) },
        options,
      );
    },
  };
};

interface TaggedRead extends Pick<AnyRead, 'meta' | 'ifNoneMatch'> {
  readonly call: Call;
  readonly read: (shared: Shared) => ReturnType<typeof rest.readItem<false>>;
}

/** Reads one item, with its ETag where `meta` asks for it; null where it still has that of `ifNoneMatch`. */
const readTagged = async ({ call, meta, ifNoneMatch, read: send }: TaggedRead, options?: CallOptions) => {
  const own: Shared['headers'] = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  let response: Response | undefined;
  const answer = await call(async ({ headers, ...shared }) => {
    const outcome = await send({ ...shared, headers: { ...headers, ...own } });
    response = outcome.response;
    return outcome;
  }, options);
  const data = dataOf(answer);
  if (response?.status === 304) return data;
  return withTag(data, response?.headers.get('etag') ?? null, meta);
};

const withTag = (data: unknown, etag: string | null, meta: AnyRead['meta'] = []) =>
  meta.length === 0 ? data : { data, meta: { etag } };

const withWrite = ({ headers, ...shared }: Shared, write: ReturnType<typeof toWrite>) => ({
  ...shared,
  query: write.query,
  headers: { ...headers, ...write.headers },
});

const createWrites = ({ collection, call }: CollectionTarget) => {
  const create = async (body: object, query: AnyWrite = {}, options?: CallOptions) => {
    const { query: parameters } = toWrite(query);
    const request = { path: { collection }, query: parameters, body };
    const answer = await call((shared) => rest.createItems({ ...shared, ...request }), options);
    const data = dataOf(answer) ?? (isList(body) ? [] : null);
    if (query.onConflict === undefined) return data;
    return { data, meta: answer?.meta ?? { outcomes: [] } };
  };

  return {
    create,
    createMany: create,

    update: async (key: AnyKey, body: object, query: AnyWrite = {}, options?: CallOptions) => {
      const request = { path: pathOf(collection, key), body };
      const write = toWrite(query);
      return dataOf(
        await call((shared) => rest.updateItem({ ...withWrite(shared, write), ...request }), options),
      );
    },

    updateMany: async (changes: AnyChanges, query: AnyWrite = {}, options?: CallOptions) => {
      const body = isList(changes) ? changes : { ...toSelection(changes), data: changes.data };
      const request = { path: { collection }, query: toWrite(query).query, body };
      return dataOf(await call((shared) => rest.updateItems({ ...shared, ...request }), options)) ?? [];
    },

    delete: (key: AnyKey, { dryRun, ifMatch, ...options }: AnyDeletion = {}) => {
      const path = pathOf(collection, key);
      const write = toWrite({ dryRun, ifMatch });
      return call((shared) => rest.deleteItem({ ...withWrite(shared, write), path }), options);
    },

    deleteMany: async (which: readonly AnyKey[] | AnySelection, { dryRun, ...options }: AnyDeletion = {}) => {
      const body = toSelection(isList(which) ? { keys: which } : which);
      const request = { path: { collection }, query: toWrite({ dryRun }).query, body };
      let rows: string | null | undefined;
      await call(async (shared) => {
        const outcome = await rest.deleteItems({ ...shared, ...request });
        rows = outcome.response?.headers.get('x-svc-rows');
        return outcome;
      }, options);
      return dryRun === true ? Number(rows) : undefined;
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
  get: async ({ meta, ifNoneMatch, ...query }: AnyRead = {}, options?: CallOptions) => {
    const { collection, call } = target;
    const request = { path: { collection }, query: toParameters(query) };
    if (!fitsUrl(request.query)) return withTag(dataOf(await read(target, query, options)), null, meta);
    return readTagged(
      { call, meta, ifNoneMatch, read: (shared) => rest.readItems({ ...shared, ...request }) },
      options,
    );
  },

  update: async (body: object, query: AnyWrite = {}, options?: CallOptions) => {
    const request = { path: { collection: target.collection }, body };
    const write = toWrite(query);
    return dataOf(
      await target.call((shared) => rest.updateItems({ ...withWrite(shared, write), ...request }), options),
    );
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

/** Reads an item by a query that is too long for a URL. */
const searchOne = async (
  target: CollectionTarget,
  { key, query }: { readonly key: AnyKey; readonly query: AnyQuery },
  options?: CallOptions,
): Promise<unknown> => {
  const body = { keys: [keyToBody(key)], query: toBody(query) };
  const [item] = dataOf(await search(target, body, options)) as readonly unknown[];
  if (item === undefined) throw missingItem(target.collection);
  return item;
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
