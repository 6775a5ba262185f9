/** Refuses the header `If-Match` where it has no effect; `items/caching.ts` compares it where it has one. */
import { invalidPayload } from '../../contract/errors.js';
import type { ApiRequest } from './api-request.js';

/** Refuses `If-Match` for a call that would write without comparing it. @throws INVALID_PAYLOAD */
export const refuseIfMatch = ({ method, headers }: Pick<ApiRequest, 'method' | 'headers'>): void => {
  if (method === 'GET' || headers['if-match'] === undefined) return;
  throw invalidPayload(
    'If-Match is for PATCH and DELETE of one item by its key, and PATCH of a singleton; in GraphQL it is the argument "ifMatch"',
  );
};
