/** Reads and updates the user record of the caller, and reads its roles. */
import { forbidden } from '../../contract/errors.js';
import { noRows, type JsonRows } from '../execute/row-set.js';
import { readKey } from '../plan/item.js';
import type { WriteOutput } from './write-output.js';
import type { ItemContext } from './context.js';
import { rejectOwnIdentity } from './own-rights.js';
import { readItem, readItems, type ReadTarget } from './read.js';
import { updateItem } from './write.js';

/** Returns the user id of the caller. @throws FORBIDDEN without a user */
export const ownId = ({ principal: { user } }: Pick<ItemContext, 'principal'>): string => {
  if (user === null) throw forbidden('this operation is for users');
  return user.id;
};

/** Returns the user record of the caller. @throws FORBIDDEN when the caller may not read it */
export const readOwn = (target: ReadTarget, context: ItemContext): Promise<JsonRows> =>
  readItem(target, [ownId(context)], context);

/**
 * Updates the user record of the caller, except its identity and permissions. @throws FORBIDDEN,
 * INVALID_PAYLOAD
 */
export const updateOwn = async (
  target: ReadTarget,
  payload: unknown,
  context: ItemContext,
): Promise<WriteOutput> => {
  rejectOwnIdentity(payload);
  return updateItem(target, { key: [ownId(context)], payload }, context);
};

/** Returns those roles of the caller that the caller may read. */
export const readOwnRoles = async (target: ReadTarget, context: ItemContext): Promise<JsonRows> => {
  const { roles } = context.principal;
  if (roles.length === 0) return noRows;
  const keys = roles.map((role) => readKey(target.collection, [role]));
  return (await readItems(target, keys, context)).rows;
};
