/**
 * Finds privilege escalation in a change of the access rows. Pure. Administrators may grant anything. Other callers
 * may grant only permissions that one of their own permissions subsumes, under conditions (addresses, second factor)
 * at least as strict as those of its policy, and with rules over fields that they can read. They may not remove the
 * requirement of a second factor, nor require one of users with more permissions.
 */
import type { Registry } from '../../contract/collection.js';
import {
  indexAccess,
  networksOf,
  policyPermissions,
  heldPolicies,
  publicPolicies,
  rolesOf,
  type AccessIndex,
  type UserWithRole,
} from './access-index.js';
import { subsumptionOf, conditionsOf, toText, type Subsumes } from './permission-subsumption.js';
import type { Permission } from './grant.js';
import type { AccessRows, PolicySet } from './policies.js';

/** Fields that identify or authenticate a user; setting one of them can take over the user. */
const identityFields: ReadonlySet<string> = new Set([
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

/**
 * Returns whether somebody who changes these fields of a user can take over the account, for example its e-mail
 * address, password, token or role.
 */
export const touchesIdentity = (fields: readonly string[]): boolean =>
  fields.some((field) => identityFields.has(field));

export interface AccessState {
  readonly rows: AccessRows;
  /** Users with written identity fields, in this state. */
  readonly users: readonly UserWithRole[];
  /** Users who hold policies directly. */
  readonly holders: readonly UserWithRole[];
}

export interface AccessChange {
  readonly caller: PolicySet;
  /** `null` for an anonymous caller. */
  readonly user: UserWithRole | null;
  /** The fields that rules compare. */
  readonly registry: Registry;
  readonly before: AccessState;
  readonly after: AccessState;
}

/** Returns a description of the first escalation, or null if there is none. */
export const findEscalation = ({ caller, user, registry, before, after }: AccessChange): string | null => {
  if (caller.admin) return null;
  const indexBefore = indexAccess(before.rows);
  const indexAfter = indexAccess(after.rows);
  const subsumes = subsumptionOf(caller, indexBefore, registry);
  const isGrantable: IsGrantable = (policy) =>
    !indexAfter.admins.has(policy) &&
    (caller.operator || !isOperator(indexAfter, policy)) &&
    policyPermissions(indexAfter, policy).every((each) => subsumes(each, conditionsOf(indexAfter, policy)));
  return (
    findRemovedSecondFactor(indexBefore, indexAfter, user) ??
    (caller.operator ? null : findNewOperator(indexBefore, indexAfter)) ??
    findNewPermission(indexBefore, indexAfter, subsumes) ??
    findNewHolder(indexBefore, indexAfter, isGrantable) ??
    findUserTakeover({ before, after }, [indexBefore, indexAfter], isGrantable) ??
    findAddedSecondFactor(
      secondFactorHolders(indexBefore, before),
      secondFactorHolders(indexAfter, after),
      isGrantable,
    )
  );
};

/** Returns whether the caller may grant a policy. */
type IsGrantable = (policy: string) => boolean;

/**
 * Finds a policy that no longer requires a second factor, or a caller who no longer holds such a policy. Other users
 * may lose theirs, because they lose its permissions as well.
 */
const findRemovedSecondFactor = (
  held: AccessIndex,
  wanted: AccessIndex,
  user: AccessChange['user'],
): string | null => {
  const isRemoved = wanted.rows.policies.some(
    ({ id }) => held.secondFactorPolicies.has(id) && !wanted.secondFactorPolicies.has(id),
  );
  const isRequired = (index: AccessIndex): boolean =>
    user !== null && applicablePolicies(user, index).some((policy) => index.secondFactorPolicies.has(policy));
  return isRemoved || (isRequired(held) && !isRequired(wanted))
    ? 'removing the second factor that a policy requires ("enforce_tfa")'
    : null;
};

/** Returns the policies of a user, with the public ones if the user has no role. */
const applicablePolicies = (user: UserWithRole, index: AccessIndex): readonly string[] =>
  rolesOf(user, index).length > 0
    ? heldPolicies(user, index)
    : [...heldPolicies(user, index), ...publicPolicies(index)];

/** The policies of each holder that needs a second factor. */
type SecondFactorHolders = ReadonlyMap<string, readonly string[]>;

const everybody = 'everybody';

const secondFactorHolders = (index: AccessIndex, { holders }: AccessState): SecondFactorHolders => {
  const held: readonly (readonly [string, readonly string[]])[] = [
    [everybody, publicPolicies(index)],
    ...rolesHolding(index),
    ...holders.map((user) => [`user ${user.id}`, heldPolicies(user, index)] as const),
  ];
  return new Map(
    held.filter(([, policies]) => policies.some((policy) => index.secondFactorPolicies.has(policy))),
  );
};

/**
 * Finds a holder who newly needs a second factor and holds policies that the caller may not grant: users without a
 * second factor are locked out, which requires the same permissions as removing their policies.
 */
const findAddedSecondFactor = (
  before: SecondFactorHolders,
  after: SecondFactorHolders,
  isGrantable: IsGrantable,
): string | null => {
  const isEscalation = [...after].some(
    ([holder, policies]) => !before.has(holder) && (holder === everybody || !policies.every(isGrantable)),
  );
  return isEscalation ? 'requiring a second factor of users with more permissions ("enforce_tfa")' : null;
};

const isOperator = ({ rows }: AccessIndex, policy: string): boolean =>
  rows.policies.some(({ id, operator }) => id === policy && operator === true);

/** Finds a policy that newly has `operator_access`. */
const findNewOperator = (held: AccessIndex, wanted: AccessIndex): string | null => {
  const isNew = wanted.rows.policies.some(({ id }) => isOperator(wanted, id) && !isOperator(held, id));
  return isNew ? 'a policy with "operator_access"' : null;
};

/** Finds a permission or an address that the change adds to a policy. */
const findNewPermission = (held: AccessIndex, wanted: AccessIndex, subsumes: Subsumes): string | null => {
  for (const { id, admin } of wanted.rows.policies) {
    if (admin && !held.admins.has(id)) return 'a policy with "admin_access"';
    const networks = networksOf(wanted, id);
    const hasNewAddresses = held.networks.has(id) && networksOf(held, id).join() !== networks.join();
    if (hasNewAddresses && admin) return 'the addresses of a policy with "admin_access"';
    const present = hasNewAddresses ? [] : policyPermissions(held, id).map(toText);
    const excess = policyPermissions(wanted, id).find(
      (permission) =>
        !present.includes(toText(permission)) && !subsumes(permission, conditionsOf(wanted, id)),
    );
    if (excess !== undefined) {
      return `"${excess.action}" on "${excess.collection}" ${describeExcess(excess, networks, subsumes)}`;
    }
  }
  return null;
};

const describeExcess = (excess: Permission, networks: readonly string[], subsumes: Subsumes): string => {
  if (!subsumes(excess, null)) return 'beyond your own permissions';
  return subsumes(excess, { networks, secondFactor: true })
    ? 'without the second factor that your own policy requires ("enforce_tfa")'
    : 'from addresses that your own policy does not allow';
};

/** Finds a role, a user or the public that newly holds a policy which the caller may not grant. */
const findNewHolder = (held: AccessIndex, wanted: AccessIndex, isGrantable: IsGrantable): string | null => {
  const before = holdersOf(held);
  for (const [holder, policies] of holdersOf(wanted)) {
    const present = before.get(holder);
    if ([...policies].some((policy) => present?.has(policy) !== true && !isGrantable(policy)))
      return 'a policy with permissions beyond your own';
  }
  return null;
};

/** Returns the policies of each role with those of its ancestors, of each user (held directly), and of the public. */
const holdersOf = (index: AccessIndex): ReadonlyMap<string, ReadonlySet<string>> => {
  const users = new Set(index.rows.access.flatMap(({ user }) => user ?? []));
  const held: readonly (readonly [string, readonly string[]])[] = [
    ...rolesHolding(index),
    ...[...users].map((id) => [`user ${id}`, heldPolicies({ id, role: null }, index)] as const),
    ['public', publicPolicies(index)],
  ];
  return new Map(held.map(([holder, policies]) => [holder, new Set(policies)]));
};

/** Returns each role with its policies and those of its ancestors. */
const rolesHolding = (index: AccessIndex): readonly (readonly [string, readonly string[]])[] =>
  index.rows.roles.map(({ id }) => [`role ${id}`, heldPolicies({ id: '', role: id }, index)] as const);

/** Finds a user with written identity fields who holds, before or after, a policy that the caller may not grant. */
const findUserTakeover = (
  { before, after }: Pick<AccessChange, 'before' | 'after'>,
  [held, wanted]: readonly [AccessIndex, AccessIndex],
  isGrantable: IsGrantable,
): string | null => {
  const policies = [
    ...before.users.flatMap((user) => heldPolicies(user, held)),
    ...after.users.flatMap((user) => heldPolicies(user, wanted)),
  ];
  return policies.every(isGrantable) ? null : 'a user with permissions beyond your own';
};
