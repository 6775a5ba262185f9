/** Indexes the access rows by policy, permission and holder. */
import { trimEntries } from './addresses.js';
import type { Permission } from './grant.js';
import { createPolicyIndex, type AccessRows, type PolicyIndex, type User } from './policies.js';

/** The key of a user and of the user's role. */
export type UserWithRole = Pick<User, 'id' | 'role'>;

export interface AccessIndex {
  readonly rows: AccessRows;
  readonly policyIndex: PolicyIndex;
  readonly admins: ReadonlySet<string>;
  /** Ids of policies that require a second factor. */
  readonly secondFactorPolicies: ReadonlySet<string>;
  /** Networks by policy; a policy without networks applies to any address. */
  readonly networks: ReadonlyMap<string, readonly string[]>;
  readonly permissions: ReadonlyMap<string, readonly Permission[]>;
}

/** Indexes the rows once for many decisions. Permissions of policies that do not exist are ignored. */
export const indexAccess = (rows: AccessRows): AccessIndex => {
  const permissions = new Map<string, Permission[]>(rows.policies.map(({ id }) => [id, []]));
  for (const permission of rows.permissions) permissions.get(permission.policy)?.push(permission);
  return {
    rows,
    policyIndex: createPolicyIndex(rows),
    admins: idsOf(rows.policies.filter(({ admin }) => admin)),
    secondFactorPolicies: idsOf(rows.policies.filter(({ secondFactor }) => secondFactor === true)),
    networks: new Map(rows.policies.map(({ id, addresses = [] }) => [id, trimEntries(addresses)])),
    permissions,
  };
};

const idsOf = (policies: AccessRows['policies']): ReadonlySet<string> =>
  new Set(policies.map(({ id }) => id));

/** Returns the permissions of a policy; none where it does not exist. */
export const policyPermissions = ({ permissions }: AccessIndex, policy: string): readonly Permission[] =>
  permissions.get(policy) ?? [];

/** Returns the networks from which a policy applies; none means from everywhere. */
export const networksOf = ({ networks }: AccessIndex, policy: string): readonly string[] =>
  networks.get(policy) ?? [];

/** Returns the ids of a user's role and of the roles above it. */
export const rolesOf = ({ id, role }: UserWithRole, { policyIndex }: AccessIndex): readonly string[] =>
  policyIndex.rolesOf({ id, role, status: '', columns: {} });

/** Returns the policies that a user holds directly and through roles, without the public ones. */
export const heldPolicies = (user: UserWithRole, index: AccessIndex): readonly string[] => {
  const roles = rolesOf(user, index);
  return index.rows.access
    .filter((access) => access.user === user.id || (access.role !== null && roles.includes(access.role)))
    .map(({ policy }) => policy);
};

/** Returns the policies whose access rows name neither user nor role, which hold for every caller. */
export const publicPolicies = ({ rows }: AccessIndex): readonly string[] =>
  rows.access.filter(({ user, role }) => user === null && role === null).map(({ policy }) => policy);
