/**
 * Converts filters to conditions: resolves names, checks operators against types and applies the rules of
 * every level.
 */
import type { AnyOf, Field, Relation, ToAny, ToMany, ToOne } from '../../contract/collection.js';
import { invalidQuery, mapAll } from '../../contract/errors.js';
import type { Operator } from '../../contract/operators.js';
import type { Filter } from '../request/filter.js';
import { compareColumn, type ComparisonFilter, type SlotReader } from './comparison.js';
import { findCall, planCall } from './functions.js';
import {
  crossRelation,
  fieldRule,
  findRelation,
  forbiddenField,
  joinOf,
  isNamePermitted,
  requireField,
  readableRows,
  type Scope,
} from './scope.js';
import { allOf, anyOf, conditionTrue, type ColumnRef, type Condition, type Join } from './types.js';

interface Context {
  readonly scope: Scope;
  /** Many-to-one steps from the row that the condition applies to. */
  readonly path: readonly Join[];
  readonly slots: SlotReader;
}

/**
 * Converts a filter to a condition. @throws FORBIDDEN for names, INVALID_QUERY for operators that do not
 * apply
 */
export const planFilter = (filter: Filter, scope: Scope, slots: SlotReader): Condition =>
  planNode(filter, { scope, path: [], slots });

const planNode = (filter: Filter, context: Context): Condition => {
  switch (filter.kind) {
    case 'and':
      return allOf(mapAll(mergeByRelation(filter.filters, context.scope), (part) => planNode(part, context)));
    case 'or':
      return filter.filters.length === 0
        ? conditionTrue
        : anyOf(mapAll(filter.filters, (part) => planNode(part, context)));
    case 'field':
      return filterField(filter.name, filter.filter, context);
    case 'some':
    case 'none':
      throw invalidQuery(`"_${filter.kind}" stands directly below a to-many relation only`);
    case 'json':
      throw invalidQuery('"_json" stands directly below a field of JSON only');
    case 'compare':
      throw invalidQuery(
        `"_${filter.operator}" needs a field around it, as in {"name": {"_${filter.operator}": …}}`,
      );
  }
};

/** Merges the parts of an AND that filter the same relation: they apply to the same related row. */
const mergeByRelation = (filters: readonly Filter[], scope: Scope): readonly Filter[] => {
  const steps = new Map<string, Filter[]>();
  const rest = filters.filter((part) => {
    if (
      part.kind !== 'field' ||
      !isRelatedFilter(part.filter) ||
      findRelation(scope, part.name) === undefined
    )
      return true;
    steps.set(part.name, [...(steps.get(part.name) ?? []), part.filter]);
    return false;
  });
  const merged = [...steps].map(([name, parts]): Filter => ({
    kind: 'field',
    name,
    filter: joinFilters(parts),
  }));
  return [...rest, ...merged];
};

/** Returns whether a filter below a relation applies to the fields of a related row. */
const isRelatedFilter = (filter: Filter): boolean =>
  filter.kind === 'and' || filter.kind === 'or'
    ? filter.filters.length > 0 && filter.filters.every(isRelatedFilter)
    : filter.kind === 'field';

const joinFilters = (filters: readonly Filter[]): Filter => {
  const [only] = filters;
  return filters.length === 1 && only !== undefined ? only : { kind: 'and', filters };
};

const filterField = (name: string, filter: Filter, context: Context): Condition => {
  const { scope } = context;
  const relation = findRelation(scope, name);
  const isCall = findCall(scope, name) !== null;
  if (!isCall && !isNamePermitted(scope, name)) throw forbiddenField(scope, name);
  if (relation?.kind === 'oneToMany') return filterMany(relation, filter, context);
  if (filter.kind === 'compare') return planComparison(name, filter, context);
  if (filter.kind === 'json') return planPaths(name, filter.filter, context);
  if (filter.kind === 'and' && !isRelatedFilter(filter)) {
    return allOf(mapAll(filter.filters, (part) => filterField(name, part, context)));
  }
  if (filter.kind === 'or' && filter.filters.length > 0) {
    return anyOf(mapAll(filter.filters, (part) => filterField(name, part, context)));
  }
  return planOne(name, relation, filter, context);
};

