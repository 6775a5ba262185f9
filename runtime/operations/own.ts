/** Helpers shared by the operations on keys, requests and webhooks of a user. */
import { apiError, forbidden, type ApiError } from '../../contract/errors.js';
import { toCaller, type Caller } from '../queue/http/caller.js';
import type { OperationContext } from './context.js';
import { throwApiError } from '../queue/requests/api-errors.js';

/** Returns the user id of the caller. @throws Error if the operation is not restricted to users */
export const accountOf = async (context: OperationContext): Promise<string> => {
  const { user } = await context.principal();
  if (user === null) throw new Error('an operation for users was called without a user');
  return user.id;
};

/** Returns the caller of the queue, who may have sent a key. @throws FORBIDDEN; INVALID_CREDENTIALS */
export const callerOf = async (context: OperationContext): Promise<Caller> => {
  if (context.keyCaller !== null) return context.keyCaller();
  const principal = await context.principal();
  try {
    return toCaller(principal);
  } catch (error) {
    return throwApiError(error);
  }
};

/** Returns the account of a caller whose key, if one was sent, is not limited to models. @throws FORBIDDEN */
export const unlimitedAccountOf = async (context: OperationContext): Promise<string> => {
  const { account, models } = await callerOf(context);
  if (models === null) return account;
  throw forbidden('this key is limited to models, but webhooks belong to the account; use another key');
};

/** Creates the error for a missing object, which is the same for objects of other users. */
export const notFound = (what: string, id: string): ApiError =>
  apiError('ROUTE_NOT_FOUND', { path: id }, `there is no such ${what}`);

/** Formats Unix milliseconds as ISO 8601. */
export const toTime = (time: number): string => new Date(time).toISOString();

/** Converts a Unix time in milliseconds to ISO 8601, and null to null. */
export const toTimeOrNull = (time: number | null): string | null => (time === null ? null : toTime(time));

/** Parses ISO 8601 to Unix milliseconds. @throws the error of `toError` for a leap second */
export const fromTime = (name: string, text: string, toError: (reason: string) => ApiError): number => {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw toError(`"${name}" must match format "date-time"`);
  return time;
};
