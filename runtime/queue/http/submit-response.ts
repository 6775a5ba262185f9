/** Builds the response to a submission. */
import type { ApiResponse } from '../../request/api-request.js';
import { requestUrls } from '../requests/status.js';
import type { Submitted } from '../requests/submit.js';
import type { QueueSettings } from '../settings.js';
import { respondJson } from './respond.js';

/** Returns 200 with the URLs of the request, also for the repetition of one by its `Idempotency-Key`. */
export const respondSubmitted = ({ request, position }: Submitted, settings: QueueSettings): ApiResponse => {
  const body = {
    status: 'IN_QUEUE',
    request_id: request.id,
    ...requestUrls(request, settings),
    queue_position: position,
    gateway_request_id: request.id,
  };
  return respondJson(200, body, { 'x-svc-request-id': request.id });
};
