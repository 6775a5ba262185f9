/** Plans `fields`: expands wildcards, checks names and follows relations. */
import type { Field, Relation, ToAny, ToMany } from '../../contract/collection.js';
import {
  collectProblems,
  invalidQuery,
  mapAll,
  throwProblems,
  type ApiError,
} from '../../contract/errors.js';
import { resultName } from '../../contract/functions.js';
import type { AnySelection, FieldNode, Query } from '../request/query.js';
import { planListGroups } from './aggregate.js';
import { fromQuery } from './comparison.js';
import { planFilter } from './filter.js';
import { findCall, planCall } from './functions.js';
import { joinTargets } from './many-to-any.js';
// a circle: a selection plans nested reads, and a read plans its selection
import { noGroups, planAnyTarget, planMany } from './read.js';
import {
  crossRelation,
  fieldRule,
  findRelation,
  forbiddenField,
  hasDotted,
  joinOf,
  isNamePermitted,
  type Scope,
} from './scope.js';
import { conditionTrue, type AnyTarget, type Entry, type Select } from './types.js';

/** The default where `fields` is absent. */
const wildcard: readonly FieldNode[] = [{ name: '*', children: [] }];

/** Parameters of a level that its selection needs: those of nested lists, and aliases. */
type Level = Pick<Query, 'deep' | 'alias'>;

const plainLevel: Level = { deep: [], alias: [] };

/** Plans the selection of one level. @throws FORBIDDEN */
export const planSelect = (
  nodes: readonly FieldNode[] | null,
  scope: Scope,
  { deep, alias }: Level,
): Select => {
  const entries = new Map<string, Entry>();
  const problems: ApiError[] = [];
  collectProblems(problems, () => checkDeep(scope, { deep, alias }));
  const named = resolveAliases(nodes ?? wildcard, alias);
  const expanded = joinTargets(expandWildcards(joinDottedNames(named, scope), scope), scope);
  collectProblems(problems, () =>
    mapAll(expanded, (node) => {
      const entry = planEntry(node, scope, deep);
      if (entry !== null) entries.set(entry.name, entry);
    }),
  );
  throwProblems(problems);
  return { kind: 'object', entries: [...entries.values()] };
};

/** Checks that `deep` names relations of the level, by their own name or an alias. @throws FORBIDDEN, INVALID_QUERY */
const checkDeep = (scope: Scope, { deep, alias }: Level): void => {
  mapAll(deep, ({ relation: given }) => {
    const name = alias.find(([as]) => as === given)?.[1] ?? given;
    if (findCall(scope, name) === null && !isNamePermitted(scope, name)) throw forbiddenField(scope, name);
    const relation = findRelation(scope, name);
    if (relation === undefined) throw invalidQuery(`"deep" takes relations, and "${given}" is none`);
    if (relation.kind === 'manyToAny')
      throw invalidQuery(`"deep" takes "${given}" with a collection, as in "${relation.targets[0]?.name}"`);
  });
};

/** Replaces aliases by what they stand for; the response has the alias. */
const resolveAliases = (nodes: readonly FieldNode[], alias: Query['alias']): readonly FieldNode[] => {
  if (alias.length === 0) return nodes;
  const targets = new Map(alias);
  return nodes.map((node) => {
    const target = targets.get(node.name);
    return target === undefined ? node : { ...node, name: target, as: node.name };
  });
};

/**
 * Joins path segments into a column name that contains a dot, such as `v1.0`, where the first segment is not
 * a relation.
 */
const joinDottedNames = (nodes: readonly FieldNode[], scope: Scope): readonly FieldNode[] =>
  nodes.flatMap((node) => {
    if (node.children.length === 0 || isStep(scope, node.name)) return [node];
    const joined = node.children.map((child) => ({ ...child, name: `${node.name}.${child.name}` }));
    return joined.some(({ name }) => hasDotted(scope, name)) ? joinDottedNames(joined, scope) : [node];
  });

const isStep = (scope: Scope, name: string): boolean =>
  name === '*' || findRelation(scope, name) !== undefined;

/**
 * Expands `*` to every readable column and every readable list named in meta; explicitly named nodes take
 * precedence.
 */
const expandWildcards = (nodes: readonly FieldNode[], scope: Scope): readonly FieldNode[] => {
  const expanded = new Map<string, FieldNode>();
  for (const node of nodes) {
    if (node.name !== '*') {
      const key = keyOf(node);
      expanded.set(key, mergeNodes(expanded.get(key), node));
      continue;
    }
    for (const name of wildcardNames(scope)) {
      const relation = findRelation(scope, name);
      const children = relation === undefined || isLeftOut(relation, scope) ? [] : node.children;
      expanded.set(name, mergeNodes(expanded.get(name), { name, children }));
    }
  }
  return [...expanded.values()];
};

/**
 * Returns whether `*` stops at a relation: the one by which the level was reached, or one to any collection where the
 * caller may not read which.
 */
const isLeftOut = (relation: Relation, scope: Scope): boolean => {
  if (relation.kind === 'manyToAny')
    return !relation.targets.every(({ name }) => isNamePermitted(scope, name));
  const { context, via } = scope;
  return (
    context.backlink === false &&
    via !== undefined &&
    relation.kind !== via.relation.kind &&
    relation.target === via.from &&
    relation.fields.join('\0') === via.relation.fields.join('\0') &&
    relation.references.join('\0') === via.relation.references.join('\0')
  );
};

