/**
 * Guards writes against changes of permissions. Writes of users, roles and policies run one after another; a caller
 * cannot grant permissions that the caller does not have.
 */
import { StalePrincipal } from '../access/confirmation.js';
import type { Principal } from '../access/principal.js';
import type { UserWithRole } from '../access/access-index.js';
import { mayRevoke } from '../access/revocation.js';
import { findEscalation, touchesIdentity, type AccessState } from '../access/escalation.js';
import {
  ancestors,
  createPolicyIndex,
  type AccessRows,
  type PolicySet,
  type User,
} from '../access/policies.js';
import type { Collection } from '../../contract/collection.js';
import { forbidden, unprocessable } from '../../contract/errors.js';
import { findActiveHolder, loadRows } from '../execute/access-source.js';
import { lockAccessVersion, outwaitLeases, raiseAccessVersion } from '../execute/access-version.js';
import { findAdministrators } from '../execute/administrators.js';
import { keyList, type KeyList } from '../execute/key-list.js';
import { findRows, updateRows } from '../execute/system-rows.js';
import type { Executor } from '../databases/contract.js';
import type { WriteHooks, CompletedWrite } from '../execute/write-transaction.js';
import { recordActivity } from './activity.js';
import type { ItemContext } from './context.js';
import { rejectOwnFields } from './own-rights.js';
import { requireQuotaOwners } from './quota-owners.js';

/** Checks and records writes of any collection. @throws INVALID_PAYLOAD for a quota of nobody, or of two */
const completeWrites = async (
  written: readonly CompletedWrite[],
  executor: Executor,
  context: ItemContext,
): Promise<void> => {
  await requireQuotaOwners(written, executor);
  await recordActivity(written, executor, context);
};

/**
 * Records the activity of a write, and confirms its principal once more before the commit, because a transaction may
 * last longer than the lease. @throws StalePrincipal when permissions have changed meanwhile
 */
export const guardVersion = (context: ItemContext): WriteHooks => ({
  before: async () => undefined,
  async after(written, executor) {
    await completeWrites(written, executor, context);
    if (!(await context.confirm(context.principal))) throw new StalePrincipal();
  },
  record: (written, executor) => completeWrites(written, executor, context),
});

/**
 * Guards a write of users, roles or policies. Such writes run one after another; one that may take a permission away
 * returns when every process applies it.
 */
export const guardAccess = (collection: Collection, context: ItemContext): WriteHooks => {
  const { principal, dialect, registry } = context;
  let before: AccessState | null = null;
  let lease = 0;

  const readState = async (keys: KeyList, executor: Executor): Promise<AccessState> => ({
    rows: await loadRows(executor),
    users: await readUsers(keys, executor),
    holders: principal.policies.admin ? [] : await readHolders(executor),
  });

  return {
    async before(keys, executor) {
      lease = 0;
      await lockAccessVersion(executor, dialect.rowLock);
      const state = await readState(isUsers(collection) ? keys : keyList([]), executor);
      await requireUnchanged(state.rows, executor, context);
      before = state;
    },
    async beforeRelated({ collection: related, keys, fields }, executor) {
      if (before === null || principal.policies.admin || !isUsers(related)) return;
      rejectOwnFields(keys, fields, context);
      if (!touchesIdentity(fields)) return;
      const known = new Set(before.users.map(({ id }) => id));
      const users = (await readUsers(keyList(keys), executor)).filter(({ id }) => !known.has(id));
      before = { ...before, users: [...before.users, ...users] };
    },
    async after(written, executor) {
      const administrators = await findAdministrators(executor);
      if (administrators.length === 0) throw unprocessable('at least one active administrator has to stay');
      await requireRoleTree(written, executor);
      await endSessionsOfSuspended(written, executor);
      await completeWrites(written, executor, context);
      if (before === null) return;
      if (mayRevoke(written, { ...before.rows, registry })) lease = await raiseAccessVersion(executor);
      if (principal.policies.admin) return;
      const after = await readState(identityKeys(written), executor);
      const { policies: caller, user } = principal;
      const excess = findEscalation({
        caller,
        user,
        registry,
        before: keepUsersOf(before, after),
        after,
      });
      if (excess !== null) throw forbidden(`you cannot grant permissions that you do not hold: ${excess}`);
    },
    committed: () => outwaitLeases(lease),
  };
};

