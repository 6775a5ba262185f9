/**
 * What a change of the access rows grants that whoever makes it does not hold. Pure. Administrators may grant anything;
 * everybody else only what one of their own permissions says, word for word or with fewer fields and rows, and on no
 * easier terms than those of its policy. A second factor that is asked for stays asked for, and is asked of nobody who
 * may do more.
 */
import {
  indexAccess,
  networksOf,
  permissionsOf,
  policiesHeld,
  publicPolicies,
  rolesOf,
  type AccessIndex,
  type Person,
} from './access-index.js';
import { subsumptionOf, termsOf, toText, type Subsumes } from './permission-subsumption.js';
import type { Permission } from './grant.js';
import type { AccessRows, PolicySet } from './policies.js';

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
  readonly users: readonly Person[];
  /** Users who hold policies by themselves. */
  readonly holders: readonly Person[];
}

export interface AccessChange {
  readonly caller: PolicySet;
  /** The caller; `null`: nobody. */
  readonly user: Person | null;
  readonly before: AccessState;
  readonly after: AccessState;
}

/** Names the first thing that is granted too much; `null`: nothing is. */
export const findEscalation = ({ caller, user, before, after }: AccessChange): string | null => {
  if (caller.admin) return null;
  const held = indexAccess(before.rows);
  const wanted = indexAccess(after.rows);
  const covers = subsumptionOf(caller, held);
  const isCovered: IsCovered = (policy) =>
    !wanted.admins.has(policy) &&
    permissionsOf(wanted, policy).every((each) => covers(each, termsOf(wanted, policy)));
  return (
    findLiftedDemand(held, wanted, user) ??
    findNewPermission(held, wanted, covers) ??
    findNewHolder(held, wanted, isCovered) ??
    findTakenUser({ before, after }, [held, wanted], isCovered) ??
    findNewDemand(askedOf(held, before), askedOf(wanted, after), isCovered)
  );
};

/** Whether the caller may give a policy away. */
type IsCovered = (policy: string) => boolean;

/** Policies that ask no more, and one's own that are gone: others let go of theirs with all they permit. */
const findLiftedDemand = (
  held: AccessIndex,
  wanted: AccessIndex,
  user: AccessChange['user'],
): string | null => {
  const isLifted = wanted.rows.policies.some(({ id }) => held.demanding.has(id) && !wanted.demanding.has(id));
  const isAsked = (index: AccessIndex): boolean =>
    user !== null && policiesMet(user, index).some((policy) => index.demanding.has(policy));
  return isLifted || (isAsked(held) && !isAsked(wanted))
    ? 'to do without the second factor that a policy asks for ("enforce_tfa")'
    : null;
};

/** With those of the public, for who has no role. */
const policiesMet = (user: Person, index: AccessIndex): readonly string[] =>
  rolesOf(user, index).length > 0
    ? policiesHeld(user, index)
    : [...policiesHeld(user, index), ...publicPolicies(index)];

/** Whom policies ask for a second factor, and the policies they hold. */
type Asked = ReadonlyMap<string, readonly string[]>;

const everybody = 'everybody';

const askedOf = (index: AccessIndex, { holders }: AccessState): Asked => {
  const held: readonly (readonly [string, readonly string[]])[] = [
    [everybody, publicPolicies(index)],
    ...rolesHolding(index),
    ...holders.map((user) => [`user ${user.id}`, policiesHeld(user, index)] as const),
  ];
  return new Map(held.filter(([, policies]) => policies.some((policy) => index.demanding.has(policy))));
};

/** Who is asked and has none is locked out: that is for who may take their policies away as well. */
const findNewDemand = (before: Asked, after: Asked, isCovered: IsCovered): string | null => {
  const isBeyond = [...after].some(
    ([who, policies]) => !before.has(who) && (who === everybody || !policies.every(isCovered)),
  );
  return isBeyond ? 'to ask those who may do more for a second factor ("enforce_tfa")' : null;
};

/** Rights that a policy has now and had not, addresses included. */
const findNewPermission = (held: AccessIndex, wanted: AccessIndex, covers: Subsumes): string | null => {
  for (const { id, admin } of wanted.rows.policies) {
    if (admin && !held.admins.has(id)) return 'a policy with "admin_access"';
    const networks = networksOf(wanted, id);
    const isMoved = held.networks.has(id) && networksOf(held, id).join() !== networks.join();
    if (isMoved && admin) return 'the addresses of a policy with "admin_access"';
    const present = isMoved ? [] : permissionsOf(held, id).map(toText);
    const excess = permissionsOf(wanted, id).find(
      (permission) => !present.includes(toText(permission)) && !covers(permission, termsOf(wanted, id)),
    );
    if (excess !== undefined) {
      return `"${excess.action}" on "${excess.collection}" ${howBeyond(excess, networks, covers)}`;
    }
  }
  return null;
};

const howBeyond = (excess: Permission, networks: readonly string[], covers: Subsumes): string => {
  if (!covers(excess, null)) return 'beyond it';
  return covers(excess, { networks, demanding: true })
    ? 'without the second factor that is asked for it ("enforce_tfa")'
    : 'from addresses beyond it';
};

/** Policies that a role, a user or the public holds now and did not. */
const findNewHolder = (held: AccessIndex, wanted: AccessIndex, isCovered: IsCovered): string | null => {
  const before = holdersOf(held);
  for (const [holder, policies] of holdersOf(wanted)) {
    const present = before.get(holder);
    if ([...policies].some((policy) => present?.has(policy) !== true && !isCovered(policy)))
      return 'a policy that reaches beyond it';
  }
  return null;
};

/** Each role with those of its ancestors; users and the public with what they hold by themselves. */
const holdersOf = (index: AccessIndex): ReadonlyMap<string, ReadonlySet<string>> => {
  const users = new Set(index.rows.access.flatMap(({ user }) => user ?? []));
  const held: readonly (readonly [string, readonly string[]])[] = [
    ...rolesHolding(index),
    ...[...users].map((id) => [`user ${id}`, policiesHeld({ id, role: null }, index)] as const),
    ['public', publicPolicies(index)],
  ];
  return new Map(held.map(([holder, policies]) => [holder, new Set(policies)]));
};

/** Each role with the policies of its ancestors as well. */
const rolesHolding = (index: AccessIndex): readonly (readonly [string, readonly string[]])[] =>
  index.rows.roles.map(({ id }) => [`role ${id}`, policiesHeld({ id: '', role: id }, index)] as const);

/** Users whose identity was written, holding what the caller does not: before it, or by it. */
const findTakenUser = (
  { before, after }: Pick<AccessChange, 'before' | 'after'>,
  [held, wanted]: readonly [AccessIndex, AccessIndex],
  isCovered: IsCovered,
): string | null => {
  const policies = [
    ...before.users.flatMap((user) => policiesHeld(user, held)),
    ...after.users.flatMap((user) => policiesHeld(user, wanted)),
  ];
  return policies.every(isCovered) ? null : 'a user who may do more';
};