const keyOf = ({ name, as }: FieldNode): string => as ?? name;

const mergeNodes = (present: FieldNode | undefined, node: FieldNode): FieldNode =>
  present === undefined ? node : { ...node, children: [...present.children, ...node.children] };

const wildcardNames = (scope: Scope): string[] => [
  ...[...scope.collection.fields.keys()].filter((name) => isNamePermitted(scope, name)),
  ...[...scope.collection.relations.values()].flatMap((relation) =>
    relation.kind === 'oneToMany' && relation.listed === true && isNamePermitted(scope, relation.name)
      ? [relation.name]
      : [],
  ),
];

/** Plans one entry; returns null for a relation whose target the caller may not read, which is left out. */
const planEntry = (node: FieldNode, scope: Scope, deep: Query['deep']): Entry | null => {
  const { name, children, constant } = node;
  if (constant !== undefined) return { kind: 'constant', name: keyOf(node), json: constant };
  if (node.isGroup === true)
    return { kind: 'group', name: keyOf(node), select: planSelect(children, scope, plainLevel) };
  const call = findCall(scope, name);
  if (call !== null) {
    if (children.length > 0) throw invalidQuery(`"${name}" is a value, so nothing can follow it`);
    return { kind: 'field', name: node.as ?? resultName(call), ...planCall(call, scope) };
  }
  if (!isNamePermitted(scope, name)) throw forbiddenField(scope, name);
  const relation = findRelation(scope, name);
  if (relation?.kind === 'manyToAny' && node.targets !== undefined)
    return planAny(relation, { ...node, targets: node.targets }, { scope, deep });
  if (relation?.kind === 'oneToMany') return planList(relation, node, { scope, deep });
  const field = scope.collection.fields.get(name);
  if (children.length === 0 && node.query === undefined && field !== undefined)
    return planField(field, node, scope);
  if (relation === undefined || relation.kind === 'manyToAny') {
    const inner = field === undefined ? undefined : children[0];
    throw inner === undefined
      ? forbiddenField(scope, name)
      : forbiddenField({ ...scope, trail: [...scope.trail, name] }, inner.name);
  }
  const target = crossRelation(scope, relation);
  if (target === null) return null;
  const query = node.query ?? deepOf(deep, keyOf(node));
  if (query !== null && query.aggregation !== null) throw noGroups();
  const filter = query?.filter ?? null;
  return {
    kind: 'one',
    name: keyOf(node),
    join: joinOf(relation, scope, target),
    where: filter === null ? conditionTrue : planFilter(filter, target, fromQuery),
    select: planSelect(isBare(node) ? null : children, target, query ?? plainLevel),
  };
};

/**
 * Returns whether a relation is named without fields or parameters: a list then becomes keys, a to-one
 * relation its whole item.
 */
const isBare = ({ children, query }: FieldNode): boolean => children.length === 0 && query === undefined;

const planField = (field: Field, node: FieldNode, scope: Scope): Entry => ({
  kind: 'field',
  name: keyOf(node),
  // an integer written as text has the wire form of a 64-bit integer
  field: node.text === true && field.type === 'integer' ? { ...field, type: 'bigInteger' } : field,
  rule: fieldRule(scope, field.name),
});

interface ListContext {
  readonly scope: Scope;
  readonly deep: Query['deep'];
}

const planList = (relation: ToMany, node: FieldNode, { scope, deep }: ListContext): Entry | null => {
  const target = crossRelation(scope, relation);
  if (target === null) return null;
  const query = node.query ?? deepOf(deep, keyOf(node));
  const entry = { name: keyOf(node), relation, rule: fieldRule(scope, relation.name) };
  if (query !== null && query.aggregation !== null) {
    const plan = planListGroups(relation, { query, aggregation: query.aggregation }, target);
    return { kind: 'groups', ...entry, plan };
  }
  return {
    kind: 'many',
    ...entry,
    plan: planMany(relation, { children: isBare(node) ? null : node.children, query, scope: target }),
  };
};

interface AnyNode extends FieldNode {
  readonly targets: readonly AnySelection[];
}

/** Plans the items of a many-to-any relation. Those of targets that the caller may not read are left out. */
const planAny = (relation: ToAny, node: AnyNode, { scope, deep }: ListContext): Entry => {
  const selected = new Map(node.targets.map((selection) => [selection.collection, selection]));
  const targets = relation.targets.flatMap((step): readonly AnyTarget[] => {
    if (!isNamePermitted(scope, step.name)) throw forbiddenField(scope, relation.name);
    const target = crossRelation(scope, step);
    if (target === null) return [];
    const { children = null, query = deepOf(deep, step.name) } = selected.get(step.target) ?? {};
    const plan = planAnyTarget({ children, query, scope: target });
    return plan === null ? [] : [{ kind: 'target', relation: step, plan }];
  });
  const [any] = relation.targets;
  const rule = any === undefined ? null : fieldRule(scope, any.name);
  return { kind: 'any', name: keyOf(node), relation, rule, targets };
};

const deepOf = (deep: Query['deep'], relation: string): Query | null =>
  deep.find((entry) => entry.relation === relation)?.query ?? null;
