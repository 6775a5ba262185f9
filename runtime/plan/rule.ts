/** Rules of grants as conditions: every name is visible, literals are constants of the plan. */
import type { Rule } from '../access/grant.js';
import { planFilter } from './filter.js';
import type { Scope } from './scope.js';
import { anyOf, conditionTrue, type Condition } from './types.js';

export const ruleToCondition = (rule: Rule, scope: Scope): Condition => {
  if (rule.kind === 'always') return conditionTrue;
  const inside: Scope = { ...scope, grant: null, trail: [] };
  return anyOf(
    rule.filters.map(({ filter, values }) =>
      planFilter(filter, inside, (slot) => ({ from: 'rule', value: values[slot] })),
    ),
  );
};
