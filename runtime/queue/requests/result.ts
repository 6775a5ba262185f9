/** The result of a request: status and body as the model gave them. */
import { readOutput, type RequestHead } from '../store/requests.js';
import type { Statements } from '../../execute/system-rows.js';
import { refuse } from '../http/wire.js';

export interface RequestResult {
  readonly status: number;
  /** `null`: the model's own answer. */
  readonly errorType: string | null;
  /** What the model says beside it. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** @throws 400 while it has not ended, 410 when it is not kept */
export const readResult = async (request: RequestHead, statements: Statements): Promise<RequestResult> => {
  if (request.state !== 'ended') throw refuse(400, 'Request is still in progress');
  const { output, headers } = await readOutput(statements, request.id);
  if (output === null) throw refuse(410, 'the result is not kept any more');
  return { status: request.httpStatus ?? 500, errorType: request.errorType, headers, body: output };
};
