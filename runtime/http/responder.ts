/** Routes requests, turns errors into responses and reports events. */
import { StalePrincipal, accessUnavailable } from '../access/confirmation.js';
import { clearedCookies, type SameSite } from '../access/credentials.js';
import type { Availability } from './availability.js';
import { ApiError, ApiErrors, apiError, forbidden } from '../../contract/errors.js';
import type { Observe, TrackOperation } from '../observe.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { OutdatedSchema } from '../request/outdated-schema.js';
import type { StatementRefusal } from '../databases/contract.js';
import { UnknownOutcome } from '../databases/unknown-outcome.js';
import type { Router } from './router.js';

/** Returns the response of a request. @throws OutdatedSchema alone, while a new build is waited for */
export type Responder = (request: ApiRequest) => Promise<ApiResponse>;

export interface ResponderOptions {
  readonly router: Router;
  readonly availability: Availability;
  readonly observe: Observe;
  readonly track: TrackOperation;
  /** Attribute of the cookies of sessions. */
  readonly cookieSameSite: SameSite;
}

/**
 * Creates the function that answers every request: an error of a handler is a response too, save for `OutdatedSchema` of a
 * request that can be tried again.
 */
export const createResponder =
  ({ router, availability, observe, track, cookieSameSite }: ResponderOptions): Responder =>
  async (request) => {
    const started = performance.now();
    const { id, method } = request;
    const { endpoint, segments } = router(method, request.path);
    const finish = track(`${method} ${endpoint.template}`);
    let response: ApiResponse;
    try {
      response = await endpoint.handle(request, segments);
    } catch (error) {
      if (error instanceof OutdatedSchema && request.isLate !== true) throw error;
      const mapped = mapError(error, { id, method, route: endpoint.template }, { availability, observe });
      response = { ...endpoint.respondError(mapped), cookies: clearedCookies(mapped, cookieSameSite) };
    } finally {
      finish();
    }
    const { status } = response;
    const ms = performance.now() - started;
    observe({ kind: 'requestFinished', id, method, route: endpoint.template, status, ms });
    return response;
  };

const unknownOutcome = (): ApiError =>
  apiError(
    'SERVICE_UNAVAILABLE',
    { service: 'database', outcome: 'unknown' },
    'the connection to the database was lost while the write was being stored; read before you send it again',
  );

const givenUp = (): ApiError =>
  apiError(
    'SERVICE_UNAVAILABLE',
    { service: 'database' },
    'the database gave up, because others blocked the request or it took too long; it had no effect; try again, or ask for less at once',
  );

const refusals: Readonly<Record<StatementRefusal, () => ApiError>> = {
  denied: () => forbidden('the database does not permit it'),
  readOnly: () =>
    apiError(
      'SERVICE_UNAVAILABLE',
      { service: 'database' },
      'the database takes no changes at the moment; the request had no effect; try again later',
    ),
};

const buildIsLate = (): ApiError =>
  apiError(
    'SERVICE_UNAVAILABLE',
    { service: 'schema' },
    'the schema has changed, and its API is not ready yet; the request had no effect; try again',
  );

interface Failed extends Pick<ApiRequest, 'id' | 'method'> {
  /** Path of the route, without the values of the request. */
  readonly route: string;
}

/**
 * Maps errors of the database connection and of outdated permissions to API errors, and reports unexpected errors to
 * the log. Returns other errors unchanged.
 */
export const mapError = (
  error: unknown,
  { id, method, route }: Failed,
  { availability, observe }: Pick<ResponderOptions, 'availability' | 'observe'>,
): unknown => {
  if (availability.isLoss(error)) return apiError('SERVICE_UNAVAILABLE', { service: 'database' });
  if (error instanceof UnknownOutcome && availability.isLoss(error.cause)) return unknownOutcome();
  if (error instanceof StalePrincipal) return accessUnavailable();
  if (error instanceof OutdatedSchema) return buildIsLate();
  if (!(error instanceof ApiError || error instanceof ApiErrors)) {
    observe({ kind: 'requestFailed', id, method, route, error, ...sqlOf(error) });
    if (availability.isGivenUp(error)) return givenUp();
    const refusal = availability.refusalOf(error);
    if (refusal !== null) return refusals[refusal]();
  }
  return error;
};

/** Returns the statement that a driver attaches to its errors; it has placeholders instead of values. */
const sqlOf = (error: unknown): { readonly sql?: string } => {
  const sql: unknown = typeof error === 'object' && error !== null && 'sql' in error ? error.sql : undefined;
  return typeof sql === 'string' ? { sql } : {};
};
