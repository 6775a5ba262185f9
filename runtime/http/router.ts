/**
 * Compiles the table of routes into a router, which finds the handler of a method and a path as sent. It alone handles
 * 404, 405 and `Allow`, OPTIONS, HEAD, trailing slashes and segments that cannot be decoded.
 */
import { apiError, type ApiError } from '../../contract/errors.js';
import type { Route, RouteHandler } from '../../contract/routes.js';
import type { ApiResponse } from '../request/api-request.js';
import { decodeSegment, type RouteHandle } from '../request/route.js';

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** Returns the handler of a route, or null if this server does not serve it. */
  bind(route: Route): RouteHandle | null;
  /**
   * Returns the response to an error: a path or method that is not served, or one that a handler threw.
   * @param nearestRoute the route, otherwise one with the same path or a common prefix
   */
  toErrorResponse(error: unknown, nearestRoute: Route | null): ApiResponse;
}

export interface Endpoint {
  /** Path of the route, without the values of the request; `*` where there is none. */
  readonly template: string;
  readonly handle: RouteHandle;
  /** Returns the response to an error that `handle` threw. */
  readonly respondError: (error: unknown) => ApiResponse;
  /** Whether the last part of the path, which another method has as a literal, is the value of the last parameter. */
  readonly endsInValue?: boolean;
}

export interface Match {
  readonly endpoint: Endpoint;
  /** Values of the path's parameters, as sent. */
  readonly segments: readonly string[];
}

/** Returns the endpoint of a request; errors have endpoints as well. */
export type Router = (method: string, path: string) => Match;

/** Compiles the routes. Of two routes for one operation, the first is served. */
export const createRouter = (options: RouterOptions): Router => {
  const root = createNode();
  for (const route of firstOfEachOperation(options.routes)) addRoute(root, route, options);
  completeEndpoints(root, options);
  return (method, path) => {
    const segments: string[] = [];
    const parts = splitPath(path);
    const names = path.includes('%') ? parts.map(decodeSegment) : parts;
    const node = parts[0] === '' ? findNode(root, { parts, names, segments }, 1) : null;
    const endpoint = node?.endpoints.get(method) ?? node?.otherMethods ?? null;
    if (endpoint === null) return matchNothing(root, parts, options);
    if (endpoint.endsInValue === true) segments.push(parts.at(-1) ?? '');
    return { endpoint, segments };
  };
};

/** A team's operation is listed before the package's with the same id, and replaces it. */
const firstOfEachOperation = (routes: readonly Route[]): readonly Route[] => {
  const seen = new Set<string>();
  return routes.filter(({ operation, handler }) => {
    if (handler.kind !== 'operation') return true;
    const isFirst = !seen.has(operation);
    seen.add(operation);
    return isFirst;
  });
};

/** Node of the segment tree. */
interface Node {
  readonly literals: Map<string, Node>;
  /** Child for a one-segment parameter such as `:id`. */
  singleParameter: Node | null;
  /** Child for a parameter of several segments such as `:model+`. */
  multiParameter: Node | null;
  /** Endpoints by method; empty if no path ends here. */
  readonly endpoints: Map<string, Endpoint>;
  /** Endpoint of all other methods. */
  otherMethods: Endpoint | null;
  /** The first route that ends here or below. */
  nearestRoute: Route | null;
}

const createNode = (): Node => ({
  literals: new Map(),
  singleParameter: null,
  multiParameter: null,
  endpoints: new Map(),
  otherMethods: null,
  nearestRoute: null,
});

