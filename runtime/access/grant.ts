/**
 * A grant: what one set of policies permits for one action on one collection. Plans take a grant, and only this
 * module can make one, so no plan exists without access having been asked.
 */
import type { Collection } from '../../contract/collection.js';
import { parseFilter, type Filter } from '../request/filter.js';
import { isUnresolvable } from './variables.js';

/** One row of `svc_permissions`. */
export interface Permission {
  readonly collection: string;
  readonly action: string;
  /** Item filter; `null` or empty: every row. */
  readonly permissions: Readonly<Record<string, unknown>> | null;
  readonly validation: Readonly<Record<string, unknown>> | null;
  readonly presets: Readonly<Record<string, unknown>> | null;
  /** `*`, or names; `null`: none. */
  readonly fields: readonly string[] | null;
}

/** Which rows a permission reaches. Several filters are joined by or. */
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
  /** Every field, now and later: `*` or admin. Unknown and forbidden names are told apart only then. */
  readonly everyField: boolean;
  readonly admin: boolean;
  /** Rows this action reaches at all. */
  readonly rows: Rule;
  /** Fields and relations that are permitted, each on the rows of its rule (within `rows`). */
  readonly fields: ReadonlyMap<string, Rule>;
  readonly presets: Readonly<Record<string, unknown>>;
  /** What it is united from; empty for an administrator. */
  readonly permissions: readonly ReadPermission[];
}

/** A permission whose filters are parsed. */
export interface ReadPermission {
  readonly rows: Rule;
  /** What a payload must pass to be permitted by it. */
  readonly validation: Rule;
  /** `*`, or names; `null`: none. */
  readonly fields: readonly string[] | null;
  readonly presets: Readonly<Record<string, unknown>> | null;
}

export interface GrantOptions {
  readonly collection: Collection;
  readonly action: string;
  readonly admin: boolean;
  /** Those of this collection and action. */
  readonly permissions: readonly Permission[];
}

export const always: Rule = { kind: 'always' };

/** `null` when nothing is permitted: no permission means no access (closed by default), and nobody writes what svc alone does. */
export const createGrant = ({ collection, action, admin, permissions }: GrantOptions): Grant | null => {
  if (collection.readonly && action !== 'read') return null;
  if (admin) return uniteAll(collection, action);
  const readable = permissions.flatMap(readPermission);
  return readable.length === 0 ? null : unitePermissions({ collection, action, permissions: readable });
};

/**
 * What is left of a grant where only some of its permissions count: each brings its own rows and fields.
 * `null`: nothing.
 */
export const restrictGrant = (
  { collection, action, permissions }: Grant,
  counts: (permission: ReadPermission) => boolean,
): Grant | null => {
  const left = permissions.filter(counts);
  return left.length === 0 ? null : unitePermissions({ collection, action, permissions: left });
};

const uniteAll = (collection: Collection, action: string): Grant =>
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

const unitePermissions = ({
  collection,
  action,
  permissions,
}: Pick<Grant, 'collection' | 'action' | 'permissions'>): Grant => {
  const rows = unite(permissions.map((permission) => permission.rows));
  return {
    collection,
    action,
    admin: false,
    everyField: permissions.some(({ fields }) => fields?.includes('*')),
    rows,
    fields: uniteFields(collection, permissions, rows),
    presets: Object.assign({}, ...permissions.map(({ presets }) => presets ?? {})),
    permissions,
  } as unknown as Grant;
};

/** A permission whose rules make no sense permits nothing. */
const readPermission = ({ permissions, validation, fields, presets }: Permission): ReadPermission[] => {
  try {
    if (Object.values(presets ?? {}).some(isUnresolvable)) return [];
    return [{ rows: toRule(permissions), validation: toRule(validation), fields, presets }];
  } catch {
    return [];
  }
};

/** @throws where it is no filter, or holds a variable that can never be resolved */
const toRule = (filter: Readonly<Record<string, unknown>> | null): Rule => {
  if (filter === null || Object.keys(filter).length === 0) return always;
  const values: unknown[] = [];
  const parsed = parseFilter(filter, values);
  const wrong = values.flat().find(isUnresolvable);
  if (wrong !== undefined) throw new Error(`${String(wrong)} is no moment`);
  return { kind: 'filters', filters: [{ filter: parsed, values }] };
};

const unite = (rules: readonly Rule[]): Rule => {
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

/** A field that every reaching permission lists needs no rule of its own: the row's rule says it all. */
const uniteFields = (
  collection: Collection,
  permissions: readonly ReadPermission[],
  rows: Rule,
): ReadonlyMap<string, Rule> => {
  const fields = new Map<string, Rule>();
  for (const name of namesOf(collection)) {
    const listing = permissions.filter((permission) => listsField(permission, name));
    if (listing.length === 0) continue;
    const rule = unite(listing.map((permission) => permission.rows));
    fields.set(name, listing.length === permissions.length || rows === rule ? always : rule);
  }
  return fields;
};

export const listsField = ({ fields }: Pick<ReadPermission, 'fields'>, name: string): boolean =>
  fields?.includes('*') === true || fields?.includes(name) === true;
