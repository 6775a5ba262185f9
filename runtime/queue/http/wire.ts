/** Responses of the queue: plain JSON without the envelope of the content API. */
import type { ApiResponse } from '../../request/api-request.js';
import type { ApiError } from '../../../contract/errors.js';
import type { QueueError } from '../requests/queue-error.js';

export const jsonType = 'application/json; charset=utf-8';

export const respondJson = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse => ({ status, headers: { 'content-type': jsonType, ...headers }, body: JSON.stringify(body) });

export const respondError = ({ status, detail, errorType, members, headers }: QueueError): ApiResponse =>
  respondJson(
    status,
    { detail, ...(errorType !== null && { error_type: errorType }), ...members },
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

/** Returns a routing error in the format of the queue. */
export const respondRoutingError = ({ status, message }: ApiError): ApiResponse =>
  respondJson(status, { detail: message });