/** Splits a path at slashes, without a trailing one; the first part is the text before the first slash. */
const splitPath = (path: string): readonly string[] => {
  const parts = path.split('/');
  if (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return parts;
};

const addRoute = (root: Node, route: Route, { bind, toErrorResponse }: RouterOptions): void => {
  const handle = bind(route);
  if (handle === null) return;
  let node = root;
  for (const part of splitPath(route.path).slice(1)) {
    node = childOf(node, part);
    node.nearestRoute ??= route;
  }
  node.nearestRoute ??= route;
  const { method, path } = route;
  if (node.endpoints.has(method)) throw new Error(`there are two routes ${method} ${path}`);
  const respondError = (error: unknown): ApiResponse => toErrorResponse(error, route);
  node.endpoints.set(method, { template: path, handle, respondError });
};

const childOf = (node: Node, part: string): Node => {
  if (part.startsWith(':')) {
    return part.endsWith('+')
      ? (node.multiParameter ??= createNode())
      : (node.singleParameter ??= createNode());
  }
  const name = decodeSegment(part) ?? part;
  const existing = node.literals.get(name);
  if (existing !== undefined) return existing;
  const created = createNode();
  node.literals.set(name, created);
  return created;
};

/** Adds HEAD, OPTIONS and the error response to other methods to each path. */
const completeEndpoints = (node: Node, options: RouterOptions): void => {
  addItemsNamedAsTransfers(node);
  for (const child of [...node.literals.values(), node.singleParameter, node.multiParameter]) {
    if (child !== null) completeEndpoints(child, options);
  }
  const { endpoints, nearestRoute } = node;
  const [first] = endpoints.values();
  if (first === undefined || nearestRoute === null) return;
  const { template, respondError } = first;
  // errors list the methods that do something of their own, as the public system does
  const allowed = [...endpoints.keys()];
  const get = endpoints.get('GET');
  if (get !== undefined) endpoints.set('HEAD', get);
  const headers = { allow: [...endpoints.keys(), 'OPTIONS'].join(', ') };
  const handleOptions = async (): Promise<ApiResponse> => ({ status: 204, headers, body: null });
  endpoints.set('OPTIONS', { template, handle: handleOptions, respondError });
  node.otherMethods = {
    template,
    respondError,
    handle: async ({ method, path }) => {
      const { headers, ...response } = options.toErrorResponse(
        methodError({ method, path, allowed }, nearestRoute),
        nearestRoute,
      );
      return { ...response, headers: { ...headers, allow: allowed.join(', ') } };
    },
  };
};

/** Serves the items with the keys `import` and `export`: only POST has these words as literals. */
const addItemsNamedAsTransfers = ({ literals, singleParameter }: Node): void => {
  for (const { nearestRoute, endpoints } of literals.values()) {
    if (nearestRoute?.handler.kind !== 'transfer') continue;
    for (const [method, endpoint] of singleParameter?.endpoints ?? []) {
      if (!endpoints.has(method)) endpoints.set(method, { ...endpoint, endsInValue: true });
    }
  }
};

interface UnsupportedMethod {
  readonly method: string;
  readonly path: string;
  readonly allowed: readonly string[];
}

/** Routes whose unsupported methods are unknown routes (404) instead of 405, as clients of the public system expect. */
const unknownByMethod: ReadonlySet<RouteHandler['kind']> = new Set(['items', 'operation']);

/** Returns the error of an unsupported method; TRACE, which would echo credentials, is never allowed. */
const methodError = ({ method, path, allowed }: UnsupportedMethod, { handler }: Route): ApiError => {
  const supported = `allowed here: ${allowed.join(', ')}`;
  return unknownByMethod.has(handler.kind) && method !== 'TRACE'
    ? apiError('ROUTE_NOT_FOUND', { path }, `${method} ${path} is not served; ${supported}`)
    : apiError('METHOD_NOT_ALLOWED', { allowed, current: method }, supported);
};

interface Search {
  /** Parts of the path, as sent: a parameter is decoded by its handler. */
  readonly parts: readonly string[];
  /** The same, decoded, to be found among literals; null where a part cannot be decoded. */
  readonly names: readonly (string | null)[];
  /** Values found so far. */
  readonly segments: string[];
}

const findNode = (start: Node, search: Search, from: number): Node | null => {
  const { parts } = search;
  let node = start;
  for (let index = from; index < parts.length; index += 1) {
    if (parts[index] === '') return null;
    if (node.multiParameter !== null) return findMultiParameter(node, search, index);
    const next = nextNode(node, search, index);
    if (next === null) return null;
    node = next;
  }
  return node.otherMethods === null ? null : node;
};

/** Returns the next node of a segment; a literal takes precedence over `:id`. */
const nextNode = (node: Node, { parts, names, segments }: Search, index: number): Node | null => {
  const literal = literalOf(node, names[index]);
  if (literal !== undefined) return literal;
  if (node.singleParameter !== null) segments.push(parts[index] ?? '');
  return node.singleParameter;
};

/** Matches `:model+` if nothing else does; it extends to the first segment that a route has as a literal after it. */
const findMultiParameter = (node: Node, search: Search, index: number): Node | null => {
  const { parts, names, segments } = search;
  const { length } = segments;
  const next = nextNode(node, search, index);
  const found = next === null ? null : findNode(next, search, index + 1);
  if (found !== null || node.multiParameter === null) return found;
  segments.length = length;
  const { multiParameter: several } = node;
  const named = names.findIndex((name, at) => at > index && literalOf(several, name) !== undefined);
  const end = named === -1 ? parts.length : named;
  segments.push(parts.slice(index, end).join('/'));
  return findNode(several, search, end);
};

/** No literal is empty. */
const literalOf = ({ literals }: Node, name: string | null | undefined): Node | undefined =>
  literals.get(name ?? '');

/** Returns the endpoint for paths that match no route. */
const matchNothing = (
  root: Node,
  [, first = '']: readonly string[],
  { toErrorResponse }: RouterOptions,
): Match => ({
  endpoint: {
    template: '*',
    respondError: (error) => toErrorResponse(error, null),
    handle: async ({ method, path }) => {
      const explanation = `${method} ${path} is not served; collections are under /items/`;
      const nearestRoute = root.literals.get(first)?.nearestRoute ?? null;
      return toErrorResponse(apiError('ROUTE_NOT_FOUND', { path }, explanation), nearestRoute);
    },
  },
  segments: [],
});
