/** Chooses between IN and EXISTS for a condition on a list. */
import type { Condition } from '../plan/types.js';
import type { SqlScope } from './condition.js';

/** The condition that a list has a row of some kind. */
export type Some = Extract<Condition, { kind: 'some' }>;

/** Returns the form that is faster on the database and has the same meaning where it stands. */
export const listFormOf = (condition: Some, scope: SqlScope): 'in' | 'exists' => {
  const { inFromDepth = Number.POSITIVE_INFINITY } = scope.compiler.dialect;
  if (scope.existsOnly === true || condition.relation.fields.length > 1) return 'exists';
  return scope.listForm ?? (listDepth(condition) >= inFromDepth ? 'in' : 'exists');
};

/** Returns the number of lists that a condition goes through, one within the other. */
const listDepth = (condition: Condition): number => {
  switch (condition.kind) {
    case 'some':
      return 1 + listDepth(condition.where);
    case 'and':
    case 'or':
      return Math.max(0, ...condition.conditions.map(listDepth));
    case 'at':
      return listDepth(condition.condition);
    default:
      return 0;
  }
};
