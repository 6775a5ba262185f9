/** Indexes the access rows of the database and builds policy sets from them. Pure. */
import type { Collection } from '../../contract/collection.js';
import { apiError } from '../../contract/errors.js';
import { createAddressList, type AddressList } from './addresses.js';
import { createGrant, type Grant, type Permission } from './grant.js';

export type Action = 'create' | 'read' | 'update' | 'delete';

/** Columns that variables may name, without masked ones. */
export type Columns = Readonly<Record<string, unknown>>;

export interface AccessRows {
  /** Number of changes of users, roles, policies, access and permissions. */
  readonly version: string;
  readonly roles: readonly {
    readonly id: string;
    readonly parent: string | null;
    readonly columns?: Columns;
  }[];
  readonly policies: readonly {
    readonly id: string;
    readonly admin: boolean;
    /** Whether the policy requires a second factor. */
    readonly secondFactor?: boolean;
    /** Addresses and networks to which the policy applies; empty for any address. */
    readonly addresses?: readonly string[];
    readonly columns?: Columns;
  }[];
  readonly access: readonly {
    readonly policy: string;
    readonly role: string | null;
    readonly user: string | null;
  }[];
  readonly permissions: readonly (Permission & { readonly policy: string })[];
}

export interface User {
  readonly id: string;
  readonly role: string | null;
  readonly status: string;
  /** Whether one-time passwords are set up, or the identity provider is responsible for the second factor. */
  readonly secondFactor?: boolean;
  /** Columns that `$CURRENT_USER.<column>` may name, without masked ones. */
  readonly columns: Columns;
}

/** A distinct set of policies; all callers that hold it share its grants and caches. */
export interface PolicySet {
  readonly ids: readonly string[];
  readonly admin: boolean;
  /** Whether any of the policies requires a second factor. */
  readonly requiresSecondFactor: boolean;
  /** Permissions of all policies in the set. */
  readonly permissions: readonly Permission[];
  /** Returns the grant of an action on a collection, or null if nothing is permitted. */
  grant(collection: Collection, action: Action): Grant | null;
  /** Results compiled from the grants by later stages, by a key object of each stage. */
  readonly cache: Map<object, unknown>;
}

export interface PolicyIndex {
  readonly version: string;
  readonly records: AccessRecords;
  /**
   * Returns the policies of a user, or the public policies for null, without those that do not apply to the address.
   * @throws INVALID_IP when none of a user's own policies applies
   */
  policiesOf(user: User | null, address?: () => string): PolicySet;
  /** The set without policies, which permits nothing. */
  readonly emptySet: PolicySet;
  /** Returns whether the policies of a user depend on the client address. */
  dependsOnAddress(user: User | null): boolean;
  /** Returns the user's role and its ancestors. */
  rolesOf(user: User | null): readonly string[];
}

/** Columns of roles and policies by id, for variables such as `$CURRENT_ROLE.name`. */
export interface AccessRecords {
  readonly roles: ReadonlyMap<string, Columns>;
  readonly policies: ReadonlyMap<string, Columns>;
}

/** Indexes the rows; policy sets are created on first use and kept. */
export const createPolicyIndex = (rows: AccessRows): PolicyIndex => {
  const parents = new Map(rows.roles.map((role) => [role.id, role.parent]));
  const admins = new Set(rows.policies.filter((policy) => policy.admin).map((policy) => policy.id));
  const lists = new Map(
    rows.policies.map(({ id, addresses = [] }): [string, AddressList] => [id, createAddressList(addresses)]),
  );
  const secondFactorPolicies = new Set(
    rows.policies.filter((policy) => policy.secondFactor === true).map((policy) => policy.id),
  );
  const sets = new Map<string, PolicySet>();

  const rolesOf = (user: User | null): readonly string[] => ancestors(user?.role ?? null, parents);

  const heldBy = (user: User | null): HeldPolicies => {
    const roles = new Set(rolesOf(user));
    const isOwn = (access: AccessRows['access'][number]): boolean =>
      user !== null && (access.user === user.id || (access.role !== null && roles.has(access.role)));
    const isPublic = (access: AccessRows['access'][number]): boolean =>
      access.user === null && access.role === null && roles.size === 0;
    const known = rows.access.filter((access) => lists.has(access.policy));
    return { own: policiesIn(known.filter(isOwn)), public: policiesIn(known.filter(isPublic)) };
  };

  const toSet = (ids: readonly string[]): PolicySet => {
    const key = ids.join();
    const present = sets.get(key);
    if (present !== undefined) return present;
    const created = createPolicySet(ids, {
      admin: ids.some((id) => admins.has(id)),
      requiresSecondFactor: ids.some((id) => secondFactorPolicies.has(id)),
      rows,
    });
    sets.set(key, created);
    return created;
  };

  return {
    version: rows.version,
    records: { roles: columnsById(rows.roles), policies: columnsById(rows.policies) },
    emptySet: toSet([]),
    rolesOf,
    dependsOnAddress(user) {
      const held = heldBy(user);
      return [...held.own, ...held.public].some((id) => lists.get(id) !== null);
    },
    policiesOf(user, address = () => '') {
      const held = heldBy(user);
      const isIn = (id: string): boolean => lists.get(id)?.has(address()) ?? true;
      const own = held.own.filter(isIn);
      if (own.length === 0 && held.own.length > 0) throw apiError('INVALID_IP', {});
      return toSet([...new Set([...own, ...held.public.filter(isIn)])].sort());
    },
  };
};

/** Ids of the policies of a user. */
interface HeldPolicies {
  readonly own: readonly string[];
  /** Public policies; empty for users with a role. */
  readonly public: readonly string[];
}

const columnsById = (
  rows: readonly { readonly id: string; readonly columns?: Columns }[],
): ReadonlyMap<string, Columns> => new Map(rows.map(({ id, columns = {} }) => [id, columns]));

const policiesIn = (held: AccessRows['access']): string[] => held.map((access) => access.policy);

const ancestors = (role: string | null, parents: ReadonlyMap<string, string | null>): string[] => {
  const chain: string[] = [];
  for (let id = role; id !== null && parents.has(id) && !chain.includes(id); id = parents.get(id) ?? null) {
    chain.push(id);
  }
  return chain;
};

const createPolicySet = (
  ids: readonly string[],
  {
    admin,
    requiresSecondFactor,
    rows,
  }: Pick<PolicySet, 'admin' | 'requiresSecondFactor'> & { readonly rows: AccessRows },
): PolicySet => {
  const held = new Set(ids);
  const permissions = rows.permissions.filter((permission) => held.has(permission.policy));
  const grants = new Map<string, Grant | null>();
  return {
    ids,
    admin,
    requiresSecondFactor,
    permissions,
    cache: new Map(),
    grant(collection, action) {
      const key = `${action} ${collection.name}`;
      const present = grants.get(key);
      if (present !== undefined) return present;
      const created = createGrant({
        collection,
        action,
        admin,
        permissions: permissions.filter(
          (permission) => permission.collection === collection.name && permission.action === action,
        ),
      });
      grants.set(key, created);
      return created;
    },
  };
};
