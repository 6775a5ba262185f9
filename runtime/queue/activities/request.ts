/** What a workflow does to its request beside running it. */
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes, type PlatformEnd, type RequestEnd } from '../contract.js';
import type { Desk } from '../desk.js';
import { platformOutcome, type ErrorType } from '../outcome.js';

const errorTypes: Readonly<Record<PlatformEnd['kind'], ErrorType>> = {
  cancelled: 'client_cancelled',
  startTimeout: 'startup_timeout',
  failed: 'runner_scheduling_failure',
};

export const createRequestActivities = (desk: Desk) => ({
  /** Ends a request on behalf of the platform; one that has ended stays as it is. */
  async endRequest({ requestId, kind, errorType }: PlatformEnd): Promise<RequestEnd> {
    const end = await desk.end(requestId, platformOutcome(errorType ?? errorTypes[kind]));
    const known = end ?? (await desk.endOf(requestId));
    if (known === null) {
      throw ApplicationFailure.nonRetryable(`there is no request ${requestId}`, failureTypes.platform);
    }
    return known;
  },
});
