/** Loads GraphQL with the first request, so a process without GraphQL requests does not pay for it. */
import type { Principal } from '../access/principal.js';
import { lazy } from '../concurrency/lazy.js';
import type { RouteHandle } from '../request/route.js';
import type { Scope } from './schema.js';
import type { GraphqlOptions } from './server.js';

export interface Graphql {
  /** Returns the handler of a schema's path. */
  handle(scope: Scope): RouteHandle;
  /** Prints the schema that a caller may use. @throws FORBIDDEN when introspection is disabled */
  print(scope: Scope, principal: Principal): Promise<string>;
}

/** Creates the handlers without reading the schema. Where loading fails, the next request loads again. */
export const createGraphql = (options: GraphqlOptions): Graphql => {
  const load = lazy(async () => (await import('./server.js')).createGraphqlServer(options));
  return {
    handle: (scope) => async (request) => (await load()).respond(request, scope),
    print: async (scope, principal) => (await load()).print(scope, principal),
  };
};
