/** Who may do what, as loaded from the database: rows in, policy sets out. Pure. */
import type { Collection } from '../../contract/collection.js';
import { apiError } from '../../contract/errors.js';
import { createAddressList, type AddressList } from './addresses.js';
import { createGrant, type Grant, type Permission } from './grant.js';

export type Action = 'create' | 'read' | 'update' | 'delete';

/** What variables may name; nothing concealed. */
export type Columns = Readonly<Record<string, unknown>>;

export interface AccessRows {
  /** Counts every change of users, roles, policies, access and permissions. */
  readonly version: string;
  readonly roles: readonly {
    readonly id: string;
    readonly parent: string | null;
    readonly columns?: Columns;
  }[];
  readonly policies: readonly {
    readonly id: string;
    readonly admin: boolean;
    /** Whoever holds it needs a second factor. */
    readonly secondFactor?: boolean;
    /** Addresses and networks it holds for; none: any. */
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
  /** Whether one-time passwords are on, or not ours to ask for: who logs in elsewhere shows them there. */
  readonly secondFactor?: boolean;
  /** Columns that `$CURRENT_USER.<column>` may name; nothing concealed. */
  readonly columns: Columns;
}

/**
 * A distinct set of policies. Everything derived from it is shared by all callers that hold it:
 * grants, and, under `cache`, whatever later stages compile from them.
 */
export interface PolicySet {
  readonly ids: readonly string[];
  readonly admin: boolean;
  /** One of them asks for it. */
  readonly secondFactor: boolean;
  /** Of all its policies. */
  readonly permissions: readonly Permission[];
  /** `null`: nothing is permitted. */
  grant(collection: Collection, action: Action): Grant | null;
  /** What later stages compile, under keys of their own. */
  readonly cache: Map<object, unknown>;
}

export interface PolicyIndex {
  readonly version: string;
  readonly records: AccessRecords;
  /**
   * Policies of a user, or of nobody: absent identity is public, never admin. Those that do not hold for the address
   * drop out.
   * @throws INVALID_IP where that leaves a user without any policy it had
   */
  policiesOf(user: User | null, address?: () => string): PolicySet;
  /** Permits nothing. */
  readonly none: PolicySet;
  /** Whether what a user may do depends on the address. */
  isAddressed(user: User | null): boolean;
  /** The user's role and its ancestors. */
  rolesOf(user: User | null): readonly string[];
}

/** What `$CURRENT_ROLE.name` and its like read. */
export interface AccessRecords {
  readonly roles: ReadonlyMap<string, Columns>;
  readonly policies: ReadonlyMap<string, Columns>;
}

/** Indexes the rows; policy sets are made on first use and kept. */
export const createPolicyIndex = (rows: AccessRows): PolicyIndex => {
  const parents = new Map(rows.roles.map((role) => [role.id, role.parent]));
  const admins = new Set(rows.policies.filter((policy) => policy.admin).map((policy) => policy.id));
  const lists = new Map(
    rows.policies.map(({ id, addresses = [] }): [string, AddressList] => [id, createAddressList(addresses)]),
  );
  const demanding = new Set(
    rows.policies.filter((policy) => policy.secondFactor === true).map((policy) => policy.id),
  );
  const sets = new Map<string, PolicySet>();

  const rolesOf = (user: User | null): readonly string[] => ancestors(user?.role ?? null, parents);

  const heldBy = (user: User | null): Held => {
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
      secondFactor: ids.some((id) => demanding.has(id)),
      rows,
    });
    sets.set(key, created);
    return created;
  };

  return {
    version: rows.version,
    records: { roles: columnsById(rows.roles), policies: columnsById(rows.policies) },
    none: toSet([]),
    rolesOf,
    isAddressed(user) {
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

/** Keys of policies. */
interface Held {
  readonly own: readonly string[];
  /** Of everybody, where there is no role. */
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
  { admin, secondFactor, rows }: Pick<PolicySet, 'admin' | 'secondFactor'> & { readonly rows: AccessRows },
): PolicySet => {
  const held = new Set(ids);
  const permissions = rows.permissions.filter((permission) => held.has(permission.policy));
  const grants = new Map<string, Grant | null>();
  return {
    ids,
    admin,
    secondFactor,
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
