/**
 * The one router, compiled from the table of routes: finds the handler of a method and a path, as sent. It
 * alone decides 404, 405 and `Allow`, OPTIONS, HEAD, the slash at the end and segments that cannot be
 * decoded.
 */
import { apiError, type ApiError } from '../../contract/errors.js';
import type { Route, RouteHandler } from '../../contract/routes.js';
import type { ApiResponse } from '../request/api-request.js';
import { decodeSegment, type RouteHandle } from '../request/route.js';

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** Returns the handler of a route, or null if this server does not serve it. */
  bind(route: Route): RouteHandle | null;
  /** Returns the answer to a path or method that is not served; `near`: a route at that path or beside it. */
  refuse(error: ApiError, near: Route | null): ApiResponse;
}

export interface Endpoint {
  /** Path of the route, without the values of the request; `*` where there is none. */
  readonly template: string;
  readonly handle: RouteHandle;
}

export interface Match {
  readonly endpoint: Endpoint;
  /** Values of the path's parameters, as sent. */
  readonly segments: readonly string[];
}

/** Returns the endpoint of a request; errors have endpoints as well. */
export type Router = (method: string, path: string) => Match;

export const createRouter = (options: RouterOptions): Router => {
  const root = createNode();
  for (const route of options.routes) addRoute(root, route, options);
  close(root, options);
  return (method, path) => {
    const segments: string[] = [];
    const parts = splitPath(path);
    const node = parts[0] === '' ? findNode(root, { parts, segments }, 1) : null;
    const endpoint = node?.endpoints.get(method) ?? node?.otherwise ?? null;
    return endpoint === null ? absent(root, parts, options) : { endpoint, segments };
  };
};

/** Node of the segment tree. */
interface Node {
  readonly literals: Map<string, Node>;
  /** Child for a one-segment parameter such as `:id`. */
  one: Node | null;
  /** Child for a parameter of several segments such as `:model+`. */
  several: Node | null;
  /** Endpoints by method; empty if no path ends here. */
  readonly endpoints: Map<string, Endpoint>;
  /** Endpoint of all other methods. */
  otherwise: Endpoint | null;
  /** The first route that ends here or below. */
  near: Route | null;
}

const createNode = (): Node => ({
  literals: new Map(),
  one: null,
  several: null,
  endpoints: new Map(),
  otherwise: null,
  near: null,
});

/** Begins with the text before the first slash; a slash at the end makes no difference. */
const splitPath = (path: string): readonly string[] => {
  const parts = path.split('/');
  if (parts.length > 2 && parts.at(-1) === '') parts.pop();
  return parts;
};

const addRoute = (root: Node, route: Route, { bind }: RouterOptions): void => {
  const handle = bind(route);
  if (handle === null) return;
  let node = root;
  for (const part of splitPath(route.path).slice(1)) {
    node = childOf(node, part);
    node.near ??= route;
  }
  const { method, path } = route;
  if (node.endpoints.has(method)) throw new Error(`there are two routes ${method} ${path}`);
  node.endpoints.set(method, { template: path, handle });
};

const childOf = (node: Node, part: string): Node => {
  if (part.startsWith(':')) {
    return part.endsWith('+') ? (node.several ??= createNode()) : (node.one ??= createNode());
  }
  const name = decodeSegment(part) ?? part;
  const present = node.literals.get(name);
  if (present !== undefined) return present;
  const made = createNode();
  node.literals.set(name, made);
  return made;
};

/** Adds HEAD, OPTIONS and the error response to other methods to each path. */
const close = (node: Node, options: RouterOptions): void => {
  for (const child of [...node.literals.values(), node.one, node.several]) {
    if (child !== null) close(child, options);
  }
  const { endpoints, near } = node;
  const [first] = endpoints.values();
  if (first === undefined || near === null) return;
  const { template } = first;
  const allowed = [...endpoints.keys()];
  const get = endpoints.get('GET');
  if (get !== undefined) endpoints.set('HEAD', get);
  const headers = { allow: [...endpoints.keys(), 'OPTIONS'].join(', ') };
  endpoints.set('OPTIONS', { template, handle: async () => ({ status: 204, headers, body: null }) });
  node.otherwise = {
    template,
    handle: async ({ method, path }) => {
      const { headers, ...refusal } = options.refuse(refusalOf({ method, path, allowed }, near), near);
      return { ...refusal, headers: { ...headers, allow: allowed.join(', ') } };
    },
  };
};

interface Refused {
  readonly method: string;
  readonly path: string;
  readonly allowed: readonly string[];
}

/** The recorded answers of items and operations: a method that they lack is an unknown route. */
const unknownByMethod: ReadonlySet<RouteHandler['kind']> = new Set(['items', 'operation']);

/** Returns the error of an unsupported method; TRACE, which would echo credentials, is never allowed. */
const refusalOf = ({ method, path, allowed }: Refused, { handler }: Route): ApiError => {
  const here = `here is ${allowed.join(', ')}`;
  return unknownByMethod.has(handler.kind) && method !== 'TRACE'
    ? apiError('ROUTE_NOT_FOUND', { path }, `${method} ${path} is not served; ${here}`)
    : apiError('METHOD_NOT_ALLOWED', { allowed, current: method }, here);
};

interface Search {
  readonly parts: readonly string[];
  /** Values found so far. */
  readonly segments: string[];
}

const findNode = (start: Node, search: Search, from: number): Node | null => {
  const { parts, segments } = search;
  let node = start;
  for (let index = from; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    if (part === '') return null;
    if (node.several !== null) return findAround(node, search, index);
    const next = nextNode(node, part, segments);
    if (next === null) return null;
    node = next;
  }
  return node.otherwise === null ? null : node;
};

/** Returns the next node of a segment; a literal takes precedence over `:id`. */
const nextNode = (node: Node, part: string, segments: string[]): Node | null => {
  const literal = literalOf(node, part);
  if (literal !== undefined) return literal;
  if (node.one !== null) segments.push(part);
  return node.one;
};

/** `:model+` is for what nothing else fits; it ends at the first segment that a route names behind it. */
const findAround = (node: Node, search: Search, index: number): Node | null => {
  const { parts, segments } = search;
  const { length } = segments;
  const next = nextNode(node, parts[index] ?? '', segments);
  const found = next === null ? null : findNode(next, search, index + 1);
  if (found !== null || node.several === null) return found;
  segments.length = length;
  const { several } = node;
  const named = parts.findIndex((part, at) => at > index && literalOf(several, part) !== undefined);
  const end = named === -1 ? parts.length : named;
  segments.push(parts.slice(index, end).join('/'));
  return findNode(several, search, end);
};

const literalOf = ({ literals }: Node, part: string): Node | undefined => {
  const name = decodeSegment(part);
  return name === null ? undefined : literals.get(name);
};

/** Returns the endpoint for paths that match no route. */
const absent = (root: Node, [, first = '']: readonly string[], { refuse }: RouterOptions): Match => ({
  endpoint: {
    template: '*',
    handle: async ({ method, path }) => {
      const explanation = `${method} ${path} is not served; collections are under /items/`;
      const near = root.literals.get(first)?.near ?? null;
      return refuse(apiError('ROUTE_NOT_FOUND', { path }, explanation), near);
    },
  },
  segments: [],
});
