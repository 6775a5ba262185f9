/** The result of a request: status and body as the model gave them. */
import type { ApiResponse } from '../request/api-request.js';
import { readBodies, type RequestHead } from './store/requests.js';
import type { Statements } from './store/rows.js';
import { refuse } from './wire.js';

/** @throws 400 while it has not ended, 410 when it is not kept */
export const readResult = async (request: RequestHead, statements: Statements): Promise<ApiResponse> => {
  if (request.state !== 'ended') throw refuse(400, 'Request is still in progress');
  const { output } = await readBodies(statements, request.id);
  if (output === null) throw refuse(410, 'the result is not kept any more');
  return {
    status: request.httpStatus ?? 500,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-svc-request-id': request.id,
      ...(request.errorType !== null && { 'x-svc-error-type': request.errorType }),
    },
    body: output,
  };
};
