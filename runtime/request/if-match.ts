/** The header `If-Match` of writes. */
import { invalidPayload } from '../../contract/errors.js';
import type { ApiRequest } from './api-request.js';

/** @throws INVALID_PAYLOAD where `If-Match` is given to a call that would write all the same */
export const refuseMatch = ({ method, headers }: Pick<ApiRequest, 'method' | 'headers'>): void => {
  if (method === 'GET' || headers['if-match'] === undefined) return;
  throw invalidPayload(
    'If-Match is for PATCH and DELETE of one item by its key, and PATCH of a singleton; in GraphQL it is the argument "ifMatch"',
  );
};
