/** Checks whether the caller of an operation has the access that it declares. */
import { requireSecondFactor, type Principal } from '../access/access.js';
import { SessionError } from '../access/credentials.js';
import { forbidden } from '../../contract/errors.js';
import type { OperationContext } from './context.js';
import type { Operation } from './declarations.js';

/** Checks the access of the caller. @throws FORBIDDEN; errors of the credentials */
export const requireCaller = async (operation: Operation, context: OperationContext): Promise<void> => {
  if (operation.access === 'open') return;
  try {
    requireAccess(operation, await context.principal());
  } catch (error) {
    if (!(error instanceof SessionError && operation.withoutSession === true)) throw error;
  }
};

/** Checks the principal against the declared access. @throws FORBIDDEN */
const requireAccess = ({ access, beforeSecondFactor }: Operation, principal: Principal): void => {
  if (access === 'public') return;
  if (beforeSecondFactor !== true) requireSecondFactor(principal);
  if (access === 'admin' && !principal.policies.admin)
    throw forbidden('this operation is for administrators');
  if (access === 'user' && principal.user === null) throw forbidden('this operation is for users');
};