/** @throws UNPROCESSABLE_ENTITY for a role that would be above itself */
const requireRoleTree = async (written: readonly CompletedWrite[], executor: Executor): Promise<void> => {
  const isMoved = written.some(
    ({ collection, fields }) => collection.name === 'svc_roles' && fields.includes('parent'),
  );
  if (!isMoved) return;
  const roles = await findRows(executor, 'svc_roles', { columns: ['id', 'name', 'parent'] });
  const parents = new Map(roles.map(({ id, parent }) => [id, parent]));
  const circular = roles.find(({ id, parent }) => ancestors(parent, parents).includes(id));
  if (circular !== undefined) throw unprocessable(`the role "${circular.name}" cannot be above itself`);
};

/**
 * Ends the sessions of users who are no longer active: being active again does not bring back who used them before. They
 * are kept, with a credential that no user has, so that their tokens are answered with USER_SUSPENDED meanwhile.
 */
const endSessionsOfSuspended = async (
  written: readonly CompletedWrite[],
  executor: Executor,
): Promise<void> => {
  const changed = written.filter(
    ({ collection, action, fields }) =>
      isUsers(collection) && action === 'update' && fields.includes('status'),
  );
  for (const part of keyList(changed.flatMap(({ keys }) => keys)).chunks(batchSize)) {
    const where = { id: part.map(String) };
    const users = await findRows(executor, 'svc_users', { where, columns: ['id', 'status'] });
    const suspended = users.filter(({ status }) => status !== 'active').map(({ id }) => id);
    if (suspended.length === 0) continue;
    await updateRows(executor, 'svc_sessions', { set: { credential: '' }, where: { user: suspended } });
  }
};

const isUsers = ({ name }: Collection): boolean => name === 'svc_users';

/** Returns the keys of users whose identity was written. */
const identityKeys = (written: readonly CompletedWrite[]): KeyList =>
  keyList(
    written
      .filter(
        ({ collection, action, fields }) =>
          isUsers(collection) && action !== 'delete' && touchesIdentity(fields),
      )
      .flatMap(({ keys }) => keys),
  );

/** Keeps the users of `before` that are also in `after`. */
const keepUsersOf = ({ users, ...state }: AccessState, after: AccessState): AccessState => {
  const kept = new Set(after.users.map(({ id }) => id));
  return { ...state, users: users.filter(({ id }) => kept.has(id)) };
};

/** Users per statement. */
const batchSize = 1_000;

const readUsers = async (keys: KeyList, executor: Executor): Promise<AccessState['users']> => {
  const users: UserWithRole[] = [];
  for (const part of keys.chunks(batchSize)) {
    const where = { id: part.map(String) };
    users.push(...(await findRows(executor, 'svc_users', { where, columns: ['id', 'role'] })));
  }
  return users;
};

const readHolders = async (executor: Executor): Promise<AccessState['holders']> => {
  const user = executor.quote('user');
  const own = `select ${user} from svc_access where ${user} is not null`;
  return (await executor.query(`select id, role from svc_users where id in (${own})`)).map(toPerson);
};

const toPerson = ({ id, role }: Readonly<Record<string, unknown>>): UserWithRole => ({
  id: String(id),
  role: role === null ? null : String(role),
});

/** @throws StalePrincipal when the caller's token or permissions differ from those the write was planned with */
const requireUnchanged = async (
  rows: AccessRows,
  executor: Executor,
  { principal, client }: ItemContext,
): Promise<void> => {
  const user = await findUnchangedUser(principal, executor);
  const now = createPolicyIndex(rows).policiesOf(user, () => client.address());
  if (textOf(now) !== textOf(principal.policies)) throw new StalePrincipal();
};

const findUnchangedUser = async (
  { user, session, credentialDigest }: Principal,
  executor: Executor,
): Promise<User | null> => {
  if (user === null) return null;
  const held = await findActiveHolder({ user, session, credentialDigest }, executor);
  if (held === null) throw new StalePrincipal();
  return { ...user, ...held };
};

const textOf = ({ ids, admin, permissions }: PolicySet): string => JSON.stringify([ids, admin, permissions]);
