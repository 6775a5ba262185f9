/** Creates clients of the API. */
import { createItems, createSingleton } from './collection.js';
import { createGraphql, type Graphql } from './graphql.js';
import type { Items } from './items.js';
import type { AnyKey } from './key.js';
import type { CollectionName } from './names.js';
import type { AnyQuery, AnyRead } from './parameters.js';
import { createOperations, type Operations } from './operations.js';
import { createQueue, type Queue, type SubmitOptions } from './queue.js';
import { singletons, systemPaths } from './schema.js';
import { createTransfers, type ExportFormat } from './transfers.js';
import { createCall, type CallOptions, type ClientOptions } from './transport.js';

export interface Client extends Operations {
  /** Returns the items of a collection. */
  items<const Name extends CollectionName>(collection: Name): Items<Name>;
  graphql: Graphql;
  /** Runs models through the queue. */
  queue: Queue;
}

/**
 * Creates a client of the API at `url` for one caller. The API checks the permissions of the token on every request.
 *
 * @example
 * const api = createClient({ url: 'https://api.example.com', token });
 */
export const createClient = (options: ClientOptions): Client => {
  const root = createCall(options);
  const items = createCall(options, '/items');
  const openCollection = (name: string) => {
    // a collection may have the name of a property that every object inherits
    const path = Object.hasOwn(systemPaths, name) ? systemPaths[name] : undefined;
    const target = path === undefined ? { collection: name, call: items } : { collection: path, call: root };
    if (singletons.has(name)) return createSingleton(target);
    const place = path === undefined ? `/items/${encodeURIComponent(name)}` : `/${path}`;
    const all = { ...createItems(target), ...createTransfers(options, place) };
    return { ...all, alias: (other: object) => withAliases(all, other) };
  };
  return {
    ...createOperations(root),
    items: openCollection as Client['items'],
    graphql: createGraphql(root) as Graphql,
    queue: createQueue(options) as Queue,
  };
};

type Reads = Pick<
  ReturnType<typeof createItems> & ReturnType<typeof createTransfers>,
  'list' | 'pages' | 'iterate' | 'get' | 'export' | 'download'
>;

/** Returns the reads with `alias` in their queries. */
const withAliases = (reads: Reads, alias: object): Reads => ({
  list: (query?: AnyQuery, options?: CallOptions) => reads.list({ ...query, alias }, options),
  pages: (query?: AnyQuery, options?: CallOptions) => reads.pages({ ...query, alias }, options),
  iterate: (query?: AnyQuery, options?: CallOptions) => reads.iterate({ ...query, alias }, options),
  get: (key: AnyKey, query?: AnyRead, options?: CallOptions) => reads.get(key, { ...query, alias }, options),
  export: (format: ExportFormat, query?: AnyQuery, options?: SubmitOptions) =>
    reads.export(format, { ...query, alias }, options),
  download: (format: ExportFormat, query?: AnyQuery, options?: CallOptions) =>
    reads.download(format, { ...query, alias }, options),
});
