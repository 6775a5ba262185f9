/** Answers of the queue: bare JSON, not the envelope of the content API. */
import type { ApiResponse } from '../../request/api-request.js';
import type { ApiError } from '../../../contract/errors.js';
import type { Detail } from '../requests/outcome.js';

export const jsonType = 'application/json; charset=utf-8';

export const respondJson = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse => ({ status, headers: { 'content-type': jsonType, ...headers }, body: JSON.stringify(body) });

/** A request that is not taken. `detail` is told to the caller. */
export class Refused extends Error {
  readonly status: number;
  readonly detail: string | readonly Detail[];
  readonly errorType: string | null;

  constructor(status: number, detail: string | readonly Detail[], errorType: string | null = null) {
    super(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
    this.name = 'Refused';
    this.status = status;
    this.detail = detail;
    this.errorType = errorType;
  }
}

export const refuse = (status: number, detail: string, errorType?: string): Refused =>
  new Refused(status, detail, errorType ?? null);

/** 422, pointing at a part of the request that is not its input. */
export const refusePart = (loc: readonly string[], msg: string, type: string): Refused =>
  new Refused(422, [{ loc, msg, type }]);

export const respondRefusal = ({ status, detail, errorType }: Refused): ApiResponse =>
  respondJson(
    status,
    { detail, ...(errorType !== null && { error_type: errorType }) },
    {
      ...errorHeaders(errorType),
      ...(status === 401 && { 'www-authenticate': 'Key' }),
    },
  );

/** A deadline of the caller's own is not to be tried again: the second header says whose it was. */
export const errorHeaders = (errorType: string | null): Readonly<Record<string, string>> => ({
  ...(errorType !== null && { 'x-svc-error-type': errorType }),
  ...(errorType === 'startup_timeout' && { 'x-svc-request-timeout-type': 'user' }),
});

/** A path or method that the router does not serve, in the words of the queue. */
export const answerUnserved = ({ status, message }: ApiError): ApiResponse =>
  respondJson(status, { detail: message });
