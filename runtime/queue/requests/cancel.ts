/** Cancels a request: at once where it waits, else by telling its workflow. */
import type { RequestLifecycle } from './lifecycle.js';
import type { Gateway } from '../temporal/gateway.js';
import { platformOutcome } from './outcome.js';
import type { RequestHead } from '../store/requests.js';
import { refuse } from '../http/wire.js';

export interface CancelServices {
  readonly lifecycle: RequestLifecycle;
  readonly cancelWorkflow: Gateway['cancel'];
  readonly onLoss: (error: unknown) => void;
}

export type Cancellation = 'OK' | 'CANCELLATION_REQUESTED' | 'ALREADY_COMPLETED';

/** @throws 503 where it runs and Temporal is away */
export const cancel = async (
  request: RequestHead,
  { lifecycle, cancelWorkflow, onLoss }: CancelServices,
): Promise<Cancellation> => {
  const { id, state } = request;
  if (state === 'ended') return 'ALREADY_COMPLETED';
  const isQueued = state !== 'running';
  if (isQueued && (await lifecycle.end(request, platformOutcome('client_cancelled'), state)) !== null) {
    // the workflow ends by itself when it learns of it
    cancelWorkflow(id, state === 'waiting').catch(onLoss);
    return 'OK';
  }
  await cancelWorkflow(id, false).catch((error: unknown) => {
    onLoss(error);
    throw refuse(503, 'the request cannot be reached at the moment; try again', 'internal_error');
  });
  return 'CANCELLATION_REQUESTED';
};
