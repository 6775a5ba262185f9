/** The condition that a stored row must meet to be updated. */
import type { Grant, ParsedPermission } from '../access/grant.js';
import { findOrCreate } from '../concurrency/bounded-map.js';
import { ruleToCondition } from './rule.js';
import { fieldRule, openScope, type PlanContext } from './scope.js';
import { allOf, type Condition } from './types.js';

/**
 * Returns the grant's row condition joined with the rule of every field and list in `names`: the same object for the same
 * names, so that rows with one condition can be checked together. @throws FORBIDDEN
 */
export const updateCondition = (grant: Grant, names: readonly string[], context: PlanContext): Condition => {
  let known = conditions.get(grant);
  if (known === undefined) conditions.set(grant, (known = new Map()));
  const key = [...names].sort().join('\0');
  return findOrCreate(known, { key, maximum: maxConditions }, () => createCondition(grant, names, context));
};

/** Conditions by the names of the fields and lists. */
const conditions = new WeakMap<Grant, Map<string, Condition>>();
const maxConditions = 100;

const createCondition = (grant: Grant, names: readonly string[], context: PlanContext): Condition => {
  const scope = { ...openScope(grant.collection, 'update', context), grant };
  const rules = names.map((name) => fieldRule(scope, name)).filter((rule) => rule !== null);
  return allOf([ruleToCondition(grant.rows, scope), ...rules]);
};

/** Returns the condition of the rows to which one permission of the grant applies. */
export const permissionCondition = (
  { rows }: ParsedPermission,
  grant: Grant,
  context: PlanContext,
): Condition => ruleToCondition(rows, { ...openScope(grant.collection, 'update', context), grant });
