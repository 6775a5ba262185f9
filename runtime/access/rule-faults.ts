/**
 * Finds rules that cannot be evaluated: they name a collection, field, relation or variable that does not exist, have a regular
 * expression that is not supported, or validate what is not a field of the item. What such a rule guards is refused. Pure.
 */
import type { Collection, Registry } from '../../contract/collection.js';
import { findUnsupportedIn } from '../../contract/expressions.js';
import { parseCall } from '../../contract/functions.js';
import { parseFilter, type Filter } from '../request/filter.js';
import type { Permission } from './grant.js';
import { isUnresolvable } from './variables.js';
import { policyNamesOf, type AccessRows } from './policies.js';

/** A fault in one part of a permission. */
export interface PermissionFault {
  /** `collection` where its collection does not exist. */
  readonly part: 'collection' | 'fields' | 'permissions' | 'validation' | 'presets';
  /** The problem with the path from the collection, such as `"author.colour" does not exist`. */
  readonly problem: string;
}

export interface RuleFault extends PermissionFault {
  /** The permission or field that has the rule: `policy "Writers", create of book`, or `field book.title`. */
  readonly rule: string;
}

/** A field whose values are validated. */
interface ValidatedField {
  readonly collection: string;
  readonly name: string;
  readonly validation: Readonly<Record<string, unknown>>;
}

/** The collections against which rules are checked. */
export interface RuleScope {
  readonly findNames: FindNames;
  readonly validated: readonly ValidatedField[];
}

/** Names of a collection; a relation leads to one collection, or to several (`null`). */
export interface CollectionNames {
  readonly fields: ReadonlySet<string>;
  readonly targets: ReadonlyMap<string, string | null>;
}

/** Returns the names of a collection, or undefined where it does not exist. */
export type FindNames = (collection: string) => CollectionNames | undefined;

/** Returns the served collections as a scope. */
export const registryToScope = ({ collections }: Registry): RuleScope => ({
  findNames(name) {
    const collection = collections.get(name);
    return collection === undefined ? undefined : namesOf(collection);
  },
  validated: Array.from(collections.values()).flatMap(({ name, validated }) =>
    validated.map((field) => ({
      collection: name,
      name: field.name,
      validation: field.validation ?? {},
    })),
  ),
});

const namesOf = ({ fields, relations }: Collection): CollectionNames => ({
  fields: new Set(fields.keys()),
  targets: new Map(
    [...relations].map(([name, relation]) => [
      name,
      'collection' in relation ? relation.collection.name : null,
    ]),
  ),
});

/** Returns the faults of all permissions and of the validation of all fields. */
export const findRuleFaults = (
  { policies, permissions }: Pick<AccessRows, 'policies' | 'permissions'>,
  { findNames, validated }: RuleScope,
): readonly RuleFault[] => {
  const policyNames = policyNamesOf(policies);
  const ofPermissions = permissions.flatMap((permission): readonly RuleFault[] => {
    const { policy, action, collection } = permission;
    const rule = `policy "${policyNames.get(policy) ?? policy}", ${action} of ${collection}`;
    return findPermissionFaults(permission, findNames).map((fault) => Object.assign({ rule }, fault));
  });
  const ofFields = validated.flatMap(({ collection, name, validation }) => {
    const names = findNames(collection) ?? noNames;
    return [...findValidationProblems(parseRule(validation), names), ...findUnsupportedIn(validation)].map(
      (problem): RuleFault => ({ rule: `field ${collection}.${name}`, part: 'validation', problem }),
    );
  });
  return [...ofPermissions, ...ofFields];
};

/** Returns the faults of one permission. */
export const findPermissionFaults = (
  { collection, fields, permissions, validation, presets }: Permission,
  findNames: FindNames,
): readonly PermissionFault[] => {
  const unsupported = findUnsupportedIn(validation).map((problem) => ({
    part: 'validation' as const,
    problem,
  }));
  const names = findNames(collection);
  if (names === undefined)
    return [{ part: 'collection', problem: `"${collection}" does not exist` }, ...unsupported];
  const isUnknown = (name: string): boolean => !names.fields.has(name) && !names.targets.has(name);
  const listed = (fields ?? []).filter((name) => name !== '*' && isUnknown(name));
  const missing = (part: PermissionFault['part'], found: readonly string[]): readonly PermissionFault[] =>
    [...new Set(found)].map((name) => ({ part, problem: `"${name}" does not exist` }));
  const [rows, validated] = [parseRule(permissions), parseRule(validation)];
  return [
    ...missing('fields', listed),
    ...missing('permissions', findPaths(rows.filter, { names, findNames })),
    ...findValidationProblems(validated, names).map((problem) => ({ part: 'validation' as const, problem })),
    ...missing('presets', Object.keys(presets ?? {}).filter(isUnknown)),
    ...findRegularExpressions(rows.filter).map(() => ({
      part: 'permissions' as const,
      problem: '"_regex" is only for validations',
    })),
    ...missing('permissions', findUnknownVariables(rows.values, findNames)),
    ...missing('validation', findUnknownVariables(validated.values, findNames)),
    ...missing('presets', findUnknownVariables(Object.values(presets ?? {}), findNames)),
    ...unsupported,
  ];
};

