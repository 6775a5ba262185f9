/** Variables in a caller's own query: a path reads a cell, and takes the permission to read it. */
import type { Registry } from '../../contract/collection.js';
import { forbidden } from '../../contract/errors.js';
import type { Principal } from './access.js';
import type { Rule } from './grant.js';
import { resolveVariable } from './variables.js';

export interface QueryVariableContext {
  readonly principal: Principal;
  readonly registry: Registry;
  readonly now: Date;
}

/** As `resolveVariable`. @throws FORBIDDEN for the path to a cell the caller may not read, or that does not exist */
export const resolveQueryVariable = (value: unknown, asking: QueryVariableContext): unknown => {
  for (const cell of cellsOf(value)) {
    if (!mayRead(cell, asking))
      throw forbidden(`the variable "${String(value)}" does not exist or may not be used`);
  }
  return resolveVariable(value, asking.principal, asking.now);
};

interface Cell {
  readonly collection: string;
  readonly name: string;
  /** Variables that a rule limited to the caller's own row compares the key with. */
  readonly own: readonly string[];
}

const ofUser = (name: string): Cell => ({ collection: 'svc_users', name, own: ['$CURRENT_USER'] });
const ofAnyRole = (name: string): Cell => ({ collection: 'svc_roles', name, own: ['$CURRENT_ROLES'] });
/** The first cell is of the role itself, those after it of the roles above. */
const ofRole = ([first, ...rest]: readonly string[]): readonly Cell[] =>
  first === undefined
    ? []
    : [
        { collection: 'svc_roles', name: first, own: ['$CURRENT_ROLE', '$CURRENT_ROLES'] },
        ...rest.map(ofAnyRole),
      ];
const ofPolicy = (name: string): Cell => ({ collection: 'svc_policies', name, own: ['$CURRENT_POLICIES'] });

const cellsOf = (value: unknown): readonly Cell[] => {
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
  if (grant === null || rule === undefined) return false;
  return [grant.rows, rule].every((each) => reachesOwn(each, own));
};

/** Of rules that are neither for every row nor for the own one, nothing is known here: they do not do. */
const reachesOwn = (rule: Rule, own: readonly string[]): boolean => {
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
