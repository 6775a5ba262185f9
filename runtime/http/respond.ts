/** Routes requests, turns errors into responses and reports events. */
import { StalePrincipal, accessKeepsChanging } from '../access/access.js';
import { endedCookies } from '../access/credentials.js';
import type { Availability } from './availability.js';
import { ApiError, ApiErrors, apiError } from '../../contract/errors.js';
import type { Observe } from '../observe.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { respondError } from '../response/respond.js';
import type { Router } from './router.js';

/** Returns the response of a request; never rejects. */
export type Responder = (request: ApiRequest) => Promise<ApiResponse>;

export interface ResponderOptions {
  readonly router: Router;
  readonly availability: Availability;
  readonly observe: Observe;
}

export const createResponder =
  ({ router, availability, observe }: ResponderOptions): Responder =>
  async (request) => {
    const started = performance.now();
    const { id, method } = request;
    const { endpoint, segments } = router(method, request.path);
    let response: ApiResponse;
    try {
      response = await endpoint.handle(request, segments);
    } catch (error) {
      const explained = explain(error, { id, method, route: endpoint.template }, { availability, observe });
      response = { ...respondError(explained), cookies: endedCookies(explained) };
    }
    const { status } = response;
    const ms = performance.now() - started;
    observe({ kind: 'requestFinished', id, method, route: endpoint.template, status, ms });
    return response;
  };

interface Failed extends Pick<ApiRequest, 'id' | 'method'> {
  /** Path of the route, without the values of the request. */
  readonly route: string;
}

/** What is told of an error: an API error; anything else is for the log, and left as it is. */
export const explain = (
  error: unknown,
  { id, method, route }: Failed,
  { availability, observe }: Pick<ResponderOptions, 'availability' | 'observe'>,
): unknown => {
  if (availability.isLoss(error)) return apiError('SERVICE_UNAVAILABLE', { service: 'database' });
  if (error instanceof StalePrincipal) return accessKeepsChanging();
  if (!(error instanceof ApiError || error instanceof ApiErrors)) {
    observe({ kind: 'requestFailed', id, method, route, error, ...sqlOf(error) });
  }
  return error;
};

/** Drivers put the statement on their errors: its text, with placeholders where values are. */
const sqlOf = (error: unknown): { readonly sql?: string } => {
  const sql: unknown = typeof error === 'object' && error !== null && 'sql' in error ? error.sql : undefined;
  return typeof sql === 'string' ? { sql } : {};
};
