/** Responses of the queue: plain JSON without the envelope of the content API. */
import type { ApiResponse } from '../../request/api-request.js';
import type { ApiError } from '../../../contract/errors.js';
import type { Detail } from '../requests/outcome.js';

export const jsonType = 'application/json; charset=utf-8';

export const respondJson = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse => ({ status, headers: { 'content-type': jsonType, ...headers }, body: JSON.stringify(body) });

/** A rejected request; `detail` is part of the response. */
export class QueueError extends Error {
  readonly status: number;
  readonly detail: string | readonly Detail[];
  readonly errorType: string | null;

  constructor(status: number, detail: string | readonly Detail[], errorType: string | null = null) {
    super(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
    this.name = 'QueueError';
    this.status = status;
    this.detail = detail;
    this.errorType = errorType;
  }
}

export const queueError = (status: number, detail: string, errorType?: string): QueueError =>
  new QueueError(status, detail, errorType ?? null);

/** Returns a 422 error for a part of the request other than its input. */
export const partError = (loc: readonly string[], msg: string, type: string): QueueError =>
  new QueueError(422, [{ loc, msg, type }]);

export const respondError = ({ status, detail, errorType }: QueueError): ApiResponse =>
  respondJson(
    status,
    { detail, ...(errorType !== null && { error_type: errorType }) },
    {
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
