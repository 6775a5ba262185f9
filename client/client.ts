/** The client: the one thing that people make. */
import { createItems, createSingleton } from './collection.js';
import { createGraphql, type Graphql } from './graphql.js';
import type { Items } from './items.js';
import type { CollectionName } from './names.js';
import { createOperations, type Operations } from './operations.js';
import { createQueue, type Queue } from './queue.js';
import { singletons, systemPaths } from './schema.js';
import { createCall, type ClientOptions } from './transport.js';

export interface Client extends Operations {
  /** The items of a collection. */
  items<const Name extends CollectionName>(collection: Name): Items<Name>;
  graphql: Graphql;
  /** Models that take their time. */
  queue: Queue;
}

/**
 * A client of the API at `url`, for one caller: what it may do is decided by its token, on every request.
 *
 * @example
 * const api = createClient({ url: 'https://api.example.com', token });
 */
export const createClient = (options: ClientOptions): Client => {
  const root = createCall(options);
  const items = createCall(options, '/items');
  const open = (name: string) => {
    // a collection may be called as every object has it
    const path = Object.hasOwn(systemPaths, name) ? systemPaths[name] : undefined;
    const place = path === undefined ? { collection: name, call: items } : { collection: path, call: root };
    return singletons.has(name) ? createSingleton(place) : createItems(place);
  };
  return {
    ...createOperations(root),
    items: open as Client['items'],
    graphql: createGraphql(root) as Graphql,
    queue: createQueue(options) as Queue,
  };
};
