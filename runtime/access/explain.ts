/** Explains which policies permit an action on a collection to a user. Pure. */
import { trimEntries } from './addresses.js';
import type { Permission, PermissionFault } from './grant.js';
import type { AccessRows, Action, User } from './policies.js';
import { createPolicyIndex } from './policies.js';

export interface Explanation {
  readonly access: 'none' | 'partial' | 'full';
  /** Policies that permit the action. */
  readonly policies: readonly PolicyExplanation[];
  /** True where the collection cannot be written, regardless of policies. */
  readonly readonly: boolean;
  /** Addresses from which the user may connect; empty for any address. */
  readonly addresses: readonly string[];
  /** True where a policy requires one-time passwords that the user has not set up; nothing is permitted until then. */
  readonly pending: boolean;
}

export interface PolicyExplanation {
  readonly id: string;
  readonly name: string;
  /** `user`, `role <name>` or `public`. */
  readonly heldBy: readonly string[];
  readonly admin: boolean;
  /** Addresses to which the policy applies; empty for any address. */
  readonly addresses: readonly string[];
  readonly permissions: readonly PermissionExplanation[];
}

export interface PermissionExplanation extends Omit<Permission, 'collection' | 'action'> {
  /** The reason for which its rules cannot be evaluated. */
  readonly faults: readonly PermissionFault[];
}

interface ExplainOptions {
  readonly user: User;
  readonly collection: { readonly name: string; readonly readonly: boolean };
  readonly action: Action;
  /** Returns why the rules of a permission cannot be evaluated. */
  readonly findFaults: (permission: Permission) => readonly PermissionFault[];
}

/**
 * Explains an action as the rows are now, for any address and any row: conditions are part of the answer, not
 * evaluated.
 */
export const explainAccess = (
  rows: AccessRows,
  { user, collection, action, findFaults }: ExplainOptions,
): Explanation => {
  const policyIndex = createPolicyIndex(rows);
  const roles = policyIndex.rolesOf(user);
  const nameOf = (id: string): string => String(policyIndex.records.roles.get(id)?.name ?? id);
  const holdersOf = (policy: string): readonly string[] =>
    rows.access
      .filter((access) => access.policy === policy)
      .flatMap((access) => {
        if (access.user === user.id) return ['user'];
        if (access.role !== null) return roles.includes(access.role) ? [`role ${nameOf(access.role)}`] : [];
        return access.user === null && roles.length === 0 ? ['public'] : [];
      });
  const held = rows.policies
    .map((policy) => ({ ...policy, heldBy: holdersOf(policy.id) }))
    .filter(({ heldBy }) => heldBy.length > 0);
  const isReadOnly = collection.readonly && action !== 'read';
  const policies = (isReadOnly ? [] : held)
    .map(({ id, admin, addresses = [], columns, heldBy }) => ({
      id,
      name: String(columns?.name ?? id),
      heldBy,
      admin,
      addresses: trimEntries(addresses),
      permissions: rows.permissions
        .filter((each) => each.policy === id && each.collection === collection.name && each.action === action)
        .map((permission) => {
          const { permissions, validation, presets, fields } = permission;
          return { permissions, validation, presets, fields, faults: findFaults(permission) };
        }),
    }))
    .filter(({ admin, permissions }) => admin || permissions.length > 0);
  return {
    access: accessOf(policies),
    policies,
    readonly: collection.readonly,
    addresses: trimEntries(String(user.columns.ip_access ?? '').split(',')),
    pending: user.secondFactor !== true && held.some(({ secondFactor }) => secondFactor === true),
  };
};

const accessOf = (policies: readonly PolicyExplanation[]): Explanation['access'] => {
  if (policies.length === 0) return 'none';
  const isUnrestricted = ({ permissions: rule, fields }: PolicyExplanation['permissions'][number]): boolean =>
    Object.keys(rule ?? {}).length === 0 && fields?.includes('*') === true;
  return policies.some(({ admin, permissions }) => admin || permissions.some(isUnrestricted))
    ? 'full'
    : 'partial';
};
