/** `fields` as what each row becomes: wildcards opened, names checked, relations followed. */
import type { Field, ToMany } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { FieldNode, Query } from '../request/query.js';
import { fromQuery, planFilter } from './filter.js';
import { planMany } from './read.js';
import {
  crossRelation,
  fieldRule,
  findRelation,
  forbiddenField,
  hasDotted,
  joinOf,
  mayUse,
  type Scope,
} from './scope.js';
import { conditionTrue, type Entry, type Select } from './types.js';

/** Nothing asked for is the same as `*`. */
const star: readonly FieldNode[] = [{ name: '*', children: [] }];

/** `deep` holds the parameters of nested lists. @throws FORBIDDEN */
export const planSelect = (nodes: readonly FieldNode[] | null, scope: Scope, deep: Query['deep']): Select => {
  const entries = new Map<string, Entry>();
  for (const node of openStars(joinDots(nodes ?? star, scope), scope)) {
    const entry = planEntry(node, scope, deep);
    if (entry !== null) entries.set(entry.name, entry);
  }
  return { kind: 'object', entries: [...entries.values()] };
};

/** A path that begins with no name of the collection may be one itself: `v1.0` is a column. */
const joinDots = (nodes: readonly FieldNode[], scope: Scope): readonly FieldNode[] =>
  nodes.flatMap((node) => {
    if (node.children.length === 0 || isStep(scope, node.name)) return [node];
    const joined = node.children.map((child) => ({ ...child, name: `${node.name}.${child.name}` }));
    return joined.some(({ name }) => hasDotted(scope, name)) ? joinDots(joined, scope) : [node];
  });

const isStep = (scope: Scope, name: string): boolean =>
  name === '*' || findRelation(scope, name) !== undefined;

/** `*` stands for every readable column and every readable list named in meta; named nodes win over it. */
const openStars = (nodes: readonly FieldNode[], scope: Scope): readonly FieldNode[] => {
  const opened = new Map<string, FieldNode>();
  for (const node of nodes) {
    if (node.name !== '*') {
      const key = keyOf(node);
      opened.set(key, merge(opened.get(key), node));
      continue;
    }
    for (const name of starNames(scope)) {
      const children = findRelation(scope, name) === undefined ? [] : node.children;
      opened.set(name, merge(opened.get(name), { name, children }));
    }
  }
  return [...opened.values()];
};

const keyOf = ({ name, as }: FieldNode): string => as ?? name;

const merge = (present: FieldNode | undefined, node: FieldNode): FieldNode =>
  present === undefined ? node : { ...node, children: [...present.children, ...node.children] };

const starNames = (scope: Scope): string[] => [
  ...[...scope.collection.fields.keys()].filter((name) => mayUse(scope, name)),
  ...[...scope.collection.relations.values()].flatMap((relation) =>
    relation.kind === 'oneToMany' && relation.listed === true && mayUse(scope, relation.name)
      ? [relation.name]
      : [],
  ),
];

/** `null`: a relation to where the caller may read nothing is left out. */
const planEntry = (node: FieldNode, scope: Scope, deep: Query['deep']): Entry | null => {
  const { name, children, constant } = node;
  if (constant !== undefined) return { kind: 'constant', name: keyOf(node), json: constant };
  if (!mayUse(scope, name)) throw forbiddenField(scope, name);
  const relation = findRelation(scope, name);
  if (relation?.kind === 'oneToMany') return planList(relation, node, { scope, deep });
  const field = scope.collection.fields.get(name);
  if (children.length === 0 && node.query === undefined && field !== undefined)
    return planField(field, node, scope);
  if (relation?.kind === 'manyToAny') throw invalidQuery(`fields below "${name}" are not served`);
  if (relation === undefined) {
    const inner = field === undefined ? undefined : children[0];
    throw inner === undefined
      ? forbiddenField(scope, name)
      : forbiddenField({ ...scope, trail: [...scope.trail, name] }, inner.name);
  }
  const target = crossRelation(scope, relation);
  if (target === null) return null;
  const query = node.query ?? deepOf(deep, name);
  const filter = query?.filter ?? null;
  return {
    kind: 'one',
    name: keyOf(node),
    join: joinOf(relation, scope, target),
    where: filter === null ? conditionTrue : planFilter(filter, target, fromQuery),
    select: planSelect(isBare(node) ? null : children, target, query?.deep ?? []),
  };
};

/** A relation of which nothing is said: its key, or all of it. */
const isBare = ({ children, query }: FieldNode): boolean => children.length === 0 && query === undefined;

const planField = (field: Field, node: FieldNode, scope: Scope): Entry => ({
  kind: 'field',
  name: keyOf(node),
  // as text, a whole number looks like one of 64 bits
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
  const query = node.query ?? deepOf(deep, relation.name);
  return {
    kind: 'many',
    name: keyOf(node),
    relation,
    rule: fieldRule(scope, relation.name),
    plan: planMany(relation, { children: isBare(node) ? null : node.children, query, scope: target }),
  };
};

const deepOf = (deep: Query['deep'], relation: string): Query | null =>
  deep.find((entry) => entry.relation === relation)?.query ?? null;
