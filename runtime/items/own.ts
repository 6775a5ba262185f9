/** What is the caller's own: the user record, and the roles it has. */
import { forbidden } from '../../contract/errors.js';
import { noRows, type JsonRows } from '../execute/row-set.js';
import { readKey } from '../plan/item.js';
import type { WriteOutput } from './answer.js';
import type { ItemContext } from './context.js';
import { refuseOwnRights } from './own-rights.js';
import { readItem, readItems, type ReadTarget } from './read.js';
import { updateItem } from './write.js';

/** @throws FORBIDDEN for nobody */
export const ownId = ({ principal: { user } }: Pick<ItemContext, 'principal'>): string => {
  if (user === null) throw forbidden('this operation is for users');
  return user.id;
};

/** @throws FORBIDDEN where the caller may not read it */
export const readOwn = (target: ReadTarget, context: ItemContext): Promise<JsonRows> =>
  readItem(target, [ownId(context)], context);

/** Who one is and what one may do is decided by others. @throws FORBIDDEN, INVALID_PAYLOAD */
export const updateOwn = async (
  target: ReadTarget,
  payload: unknown,
  context: ItemContext,
): Promise<WriteOutput> => {
  refuseOwnRights(payload);
  return updateItem(target, { key: [ownId(context)], payload }, context);
};

/** Those of the caller's roles that the caller may read. */
export const readOwnRoles = async (target: ReadTarget, context: ItemContext): Promise<JsonRows> => {
  const { roles } = context.principal;
  if (roles.length === 0) return noRows;
  const keys = roles.map((role) => readKey(target.collection, [role]));
  return (await readItems(target, keys, context)).rows;
};
