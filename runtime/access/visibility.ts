/** Determines which parts of the API description a caller can see. */
import type { Registry } from '../../contract/collection.js';
import type { Principal } from './access.js';
import type { Grant } from './grant.js';
import type { Action, PolicySet } from './policies.js';

export interface Visibility {
  /** Fields and relations that the action reaches; `*`: every one; `null`: the action is not permitted. */
  can(collection: string, action: Action): ReadonlySet<string> | '*' | null;
  /** Readable fields and relations that are null on rows where their own permission does not hold. */
  partial(collection: string): ReadonlySet<string>;
  /** Fields that the caller's permissions fill in. */
  presets(collection: string, action: Action): ReadonlySet<string>;
  readonly level: 'public' | 'user' | 'admin';
}

/** What the policies of a caller permit. */
export const visibilityOf = (
  { user, policies }: Pick<Principal, 'user' | 'policies'>,
  registry: Registry,
): Visibility => ({
  level: policies.admin ? 'admin' : user === null ? 'public' : 'user',
  can(name, action) {
    const grant = grantOf(name, action, { policies, registry });
    if (grant === null) return null;
    return grant.everyField ? '*' : new Set(grant.fields.keys());
  },
  partial(name) {
    const fields = [...(grantOf(name, 'read', { policies, registry })?.fields ?? [])];
    return new Set(fields.flatMap(([field, rule]) => (rule.kind === 'always' ? [] : [field])));
  },
  presets: (name, action) =>
    new Set(Object.keys(grantOf(name, action, { policies, registry })?.presets ?? {})),
});

const grantOf = (
  name: string,
  action: Action,
  { policies, registry }: { readonly policies: PolicySet; readonly registry: Registry },
): Grant | null => {
  const collection = registry.collections.get(name);
  return collection === undefined ? null : policies.grant(collection, action);
};
