/** Builds responses of the queue: plain JSON without the envelope of the content API, and the headers of errors. */
import type { ApiResponse } from '../../request/api-request.js';
import { limitHeaders } from '../../access/limiter.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import { QueueError, queueError } from '../requests/queue-error.js';

/** Content type of bodies. */
export const jsonType = 'application/json; charset=utf-8';

/** Returns a response with a JSON body; it adds no header but the content type. */
export const respondJson = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse => ({ status, headers: { 'content-type': jsonType, ...headers }, body: JSON.stringify(body) });

/**
 * Returns the response of an error: `detail` and `error_type` in the body, and the headers by which clients
 * decide to retry.
 */
export const respondError = ({ status, detail, errorType, members, headers }: QueueError): ApiResponse =>
  respondJson(
    status,
    { detail, error_type: errorType, ...members },
    {
      ...headers,
      ...errorHeaders(errorType),
      ...(status === 401 && { 'www-authenticate': 'Key' }),
    },
  );

/**
 * Returns the error headers; the second one marks a deadline set by the caller, which should not be retried.
 */
export const errorHeaders = (errorType: string | null): Readonly<Record<string, string>> => ({
  ...(errorType !== null && { 'x-svc-error-type': errorType }),
  ...(errorType === 'startup_timeout' && { 'x-svc-request-timeout-type': 'user' }),
});

/** Returns whether an error has a response of its own, and is not reported to operators. */
export const isExpectedError = (error: unknown): boolean =>
  error instanceof QueueError ||
  error instanceof ApiErrors ||
  (error instanceof ApiError && error.status < 500);

/**
 * Returns the response to anything thrown, including errors of the content API, in the format of the queue; the details
 * of unexpected errors are not exposed.
 */
export const respondFailure = (error: unknown): ApiResponse => {
  if (error instanceof QueueError) return respondError(error);
  if (error instanceof ApiErrors) return respondError(queueError(400, error.message));
  if (!(error instanceof ApiError)) return respondError(queueError(500, 'An unexpected error occurred'));
  const { status, message, code } = error;
  const headers = {
    ...(code === 'REQUESTS_EXCEEDED' && limitHeaders(error)),
    // nothing was stored, so that it can be sent again
    ...(code === 'SERVICE_UNAVAILABLE' && error.details.outcome === undefined && { 'retry-after': '1' }),
  };
  return respondError(new QueueError(status, message, { headers }));
};
