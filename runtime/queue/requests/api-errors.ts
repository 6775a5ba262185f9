/** Converts errors of the queue to API errors. */
import { apiError, unprocessable, type ApiError, type ErrorCode } from '../../../contract/errors.js';
import { QueueError } from './queue-error.js';

/** Rethrows an error, as an API error if it is one of the queue. */
export const throwApiError = (error: unknown): never => {
  throw error instanceof QueueError ? toApiError(error) : error;
};

const toApiError = ({ status, message, members }: QueueError): ApiError => {
  const code = errorCodes.get(status);
  return code === undefined ? unprocessable(message) : apiError(code, members, message);
};

/** Error codes by status of the queue; other statuses become UNPROCESSABLE_ENTITY. */
const errorCodes: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'INVALID_CREDENTIALS'],
  [403, 'FORBIDDEN'],
  [404, 'ROUTE_NOT_FOUND'],
  [410, 'GONE'],
  [429, 'REQUESTS_EXCEEDED'],
  [503, 'SERVICE_UNAVAILABLE'],
]);
