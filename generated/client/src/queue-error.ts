/** What the queue, or a model, refused. */

/** One problem of an input. */
export interface InputProblem {
  /** First `body`, `query` or `header`, then where in it. */
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

/** A request that was refused, or that has failed. */
export class QueueError extends Error {
  /** Of the HTTP response: 422 where the input is not what the model takes, 499 where it was cancelled. */
  readonly status: number;
  /** What the response held. */
  readonly body: unknown;
  /** Every problem of the input; none where it failed otherwise. */
  readonly problems: readonly InputProblem[];
  /** Why the platform ended it; null where the model did. */
  readonly errorType: string | null;
  /** Null where there was no request yet. */
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
