/** Explains changes of roles, policies and permissions: what they allow, and whom they concern. */
import { findRows, type Statements } from '../../execute/system-rows.js';
import { isEqual } from '../diff/values.js';
import {
  accessLists,
  accessOf,
  entriesById,
  type AccessEntry,
  type AccessList,
  type AccessSnapshot,
} from '../access-rows/types.js';
import type { Snapshot } from '../snapshot/types.js';

export interface ExplainedAccess {
  readonly list: AccessList;
  /** As in the diff. */
  readonly id: string;
  readonly change: 'add' | 'change' | 'drop';
  /** Name of the role or policy that it is about. */
  readonly name: string | null;
  /** Direction of the change: more or less is allowed afterwards, both may be the case (`changes`), or neither (`none`). */
  readonly effect: 'grants' | 'revokes' | 'changes' | 'none';
  /** True where it is about administrators. */
  readonly administration: boolean;
  /** True where it is about requests without a login. */
  readonly public: boolean;
  /** Users whom it is about, before or after. */
  readonly users: number;
}

/** Returns an explanation of each entry that changes; none where the snapshots are not about access. */
export const explainAccess = async (
  target: Snapshot,
  wanted: Snapshot,
  statements: Statements,
): Promise<readonly ExplainedAccess[]> => {
  const [before, after] = [accessOf(target), accessOf(wanted)];
  if (before === null || after === null) return [];
  const [users, direct] = await Promise.all([
    findRows(statements, 'svc_users', { columns: ['id', 'role'] }),
    findRows(statements, 'svc_access', { columns: ['user', 'policy'] }),
  ]);
  const facts: Facts = {
    before,
    after,
    roles: users.map(({ id, role }) => ({ user: id, role })),
    direct: direct.flatMap(({ user, policy }) => (user === null ? [] : [{ user, policy }])),
  };
  return accessLists.flatMap((list) => explainList(list, facts));
};

interface Facts {
  readonly before: AccessSnapshot;
  readonly after: AccessSnapshot;
  /** Users with the roles that they have. */
  readonly roles: readonly { readonly user: unknown; readonly role: unknown }[];
  /** Policies that users have themselves. */
  readonly direct: readonly { readonly user: unknown; readonly policy: unknown }[];
}

const explainList = (list: AccessList, facts: Facts): readonly ExplainedAccess[] => {
  const [old, next] = [entriesById(list, facts.before[list]), entriesById(list, facts.after[list])];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((id) => {
    const [from, to] = [old.get(id), next.get(id)];
    if (from !== undefined && to !== undefined && isEqual(from, to)) return [];
    return [explainEntry(list, id, { from, to, facts })];
  });
};

interface Changed {
  readonly from: AccessEntry | undefined;
  readonly to: AccessEntry | undefined;
  readonly facts: Facts;
}

const explainEntry = (list: AccessList, id: string, changed: Changed): ExplainedAccess => {
  const { from, to, facts } = changed;
  const entry = (to ?? from) as AccessEntry;
  const policies = policiesOf(list, entry, facts);
  const roles =
    list === 'roles' ? [entry.id] : rolesOf(policies, list === 'access' ? entry.role : undefined, facts);
  const isPublic = roles.includes(null);
  const held = withDescendants(roles, facts);
  const users = new Set([
    ...facts.roles.filter(({ role }) => role !== null && held.has(role)).map(({ user }) => user),
    ...(list === 'access' || list === 'roles'
      ? []
      : facts.direct.filter(({ policy }) => policies.includes(policy)).map(({ user }) => user)),
  ]);
  return {
    list,
    id,
    change: from === undefined ? 'add' : to === undefined ? 'drop' : 'change',
    name: nameOf(list, entry, facts),
    effect: effectOf(list, changed),
    administration: [facts.before, facts.after].some((side) =>
      side.policies.some((policy) => policies.includes(policy.id) && policy.admin_access === true),
    ),
    public: isPublic,
    users: isPublic ? facts.roles.length : users.size,
  };
};

/** The policies that an entry is about. */
const policiesOf = (list: AccessList, entry: AccessEntry, { before, after }: Facts): readonly unknown[] => {
  if (list === 'policies') return [entry.id];
  if (list !== 'roles') return [entry.policy];
  return [...before.access, ...after.access]
    .filter(({ role }) => role === entry.id)
    .map(({ policy }) => policy);
};

/** The roles that have policies, or the one that an entry names; null is everybody. */
const rolesOf = (policies: readonly unknown[], role: unknown, { before, after }: Facts): readonly unknown[] =>
  role === undefined
    ? [...before.access, ...after.access]
        .filter(({ policy }) => policies.includes(policy))
        .map(({ role: each }) => each)
    : [role];

/** Roles have what their parents have. */
const withDescendants = (roles: readonly unknown[], { before, after }: Facts): ReadonlySet<unknown> => {
  const found = new Set<unknown>(roles.filter((role) => role !== null));
  const all = [...before.roles, ...after.roles];
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { id, parent } of all) if (found.has(parent)) found.add(id);
  }
  return found;
};

const nameOf = (list: AccessList, entry: AccessEntry, { before, after }: Facts): string | null => {
  const id =
    list === 'permissions' ? entry.policy : list === 'access' ? (entry.role ?? entry.policy) : entry.id;
  const all = [...after.roles, ...after.policies, ...before.roles, ...before.policies];
  const name = all.find((each) => each.id === id)?.name;
  return typeof name === 'string' ? name : null;
};

/** Columns of roles and policies that allow nothing. */
const descriptive: ReadonlySet<string> = new Set(['name', 'icon', 'description', 'sort']);

const effectOf = (list: AccessList, { from, to }: Changed): ExplainedAccess['effect'] => {
  const isGrant = list === 'permissions' || list === 'access';
  if (from === undefined) return isGrant ? 'grants' : 'none';
  if (to === undefined) return isGrant ? 'revokes' : 'changes';
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = names.filter(
    (name) => !isEqual(from[name] ?? null, to[name] ?? null) && !descriptive.has(name),
  );
  if (changed.length === 0) return 'none';
  const isAdmin = changed.length === 1 && changed[0] === 'admin_access';
  return isAdmin ? (to.admin_access === true ? 'grants' : 'revokes') : 'changes';
};
