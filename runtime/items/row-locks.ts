/** Checks whether an item may be written, without writing it. */
import type { Collection } from '../../contract/collection.js';
import { isRowPermitted } from '../execute/row-locks.js';
import { readKey } from '../plan/item.js';
import { ruleToCondition } from '../plan/rule.js';
import { openScope } from '../plan/scope.js';
import { bindInput, type ItemContext } from './context.js';
import { planContext } from './read.js';

/** Returns whether the caller may update and delete an item. @throws FORBIDDEN when the key is malformed */
export const findRowPermissions = async (
  collection: Collection,
  key: readonly string[],
  context: ItemContext,
): Promise<Readonly<Record<'update' | 'delete', boolean>>> => {
  const keys = [readKey(collection, key)];
  const { database: executor, dialect } = context;
  const isPermitted = async (action: 'update' | 'delete'): Promise<boolean> => {
    const grant = context.principal.policies.grant(collection, action);
    if (grant === null) return false;
    const where = ruleToCondition(grant.rows, openScope(collection, action, planContext(context)));
    return isRowPermitted({ collection, where }, keys, { executor, dialect, input: bindInput(context, {}) });
  };
  const [update, remove] = await Promise.all([isPermitted('update'), isPermitted('delete')]);
  return { update, delete: remove };
};
