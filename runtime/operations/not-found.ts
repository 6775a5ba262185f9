/** The error for objects that do not exist. */
import { apiError, type ApiError } from '../../contract/errors.js';

/** Creates the error for a missing object, which is the same for objects of other users. */
export const notFound = (what: string, id: string): ApiError =>
  apiError('ROUTE_NOT_FOUND', { path: id }, `there is no such ${what}`);
