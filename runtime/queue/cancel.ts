/** Cancels a request: at once where it waits, else by telling its workflow. */
import type { ApiResponse } from '../request/api-request.js';
import type { Desk } from './desk.js';
import { platformOutcome } from './outcome.js';
import type { RequestHead } from './store/requests.js';
import { answerJson, refuse } from './wire.js';

export interface CancelServices {
  readonly desk: Desk;
  readonly cancelWorkflow: (id: string) => Promise<void>;
  readonly onLoss: (error: unknown) => void;
}

export const cancel = async (
  { id, state }: RequestHead,
  { desk, cancelWorkflow, onLoss }: CancelServices,
): Promise<ApiResponse> => {
  const headers = { 'x-svc-request-id': id };
  if (state === 'ended') return answerJson(400, { status: 'ALREADY_COMPLETED' }, headers);
  const isQueued = state !== 'running';
  if (isQueued && (await desk.end(id, platformOutcome('client_cancelled'), state)) !== null) {
    // the workflow ends by itself when it learns of it; the sweep sees to the webhook
    cancelWorkflow(id).catch(onLoss);
    return answerJson(200, { status: 'OK' }, headers);
  }
  await cancelWorkflow(id).catch((error: unknown) => {
    onLoss(error);
    throw refuse(503, 'the request cannot be reached at the moment; try again', 'internal_error');
  });
  return answerJson(202, { status: 'CANCELLATION_REQUESTED' }, headers);
};
