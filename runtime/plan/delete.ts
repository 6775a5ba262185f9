/** Plans deletes. */
import type { Collection } from '../../contract/collection.js';
import { requireGrant } from './row-plans.js';
import { ruleToCondition } from './rule.js';
import { openScope, type PlanContext } from './scope.js';
import type { DeletePlan } from './write-plan.js';

/** Plans the deletion of items. @throws FORBIDDEN */
export const planDelete = (collection: Collection, context: PlanContext): DeletePlan => {
  const grant = requireGrant(collection, 'delete', context);
  const where = ruleToCondition(grant.rows, openScope(collection, 'delete', context));
  return { collection, grant, where };
};
