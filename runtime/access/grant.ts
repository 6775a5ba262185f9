/**
 * Creates grants: the fields and rows that a set of policies permits for an action on a collection. Plans require a
 * grant, and only this module can create one, so that no plan bypasses access control.
 */
import type { Collection } from '../../contract/collection.js';
import { parseFilter, type Filter } from '../request/filter.js';
import { isUnresolvable } from './variables.js';

/** A row of `svc_permissions`. */
export interface Permission {
  readonly collection: string;
  readonly action: string;
  /** Item filter; `null` or empty for every row. */
  readonly permissions: Readonly<Record<string, unknown>> | null;
  readonly validation: Readonly<Record<string, unknown>> | null;
  readonly presets: Readonly<Record<string, unknown>> | null;
  /** `*` or field names; `null` for none. */
  readonly fields: readonly string[] | null;
}

/** A condition on rows; several filters are combined with OR. */
export type Rule =
  | { readonly kind: 'always' }
  | { readonly kind: 'filters'; readonly filters: readonly RuleFilter[] };

export interface RuleFilter {
  readonly filter: Filter;
  readonly values: readonly unknown[];
}

declare const granted: unique symbol;

export interface Grant {
  readonly [granted]: true;
  readonly collection: Collection;
  readonly action: string;
  /** True where every field is permitted (`*` or admin); only then do errors distinguish unknown from forbidden names. */
  readonly everyField: boolean;
  readonly admin: boolean;
  /** Rows on which the action is permitted. */
  readonly rows: Rule;
  /** Permitted fields and relations, each with the rows (within `rows`) on which it is permitted. */
  readonly fields: ReadonlyMap<string, Rule>;
  readonly presets: Readonly<Record<string, unknown>>;
  /** The permissions combined in the grant; empty for an administrator. */
  readonly permissions: readonly ParsedPermission[];
}

/** A permission whose filters are parsed. */
export interface ParsedPermission {
  readonly rows: Rule;
  /** Condition on payloads. */
  readonly validation: Rule;
  /** `*` or field names; `null` for none. */
  readonly fields: readonly string[] | null;
  readonly presets: Readonly<Record<string, unknown>> | null;
}

export interface GrantOptions {
  readonly collection: Collection;
  readonly action: string;
  readonly admin: boolean;
  /** Permissions of this collection and action only. */
  readonly permissions: readonly Permission[];
}

/** A fault in one part of a permission. */
export interface PermissionFault {
  /** `collection` where its collection does not exist. */
  readonly part: 'collection' | 'fields' | 'permissions' | 'validation' | 'presets';
  /** The problem with the path from the collection, such as `"author.colour" does not exist`. */
  readonly problem: string;
}

export const always: Rule = { kind: 'always' };

/**
 * Returns the grant of an action on a collection, or null if nothing is permitted: without a permission, and for
 * writes to a read-only collection.
 */
export const createGrant = ({ collection, action, admin, permissions }: GrantOptions): Grant | null => {
  if (collection.readonly && action !== 'read') return null;
  if (admin) return grantAll(collection, action);
  const readable = permissions.flatMap(parsePermission);
  return readable.length === 0 ? null : grantPermissions({ collection, action, permissions: readable });
};

/** Returns a grant with only some of its permissions, or null if none is left. */
export const restrictGrant = (
  { collection, action, permissions }: Grant,
  isIncluded: (permission: ParsedPermission) => boolean,
): Grant | null => {
  const included = permissions.filter(isIncluded);
  return included.length === 0 ? null : grantPermissions({ collection, action, permissions: included });
};

const grantAll = (collection: Collection, action: string): Grant =>
  ({
    collection,
    action,
    admin: true,
    everyField: true,
    rows: always,
    fields: everyName(collection),
    presets: {},
    permissions: [],
  }) as unknown as Grant;

const grantPermissions = ({
  collection,
  action,
  permissions,
}: Pick<Grant, 'collection' | 'action' | 'permissions'>): Grant => {
  return {
    collection,
    action,
    admin: false,
    everyField: permissions.some(({ fields }) => fields?.includes('*')),
    rows: uniteRules(permissions.map((permission) => permission.rows)),
    fields: uniteFields(collection, permissions),
    presets: Object.assign({}, ...permissions.map(({ presets }) => presets ?? {})),
    permissions,
  } as unknown as Grant;
};

/** Parses a permission; one with an invalid rule permits nothing. */
const parsePermission = ({ permissions, validation, fields, presets }: Permission): ParsedPermission[] => {
  try {
    if (Object.values(presets ?? {}).some(isUnresolvable)) return [];
    return [{ rows: toRule(permissions), validation: toRule(validation), fields, presets }];
  } catch {
    return [];
  }
};

/** Parses a filter. @throws Error for an invalid filter or a variable that cannot be resolved */
const toRule = (filter: Readonly<Record<string, unknown>> | null): Rule => {
  if (filter === null || Object.keys(filter).length === 0) return always;
  const values: unknown[] = [];
  const parsed = parseFilter(filter, values);
  const invalid = values.flat().find(isUnresolvable);
  if (invalid !== undefined) throw new Error(`${String(invalid)} cannot be resolved`);
  return { kind: 'filters', filters: [{ filter: parsed, values }] };
};

const uniteRules = (rules: readonly Rule[]): Rule => {
  const filters: RuleFilter[] = [];
  for (const rule of rules) {
    if (rule.kind === 'always') return always;
    filters.push(...rule.filters);
  }
  return { kind: 'filters', filters };
};

const namesOf = (collection: Collection): string[] => [
  ...new Set([...collection.fields.keys(), ...collection.relations.keys()]),
];

const everyName = (collection: Collection): ReadonlyMap<string, Rule> =>
  new Map(namesOf(collection).map((name) => [name, always]));

/**
 * Combines the field lists of permissions. A field that every permission lists needs no rule of its own, because the
 * rule of the rows is the same.
 */
const uniteFields = (
  collection: Collection,
  permissions: readonly ParsedPermission[],
): ReadonlyMap<string, Rule> => {
  const fields = new Map<string, Rule>();
  for (const name of namesOf(collection)) {
    const listing = permissions.filter((permission) => listsField(permission, name));
    if (listing.length === 0) continue;
    const rule = uniteRules(listing.map((permission) => permission.rows));
    fields.set(name, listing.length === permissions.length ? always : rule);
  }
  return fields;
};

/** Returns whether a permission lists a field, by name or by `*`; without a list it lists none. */
export const listsField = ({ fields }: Pick<ParsedPermission, 'fields'>, name: string): boolean =>
  fields?.includes('*') === true || fields?.includes(name) === true;
