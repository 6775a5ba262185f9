/** Checks whether the caller of an operation has the access that it declares. */
import { requireSecondFactor, type Principal } from '../access/principal.js';
import { SessionError } from '../access/credentials.js';
import { apiError, forbidden } from '../../contract/errors.js';
import type { OperationContext } from './context.js';
import type { Operation } from './declarations.js';

/**
 * Checks the access of the caller; returns the user, or null where there is none or it does not matter.
 * @throws FORBIDDEN; errors of the credentials
 */
export const requireCaller = async (
  operation: Operation,
  context: OperationContext,
): Promise<string | null> => {
  if (operation.access === 'open') return null;
  try {
    const principal = await context.principal();
    requireAccess(operation, principal);
    return principal.user?.id ?? null;
  } catch (error) {
    if (!(error instanceof SessionError && operation.withoutSession === true)) throw error;
    return null;
  }
};

/** Checks the principal against the declared access. @throws FORBIDDEN; INVALID_CREDENTIALS for `startsLogin` */
const requireAccess = (operation: Operation, principal: Principal): void => {
  const { access, beforeSecondFactor, startsLogin } = operation;
  if (access === 'public') return;
  if (startsLogin === true && principal.user === null) throw apiError('INVALID_CREDENTIALS', {});
  if (beforeSecondFactor !== true) requireSecondFactor(principal);
  if (access === 'admin' && !principal.policies.admin)
    throw forbidden('this operation is for administrators');
  if (access === 'operator' && !principal.policies.operator)
    throw forbidden('this operation is for operators, who have a policy with "operator_access"');
  if (access === 'user' && principal.user === null) throw forbidden('this operation is for users');
};
