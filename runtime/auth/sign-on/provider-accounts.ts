/**
 * Finds or creates the user of an identity from a provider. Users are matched by provider and identifier,
 * never by e-mail address: a provider may let users enter an address that is not theirs.
 */
import { randomUUID } from 'node:crypto';
import type { ProviderConfig } from '../../config/providers.js';
import { changeAccess, lockAccessVersion } from '../../execute/access-version.js';
import { findAdministrators } from '../../execute/administrators.js';
import { isStorable } from '../../execute/access-source.js';
import { findRow, insertRow, updateRows, type NewRow, type Statements } from '../../execute/system-rows.js';
import type { Database, Executor } from '../../databases/contract.js';
import { findById, findByEmail, findByIdentity, type Account, type RecordChange } from '../accounts.js';
import { ProviderRefusal, type Claims } from './provider.js';

/** An identity that a provider has confirmed. */
export interface Identity {
  readonly claims: Claims;
  readonly config: ProviderConfig;
  readonly recordChange: RecordChange;
}

/**
 * Finds or creates the user of an identity and, with ROLE_MAPPING, sets its role.
 * @throws ProviderRefusal when the identity is not accepted
 */
export const findOrRegister = async (database: Database, identity: Identity): Promise<Account> => {
  const { claims, config } = identity;
  const identifier = identifierOf(claims, config);
  const find = () => findByIdentity(database, config.name, identifier);
  const findOrCreate = async () => (await find()) ?? register(database, identity);
  // of two concurrent logins, the second finds the user that the first has created
  const account = (await find()) ?? (await database.locked('svc_sign_on', findOrCreate));
  if (account.status !== 'active') throw new ProviderRefusal('the user is not active');
  if (config.roleMapping.length > 0) await setRole(database, account.id, identity);
  return account;
};

/** Sets the role, unless that would leave no administrator. */
const setRole = async (
  database: Database,
  id: string,
  { claims, config, recordChange }: Identity,
): Promise<void> => {
  const role = roleOf(claims, config);
  if ((await readRole(id, database)) === role) return;
  await changeUsers(database, async (executor, raiseAccessVersion) => {
    const previous = await readRole(id, executor);
    const affected = await updateRows(executor, 'svc_users', { set: { role }, where: { id } });
    if ((await findAdministrators(executor)).length === 0) {
      await updateRows(executor, 'svc_users', { set: { role: previous }, where: { id } });
    } else if (affected > 0) {
      await raiseAccessVersion();
      await recordChange({ action: 'update', user: id, fields: ['role'] }, executor);
    }
  });
};

const register = async (database: Database, { claims, config, recordChange }: Identity): Promise<Account> => {
  if (!config.allowRegistration) throw new ProviderRefusal('the user has no record, and registration is off');
  const row = toUser(claims, config);
  if (row.email !== null && (await findByEmail(database, row.email)) !== null) throw emailTaken();
  // the version of access stays: a new user takes nothing away from anyone
  await changeUsers(database, async (executor) => {
    await insertRow(executor, 'svc_users', row);
    await recordChange({ action: 'create', user: row.id, fields: Object.keys(row) }, executor);
  });
  const account = await findById(database, row.id);
  if (account === null) throw new ProviderRefusal('the new user was deleted');
  return account;
};

const toUser = (claims: Claims, config: ProviderConfig) =>
  ({
    id: randomUUID(),
    provider: config.name,
    external_identifier: identifierOf(claims, config),
    email: emailOf(claims, config),
    first_name: nameOf(claims['given_name']),
    last_name: nameOf(claims['family_name']),
    role: roleOf(claims, config),
    status: 'active',
    date_created: new Date().toISOString().slice(0, 19).replace('T', ' '),
  }) satisfies NewRow<'svc_users'>;

/** Returns the identifier claim. @throws ProviderRefusal when it is missing, or an address that is not verified */
const identifierOf = (claims: Claims, { identifierKey, emailKey }: ProviderConfig): string => {
  const found = textOf(claims[identifierKey]);
  if (found === null || found === '' || found.length > 255)
    throw new ProviderRefusal('the claim of IDENTIFIER_KEY is missing, empty or too long');
  if (identifierKey === emailKey || identifierKey === 'email') checkVerified(claims);
  return found;
};

/**
 * Returns the e-mail address in lower case, or null if there is no usable one.
 * @throws ProviderRefusal when the provider reports the address as not verified
 */
const emailOf = (claims: Claims, { emailKey }: ProviderConfig): string | null => {
  const found = textOf(claims[emailKey])?.toLowerCase() ?? null;
  if (found === null || !/^[^@\s]+@[^@\s]+$/.test(found) || found.length > 128) return null;
  checkVerified(claims);
  return found;
};

/** Requires a verified address. @throws ProviderRefusal when `email_verified` is false */
const checkVerified = ({ email_verified: verified }: Claims): void => {
  if (verified === false || verified === 'false')
    throw new ProviderRefusal('the e-mail address is not verified');
};

const roleOf = (claims: Claims, { groupsKey, roleMapping, defaultRole }: ProviderConfig): string | null => {
  const groups = new Set([claims[groupsKey]].flat().map(textOf));
  return roleMapping.find(([group]) => groups.has(group))?.[1] ?? defaultRole;
};

/** Truncates a name to the 64 characters that its column holds. */
const nameOf = (value: unknown): string | null => {
  const text = textOf(value);
  return text === null ? null : Array.from(text).slice(0, 64).join('');
};

/**
 * Returns a claim as text: strings that can be stored (no lone surrogates), and integers that JSON has not rounded;
 * else null.
 */
const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return isStorable(value) && !/\p{Cs}/u.test(value) ? value : null;
  return Number.isSafeInteger(value) ? String(value) : null;
};

/** Maps a constraint violation to its refusal. */
const rejectViolation = (error: unknown, { sql }: Database): never => {
  const kind = sql.readViolation(error, 'svc_users')?.kind;
  // the search can miss what the constraint finds: some databases ignore trailing spaces
  if (kind === 'unique') throw emailTaken();
  if (kind === 'foreignKey')
    throw new ProviderRefusal('the role of DEFAULT_ROLE_ID or ROLE_MAPPING does not exist');
  throw error;
};

const emailTaken = (): ProviderRefusal => new ProviderRefusal('the e-mail address belongs to another user');

const readRole = async (id: string, statements: Statements): Promise<string | null> =>
  (await findRow(statements, 'svc_users', { where: { id }, columns: ['role'] }))?.role ?? null;

/** Changes users in a transaction, one change after another. */
const changeUsers = (
  database: Database,
  body: (executor: Executor, raiseAccessVersion: () => Promise<void>) => Promise<void>,
): Promise<void> =>
  changeAccess(database, async (executor, raiseAccessVersion) => {
    await lockAccessVersion(executor, database.sql.rowLock);
    await body(executor, raiseAccessVersion);
  }).catch((error: unknown) => rejectViolation(error, database));
