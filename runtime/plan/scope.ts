/** How names are looked up while planning: with the caller's grants, or, inside a rule, with none. */
import type { Action, PolicySet } from '../access/policies.js';
import { always, type Grant } from '../access/grant.js';
import type { Collection, Field, Relation, ToMany, ToOne } from '../../contract/collection.js';
import { forbidden, invalidQuery } from '../../contract/errors.js';
import { ruleToCondition } from './rule.js';
import { conditionTrue, type Condition, type Join } from './types.js';

export interface PlanContext {
  readonly policies: PolicySet;
  /** Relations a name may cross. */
  readonly maxDepth: number;
}

/** One collection as a caller sees it, some relations away from where the request began. */
export interface Scope {
  readonly context: PlanContext;
  readonly collection: Collection;
  /** `null` inside a rule: rules are an administrator's and see everything. */
  readonly grant: Grant | null;
  /** Names crossed so far, for messages and for the depth limit. */
  readonly trail: readonly string[];
  /** Relations that the whole plan has crossed. */
  readonly crossed: { count: number };
}

/** Wildcards below wildcards multiply: a plan ends somewhere. */
const maxCrossed = 500;

/** The scope a read of `collection` begins in. @throws FORBIDDEN */
export const openScope = (collection: Collection, action: Action, context: PlanContext): Scope => {
  const grant = context.policies.grant(collection, action);
  if (grant === null) throw forbiddenCollection(collection.name);
  return { context, collection, grant, trail: [], crossed: { count: 0 } };
};

export const forbiddenCollection = (name: string): Error =>
  forbidden(`the collection "${name}" does not exist or may not be used this way`);

/** The rule of a permitted name; `null` when it holds wherever the row does. @throws FORBIDDEN */
export const fieldRule = (scope: Scope, name: string): Condition | null => {
  if (scope.grant === null) return null;
  const rule = scope.grant.fields.get(name);
  if (rule === undefined) throw forbiddenField(scope, name);
  return rule === always ? null : ruleToCondition(rule, scope);
};

export const mayUse = (scope: Scope, name: string): boolean =>
  scope.grant === null || scope.grant.fields.has(name);

/** Whether a name the caller may use is this one, or begins with it and a dot. */
export const hasDotted = (scope: Scope, name: string): boolean =>
  [...scope.collection.fields.keys(), ...scope.collection.relations.keys()].some(
    (each) => (each === name || each.startsWith(`${name}.`)) && mayUse(scope, each),
  );

/** The same words for a forbidden and for an unknown name. */
export const forbiddenField = (scope: Scope, name: string): Error => {
  if (name.includes('(')) return invalidQuery(`functions such as "${name}" are not served`);
  const path = [...scope.trail, name].join('.');
  return forbidden(`the field "${path}" does not exist or may not be used${hint(scope, name)}`);
};

/** Names only what the caller may read. */
const hint = (scope: Scope, name: string): string => {
  const readable = [...(scope.grant?.fields.keys() ?? [])];
  const near = readable.find((candidate) => isNear(candidate, name));
  return near === undefined ? '' : `; did you mean "${near}"?`;
};

const isNear = (candidate: string, name: string): boolean => {
  const [left, right] = [candidate.toLowerCase(), name.toLowerCase()];
  if (left === right || left.replaceAll('_', '') === right.replaceAll('_', '')) return true;
  return Math.abs(left.length - right.length) <= 1 && left.length > 3 && differByOne(left, right);
};

const differByOne = (left: string, right: string): boolean => {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  const shorter = Math.min(left.length, right.length) - start;
  while (end < shorter && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return Math.max(left.length, right.length) - start - end <= 1;
};

/** The plain column of that name. @throws FORBIDDEN */
export const requireField = (scope: Scope, name: string): Field => {
  const field = scope.collection.fields.get(name);
  if (field === undefined || !mayUse(scope, name)) throw forbiddenField(scope, name);
  return field;
};

export const findRelation = (scope: Scope, name: string): Relation | undefined =>
  scope.collection.relations.get(name);

/**
 * The scope at the other end of a relation; `null` when the caller may read nothing there.
 * @throws INVALID_QUERY when too many relations are crossed
 */
export const crossRelation = (scope: Scope, relation: ToOne | ToMany): Scope | null => {
  const trail = [...scope.trail, relation.name];
  if (trail.length > scope.context.maxDepth) {
    throw invalidQuery(`"${trail.join('.')}" crosses more than ${scope.context.maxDepth} relations`);
  }
  if (scope.grant === null) return { ...scope, collection: relation.collection, trail };
  scope.crossed.count += 1;
  if (scope.crossed.count > maxCrossed)
    throw invalidQuery(`the query crosses relations more than ${maxCrossed} times`);
  const grant = scope.context.policies.grant(relation.collection, 'read');
  return grant === null ? null : { ...scope, collection: relation.collection, grant, trail };
};

/** Rows of the scope's collection that exist for the caller. */
export const rowsOf = (scope: Scope): Condition =>
  scope.grant === null ? conditionTrue : ruleToCondition(scope.grant.rows, scope);

/** The step from one scope to another. @throws FORBIDDEN when the relation may not be used */
export const joinOf = (relation: ToOne, from: Scope, target: Scope): Join => ({
  relation,
  where: rowsOf(target),
  rule: fieldRule(from, relation.name),
});
