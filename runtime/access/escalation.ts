/**
 * What a change of the access rows grants that whoever makes it does not hold. Pure. Administrators may grant anything;
 * everybody else only what one of their own permissions says, word for word or with fewer fields and rows, and from no
 * other addresses than those of its policy. A second factor that is asked for stays asked for.
 */
import type { Permission } from './grant.js';
import { createPolicyBook, type AccessRows, type PolicyBook, type PolicySet, type User } from './policies.js';

/** What a user is known and let in by: whoever may set one of them may become that user. */
const identity: ReadonlySet<string> = new Set([
  'auth_data',
  'email',
  'external_identifier',
  'ip_access',
  'password',
  'provider',
  'role',
  'status',
  'tfa_secret',
  'token',
]);

export const touchesIdentity = (fields: readonly string[]): boolean =>
  fields.some((field) => identity.has(field));

export interface AccessState {
  readonly rows: AccessRows;
  /** Users whose identity is written, as they are at this moment. */
  readonly users: readonly Pick<User, 'id' | 'role'>[];
}

export interface AccessChange {
  readonly caller: PolicySet;
  /** The caller; `null`: nobody. */
  readonly user: Pick<User, 'id' | 'role'> | null;
  readonly before: AccessState;
  readonly after: AccessState;
}

/** Names the first thing that is granted too much; `null`: nothing is. */
export const findEscalation = ({ caller, user, before, after }: AccessChange): string | null => {
  if (caller.admin) return null;
  const held = indexState(before.rows);
  const wanted = indexState(after.rows);
  const covers = coverOf(caller, held);
  const isCovered = (policy: string): boolean =>
    !wanted.admins.has(policy) &&
    permissionsOf(wanted, policy).every((each) => covers(each, networksOf(wanted, policy)));
  return (
    findLiftedDemand(held, wanted, user) ??
    findNewPermission(held, wanted, covers) ??
    findNewHolder(held, wanted, isCovered) ??
    findTakenUser({ before, after }, [held, wanted], isCovered)
  );
};

interface Indexed {
  readonly rows: AccessRows;
  readonly book: PolicyBook;
  readonly admins: ReadonlySet<string>;
  /** Policies that ask for a second factor. */
  readonly demanding: ReadonlySet<string>;
  /** By policy; none: it holds for any address. */
  readonly networks: ReadonlyMap<string, readonly string[]>;
  readonly permissions: ReadonlyMap<string, readonly Permission[]>;
}

const indexState = (rows: AccessRows): Indexed => {
  const permissions = new Map<string, Permission[]>(rows.policies.map(({ id }) => [id, []]));
  for (const permission of rows.permissions) permissions.get(permission.policy)?.push(permission);
  return {
    rows,
    book: createPolicyBook(rows),
    admins: idsOf(rows.policies.filter(({ admin }) => admin)),
    demanding: idsOf(rows.policies.filter(({ secondFactor }) => secondFactor === true)),
    networks: new Map(
      rows.policies.map(({ id, addresses = [] }) => [
        id,
        addresses.map((entry) => entry.trim()).filter((entry) => entry !== ''),
      ]),
    ),
    permissions,
  };
};

const idsOf = (policies: AccessRows['policies']): ReadonlySet<string> =>
  new Set(policies.map(({ id }) => id));

const permissionsOf = ({ permissions }: Indexed, policy: string): readonly Permission[] =>
  permissions.get(policy) ?? [];

const networksOf = ({ networks }: Indexed, policy: string): readonly string[] => networks.get(policy) ?? [];

/** Policies that ask no more, and one's own that are gone: others let go of theirs with all they permit. */
const findLiftedDemand = (held: Indexed, wanted: Indexed, user: AccessChange['user']): string | null => {
  const isLifted = wanted.rows.policies.some(({ id }) => held.demanding.has(id) && !wanted.demanding.has(id));
  const isAsked = (state: Indexed): boolean =>
    user !== null && policiesHeld(user, state).some((policy) => state.demanding.has(policy));
  return isLifted || (isAsked(held) && !isAsked(wanted))
    ? 'to do without the second factor that a policy asks for ("enforce_tfa")'
    : null;
};

