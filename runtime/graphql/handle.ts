/** GraphQL, loaded by the first request: a process without any pays nothing. */
import type { Principal } from '../access/access.js';
import { lazy } from '../concurrency/lazy.js';
import type { RouteHandle } from '../request/route.js';
import type { Scope } from './schema.js';
import type { GraphqlOptions } from './server.js';

export interface Graphql {
  /** Returns what serves the path of a schema. Errors are thrown. */
  handle(scope: Scope): RouteHandle;
  /** The schema of a caller, as text. @throws FORBIDDEN where introspection is off */
  print(scope: Scope, principal: Principal): Promise<string>;
}

export const createGraphql = (options: GraphqlOptions): Graphql => {
  const load = lazy(async () => (await import('./server.js')).createGraphqlServer(options));
  return {
    handle: (scope) => async (request) => (await load()).answer(request, scope),
    print: async (scope, principal) => (await load()).print(scope, principal),
  };
};