/** Plans the conditions of `_json` on a field, as comparisons of `json(field, path)`. */
const planPaths = (name: string, filter: Filter, context: Context): Condition => {
  switch (filter.kind) {
    case 'and':
      return allOf(mapAll(filter.filters, (part) => planPaths(name, part, context)));
    case 'or':
      return filter.filters.length === 0
        ? conditionTrue
        : anyOf(mapAll(filter.filters, (part) => planPaths(name, part, context)));
    case 'field':
      requireWholePath(filter.name, filter.filter);
      return filterField(`json(${name}, ${filter.name})`, filter.filter, context);
    default:
      throw invalidQuery(
        `"_json" needs paths with conditions, as in {"${name}": {"_json": {"theme.color": {"_eq": "red"}}}}`,
      );
  }
};

/** @throws INVALID_QUERY where the condition of a path holds another path */
const requireWholePath = (path: string, filter: Filter): void => {
  const inner = filter.kind === 'and' || filter.kind === 'or' ? filter.filters : [filter];
  const nested = inner.find((each) => each.kind === 'field');
  if (nested?.kind !== 'field') return;
  throw invalidQuery(
    `"_json" takes whole paths, as in {"${path}.${nested.name}": {"_eq": …}}, not "${nested.name}" inside of "${path}"; in GraphQL, paths with points are written in variables`,
  );
};

const planOne = (
  name: string,
  relation: Relation | undefined,
  filter: Filter,
  context: Context,
): Condition => {
  const { scope } = context;
  if (relation?.kind === 'manyToAny' && isRelatedFilter(filter)) return filterAny(relation, filter, context);
  if (relation?.kind !== 'manyToOne') throw notARelation(name, filter, scope);
  if (filter.kind === 'some' || filter.kind === 'none') {
    throw invalidQuery(`"_${filter.kind}" needs a to-many relation; "${name}" leads to one item`);
  }
  const target = crossRelation(scope, relation);
  if (target === null) throw forbiddenField(scope, name);
  const join = joinOf(relation, scope, target);
  const inner = planNode(filter, { ...context, scope: target, path: [...context.path, join] });
  return relation.anyOf === undefined ? inner : allOf([isOfTarget(relation, relation.anyOf, context), inner]);
};

/** Plans the condition that a row of a many-to-any relation leads to a target. */
const isOfTarget = ({ target }: ToOne, { collectionField }: AnyOf, { scope, path }: Context): Condition => ({
  kind: 'compare',
  column: planColumn(collectionField.name, { scope, path }),
  operator: 'eq',
  operand: { from: 'constant', value: target },
});

/**
 * Plans a filter on the item of a many-to-any relation, whichever collection it is of: every collection that the caller
 * may read must have the fields.
 */
const filterAny = (relation: ToAny, filter: Filter, context: Context): Condition => {
  const { scope } = context;
  const readable = relation.targets.filter(
    ({ collection }) => scope.grant === null || scope.context.policies.grant(collection, 'read') !== null,
  );
  if (readable.length === 0) throw forbiddenField(scope, relation.name);
  return anyOf(readable.map((target) => planOne(target.name, target, filter, context)));
};

const notARelation = (name: string, filter: Filter, scope: Scope): Error => {
  if (filter.kind === 'field' && !filter.name.startsWith('_')) {
    return scope.collection.fields.has(name)
      ? forbiddenField({ ...scope, trail: [...scope.trail, name] }, filter.name)
      : forbiddenField(scope, name);
  }
  const used = filter.kind === 'field' ? filter.name : `_${filter.kind}`;
  return invalidQuery(`"${name}" does not support the operator "${used}"`);
};

