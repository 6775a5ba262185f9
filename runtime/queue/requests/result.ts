/** Reads the result of a request: the status, headers and body from the model. */
import { readOutput } from '../store/requests.js';
import type { RequestHead } from '../store/request-head.js';
import type { Statements } from '../../execute/system-rows.js';
import { queueError } from './queue-error.js';

/** The result of a request, as the model has returned it. */
export interface RequestResult {
  readonly status: number;
  /** `null` if the response is from the model. */
  readonly errorType: string | null;
  /** Response headers of the model. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Reads the result of a request. @throws 400 when it has not ended, 410 when the result has expired */
export const readResult = async (request: RequestHead, statements: Statements): Promise<RequestResult> => {
  if (request.state !== 'ended') throw queueError(400, 'Request is still in progress');
  const { output, headers } = await readOutput(statements, request.id);
  if (output === null) throw queueError(410, 'the result has expired');
  return { status: request.httpStatus ?? 500, errorType: request.errorType, headers, body: output };
};
