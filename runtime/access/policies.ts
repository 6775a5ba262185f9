/** Who may do what, as loaded from the database: rows in, policy sets out. Pure. */
import type { Collection } from '../collection.js';
import { createGrant, type Grant, type Permission } from './grant.js';

export type Action = 'create' | 'read' | 'update' | 'delete';

export interface AccessRows {
  /** Counts every change of users, roles, policies, access and permissions. */
  readonly version: string;
  readonly roles: readonly { readonly id: string; readonly parent: string | null }[];
  readonly policies: readonly { readonly id: string; readonly admin: boolean }[];
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
  /** Columns that `$CURRENT_USER.<column>` may name; nothing concealed. */
  readonly columns: Readonly<Record<string, unknown>>;
}

/**
 * A distinct set of policies. Everything derived from it is shared by all callers that hold it:
 * grants, and, under `cache`, whatever later stages compile from them.
 */
export interface PolicySet {
  readonly ids: readonly string[];
  readonly admin: boolean;
  /** `null`: nothing is permitted. */
  grant(collection: Collection, action: Action): Grant | null;
  /** What later stages compile, under keys of their own. */
  readonly cache: Map<object, unknown>;
}

export interface PolicyBook {
  readonly version: string;
  /** Policies of a user, or of nobody: absent identity is public, never admin. */
  policiesOf(user: User | null): PolicySet;
  /** The user's role and its ancestors. */
  rolesOf(user: User | null): readonly string[];
}

/** Indexes the rows; policy sets are made on first use and kept. */
export const createPolicyBook = (rows: AccessRows): PolicyBook => {
  const parents = new Map(rows.roles.map((role) => [role.id, role.parent]));
  const admins = new Set(rows.policies.filter((policy) => policy.admin).map((policy) => policy.id));
  const known = new Set(rows.policies.map((policy) => policy.id));
  const sets = new Map<string, PolicySet>();

  const rolesOf = (user: User | null): readonly string[] => ancestors(user?.role ?? null, parents);

  const policiesOf = (user: User | null): PolicySet => {
    const roles = new Set(rolesOf(user));
    const isHeld = (access: AccessRows['access'][number]): boolean =>
      access.user === null && access.role === null
        ? roles.size === 0
        : user !== null && (access.user === user.id || (access.role !== null && roles.has(access.role)));
    const held = rows.access.filter((access) => isHeld(access) && known.has(access.policy));
    const ids = [...new Set(held.map((access) => access.policy))].sort();
    const key = ids.join();
    const present = sets.get(key);
    if (present !== undefined) return present;
    const created = createPolicySet(ids, { admin: ids.some((id) => admins.has(id)), rows });
    sets.set(key, created);
    return created;
  };

  return { version: rows.version, policiesOf, rolesOf };
};

const ancestors = (role: string | null, parents: ReadonlyMap<string, string | null>): string[] => {
  const chain: string[] = [];
  for (let id = role; id !== null && parents.has(id) && !chain.includes(id); id = parents.get(id) ?? null) {
    chain.push(id);
  }
  return chain;
};

const createPolicySet = (
  ids: readonly string[],
  { admin, rows }: { readonly admin: boolean; readonly rows: AccessRows },
): PolicySet => {
  const held = new Set(ids);
  const permissions = rows.permissions.filter((permission) => held.has(permission.policy));
  const grants = new Map<string, Grant | null>();
  return {
    ids,
    admin,
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
