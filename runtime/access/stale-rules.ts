/** Finds rules of permissions that name a collection, field or relation which does not exist. Pure. */
import type { Collection, Registry } from '../../contract/collection.js';
import { parseFilter, type Filter } from '../request/filter.js';
import type { Permission } from './grant.js';
import { policyNamesOf, type AccessRows } from './policies.js';

/** A name in a rule that does not exist. */
export interface StaleName {
  /** Part of the permission; `collection` where its collection does not exist. */
  readonly part: 'collection' | 'fields' | 'permissions' | 'validation' | 'presets';
  /** The path from the collection, such as `author.colour`. */
  readonly name: string;
}

export interface StaleRule extends StaleName {
  /** Name of the policy. */
  readonly policy: string;
  readonly collection: string;
  readonly action: string;
}

/** Names of a collection; a relation leads to one collection, or to several (`null`). */
export interface CollectionNames {
  readonly fields: ReadonlySet<string>;
  readonly targets: ReadonlyMap<string, string | null>;
}

/** Returns the names of a collection, or undefined where it does not exist. */
export type FindNames = (collection: string) => CollectionNames | undefined;

/** Returns a lookup of names in the served collections. */
export const namesInRegistry =
  ({ collections }: Registry): FindNames =>
  (name) => {
    const collection = collections.get(name);
    return collection === undefined ? undefined : namesOf(collection);
  };

const namesOf = ({ fields, relations }: Collection): CollectionNames => ({
  fields: new Set(fields.keys()),
  targets: new Map(
    [...relations].map(([name, relation]) => [
      name,
      'collection' in relation ? relation.collection.name : null,
    ]),
  ),
});

/** Returns every name in the rules of all permissions that does not exist. */
export const findStaleRules = (
  { policies, permissions }: Pick<AccessRows, 'policies' | 'permissions'>,
  findNames: FindNames,
): readonly StaleRule[] => {
  const policyNames = policyNamesOf(policies);
  return permissions.flatMap((permission) =>
    findStaleNames(permission, findNames).map(({ part, name }) => ({
      part,
      name,
      policy: policyNames.get(permission.policy) ?? permission.policy,
      collection: permission.collection,
      action: permission.action,
    })),
  );
};

/** Returns the names in the rules of one permission that do not exist. */
export const findStaleNames = (
  { collection, fields, permissions, validation, presets }: Permission,
  findNames: FindNames,
): readonly StaleName[] => {
  const names = findNames(collection);
  if (names === undefined) return [{ part: 'collection', name: collection }];
  const isUnknown = (name: string): boolean => !names.fields.has(name) && !names.targets.has(name);
  const listed = (fields ?? []).filter((name) => name !== '*' && isUnknown(name));
  const stale = (part: StaleName['part'], found: readonly string[]): readonly StaleName[] =>
    [...new Set(found)].map((name) => ({ part, name }));
  return [
    ...stale('fields', listed),
    ...stale('permissions', findUnknown(permissions, { names, findNames })),
    ...stale('validation', findUnknown(validation, { names, findNames })),
    ...stale('presets', Object.keys(presets ?? {}).filter(isUnknown)),
  ];
};

interface Scope {
  /** `null` behind a relation whose collection is not known. */
  readonly names: CollectionNames | null;
  readonly findNames: FindNames;
}

/** Returns the paths of a rule that do not exist; none of a rule that is no filter, which is rejected elsewhere. */
const findUnknown = (rule: Permission['validation'], scope: Scope): readonly string[] => {
  try {
    return rule === null ? [] : findPaths(parseFilter(rule, []), scope);
  } catch {
    return [];
  }
};

const findPaths = (filter: Filter, scope: Scope): readonly string[] => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.flatMap((part) => findPaths(part, scope));
    case 'some':
    case 'none':
      return findPaths(filter.filter, scope);
    case 'field':
      return findFieldPaths(filter.name, filter.filter, scope);
    case 'compare':
      return [];
  }
};

const findFieldPaths = (name: string, filter: Filter, { names, findNames }: Scope): readonly string[] => {
  if (names === null) return [];
  const target = names.targets.get(name);
  if (target === undefined && !names.fields.has(name)) return [name];
  const below = typeof target === 'string' ? findNames(target) : target === null ? null : noNames;
  return findPaths(filter, { names: below ?? null, findNames }).map((path) => `${name}.${path}`);
};

/** What lies below a field. */
const noNames: CollectionNames = { fields: new Set(), targets: new Map() };
