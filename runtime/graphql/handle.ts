/** The paths of GraphQL. What is behind them is loaded by the first request: a process without any pays nothing. */
import type { Principal } from '../access/access.js';
import { once } from '../concurrency/lazy.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import type { Scope } from './schema.js';
import type { GraphqlOptions } from './server.js';

export interface Graphql {
  /** `null`: another path. Errors are thrown. */
  handle(request: ApiRequest): Promise<ApiResponse> | null;
  /** The schema of a caller, as text. @throws FORBIDDEN where introspection is off */
  print(scope: Scope, principal: Principal): Promise<string>;
}

const scopes: ReadonlyMap<string, Scope> = new Map([
  ['/graphql', 'items'],
  ['/graphql/system', 'system'],
]);

export const createGraphql = (options: GraphqlOptions): Graphql => {
  const load = once(async () => (await import('./server.js')).createGraphqlServer(options));
  return {
    handle(request) {
      const scope = scopes.get(request.path);
      return scope === undefined ? null : load().then(({ answer }) => answer(request, scope));
    },
    print: async (scope, principal) => (await load()).print(scope, principal),
  };
};
