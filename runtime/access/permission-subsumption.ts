/** Decides whether a caller's own permissions subsume another: identical, or with more fields and rows. Pure. */
import type { Registry } from '../../contract/collection.js';
import { networksOf, policyPermissions, type AccessIndex } from './access-index.js';
import type { Permission } from './grant.js';
import type { PolicySet } from './policies.js';
import { revealsNothing, type DisclosureScope, type MayRead } from './rule-disclosure.js';

/** Conditions under which a policy applies. */
export interface PolicyConditions {
  /** Client networks; empty for any address. */
  readonly networks: readonly string[];
  /** True where the policy requires a second factor. */
  readonly secondFactor: boolean;
}

/** Returns whether the caller holds a permission under conditions no stricter than those given; null for any. */
export type Subsumes = (wanted: Permission, conditions: PolicyConditions | null) => boolean;

/** Returns the conditions under which the permissions of a policy count. */
export const conditionsOf = (index: AccessIndex, policy: string): PolicyConditions => ({
  networks: networksOf(index, policy),
  secondFactor: index.secondFactorPolicies.has(policy),
});

/** Returns the check of a caller; a permission counts only under the conditions of the caller's own policy. */
export const subsumptionOf = ({ ids }: PolicySet, held: AccessIndex, registry: Registry): Subsumes => {
  const own = ids.map((id) => ({ ...conditionsOf(held, id), permissions: policyPermissions(held, id) }));
  const reads = own
    .flatMap(({ permissions }) => permissions)
    .filter(({ action, permissions }) => action === 'read' && isEmpty(permissions));
  const mayRead: MayRead = (collection, field) =>
    reads.some((each) => each.collection === collection && subsumesFields(each.fields, [field]));
  return (wanted, conditions) =>
    own.some(
      (policy) =>
        (conditions === null ||
          (isWithin(conditions.networks, policy.networks) &&
            (conditions.secondFactor || !policy.secondFactor))) &&
        policy.permissions.some((permission) =>
          subsumesPermission(permission, wanted, { registry, mayRead }),
        ),
    );
};

/** Compares lists of networks entry by entry; an empty list allows any address. */
const isWithin = (networks: readonly string[], own: readonly string[]): boolean =>
  own.length === 0 || (networks.length > 0 && networks.every((entry) => own.includes(entry)));

const subsumesPermission = (own: Permission, wanted: Permission, scope: DisclosureScope): boolean => {
  const subsumesRule = (part: 'permissions' | 'validation'): boolean =>
    toText(own[part]) === toText(wanted[part]) ||
    (isEmpty(own[part]) && revealsNothing(wanted[part], wanted.collection, scope));
  return (
    own.collection === wanted.collection &&
    own.action === wanted.action &&
    subsumesFields(own.fields, wanted.fields) &&
    subsumesRule('permissions') &&
    subsumesRule('validation') &&
    toText(own.presets ?? {}) === toText(wanted.presets ?? {})
  );
};

const subsumesFields = (own: Permission['fields'], wanted: Permission['fields']): boolean =>
  own?.includes('*') === true || (wanted ?? []).every((field) => own?.includes(field) === true);

const isEmpty = (rule: Permission['permissions']): boolean => rule === null || Object.keys(rule).length === 0;

/** Returns a rule as JSON, by which rules are compared: the order of keys matters. */
export const toText = (value: unknown): string => JSON.stringify(value);
