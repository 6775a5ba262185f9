/**
 * Writes of who may do what: one after another, by callers who still may, granting nothing they do not hold.
 */
import { StalePrincipal, type Principal } from '../access/access.js';
import type { Person } from '../access/access-index.js';
import { findEscalation, touchesIdentity, type AccessState } from '../access/escalation.js';
import { createPolicyIndex, type AccessRows, type PolicySet, type User } from '../access/policies.js';
import type { Collection } from '../../contract/collection.js';
import { forbidden, unprocessable } from '../../contract/errors.js';
import { findStillHeld, loadRows } from '../execute/access-source.js';
import { bumpAccessVersion } from '../execute/access-version.js';
import { findAdministrators } from '../execute/administrators.js';
import { findRows } from '../execute/system-rows.js';
import type { Executor } from '../databases/contract.js';
import type { Key } from '../plan/write-plan.js';
import type { Guard, Written } from '../execute/write-transaction.js';
import { recordActivity } from './activity.js';
import type { ItemContext } from './context.js';

/**
 * Holds the access version until the write is done: rules that change meanwhile wait for it, or are met
 * before it. What is written is told to the activity.
 */
export const guardVersion = (context: ItemContext): Guard => ({
  async before(_keys, executor) {
    const { principal, dialect } = context;
    const [row] = await executor.query(
      `select version from svc_access_version where id = 1${dialect.shareLock}`,
    );
    if (String(row?.version) !== principal.version) throw new StalePrincipal();
  },
  after: (written, executor) => recordActivity(written, executor, context),
});

/**
 * Counting first makes such writes take turns, so that two of them cannot each leave the other's
 * administrator.
 */
export const guardAccess = (collection: Collection, context: ItemContext): Guard => {
  const { principal } = context;
  const isUsers = collection.name === 'svc_users';
  let before: AccessState | null = null;

  const readState = async (keys: readonly Key[], executor: Executor): Promise<AccessState> => ({
    rows: await loadRows(executor),
    users: isUsers ? await readUsers(keys, executor) : [],
    holders: principal.policies.admin ? [] : await readHolders(executor),
  });

  return {
    async before(keys, executor) {
      await bumpAccessVersion(executor);
      const state = await readState(keys, executor);
      await requireSame(state.rows, executor, context);
      before = state;
    },
    async after(written, executor) {
      const left = await findAdministrators(executor);
      if (left.length === 0) throw unprocessable('at least one active administrator has to stay');
      await recordActivity(written, executor, context);
      if (principal.policies.admin || before === null) return;
      const after = await readState(takenUsers(written), executor);
      const { policies: caller, user } = principal;
      const excess = findEscalation({ caller, user, before: onlyTaken(before, after), after });
      if (excess !== null) throw forbidden(`nobody grants what they do not hold: ${excess}`);
    },
  };
};

/** Returns the keys of users whose identity was written. */
const takenUsers = (written: readonly Written[]): readonly Key[] =>
  written
    .filter(({ action, fields }) => action !== 'delete' && touchesIdentity(fields))
    .flatMap(({ keys }) => keys);

const onlyTaken = ({ users, ...state }: AccessState, after: AccessState): AccessState => ({
  ...state,
  users: users.filter(({ id }) => after.users.some((user) => user.id === id)),
});

const readUsers = async (keys: readonly Key[], executor: Executor): Promise<AccessState['users']> => {
  return findRows(executor, 'svc_users', { where: { id: keys.map(String) }, columns: ['id', 'role'] });
};

const readHolders = async (executor: Executor): Promise<AccessState['holders']> => {
  const user = executor.quote('user');
  const own = `select ${user} from svc_access where ${user} is not null`;
  return (await executor.query(`select id, role from svc_users where id in (${own})`)).map(toPerson);
};

const toPerson = ({ id, role }: Readonly<Record<string, unknown>>): Person => ({
  id: String(id),
  role: role === null ? null : String(role),
});

/** @throws StalePrincipal where the caller's token or rules are not what the write was planned by */
const requireSame = async (
  rows: AccessRows,
  executor: Executor,
  { principal, client }: ItemContext,
): Promise<void> => {
  const user = await findSameUser(principal, executor);
  const now = createPolicyIndex(rows).policiesOf(user, () => client.address());
  if (textOf(now) !== textOf(principal.policies)) throw new StalePrincipal();
};

const findSameUser = async (
  { user, session, proof }: Principal,
  executor: Executor,
): Promise<User | null> => {
  if (user === null) return null;
  const held = await findStillHeld({ user, session, proof }, executor);
  if (held === null) throw new StalePrincipal();
  return { ...user, ...held };
};

const textOf = ({ ids, admin, permissions }: PolicySet): string => JSON.stringify([ids, admin, permissions]);
