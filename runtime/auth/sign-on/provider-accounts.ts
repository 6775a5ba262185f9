/**
 * Whose record somebody has that a provider identified: by provider and identifier and nothing else. An e-mail
 * address opens no record, because whoever may write one at a provider need not be who has it.
 */
import { randomUUID } from 'node:crypto';
import type { ProviderConfig } from '../../config/providers.js';
import { bumpAccessVersion } from '../../execute/access-version.js';
import { findAdministrators } from '../../execute/administrators.js';
import { isStorable } from '../../execute/access-source.js';
import { findRow, insertRow, updateRows, type NewRow, type Statements } from '../../execute/system-rows.js';
import type { Database, Executor } from '../../databases/contract.js';
import { findById, findByEmail, findByIdentity, type RecordChange } from '../accounts.js';
import type { Account } from '../sessions.js';
import { ProviderRefusal, type Claims } from './provider.js';

export interface ProviderAccounts {
  /** Finds or makes the record, and brings its role up to date. @throws ProviderRefusal */
  enter(claims: Claims, config: ProviderConfig, record: RecordChange): Promise<Account>;
}

export const createProviderAccounts = (database: Database): ProviderAccounts => {
  /** A role follows its groups, except away from the last administrator. */
  const setRole = async (id: string, role: string | null, record: RecordChange): Promise<void> => {
    if ((await readRole(id, database)) === role) return;
    await change(database, async (executor) => {
      const held = await readRole(id, executor);
      const affected = await updateRows(executor, 'svc_users', { set: { role }, where: { id } });
      if ((await findAdministrators(executor)).length === 0) {
        await updateRows(executor, 'svc_users', { set: { role: held }, where: { id } });
      } else if (affected > 0) {
        await record({ action: 'update', user: id, fields: ['role'] }, executor);
      }
    });
  };

  const register = async (claims: Claims, config: ProviderConfig, record: RecordChange): Promise<Account> => {
    if (!config.allowRegistration) throw new ProviderRefusal('somebody without a user record');
    const email = emailOf(claims, config);
    if (email !== null && (await findByEmail(database, email)) !== null) throw addressTaken();
    const id = randomUUID();
    const row: NewRow<'svc_users'> = {
      id,
      provider: config.name,
      external_identifier: identifierOf(claims, config),
      email,
      first_name: nameOf(claims['given_name']),
      last_name: nameOf(claims['family_name']),
      role: roleOf(claims, config),
      status: 'active',
      date_created: new Date().toISOString().slice(0, 19).replace('T', ' '),
    };
    await change(database, async (executor) => {
      await insertRow(executor, 'svc_users', row);
      await record({ action: 'create', user: id, fields: Object.keys(row) }, executor);
    });
    const made = await findById(database, id);
    if (made === null) throw new ProviderRefusal('the new user was deleted');
    return made;
  };

  return {
    async enter(claims, config, record) {
      const identifier = identifierOf(claims, config);
      const find = () => findByIdentity(database, config.name, identifier);
      // of two that come at once, the second finds the record of the first
      const known =
        (await find()) ??
        (await database.locked(
          'svc_sign_on',
          async () => (await find()) ?? register(claims, config, record),
        ));
      if (known.status !== 'active') throw new ProviderRefusal('a user who is not active');
      if (config.roleMapping.length > 0) await setRole(known.id, roleOf(claims, config), record);
      return known;
    },
  };
};

/** @throws ProviderRefusal where the provider does not say it, or says it of an address that is not verified */
const identifierOf = (claims: Claims, { identifierKey, emailKey }: ProviderConfig): string => {
  const found = textOf(claims[identifierKey]);
  if (found === null || found === '' || found.length > 255)
    throw new ProviderRefusal('the claim of IDENTIFIER_KEY is missing, or identifies nobody');
  if (identifierKey === emailKey || identifierKey === 'email') checkVerified(claims);
  return found;
};

/** @throws ProviderRefusal for one that the provider says is not verified */
const emailOf = (claims: Claims, { emailKey }: ProviderConfig): string | null => {
  const found = textOf(claims[emailKey])?.toLowerCase() ?? null;
  if (found === null || !/^[^@\s]+@[^@\s]+$/.test(found) || found.length > 128) return null;
  checkVerified(claims);
  return found;
};

/** @throws ProviderRefusal */
const checkVerified = ({ email_verified: verified }: Claims): void => {
  if (verified === false || verified === 'false')
    throw new ProviderRefusal('the e-mail address is not verified');
};

const roleOf = (claims: Claims, { groupsKey, roleMapping, defaultRole }: ProviderConfig): string | null => {
  const groups = new Set([claims[groupsKey]].flat().map(textOf));
  return roleMapping.find(([group]) => groups.has(group))?.[1] ?? defaultRole;
};

/** As many letters as the columns of names hold. */
const nameOf = (value: unknown): string | null => {
  const text = textOf(value);
  return text === null ? null : Array.from(text).slice(0, 64).join('');
};

/** Digits of numbers as well, unless JSON rounded them. What no row can hold, as half a letter, says nothing. */
const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return isStorable(value) && !/\p{Cs}/u.test(value) ? value : null;
  return Number.isSafeInteger(value) ? String(value) : null;
};

const refuseViolation = (error: unknown, { sql }: Database): never => {
  const kind = sql.readViolation(error, 'svc_users')?.kind;
  // what is unique may be another user's all the same: some databases overlook blanks at the end
  if (kind === 'unique') throw addressTaken();
  if (kind === 'foreignKey')
    throw new ProviderRefusal('the role of DEFAULT_ROLE_ID or ROLE_MAPPING does not exist');
  throw error;
};

const addressTaken = (): ProviderRefusal => new ProviderRefusal('the e-mail address belongs to another user');

const readRole = async (id: string, statements: Statements): Promise<string | null> =>
  (await findRow(statements, 'svc_users', { where: { id }, columns: ['role'] }))?.role ?? null;

/**
 * Every process sees it with its next request. Counting comes first: it makes such changes take turns, so that two of
 * them cannot each leave the other's administrator.
 */
const change = (database: Database, body: (executor: Executor) => Promise<void>): Promise<void> =>
  database
    .transaction(async (executor) => {
      await bumpAccessVersion(executor);
      await body(executor);
    })
    .catch((error: unknown) => refuseViolation(error, database));
