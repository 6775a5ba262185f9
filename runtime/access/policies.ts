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
    /** True where its holders may use the operations of operators. */
    readonly operator?: boolean;
    /** True where the policy requires a second factor. */
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
  /** True where one-time passwords are set up, or the identity provider is responsible for the second factor. */
  readonly secondFactor?: boolean;
  /** Columns that `$CURRENT_USER.<column>` may name, without masked ones. */
  readonly columns: Columns;
}

/** A distinct set of policies; all callers that hold it share its grants and caches. */
export interface PolicySet {
  readonly ids: readonly string[];
  readonly admin: boolean;
  /** True where the operations of operators may be used, which administrators may. */
  readonly operator: boolean;
  /** True where any of the policies requires a second factor. */
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

/** The rows by what they are searched for. */
interface IndexedRows {
  readonly rows: AccessRows;
  /** Parents of roles by id. */
  readonly parents: ReadonlyMap<string, string | null>;
  /** Networks of policies by id. */
  readonly lists: ReadonlyMap<string, AddressList>;
  readonly admins: ReadonlySet<string>;
  readonly operators: ReadonlySet<string>;
  readonly secondFactorPolicies: ReadonlySet<string>;
}

const indexRows = (rows: AccessRows): IndexedRows => {
  const idsOf = (policies: AccessRows['policies']) => new Set(policies.map(({ id }) => id));
  return {
    rows,
    parents: new Map(rows.roles.map((role) => [role.id, role.parent])),
    lists: new Map(rows.policies.map(({ id, addresses = [] }) => [id, createAddressList(addresses)])),
    admins: idsOf(rows.policies.filter((policy) => policy.admin)),
    operators: idsOf(rows.policies.filter((policy) => policy.operator === true)),
    secondFactorPolicies: idsOf(rows.policies.filter((policy) => policy.secondFactor === true)),
  };
};

/** Returns the names of policies by id, for messages. */
export const policyNamesOf = (policies: AccessRows['policies']): ReadonlyMap<string, string> =>
  new Map(policies.map(({ id, columns }) => [id, String(columns?.name ?? id)]));

/** Indexes the rows; policy sets are created on first use and kept. */
export const createPolicyIndex = (rows: AccessRows): PolicyIndex => {
  const indexed = indexRows(rows);
  const { parents, lists } = indexed;
  const sets = new Map<string, PolicySet>();

  const toSet = (ids: readonly string[]): PolicySet => {
    const key = ids.join();
    const present = sets.get(key);
    if (present !== undefined) return present;
    const created = createPolicySet(ids, indexed);
    sets.set(key, created);
    return created;
  };

  return {
    version: rows.version,
    records: { roles: columnsById(rows.roles), policies: columnsById(rows.policies) },
    emptySet: toSet([]),
    rolesOf: (user) => ancestors(user?.role ?? null, parents),
    dependsOnAddress(user) {
      const held = heldBy(user, indexed);
      return [...held.own, ...held.public].some((id) => lists.get(id) !== null);
    },
    policiesOf: (user, address = () => '') => toSet(admittedPolicies(heldBy(user, indexed), lists, address)),
  };
};

/** Returns the policies whose networks include the address, sorted. @throws INVALID_IP if none of the user's own does */
const admittedPolicies = (
  held: HeldPolicies,
  lists: IndexedRows['lists'],
  address: () => string,
): readonly string[] => {
  const isIn = (id: string): boolean => lists.get(id)?.has(address()) ?? true;
  const own = held.own.filter(isIn);
  if (own.length === 0 && held.own.length > 0) throw apiError('INVALID_IP', {});
  return [...new Set([...own, ...held.public.filter(isIn)])].sort();
};

const heldBy = (user: User | null, { rows, parents, lists }: IndexedRows): HeldPolicies => {
  const roles = new Set(ancestors(user?.role ?? null, parents));
  const isOwn = (access: AccessRows['access'][number]): boolean =>
    user !== null && (access.user === user.id || (access.role !== null && roles.has(access.role)));
  const isPublic = (access: AccessRows['access'][number]): boolean =>
    access.user === null && access.role === null && roles.size === 0;
  const known = rows.access.filter((access) => lists.has(access.policy));
  return { own: policiesIn(known.filter(isOwn)), public: policiesIn(known.filter(isPublic)) };
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

/** Returns a role and those above it, nearest first. */
export const ancestors = (role: string | null, parents: ReadonlyMap<string, string | null>): string[] => {
  const chain: string[] = [];
  for (let id = role; id !== null && parents.has(id) && !chain.includes(id); id = parents.get(id) ?? null) {
    chain.push(id);
  }
  return chain;
};

const createPolicySet = (
  ids: readonly string[],
  { rows, admins, operators, secondFactorPolicies }: IndexedRows,
): PolicySet => {
  const admin = ids.some((id) => admins.has(id));
  const held = new Set(ids);
  const permissions = rows.permissions.filter((permission) => held.has(permission.policy));
  const grants = new Map<string, Grant | null>();
  return {
    ids,
    admin,
    operator: admin || ids.some((id) => operators.has(id)),
    requiresSecondFactor: ids.some((id) => secondFactorPolicies.has(id)),
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