/** Rights that a policy has now and had not, addresses included. */
const findNewPermission = (held: Indexed, wanted: Indexed, covers: Covers): string | null => {
  for (const { id, admin } of wanted.rows.policies) {
    if (admin && !held.admins.has(id)) return 'a policy with "admin_access"';
    const networks = networksOf(wanted, id);
    const isMoved = held.networks.has(id) && networksOf(held, id).join() !== networks.join();
    if (isMoved && admin) return 'the addresses of a policy with "admin_access"';
    const present = isMoved ? [] : permissionsOf(held, id).map(toText);
    const excess = permissionsOf(wanted, id).find(
      (permission) => !present.includes(toText(permission)) && !covers(permission, networks),
    );
    if (excess !== undefined) {
      const isHeld = covers(excess, null);
      return `"${excess.action}" on "${excess.collection}" ${isHeld ? 'from addresses ' : ''}beyond it`;
    }
  }
  return null;
};

/** Policies that a role, a user or the public holds now and did not. */
const findNewHolder = (
  held: Indexed,
  wanted: Indexed,
  isCovered: (policy: string) => boolean,
): string | null => {
  const before = holdersOf(held);
  for (const [holder, policies] of holdersOf(wanted)) {
    const present = before.get(holder);
    if ([...policies].some((policy) => present?.has(policy) !== true && !isCovered(policy)))
      return 'a policy that reaches beyond it';
  }
  return null;
};

/** Each role with those of its ancestors; users and the public with what they hold by themselves. */
const holdersOf = ({ rows, book }: Indexed): ReadonlyMap<string, ReadonlySet<string>> => {
  const holders = new Map<string, Set<string>>();
  const add = (holder: string, policy: string): void => {
    holders.set(holder, (holders.get(holder) ?? new Set<string>()).add(policy));
  };
  for (const { user, role, policy } of rows.access) {
    if (user !== null) add(`user ${user}`, policy);
    else if (role === null) add('public', policy);
  }
  for (const { id } of rows.roles) {
    const chain = book.rolesOf({ id: '', role: id, status: '', columns: {} });
    for (const { role, policy } of rows.access)
      if (role !== null && chain.includes(role)) add(`role ${id}`, policy);
  }
  return holders;
};

/** Users whose identity was written, holding what the caller does not: before it, or by it. */
const findTakenUser = (
  { before, after }: Pick<AccessChange, 'before' | 'after'>,
  [held, wanted]: readonly [Indexed, Indexed],
  isCovered: (policy: string) => boolean,
): string | null => {
  const policies = [
    ...before.users.flatMap((user) => policiesHeld(user, held)),
    ...after.users.flatMap((user) => policiesHeld(user, wanted)),
  ];
  return policies.every(isCovered) ? null : 'a user who may do more';
};

const policiesHeld = (
  { id, role }: AccessState['users'][number],
  { rows, book }: Indexed,
): readonly string[] => {
  const roles = book.rolesOf({ id, role, status: '', columns: {} });
  return rows.access
    .filter((access) => access.user === id || (access.role !== null && roles.includes(access.role)))
    .map(({ policy }) => policy);
};

/** Whether the caller holds it, for these addresses at least; `null`: for some. */
type Covers = (wanted: Permission, networks: readonly string[] | null) => boolean;

/** What a policy permits from some addresses is not held from others. */
const coverOf = ({ ids }: PolicySet, held: Indexed): Covers => {
  const own = ids.map((id) => ({ networks: networksOf(held, id), permissions: permissionsOf(held, id) }));
  return (wanted, networks) =>
    own.some(
      (policy) =>
        (networks === null || isWithin(networks, policy.networks)) &&
        policy.permissions.some((permission) => coversPermission(permission, wanted)),
    );
};

/** Entry by entry. No entries: any address. */
const isWithin = (networks: readonly string[], own: readonly string[]): boolean =>
  own.length === 0 || (networks.length > 0 && networks.every((entry) => own.includes(entry)));

const coversPermission = (own: Permission, wanted: Permission): boolean =>
  own.collection === wanted.collection &&
  own.action === wanted.action &&
  coversFields(own.fields, wanted.fields) &&
  (isEmpty(own.permissions) || toText(own.permissions) === toText(wanted.permissions)) &&
  (isEmpty(own.validation) || toText(own.validation) === toText(wanted.validation)) &&
  toText(own.presets ?? {}) === toText(wanted.presets ?? {});

const coversFields = (own: Permission['fields'], wanted: Permission['fields']): boolean =>
  own?.includes('*') === true || (wanted ?? []).every((field) => own?.includes(field) === true);

const isEmpty = (rule: Permission['permissions']): boolean => rule === null || Object.keys(rule).length === 0;

const toText = (value: unknown): string => JSON.stringify(value);
