/**
 * Converts rules of grants to conditions: rules may use every field, and their literals are constants of the
 * plan.
 */
import type { Rule, RuleFilter } from '../access/grant.js';
import { ApiError, ApiErrors } from '../../contract/errors.js';
import { planFilter } from './filter.js';
import type { Scope } from './scope.js';
import { anyOf, conditionFalse, conditionTrue, type Condition } from './types.js';

/**
 * Returns the condition of a rule: rows for which one of its filters holds. A rule without filters permits no
 * row.
 */
export const ruleToCondition = (rule: Rule, scope: Scope): Condition => {
  if (rule.kind === 'always') return conditionTrue;
  const inside: Scope = { ...scope, grant: null, trail: [] };
  return anyOf(rule.filters.map((filter) => filterToCondition(filter, inside)));
};

/**
 * Converts one filter; an invalid filter, or one that names a missing field, matches no row, since the caller
 * cannot correct it.
 */
const filterToCondition = ({ filter, values }: RuleFilter, scope: Scope): Condition => {
  try {
    return planFilter(filter, scope, (slot) => ({ from: 'rule', value: values[slot] }));
  } catch (error) {
    if (error instanceof ApiError || error instanceof ApiErrors) return conditionFalse;
    throw error;
  }
};