const filterMany = (relation: ToMany, filter: Filter, context: Context): Condition => {
  if (filter.kind === 'and' && filter.filters.length > 0 && filter.filters.every(isListFilter)) {
    return allOf(mapAll(filter.filters, (part) => filterMany(relation, part, context)));
  }
  if (filter.kind === 'compare') return filterManyComparison(relation, filter, context);
  if (isKeyNull(relation, filter, context)) return planWithoutKey(relation, filter, context);
  const inner = isQuantifier(filter) ? filter.filter : filter;
  const some = planSome(relation, inner, context);
  // an empty object filters nothing
  if (inner.kind === 'and' && inner.filters.length === 0) return conditionTrue;
  return filter.kind === 'none' ? { kind: 'not', condition: some } : some;
};

/** Plans the existence of at least one related row that the caller may read and that matches the filter. */
const planSome = (relation: ToMany, filter: Filter, context: Context): Condition => {
  const { scope, path } = context;
  const rule = fieldRule(scope, relation.name);
  const target = crossRelation(scope, relation);
  if (target === null) throw forbiddenField(scope, relation.name);
  const where = allOf([readableRows(target), planNode(filter, { ...context, scope: target, path: [] })]);
  const exists: Condition = { kind: 'some', path, relation, where, inRule: scope.grant === null };
  return rule === null ? exists : allOf([{ kind: 'at', path, condition: rule }, exists]);
};

const isQuantifier = (filter: Filter): filter is Extract<Filter, { kind: 'some' | 'none' }> =>
  filter.kind === 'some' || filter.kind === 'none';

const isListFilter = (filter: Filter): boolean => isQuantifier(filter) || filter.kind === 'compare';

/** Plans an operator on a list itself: `_null` and `_nnull` test whether it has rows, others compare their keys. */
const filterManyComparison = (relation: ToMany, filter: ComparisonFilter, context: Context): Condition => {
  const { operator, slot } = filter;
  if (operator === 'null') return { kind: 'not', condition: planSome(relation, anyRow, context) };
  if (operator === 'nnull') return planSome(relation, anyRow, context);
  const positive = keyComparisons[operator];
  const [key, ...others] = relation.collection.key;
  if (positive === undefined || key === undefined || others.length > 0)
    throw noListOperator(relation, operator);
  const some = planSome(
    relation,
    { kind: 'field', name: key.name, filter: { kind: 'compare', operator: positive, slot } },
    context,
  );
  return positive === operator ? some : { kind: 'not', condition: some };
};

const anyRow: Filter = { kind: 'and', filters: [] };

/** Operators that compare the keys of a list's rows, and what at least one, or no row then matches. */
const keyComparisons: Partial<Readonly<Record<Operator, Operator>>> = {
  eq: 'eq',
  in: 'in',
  neq: 'eq',
  nin: 'in',
};

const noListOperator = ({ name }: ToMany, operator: Operator): Error =>
  invalidQuery(
    `"_${operator}" cannot compare the list "${name}"; filter one of its fields, as in {"${name}": {"id": …}}`,
  );

/**
 * Returns whether a query tests only that the key of the list's rows is null, which means that there are none. In a
 * rule, no row matches, so that rules keep their meaning.
 */
const isKeyNull = ({ collection }: ToMany, filter: Filter, { scope }: Context): boolean =>
  scope.grant !== null &&
  filter.kind === 'field' &&
  collection.key.length === 1 &&
  collection.key[0]?.name === filter.name &&
  filter.filter.kind === 'compare' &&
  filter.filter.operator === 'null';

const planWithoutKey = (relation: ToMany, filter: Filter, context: Context): Condition => {
  // rejects a key that the caller may not read
  planSome(relation, filter, context);
  return { kind: 'not', condition: planSome(relation, anyRow, context) };
};

const planComparison = (name: string, filter: ComparisonFilter, context: Context): Condition =>
  compareColumn(planColumn(name, context), filter, { name, slots: context.slots });

/** Returns the column or the call at the end of the context's path, with its rule. @throws FORBIDDEN */
export const planColumn = (name: string, { scope, path }: Pick<Context, 'scope' | 'path'>): ColumnRef => {
  const call = findCall(scope, name);
  if (call !== null) return { path, ...planCall(call, scope), inRule: scope.grant === null };
  const field: Field = requireField(scope, name);
  return { path, field, rule: fieldRule(scope, name), inRule: scope.grant === null };
};
