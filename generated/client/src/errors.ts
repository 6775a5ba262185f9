/** Errors of the API, typed by their codes. */
import type { ErrorDetails } from './error-codes.js';

export type { ErrorDetails };

export type ErrorCode = keyof ErrorDetails;

/** One problem of a request. `extensions` contains the code and the details that the code defines. */
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

/** Thrown when the API rejects a request. */
export class ApiError extends Error {
  /** Code of the first problem; `UNKNOWN` if the response did not come from the API. */
  readonly code: ErrorCode | 'UNKNOWN';
  /** Status of the HTTP response. */
  readonly status: number;
  /** All problems of the request; empty only if the code is `UNKNOWN`. */
  readonly errors: readonly Problem[];

  constructor(message: string, { code, status, errors }: Answer) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.errors = errors;
  }
}

/** Creates the error of a response. @param body the body, parsed if it is JSON */
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

/** Returns the problems of an error response, or an empty list for any other body. */
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
