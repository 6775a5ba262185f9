/** The outcome of a run as an HTTP status and body, used for results and webhooks. */

export interface Outcome {
  readonly status: number;
  /** JSON. */
  readonly body: unknown;
  /** `null` if the response is from the model. */
  readonly errorType: ErrorType | null;
  /** Response headers of the model; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The reason for which the platform, not the model, ended a request. */
export type ErrorType = keyof typeof infrastructure;

const infrastructure = {
  request_timeout: { status: 504, detail: 'The request did not end in time' },
  startup_timeout: { status: 504, detail: 'The request did not start in time' },
  runner_scheduling_failure: { status: 503, detail: 'No worker could run the request' },
  runner_connection_timeout: { status: 503, detail: 'The inference server did not answer in time' },
  runner_disconnected: { status: 503, detail: 'The inference server closed the connection' },
  runner_connection_refused: { status: 503, detail: 'The inference server cannot be reached' },
  runner_connection_error: { status: 503, detail: 'The connection to the inference server broke' },
  runner_incomplete_response: { status: 502, detail: 'The model gave no result of the promised form' },
  runner_out_of_memory: { status: 500, detail: 'The model ran out of memory' },
  runner_server_error: { status: 500, detail: 'The model failed' },
  client_disconnected: { status: 499, detail: 'The caller left' },
  client_cancelled: { status: 499, detail: 'The request was cancelled' },
  internal_error: { status: 500, detail: 'An unexpected error occurred' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly detail: string }>>;

/**
 * Returns the outcome of a request that the platform ends.
 * @param detail replaces the text of the error type with a more exact one
 */
export const platformOutcome = (errorType: ErrorType, detail?: string): Outcome => {
  const { status, detail: usual } = infrastructure[errorType];
  return { status, body: { detail: detail ?? usual, error_type: errorType }, errorType };
};

/** Returns whether a status is 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Returns the error text for webhooks and statuses, or null on success. */
export const errorText = (status: number): string | null =>
  isSuccess(status) ? null : `Invalid status code: ${status}`;

/** A validation error. */
export interface Detail {
  /** `body`, `query` or `header`, followed by the path within it. */
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** Returns whether a value is an error type of the platform, such as `timeout`. */
export const isErrorType = (value: unknown): value is ErrorType =>
  typeof value === 'string' && Object.hasOwn(infrastructure, value);