/** Prints a fault: `policy "Own", read of book, in "validation": "author" does not exist`. */
export const ruleFaultToText = ({ rule, part, problem }: RuleFault): string =>
  `${rule}, in "${part}": ${problem}`;

interface Scope {
  /** `null` behind a relation whose collection is not known. */
  readonly names: CollectionNames | null;
  readonly findNames: FindNames;
}

interface ParsedRule {
  readonly filter: Filter;
  /** The values that it compares with. */
  readonly values: readonly unknown[];
}

const noCondition: Filter = { kind: 'and', filters: [] };

/** Parses a rule; one that is no filter, which is rejected elsewhere, has no condition. */
const parseRule = (rule: Permission['permissions']): ParsedRule => {
  const values: unknown[] = [];
  try {
    const filter = rule === null ? noCondition : parseFilter(rule, values);
    return { filter, values: values.flat() };
  } catch {
    return { filter: noCondition, values: values.flat() };
  }
};

/** The collections whose columns variables read. */
const owners: ReadonlyMap<string, string> = new Map([
  ['$CURRENT_USER', 'svc_users'],
  ['$CURRENT_ROLE', 'svc_roles'],
  ['$CURRENT_ROLES', 'svc_roles'],
  ['$CURRENT_POLICIES', 'svc_policies'],
]);

const findUnknownVariables = (values: readonly unknown[], findNames: FindNames): readonly string[] =>
  values.filter((value): value is string => {
    if (typeof value !== 'string' || !value.startsWith('$')) return false;
    const [variable = '', column, ...rest] = value.split('.');
    if (isUnresolvable(value)) return true;
    const names = findNames(owners.get(variable) ?? '');
    return column !== undefined && rest.length === 0 && names?.fields.has(column) === false;
  });

/** Returns what a validation compares although it is no field of the item, which alone has a value when it is validated. */
const findValidationProblems = ({ filter }: ParsedRule, names: CollectionNames): readonly string[] => {
  const isKnown = (path: string): boolean => {
    const [name = ''] = path.split('.');
    return parseCall(path) !== null || names.fields.has(name) || names.targets.has(name);
  };
  const paths = findIncomparable(filter, names.fields);
  return [...new Set(paths)].map((path) =>
    isKnown(path)
      ? `"${path}" cannot be compared: a validation compares only fields of the item itself`
      : `"${path}" does not exist`,
  );
};

const findIncomparable = (filter: Filter, fields: CollectionNames['fields']): readonly string[] => {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.filters.flatMap((part) => findIncomparable(part, fields));
  if (filter.kind !== 'field') return [];
  return fields.has(filter.name) ? findBelow(filter.name, filter.filter) : [filter.name];
};

/** Returns the path of a field below which a filter does more than compare the value of the field. */
const findBelow = (name: string, filter: Filter): readonly string[] => {
  if (filter.kind === 'compare') return [];
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.filters.flatMap((part) => findBelow(name, part));
  return [filter.kind === 'field' ? `${name}.${filter.name}` : name];
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
    case 'json':
    case 'compare':
      return [];
  }
};

/** Returns the regular expressions of a rule, which no database evaluates. */
const findRegularExpressions = (filter: Filter): readonly string[] => {
  if (filter.kind === 'compare') return filter.operator === 'regex' ? ['_regex'] : [];
  return 'filters' in filter
    ? filter.filters.flatMap(findRegularExpressions)
    : findRegularExpressions(filter.filter);
};

const findFieldPaths = (called: string, filter: Filter, { names, findNames }: Scope): readonly string[] => {
  if (names === null) return [];
  const name = parseCall(called)?.argument ?? called;
  const target = names.targets.get(name);
  if (target === undefined && !names.fields.has(name)) return [name];
  const below = typeof target === 'string' ? findNames(target) : target === null ? null : noNames;
  return findPaths(filter, { names: below ?? null, findNames }).map((path) => `${name}.${path}`);
};

/** The names below a field that is no relation: none. */
const noNames: CollectionNames = { fields: new Set(), targets: new Map() };
