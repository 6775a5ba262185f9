/** What went wrong, by the codes of the API's error table. */
import type { ErrorDetails } from './error-codes.js';

export type { ErrorDetails };

export type ErrorCode = keyof ErrorDetails;

/** One problem of a request. `extensions` holds the code, and what the error table says it tells. */
export type Problem = {
  [Code in ErrorCode]: {
    readonly message: string;
    readonly extensions: { readonly code: Code } & ErrorDetails[Code];
  };
}[ErrorCode];

interface Answer {
  readonly code: ErrorCode | 'UNKNOWN';
  readonly status: number;
  readonly errors: readonly Problem[];
}

/** The API refused a request. */
export class ApiError extends Error {
  /** Code of the first problem; `UNKNOWN` where the answer did not come from the API. */
  readonly code: ErrorCode | 'UNKNOWN';
  /** Of the HTTP response. */
  readonly status: number;
  /** Every problem of the request, one at least unless the code is `UNKNOWN`. */
  readonly errors: readonly Problem[];

  constructor(message: string, { code, status, errors }: Answer) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.errors = errors;
  }
}

/** @param body what the response held, parsed where it was JSON */
export const toApiError = (status: number, body: unknown): ApiError => {
  const errors = problemsOf(body);
  const [first] = errors;
  if (first === undefined) {
    return new ApiError(`The API did not answer as expected (status ${status})`, {
      code: 'UNKNOWN',
      status,
      errors,
    });
  }
  const message = errors.map((problem) => problem.message).join('\n');
  return new ApiError(message, { code: first.extensions.code, status, errors });
};

/** The problems of an error envelope; none where the body is something else. */
export const problemsOf = (body: unknown): readonly Problem[] => {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return [];
  return Array.isArray(body.errors) ? body.errors.filter(isProblem) : [];
};

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' &&
  value !== null &&
  'message' in value &&
  'extensions' in value &&
  typeof value.extensions === 'object' &&
  value.extensions !== null &&
  'code' in value.extensions;
