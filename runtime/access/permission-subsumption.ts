/** Decides whether a caller's own permissions subsume another: identical, or with more fields and rows. Pure. */
import { networksOf, policyPermissions, type AccessIndex } from './access-index.js';
import type { Permission } from './grant.js';
import type { PolicySet } from './policies.js';

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
export const subsumptionOf = ({ ids }: PolicySet, held: AccessIndex): Subsumes => {
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
        policy.permissions.some((permission) => subsumesPermission(permission, wanted, mayRead)),
    );
};

/** Returns whether the caller may read a field on every row. */
type MayRead = (collection: string, field: string) => boolean;

/** Compares lists of networks entry by entry; an empty list allows any address. */
const isWithin = (networks: readonly string[], own: readonly string[]): boolean =>
  own.length === 0 || (networks.length > 0 && networks.every((entry) => own.includes(entry)));

const subsumesPermission = (own: Permission, wanted: Permission, mayRead: MayRead): boolean =>
  own.collection === wanted.collection &&
  own.action === wanted.action &&
  subsumesFields(own.fields, wanted.fields) &&
  (toText(own.permissions) === toText(wanted.permissions) ||
    (isEmpty(own.permissions) &&
      revealsNothing(wanted.permissions, (field) => mayRead(wanted.collection, field)))) &&
  (isEmpty(own.validation) || toText(own.validation) === toText(wanted.validation)) &&
  toText(own.presets ?? {}) === toText(wanted.presets ?? {});

const subsumesFields = (own: Permission['fields'], wanted: Permission['fields']): boolean =>
  own?.includes('*') === true || (wanted ?? []).every((field) => own?.includes(field) === true);

const isEmpty = (rule: Permission['permissions']): boolean => rule === null || Object.keys(rule).length === 0;

/**
 * Returns whether a rule reveals nothing new to the caller. The rows that match a rule reveal the fields it compares,
 * so the caller must be able to read these; rules on related rows are never accepted.
 */
const revealsNothing = (rule: unknown, mayRead: (field: string) => boolean): boolean =>
  Object.entries(rule ?? {}).every(([name, operand]) =>
    name === '_and' || name === '_or'
      ? [operand].flat().every((part) => revealsNothing(part, mayRead))
      : mayRead(name) && isComparison(operand),
  );

const relationOperators: ReadonlySet<string> = new Set(['_some', '_none']);

const isComparison = (filter: unknown): boolean =>
  Object.entries(filter ?? {}).every(([operator, operand]) =>
    operator === '_and' || operator === '_or'
      ? [operand].flat().every(isComparison)
      : operator.startsWith('_') && !relationOperators.has(operator),
  );

/** Returns a rule as JSON, by which rules are compared: the order of keys matters. */
export const toText = (value: unknown): string => JSON.stringify(value);
