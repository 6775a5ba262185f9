/** Resolves variables in a caller's own query; a path such as `$CURRENT_USER.email` requires read permission. */
import type { Registry } from '../../contract/collection.js';
import { isMasked } from '../../contract/fields.js';
import { forbidden } from '../../contract/errors.js';
import type { Principal } from './principal.js';
import type { Rule } from './grant.js';
import { resolveVariable } from './variables.js';

export interface QueryVariableContext {
  readonly principal: Principal;
  readonly registry: Registry;
  readonly now: Date;
}

/** Resolves like `resolveVariable`. @throws FORBIDDEN for a path to a field that is not readable or does not exist */
export const resolveQueryVariable = (value: unknown, context: QueryVariableContext): unknown => {
  for (const cell of cellsOf(value)) {
    if (!mayRead(cell, context))
      throw forbidden(`the variable "${String(value)}" does not exist or may not be used`);
  }
  return resolveVariable(value, context.principal, context.now);
};

/** A field of a row that a variable reads. */
export interface Cell {
  readonly collection: string;
  readonly name: string;
  /** Variables to which a rule for the caller's own row compares the key. */
  readonly own: readonly string[];
}

const ofUser = (name: string): Cell => ({ collection: 'svc_users', name, own: ['$CURRENT_USER'] });
const ofAnyRole = (name: string): Cell => ({ collection: 'svc_roles', name, own: ['$CURRENT_ROLES'] });
/** Returns the first name as a field of the caller's role, the others as fields of its ancestors. */
const ofRole = ([first, ...rest]: readonly string[]): readonly Cell[] =>
  first === undefined
    ? []
    : [
        { collection: 'svc_roles', name: first, own: ['$CURRENT_ROLE', '$CURRENT_ROLES'] },
        ...rest.map(ofAnyRole),
      ];
const ofPolicy = (name: string): Cell => ({ collection: 'svc_policies', name, own: ['$CURRENT_POLICIES'] });

/** Returns the fields that a value reads; none for what is no variable with a path. */
export const cellsOf = (value: unknown): readonly Cell[] => {
  if (typeof value !== 'string' || !value.startsWith('$CURRENT_')) return [];
  const [variable, ...path] = value.split('.');
  const [first, ...rest] = path;
  if (first === undefined) return [];
  switch (variable) {
    case '$CURRENT_USER':
      return [ofUser(first), ...ofRole(rest)];
    case '$CURRENT_ROLE':
      return ofRole(path);
    case '$CURRENT_ROLES':
      return path.map(ofAnyRole);
    case '$CURRENT_POLICIES':
      return [ofPolicy(path.join('.'))];
    default:
      return [];
  }
};

const mayRead = ({ collection, name, own }: Cell, { principal, registry }: QueryVariableContext): boolean => {
  const found = registry.collections.get(collection);
  const grant = found === undefined ? null : principal.policies.grant(found, 'read');
  const rule = grant?.fields.get(name);
  const field = found?.fields.get(name);
  if (grant === null || rule === undefined || field === undefined || isMasked(field)) return false;
  return [grant.rows, rule].every((each) => includesOwn(each, own));
};

/** Returns whether a rule includes the caller's own row; rules other than "every row" and "own row" count as no. */
const includesOwn = (rule: Rule, own: readonly string[]): boolean => {
  if (rule.kind === 'always') return true;
  return rule.filters.some(
    ({ filter, values }) =>
      filter.kind === 'field' &&
      filter.name === 'id' &&
      filter.filter.kind === 'compare' &&
      (filter.filter.operator === 'eq' || filter.filter.operator === 'in') &&
      filter.filter.slot !== null &&
      [values[filter.filter.slot]].flat().some((value) => own.includes(String(value))),
  );
};
