/** Builds responses from results and errors. */
import { limitHeaders } from '../access/limiter.js';
import { ApiError, ApiErrors, apiError } from '../../contract/errors.js';
import type { Meta } from '../execute/read.js';
import type { JsonRows } from '../execute/row-set.js';
import type { ApiResponse } from '../request/api-request.js';

const json = 'application/json; charset=utf-8';
const jsonHeaders = { 'content-type': json };
const listStart = Buffer.from('{"data":[');
const listEnd = Buffer.from(']}');
const itemStart = Buffer.from('{"data":');
const itemEnd = Buffer.from('}');

/** Returns 200 with `data`, and `meta` before it where it was requested. The rows are not copied. */
export const respondList = (rows: JsonRows, meta: Meta | null): ApiResponse => ({
  status: 200,
  headers: jsonHeaders,
  body: rows.enclose(
    meta === null ? listStart : Buffer.from(`{"meta":${JSON.stringify(meta)},"data":[`),
    listEnd,
  ),
});

/** Returns 200 with one item as `data`. The row is not copied. */
export const respondItem = (row: JsonRows): ApiResponse => ({
  status: 200,
  headers: jsonHeaders,
  body: row.enclose(itemStart, itemEnd),
});

/** Responds with what happened to each row of a payload, and with the rows where the caller may read them. */
export const respondOutcomes = (
  rows: JsonRows | null,
  { outcomes, isList }: { readonly outcomes: readonly string[]; readonly isList: boolean },
): ApiResponse => {
  const start = `{"meta":${JSON.stringify({ outcomes })},"data":`;
  if (rows === null) return { status: 200, headers: jsonHeaders, body: `${start}null}` };
  const [before, after] = isList ? ['[', ']}'] : ['', '}'];
  return {
    status: 200,
    headers: jsonHeaders,
    body: rows.enclose(Buffer.from(start + before), Buffer.from(after)),
  };
};

export const respondNothing: ApiResponse = { status: 204, headers: {}, body: null };

/** Reports the number of rows written when there are too many to return. */
export const respondCount = (rows: number): ApiResponse => ({
  status: 204,
  headers: { 'x-svc-rows': String(rows) },
  body: null,
});

/**
 * Converts anything thrown to an error response; the details of other errors than API errors are not exposed.
 */
export const respondError = (error: unknown): ApiResponse => {
  const problems = problemsOf(error);
  const [first] = problems;
  return {
    status: problems.every((problem) => problem.status === first?.status) ? (first?.status ?? 500) : 400,
    headers: {
      'content-type': json,
      ...(first?.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(first?.code === 'REQUESTS_EXCEEDED' ? limitHeaders(first) : {}),
      ...(isRetryable(first) ? { 'retry-after': retryAfter } : {}),
      ...(first?.code === 'METHOD_NOT_ALLOWED' ? { allow: [first.details.allowed].flat().join(', ') } : {}),
    },
    body: JSON.stringify({
      errors: problems.map(({ message, code, details }) => ({ message, extensions: { code, ...details } })),
    }),
  };
};

/** Seconds. */
const retryAfter = '1';

/** Returns whether a request that was not served can be sent again: nothing was stored. */
const isRetryable = (error: ApiError | undefined): boolean =>
  error?.code === 'SERVICE_UNAVAILABLE' && error.details.outcome === undefined;

const problemsOf = (error: unknown): readonly ApiError[] => {
  if (error instanceof ApiErrors) return error.problems;
  return [error instanceof ApiError ? error : apiError('INTERNAL_SERVER_ERROR', {})];
};
