/** The caller of an operation on what belongs to a user: keys, requests and webhooks. */
import { forbidden } from '../../contract/errors.js';
import { toCaller } from '../queue/http/caller.js';
import type { Caller } from '../queue/requests/requests.js';
import type { OperationContext } from './context.js';
import { throwApiError } from '../queue/requests/api-errors.js';

/** Returns the user id of the caller. @throws Error if the operation is not restricted to users */
export const accountOf = async (context: OperationContext): Promise<string> => {
  const { user } = await context.principal();
  if (user === null) throw new Error('an operation for users was called without a user');
  return user.id;
};

/** Returns the caller of the queue, authenticated by a token or an API key. @throws FORBIDDEN; INVALID_CREDENTIALS */
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
