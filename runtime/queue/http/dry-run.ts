/** Refuses `dry_run` in the format of the queue: a request of a model has effects that cannot be rolled back. */
import type { ApiRequest } from '../../request/api-request.js';
import { refuseDryRun } from '../../request/dry-run.js';
import { partError } from '../requests/queue-error.js';

/** Refuses a call that would only be tried, since it would take effect all the same. @throws QueueError 422 */
export const rejectDryRun = (request: Pick<ApiRequest, 'method' | 'query'>): void => {
  try {
    refuseDryRun(request);
  } catch (error) {
    throw partError(['query', 'dry_run'], (error as Error).message, 'value_error.dry_run');
  }
};
