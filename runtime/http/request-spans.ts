/** Records each request as a span of OpenTelemetry. */
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { readTraceparent } from '../tracing/traceparent.js';
import type { Tracing } from '../tracing/tracing.js';
import type { Responder } from './responder.js';

/**
 * Wraps a responder. What it calls finds the span in `traceparent`, in place of the caller's.
 * @param templateOf returns the path of the route, without the values of the request
 */
export const traceRequests =
  (respond: Responder, templateOf: (request: ApiRequest) => string, tracing: Tracing): Responder =>
  (request) => {
    const { method, headers } = request;
    const route = templateOf(request);
    const start = {
      name: `${method} ${route}`,
      kind: 'server',
      parent: readTraceparent(headers['traceparent']),
      attributes: { 'http.request.method': method, 'http.route': route, 'svc.http.request.id': request.id },
    } as const;
    return tracing.span(start, async ({ traceparent, set, fail }): Promise<ApiResponse> => {
      const response = await respond({
        ...request,
        headers: { ...headers, traceparent: traceparent ?? undefined },
      });
      set({ 'http.response.status_code': response.status });
      if (response.status >= 500) fail(String(response.status));
      return response;
    });
  };
