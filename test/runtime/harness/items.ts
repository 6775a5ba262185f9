/** The items of a registry behind the router, without a listener. */
import { itemRoutes, unknownCollectionRoutes } from '../../../contract/routes.js';
import { createRouter } from '../../../runtime/http/router.js';
import { createHandle, type HandleOptions } from '../../../runtime/items/handle.js';
import type { ApiRequest, ApiResponse } from '../../../runtime/request/api-request.js';
import { respondError } from '../../../runtime/response/respond.js';

export type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Errors are thrown, but for those of the router itself. */
export const handleItems = (options: HandleOptions): Handle => {
  const items = createHandle(options);
  const collections = [...options.registry.collections.values()];
  const router = createRouter({
    routes: [...collections.flatMap((each) => itemRoutes(each, each.name)), ...unknownCollectionRoutes],
    bind: ({ handler }) => (handler.kind === 'items' ? items(handler) : null),
    toErrorResponse: respondError,
  });
  return (request) => {
    const { endpoint, segments } = router(request.method, request.path);
    return endpoint.handle(request, segments);
  };
};
