/** The pipeline as doors see it: every error is a response, and everything worth telling is told. */
import { StalePrincipal, unsettled } from '../access/access.js';
import { endedCookies } from '../access/credentials.js';
import type { Availability } from './availability.js';
import { ApiError, ApiErrors, apiError } from '../../contract/errors.js';
import type { Handle } from '../items/handle.js';
import type { Observe } from '../observe.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { respondError } from '../response/respond.js';

/** `null`: not a path of the data plane. Never rejects. */
export type Answer = (request: ApiRequest) => Promise<ApiResponse> | null;

export interface AnswerOptions {
  readonly handle: Handle;
  readonly availability: Availability;
  readonly observe: Observe;
}

export const createAnswer =
  (options: AnswerOptions): Answer =>
  (request) => {
    const started = performance.now();
    const handled = options.handle(request);
    return handled === null ? null : settle(handled, { request, started }, options);
  };

interface Asked {
  readonly request: ApiRequest;
  /** Milliseconds of `performance.now`. */
  readonly started: number;
}

/** Turns whatever comes out into a response. */
export const settle = async (
  handled: Promise<ApiResponse>,
  { request, started }: Asked,
  { availability, observe }: Pick<AnswerOptions, 'availability' | 'observe'>,
): Promise<ApiResponse> => {
  const { id, method } = request;
  const route = routeOf(request.path);
  let response: ApiResponse;
  try {
    response = await handled;
  } catch (error) {
    const explained = explain(error, request, { availability, observe });
    response = { ...respondError(explained), cookies: endedCookies(explained) };
  }
  const { status } = response;
  observe({ kind: 'requestFinished', id, method, route, status, ms: performance.now() - started });
  return response;
};

/** What is told of an error: an API error; anything else is for the log, and left as it is. */
export const explain = (
  error: unknown,
  request: ApiRequest,
  { availability, observe }: Pick<AnswerOptions, 'availability' | 'observe'>,
): unknown => {
  if (availability.isLoss(error)) return apiError('SERVICE_UNAVAILABLE', { service: 'database' });
  if (error instanceof StalePrincipal) return unsettled();
  if (!(error instanceof ApiError || error instanceof ApiErrors)) {
    const { id, method } = request;
    observe({ kind: 'requestFailed', id, method, route: routeOf(request.path), error, ...sqlOf(error) });
  }
  return error;
};

/** Drivers put the statement on their errors: its text, with placeholders where values are. */
const sqlOf = (error: unknown): { readonly sql?: string } => {
  const sql: unknown = typeof error === 'object' && error !== null && 'sql' in error ? error.sql : undefined;
  return typeof sql === 'string' ? { sql } : {};
};

/** Keys stay out of logs. */
export const routeOf = (path: string): string => {
  if (path.startsWith('/graphql')) return path === '/graphql' ? path : '/graphql/system';
  const [, first = '', second, third] = path.split('/');
  if (first === 'items') return `/items/${second ?? ''}${third === undefined ? '' : '/:id'}`;
  return second === undefined ? `/${first}` : `/${first}/:id`;
};
