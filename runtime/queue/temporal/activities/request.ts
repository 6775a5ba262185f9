/** The activity with which a workflow ends its request. */
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes, type PlatformEnd, type RequestEnd } from '../../contract.js';
import type { Database } from '../../../databases/contract.js';
import type { RequestLifecycle } from '../../requests/lifecycle.js';
import { platformOutcome, type ErrorType } from '../../requests/outcome.js';
import { findRequest } from '../../store/requests.js';

const errorTypes: Readonly<Record<PlatformEnd['kind'], ErrorType>> = {
  cancelled: 'client_cancelled',
  startTimeout: 'startup_timeout',
  failed: 'runner_scheduling_failure',
};

export interface RequestActivityOptions {
  readonly database: Database;
  readonly lifecycle: RequestLifecycle;
}

/** Creates the activity of a worker process. */
export const createRequestActivities = ({ database, lifecycle }: RequestActivityOptions) => ({
  /** Ends a request on behalf of the platform, unless it has already ended. */
  async endRequest({ requestId, kind, errorType, detail }: PlatformEnd): Promise<RequestEnd> {
    const request = await findRequest(database, requestId);
    if (request === null) {
      throw ApplicationFailure.nonRetryable(`there is no request ${requestId}`, failureTypes.platform);
    }
    const end = await lifecycle.end(request, platformOutcome(errorType ?? errorTypes[kind], detail));
    return end ?? ((await lifecycle.findEnd(requestId)) as RequestEnd);
  },
});
