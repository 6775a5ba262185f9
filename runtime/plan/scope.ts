/** Name lookup during planning: with the caller's grants, or without any inside a rule. */
import type { Action, PolicySet } from '../access/policies.js';
import { always, type Grant } from '../access/grant.js';
import type { Collection, Field, Relation, ToMany, ToOne } from '../../contract/collection.js';
import { forbidden, invalidQuery } from '../../contract/errors.js';
// a circle: a scope has the conditions of rules, whose filters are planned in a scope
import { ruleToCondition } from './rule.js';
import { allOf, conditionTrue, type Condition, type Join } from './types.js';

export interface PlanContext {
  readonly policies: PolicySet;
  /** The largest number of relations that one name may cross. */
  readonly maxDepth: number;
}

/** The context of one level: date functions of a query read timestamps in its time zone. */
export interface ReadContext extends PlanContext {
  /** An IANA name; `null` for UTC. */
  readonly zone: string | null;
  /** Present where `*` does not lead back over the relation by which a level was reached. */
  readonly backlink?: false;
}

/** A collection as the caller sees it, reached over the relations in `trail`. */
export interface Scope {
  readonly context: ReadContext;
  readonly collection: Collection;
  /** `null` inside a rule: rules are written by an administrator and see every field. */
  readonly grant: Grant | null;
  /** Names of the relations crossed so far, for messages and for the depth limit. */
  readonly trail: readonly string[];
  /** The relation by which the collection was reached, and the name of the collection that has it. */
  readonly via?: { readonly from: string; readonly relation: ToOne | ToMany };
  /** The number of relations that the whole plan has crossed. */
  readonly crossed: { count: number };
}

/** Limits the relations of one plan: nested wildcards multiply. */
const maxCrossed = 500;

/** Returns the scope at the top level of a request. @throws FORBIDDEN */
export const openScope = (
  collection: Collection,
  action: Action,
  { policies, maxDepth, zone = null, backlink }: PlanContext & Partial<ReadContext>,
): Scope => {
  const grant = policies.grant(collection, action);
  if (grant === null) throw forbiddenCollection(collection.name);
  return {
    context: { policies, maxDepth, zone, ...(backlink === false && { backlink }) },
    collection,
    grant,
    trail: [],
    crossed: { count: 0 },
  };
};

/**
 * Creates the error for a collection that does not exist, and the same one for one that the caller may not
 * use.
 */
export const forbiddenCollection = (name: string): Error =>
  forbidden(`the collection "${name}" does not exist or may not be used this way`);

/** Returns the rule of a permitted name, or null where it is visible on every row. @throws FORBIDDEN */
export const fieldRule = (scope: Scope, name: string): Condition | null => {
  if (scope.grant === null) return null;
  const columns = anyColumns(scope, name);
  if (columns !== null) {
    const rules = columns.map((column) => fieldRule(scope, column)).filter((rule) => rule !== null);
    return rules.length === 0 ? null : allOf(rules);
  }
  const rule = scope.grant.fields.get(name);
  if (rule === undefined) throw forbiddenField(scope, name);
  return rule === always ? null : ruleToCondition(rule, scope);
};

/**
 * Returns whether a name may be used; inside a rule, every name may. A many-to-any relation requires both of
 * its columns.
 */
export const isNamePermitted = (scope: Scope, name: string): boolean =>
  scope.grant === null ||
  (anyColumns(scope, name)?.every((column) => scope.grant?.fields.has(column)) ??
    scope.grant.fields.has(name));

/** Returns the columns that decide which item a name such as `item:works` leads to; null for other names. */
const anyColumns = ({ collection }: Scope, name: string): readonly string[] | null => {
  const anyOf = collection.anyTargets.get(name)?.anyOf;
  return anyOf === undefined ? null : [anyOf.keyField.name, anyOf.collectionField.name];
};

/** Returns whether a permitted name equals `name` or begins with it and a dot. */
export const hasDotted = (scope: Scope, name: string): boolean =>
  [...scope.collection.fields.keys(), ...scope.collection.relations.keys()].some(
    (each) => (each === name || each.startsWith(`${name}.`)) && isNamePermitted(scope, each),
  );

/**
 * Returns the same error for a forbidden and for an unknown name, so that it does not reveal which names
 * exist.
 */
export const forbiddenField = (scope: Scope, name: string): Error => {
  const path = [...scope.trail, name].join('.');
  return forbidden(`the field "${path}" does not exist or may not be used${suggestion(scope, name)}`);
};

/** Suggests a similar name among those that the caller may read; none for such a name itself, whose target is forbidden. */
const suggestion = ({ grant }: Scope, name: string): string => {
  if (grant === null || grant.fields.has(name)) return '';
  const similar = [...grant.fields.keys()].find((candidate) => isSimilar(candidate, name));
  return similar === undefined ? '' : `; did you mean "${similar}"?`;
};

const isSimilar = (candidate: string, name: string): boolean => {
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

/** Returns the column of that name. @throws FORBIDDEN */
export const requireField = (scope: Scope, name: string): Field => {
  const field = scope.collection.fields.get(name);
  if (field === undefined || !isNamePermitted(scope, name)) throw forbiddenField(scope, name);
  return field;
};

/** Returns the relation of a name; `item:works` is one target of the many-to-any relation `item`. */
export const findRelation = (scope: Scope, name: string): Relation | undefined =>
  scope.collection.relations.get(name) ?? scope.collection.anyTargets.get(name);

/**
 * Returns the scope at the other end of a relation, or null where the caller may not read the target.
 * @throws INVALID_QUERY when too many relations are crossed
 */
export const crossRelation = (scope: Scope, relation: ToOne | ToMany): Scope | null => {
  const trail = [...scope.trail, relation.name];
  const via = { from: scope.collection.name, relation };
  if (trail.length > scope.context.maxDepth) {
    throw invalidQuery(`"${trail.join('.')}" crosses more than ${scope.context.maxDepth} relations`);
  }
  if (scope.grant === null) return { ...scope, collection: relation.collection, trail, via };
  scope.crossed.count += 1;
  if (scope.crossed.count > maxCrossed)
    throw invalidQuery(`the query crosses relations more than ${maxCrossed} times`);
  const grant = scope.context.policies.grant(relation.collection, 'read');
  return grant === null ? null : { ...scope, collection: relation.collection, grant, trail, via };
};

/** Returns the condition for the rows that the caller may read. */
export const readableRows = (scope: Scope): Condition =>
  scope.grant === null ? conditionTrue : ruleToCondition(scope.grant.rows, scope);

/** Returns the join from one scope to another. @throws FORBIDDEN when the relation may not be used */
export const joinOf = (relation: ToOne, from: Scope, target: Scope): Join => ({
  relation,
  where: readableRows(target),
  rule: fieldRule(from, relation.name),
});
