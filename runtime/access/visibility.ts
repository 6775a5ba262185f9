/** Determines which parts of the API description a caller can see. */
import type { Registry } from '../../contract/collection.js';
import type { Principal } from './principal.js';
import type { Grant } from './grant.js';
import type { Action, PolicySet } from './policies.js';

export interface Visibility {
  /** Returns the fields and relations that an action permits, `*` for all, or null if it is not permitted. */
  visibleNames(collection: string, action: Action): ReadonlySet<string> | '*' | null;
  /** Returns the readable fields and relations that are null on rows which their own rule excludes. */
  conditionalNames(collection: string): ReadonlySet<string>;
  /** Returns the fields that the caller's permissions preset. */
  presetNames(collection: string, action: Action): ReadonlySet<string>;
  readonly level: Level;
}

const ranks = { public: 0, user: 1, operator: 2, admin: 3 } as const;

type Level = keyof typeof ranks;

/** Returns whether a part of the description that names an `access` is visible at a level. */
export const isVisibleAt = (access: unknown, level: Level): boolean =>
  typeof access !== 'string' || (ranks[access as Level] ?? 0) <= ranks[level];

/** Returns the visibility for a caller's policies. */
export const visibilityOf = (
  { user, policies }: Pick<Principal, 'user' | 'policies'>,
  registry: Registry,
): Visibility => ({
  level: levelOf(user, policies),
  visibleNames(name, action) {
    const grant = grantOf(name, action, { policies, registry });
    if (grant === null) return null;
    return grant.everyField ? '*' : new Set(grant.fields.keys());
  },
  conditionalNames(name) {
    const fields = [...(grantOf(name, 'read', { policies, registry })?.fields ?? [])];
    return new Set(fields.flatMap(([field, rule]) => (rule.kind === 'always' ? [] : [field])));
  },
  presetNames: (name, action) =>
    new Set(Object.keys(grantOf(name, action, { policies, registry })?.presets ?? {})),
});

const levelOf = (user: Principal['user'], { admin, operator }: PolicySet): Level => {
  if (admin) return 'admin';
  if (operator) return 'operator';
  return user === null ? 'public' : 'user';
};

const grantOf = (
  name: string,
  action: Action,
  { policies, registry }: { readonly policies: PolicySet; readonly registry: Registry },
): Grant | null => {
  const collection = registry.collections.get(name);
  return collection === undefined ? null : policies.grant(collection, action);
};
