/** The pipeline as doors see it: every error is a response, and everything worth telling is told. */
import type { Availability } from './availability.js';
import { ApiError, ApiErrors, apiError } from './errors.js';
import type { Handle } from './handle.js';
import type { Observe } from './observe.js';
import type { ApiRequest, ApiResponse } from './request/api-request.js';
import { respondError } from './response/respond.js';

/** `null`: not a path of the data plane. Never rejects. */
export type Answer = (request: ApiRequest) => Promise<ApiResponse> | null;

export interface AnswerOptions {
  readonly handle: Handle;
  readonly availability: Availability;
  readonly observe: Observe;
}

export const createAnswer =
  ({ handle, ...options }: AnswerOptions): Answer =>
  (request) => {
    const started = performance.now();
    const handled = handle(request);
    return handled === null ? null : settle(handled, { ...options, request, route: routeOf(request), started });
  };

interface Settling extends Omit<AnswerOptions, 'handle'> {
  readonly request: ApiRequest;
  /** Template of the path, for logs. */
  readonly route: string;
  readonly started: number;
}

/** Turns whatever comes out into a response. */
export const settle = async (
  handled: Promise<ApiResponse>,
  { request, route, started, availability, observe }: Settling,
): Promise<ApiResponse> => {
  let response: ApiResponse;
  try {
    response = await handled;
  } catch (error) {
    const told = availability.isLoss(error) ? apiError('SERVICE_UNAVAILABLE', { service: 'database' }) : error;
    if (!(told instanceof ApiError || told instanceof ApiErrors)) {
      observe({ kind: 'requestFailed', id: request.id, method: request.method, route, error, ...sqlOf(error) });
    }
    response = respondError(told);
  }
  observe({
    kind: 'requestFinished',
    id: request.id,
    method: request.method,
    route,
    status: response.status,
    ms: performance.now() - started,
  });
  return response;
};

/** Drivers put the statement on their errors: its text, with placeholders where values are. */
const sqlOf = (error: unknown): { readonly sql?: string } => {
  const sql: unknown = typeof error === 'object' && error !== null && 'sql' in error ? error.sql : undefined;
  return typeof sql === 'string' ? { sql } : {};
};

/** Keys stay out of logs. */
const routeOf = ({ path }: ApiRequest): string => {
  const [, first = '', second, third] = path.split('/');
  if (first === 'items') return third === undefined ? `/items/${second ?? ''}` : `/items/${second ?? ''}/:id`;
  return second === undefined ? `/${first}` : `/${first}/:id`;
};
