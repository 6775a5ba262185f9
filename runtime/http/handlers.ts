/** Binds each route of the table to the handler that it names; most are loaded by the first request. */
import type { Access } from '../access/access.js';
import type { FairQueue } from '../concurrency/fair-queue.js';
import { lazy } from '../concurrency/lazy.js';
import { parameterNames, type Route } from '../../contract/routes.js';
import type { Operations } from '../../generated/server/operations.js';
import type { Graphql } from '../graphql/handle.js';
import type { ItemsHandler } from '../items/handle.js';
import { findDeclaration } from '../operations/declarations.js';
import { respondFailure } from '../queue/http/respond.js';
import type { Queue } from '../queue/queue.js';
import type { Transfers } from '../transfers/routes.js';
import type { Caller } from '../queue/requests/requests.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { OutdatedSchema, type IsOutdated } from '../request/outdated-schema.js';
import type { RouteHandle } from '../request/route.js';
import { respondError } from '../response/respond.js';
import type { RouterOptions } from './router.js';

export interface HandlerOptions {
  /** Path prefix without a trailing slash; empty at the root. */
  readonly base: string;
  /** Serves `/docs` and `/graphiql`. */
  readonly explorer: boolean;
  readonly access: Access;
  /** Bounds the requests that run and wait. */
  readonly admission: FairQueue;
  /** Maximum size of an uploaded document in bytes. */
  readonly uploadMax: number;
  readonly items: (handler: ItemsHandler) => RouteHandle;
  readonly graphql: Pick<Graphql, 'handle'>;
  readonly loadHandlers: () => Promise<Operations>;
  readonly loadTransfers: () => Promise<Pick<Transfers, 'handle'>>;
  readonly loadQueue: () => Promise<Pick<Queue, 'handle' | 'identify'>>;
  readonly isOutdated: IsOutdated;
}

/**
 * Returns the handlers of the router; operations without a handler are not served.
 */
export const createHandlers = (options: HandlerOptions): Pick<RouterOptions, 'bind' | 'toErrorResponse'> => {
  const { base, explorer, items, graphql, loadQueue, loadTransfers } = options;
  const bindOperation = createOperationBinding(options);
  const loadPages = lazy(async () => (await import('./pages/pages.js')).createPages({ base, explorer }));
  return {
    bind(route) {
      const { handler } = route;
      switch (handler.kind) {
        case 'items':
          return retried(items(handler), options);
        case 'operation':
          return bindOperation(route);
        case 'transfer':
          return async (request, segments) => (await loadTransfers()).handle(handler)(request, segments);
        case 'graphql':
          return graphql.handle(handler.scope);
        case 'page':
          return async (request, segments) => (await loadPages())[handler.page](request, segments);
        case 'model':
        case 'files':
        case 'signingKeys':
          return async (request, segments) => (await loadQueue()).handle(handler)(request, segments);
      }
    },
    toErrorResponse,
  };
};

/** Has a request run again where the schema has changed: it is one transaction, which was rolled back. */
const retried =
  (handle: RouteHandle, { isOutdated }: HandlerOptions): RouteHandle =>
  async (request, segments) => {
    try {
      return await handle(request, segments);
    } catch (error) {
      throw isOutdated(error, request)
        ? new OutdatedSchema('the schema has changed', { cause: error })
        : error;
    }
  };

const createOperationBinding = ({ loadHandlers, loadQueue, ...options }: HandlerOptions) => {
  const { access, admission, uploadMax } = options;
  const identifyKey = async (request: ApiRequest): Promise<Caller> => (await loadQueue()).identify(request);
  const load = lazy(async () => {
    const [{ handleOperation }, handlers] = await Promise.all([
      import('../operations/handle.js'),
      loadHandlers(),
    ]);
    return { handleOperation, services: { handlers, access, admission, uploadMax, identifyKey } };
  });
  return ({ operation: id, path }: Route): RouteHandle | null => {
    const operation = findDeclaration(id);
    if (operation === undefined) return null;
    const names = parameterNames(path);
    return async (request, segments) => {
      const { handleOperation, services } = await load();
      return handleOperation({ operation, request, segments, names }, services);
    };
  };
};

const toErrorResponse = (error: unknown, nearestRoute: Route | null): ApiResponse => {
  const kind = nearestRoute?.handler.kind;
  return kind === 'model' || kind === 'files' ? respondFailure(error) : respondError(error);
};
