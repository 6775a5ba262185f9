/** Errors of the queue and of models. */

/** One problem of an input. */
export interface InputProblem {
  /** Path of the value, starting with `body`, `query` or `header`. */
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly errorType: string | null;
  readonly requestId: string | null;
}

/** Thrown when a request is rejected or has failed. */
export class QueueError extends Error {
  /** Status of the HTTP response: 422 for an invalid input, 499 for a cancelled request. */
  readonly status: number;
  /** Body of the response. */
  readonly body: unknown;
  /** All problems of the input; empty if the request failed for another reason. */
  readonly problems: readonly InputProblem[];
  /** Reason why the platform ended the request; null if the model did. */
  readonly errorType: string | null;
  /** Id of the request; null if none was created. */
  readonly requestId: string | null;

  constructor({ status, body, errorType, requestId }: Answer) {
    const detail = memberOf(body, 'detail') ?? memberOf(body, 'status');
    const problems = Array.isArray(detail) ? detail.filter(isProblem) : [];
    super(messageOf(status, detail, problems));
    this.name = 'QueueError';
    this.status = status;
    this.body = body;
    this.problems = problems;
    this.errorType = errorType;
    this.requestId = requestId;
  }
}

const memberOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>)[name] : undefined;

const isProblem = (value: unknown): value is InputProblem =>
  typeof value === 'object' && value !== null && 'loc' in value && Array.isArray(value.loc) && 'msg' in value;

const messageOf = (status: number, detail: unknown, problems: readonly InputProblem[]): string => {
  if (typeof detail === 'string') return detail;
  if (problems.length === 0) return `The queue did not answer as expected (status ${status})`;
  return problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('\n');
};
