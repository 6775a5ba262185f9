/**
 * Finds rules that cannot be evaluated: they are no filters, name a collection, field, relation or variable that does not exist,
 * compare a field by an operator or with a value that its type has not, have a regular expression that is not supported, or
 * validate what is not a field of the item. What such a rule guards is refused. Pure.
 */
import type { Collection, Registry } from '../../contract/collection.js';
import { ApiError, ApiErrors } from '../../contract/errors.js';
import { findUnsupportedIn } from '../../contract/expressions.js';
import { parseCall } from '../../contract/functions.js';
import type { Permission, PermissionFault } from '../access/grant.js';
import { policyNamesOf, type AccessRows } from '../access/policies.js';
import { isUnresolvable } from '../access/variables.js';
import { parseFilter, type Filter } from '../request/filter.js';
import { findComparisonProblems, type ComparedField } from './rule-comparisons.js';

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
  readonly fields: ReadonlyMap<string, ComparedField>;
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
  fields,
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
  const unsupported = inPart('validation', findUnsupportedIn(validation));
  const names = findNames(collection);
  if (names === undefined) return [...inPart('collection', [missing(collection)]), ...unsupported];
  const isUnknown = (name: string): boolean => !names.fields.has(name) && !names.targets.has(name);
  const listed = (fields ?? []).filter((name) => name !== '*' && isUnknown(name));
  const [rows, validated] = [parseRule(permissions), parseRule(validation)];
  const inRows = findRowProblems(rows.filter, { names, findNames, values: rows.values });
  return [
    ...inPart('fields', listed.map(missing)),
    ...inPart('permissions', [
      ...rows.problems,
      ...inRows.map(({ path, problem }) => `"${path}" ${problem}`),
    ]),
    ...inPart('validation', [...validated.problems, ...findValidationProblems(validated, names)]),
    ...inPart(
      'presets',
      Object.keys(presets ?? {})
        .filter(isUnknown)
        .map(missing),
    ),
    ...findRegularExpressions(rows.filter).map(() => ({
      part: 'permissions' as const,
      problem: '"_regex" is only for validations',
    })),
    ...inPart('permissions', findUnknownVariables(rows.values, findNames).map(missing)),
    ...inPart('validation', findUnknownVariables(validated.values, findNames).map(missing)),
    ...inPart('presets', findUnknownVariables(Object.values(presets ?? {}), findNames).map(missing)),
    ...unsupported,
  ];
};

/** Returns the problems of a part as faults, each once. */
const inPart = (part: PermissionFault['part'], problems: readonly string[]): readonly PermissionFault[] =>
  [...new Set(problems)].map((problem) => ({ part, problem }));

const missing = (name: string): string => `"${name}" does not exist`;

/** Prints a fault: `policy "Own", read of book, in "validation": "author" does not exist`. */
export const ruleFaultToText = ({ rule, part, problem }: RuleFault): string =>
  `${rule}, in "${part}": ${problem}`;

interface Scope {
  /** `null` behind a relation whose collection is not known. */
  readonly names: CollectionNames | null;
  readonly findNames: FindNames;
  /** The values of the rule by slot. */
  readonly values: readonly unknown[];
}

/** A problem of the rule at a path of names, such as `does not exist`. */
interface RowProblem {
  readonly path: string;
  readonly problem: string;
}

interface ParsedRule {
  readonly filter: Filter;
  /** The values that it compares with, by slot. */
  readonly values: readonly unknown[];
  /** Why it is no filter. */
  readonly problems: readonly string[];
}

const noCondition: Filter = { kind: 'and', filters: [] };

/** Parses a rule; one that is no filter has problems, and no condition. */
const parseRule = (rule: Permission['permissions']): ParsedRule => {
  const values: unknown[] = [];
  try {
    const filter = rule === null ? noCondition : parseFilter(rule, values);
    return { filter, values, problems: [] };
  } catch (error) {
    return { filter: noCondition, values: [], problems: reasonsOf(error) };
  }
};

const reasonsOf = (error: unknown): readonly string[] => {
  if (error instanceof ApiErrors) return error.problems.flatMap(reasonsOf);
  if (error instanceof ApiError) return [String(error.details.reason)];
  throw error;
};

/** The collections whose columns variables read. */
const owners: ReadonlyMap<string, string> = new Map([
  ['$CURRENT_USER', 'svc_users'],
  ['$CURRENT_ROLE', 'svc_roles'],
  ['$CURRENT_ROLES', 'svc_roles'],
  ['$CURRENT_POLICIES', 'svc_policies'],
]);

const findUnknownVariables = (values: readonly unknown[], findNames: FindNames): readonly string[] =>
  values.flat().filter((value): value is string => {
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

const findRowProblems = (filter: Filter, scope: Scope): readonly RowProblem[] => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.flatMap((part) => findRowProblems(part, scope));
    case 'some':
    case 'none':
      return findRowProblems(filter.filter, scope);
    case 'field':
      return findFieldProblems(filter.name, filter.filter, scope);
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

const findFieldProblems = (called: string, filter: Filter, scope: Scope): readonly RowProblem[] => {
  const { names, findNames, values } = scope;
  if (names === null) return [];
  const call = parseCall(called);
  const name = call?.argument ?? called;
  const field = names.fields.get(name);
  const target = names.targets.get(name);
  if (target === undefined && field === undefined) return [{ path: name, problem: 'does not exist' }];
  const below = typeof target === 'string' ? findNames(target) : target === null ? null : noNames;
  // the value of a function is of another type
  const compared = field === undefined || call !== null ? [] : findComparisonProblems(field, filter, values);
  return [
    ...compared.map((problem) => ({ path: name, problem })),
    ...findRowProblems(filter, { ...scope, names: below ?? null }).map(({ path, problem }) => ({
      path: `${name}.${path}`,
      problem,
    })),
  ];
};

/** The names below a field that is no relation: none. */
const noNames: CollectionNames = { fields: new Map(), targets: new Map() };
