/** Responds to the routes of one request of the queue: its status, as a stream too, its result and its cancellation. */
import type { ModelAction } from '../../../contract/routes.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import type { Cancellation } from '../requests/cancel.js';
import { QueueError, partError } from '../requests/queue-error.js';
import type { Requests } from '../requests/requests.js';
import { logStart, parseCursor, type LogCursor } from '../store/logs.js';
import type { RequestHead } from '../store/request-head.js';
import type { Identify } from './caller.js';
import type { Streams } from './stream.js';
import { errorHeaders, jsonType, respondJson } from './respond.js';

interface RequestServices {
  readonly requests: Requests;
  readonly streams: Streams;
  readonly identify: Identify;
}

interface FoundRequest {
  readonly found: RequestHead;
  readonly request: ApiRequest;
}

/**
 * Returns the position after which log lines are requested: `?after=`, in a stream also `Last-Event-ID`; null without
 * `?logs=1`. @throws 422 for a position that is not of the form `attempt.seq`
 */
const readLogCursor = ({ query, headers }: ApiRequest): LogCursor | null => {
  const parameters = new URLSearchParams(query);
  if (!/^(1|true)$/i.test(parameters.get('logs') ?? '')) return null;
  const lastEvent = parseCursor(String(headers['last-event-id'] ?? ''));
  const after = parameters.get('after');
  if (lastEvent !== null || after === null || after === '') return lastEvent ?? logStart;
  const cursor = parseCursor(after);
  if (cursor !== null) return cursor;
  throw partError(['query', 'after'], 'expected the logs_cursor of an earlier status', 'value_error.after');
};

/**
 * Responds to a route of a request that the caller may see.
 * @throws QueueError 400, 410, 422, 503; see `Requests`
 */
export const respondRequest = async (
  action: Exclude<ModelAction, 'submit' | 'run'>,
  { found, request }: FoundRequest,
  { requests, streams, identify: identifyCaller }: RequestServices,
): Promise<ApiResponse> => {
  const headers = { 'x-svc-request-id': found.id };
  switch (action) {
    case 'status':
      return respondJson(
        found.state === 'ended' ? 200 : 202,
        await requests.status(found, readLogCursor(request)),
        headers,
      );
    case 'stream':
      return {
        status: 200,
        headers: {
          ...headers,
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache, no-transform',
        },
        body: streams.follow({
          id: found.id,
          after: readLogCursor(request),
          isPermitted: () => mayStillSee(found, request, identifyCaller),
        }),
      };
    case 'result': {
      const { status, errorType, headers: own, body } = await requests.result(found);
      return {
        status,
        headers: { 'content-type': jsonType, ...own, ...headers, ...errorHeaders(errorType) },
        body,
      };
    }
    case 'cancel': {
      const status = await requests.cancel(found);
      if (status !== 'ALREADY_COMPLETED') return respondJson(cancelStatuses[status], { status }, headers);
      const refusal = { status, error_type: 'already_completed' };
      return respondJson(400, refusal, { ...headers, ...errorHeaders('already_completed') });
    }
  }
};

/** Identifies the caller of a stream again. @throws errors of the database */
const mayStillSee = async (
  { account, model }: RequestHead,
  request: ApiRequest,
  identifyCaller: Identify,
): Promise<boolean> => {
  try {
    const caller = await identifyCaller(request);
    return caller.account === account && caller.maySee(model);
  } catch (error) {
    if (error instanceof QueueError) return false;
    throw error;
  }
};

const cancelStatuses: Readonly<Record<Exclude<Cancellation, 'ALREADY_COMPLETED'>, number>> = {
  OK: 200,
  CANCELLATION_REQUESTED: 202,
};
