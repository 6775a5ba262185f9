/** Errors that clients may see; codes, statuses and messages come from `spec/errors.yaml`. */
import { errors, type ErrorCode, type ErrorDetails } from '../generated/server/errors.js';

export type { ErrorCode, ErrorDetails };

/** One problem of a request. `message` is the text of its code followed by the specific reason. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly explanation: string | undefined;

  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>>, explanation?: string) {
    const text = explanation ?? (typeof details.reason === 'string' ? details.reason : undefined);
    super(asSentence(text === undefined ? errors[code].message : `${errors[code].message}: ${text}`));
    this.name = 'ApiError';
    this.code = code;
    this.status = errors[code].status;
    this.details = details;
    this.explanation = explanation;
  }
}

/** Adds a period to text without punctuation at its end: hints are questions. */
const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** Several problems of one request, reported together. */
export class ApiErrors extends Error {
  readonly problems: readonly ApiError[];

  constructor(problems: readonly ApiError[]) {
    super(problems.map((problem) => problem.message).join(' '));
    this.name = 'ApiErrors';
    this.problems = problems;
  }
}

/** Creates an error of a code; its details are type-checked. */
export const apiError = <Code extends ErrorCode>(
  code: Code,
  details: ErrorDetails[Code],
  explanation?: string,
): ApiError => new ApiError(code, details, explanation);

/** Creates the error of what the caller may not do, or may not know to exist (403); clients see the reason. */
export const forbidden = (reason: string): ApiError => apiError('FORBIDDEN', { reason });

/** Creates the error of a faulty query parameter (400); clients see the reason. */
export const invalidQuery = (reason: string): ApiError => apiError('INVALID_QUERY', { reason });

/** Creates the error of a faulty body (400); clients see the reason. */
export const invalidPayload = (reason: string): ApiError => apiError('INVALID_PAYLOAD', { reason });

/** Creates the error of a request that the current state does not allow (422); clients see the reason. */
export const unprocessable = (reason: string): ApiError => apiError('UNPROCESSABLE_ENTITY', { reason });

/** Adds the API errors that `run` throws to `problems`, and returns null in that case. */
export const collectProblems = <Result>(problems: ApiError[], run: () => Result): Result | null => {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiErrors) problems.push(...error.problems);
    else if (error instanceof ApiError) problems.push(error);
    else throw error;
    return null;
  }
};

/** Number of problems after which `mapAll` stops, so that an answer is not much longer than its request. */
const maxProblems = 20;

/** Applies a function to all entries. @throws the problems of all of them together */
export const mapAll = <Entry, Result>(
  entries: Iterable<Entry>,
  run: (entry: Entry) => Result,
): readonly Result[] => {
  const problems: ApiError[] = [];
  const results: Result[] = [];
  for (const entry of entries) {
    collectProblems(problems, () => results.push(run(entry)));
    if (problems.length >= maxProblems) break;
  }
  throwProblems(problems);
  return results;
};

/** Throws the collected problems, if any. */
export const throwProblems = (problems: readonly ApiError[]): void => {
  if (problems.length > 0) throw joinProblems(problems);
};

/** Returns problems, of which there is at least one, as one error. */
export const joinProblems = (problems: readonly ApiError[]): ApiError | ApiErrors => {
  const [first, ...others] = problems;
  return first === undefined || others.length > 0 ? new ApiErrors(problems) : first;
};
