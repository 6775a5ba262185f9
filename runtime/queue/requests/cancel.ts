/** Cancels requests: directly in the database while queued or built in, otherwise through the workflow. */
import type { RequestLifecycle } from './lifecycle.js';
import type { Gateway } from '../temporal/gateway.js';
import { isBuiltIn } from './built-in-id.js';
import { platformOutcome } from './outcome.js';
import type { RequestHead } from '../store/request-head.js';
import { queueError } from './queue-error.js';

export interface CancelServices {
  readonly lifecycle: RequestLifecycle;
  readonly cancelWorkflow: Gateway['cancel'];
  readonly onError: (error: unknown) => void;
}

export type Cancellation = 'OK' | 'CANCELLATION_REQUESTED' | 'ALREADY_COMPLETED';

/** Cancels a request. @throws 503 when it is running and Temporal is unavailable */
export const cancel = async (
  request: RequestHead,
  { lifecycle, cancelWorkflow, onError }: CancelServices,
): Promise<Cancellation> => {
  const { id: requestId, round, state } = request;
  if (state === 'ended') return 'ALREADY_COMPLETED';
  // a run of a built-in model stores nothing once its request has ended, so nobody needs to reach it first
  const isQueued = state !== 'running' || isBuiltIn(request.model);
  const outcome = platformOutcome('client_cancelled');
  if (isQueued && (await lifecycle.end(request, outcome, { from: state })) !== null) {
    // the workflow ends by itself when it finds the request ended
    cancelWorkflow({ requestId, round }, state === 'waiting').catch(onError);
    return 'OK';
  }
  await cancelWorkflow({ requestId, round }, false).catch((error: unknown) => {
    onError(error);
    throw queueError(503, 'the request cannot be reached at the moment; try again', 'internal_error');
  });
  return 'CANCELLATION_REQUESTED';
};
