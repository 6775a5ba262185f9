/** User records, as signing in sees them. */
import { readAddressList } from '../access/addresses.js';
import { bumpAccessVersion } from '../execute/access-version.js';
import { isStorable } from '../execute/access-source.js';
import { findRow, findRows, updateRows, type SystemRow } from '../execute/system-rows.js';
import type { Database, Executor } from '../databases/contract.js';
import type { Account } from './sessions.js';

/** A change of a user record, for those who keep account of it. */
export interface AccountChange {
  readonly action: 'create' | 'update';
  readonly user: string;
  /** Names, never values. */
  readonly fields: readonly string[];
}

/** Done in the transaction of the change. */
export type RecordChange = (change: AccountChange, executor: Executor) => Promise<void>;

const columns = [
  'id',
  'email',
  'status',
  'provider',
  'password',
  'tfa_secret',
  'tfa_step',
  'ip_access',
] as const;

/** Spelled as given first, else in lower case; letter by letter, so that no accent opens another account. */
export const findByEmail = async (database: Database, email: string): Promise<Account | null> => {
  if (!isStorable(email)) return null;
  const rows = await findRows(database, 'svc_users', {
    where: { email: [email, email.toLowerCase()] },
    columns,
  });
  const row =
    rows.find((each) => each.email === email) ?? rows.find((each) => each.email === email.toLowerCase());
  return row === undefined ? null : rowToAccount(row);
};

export const findById = async (database: Database, id: string): Promise<Account | null> => {
  const row = await findRow(database, 'svc_users', { where: { id }, columns });
  return row === undefined ? null : rowToAccount(row);
};

/** By what a provider of identities calls somebody, letter by letter: collations overlook case and blanks at the end. */
export const findByIdentity = async (
  database: Database,
  provider: string,
  identifier: string,
): Promise<Account | null> => {
  const rows = await findRows(database, 'svc_users', {
    where: { provider, external_identifier: identifier },
    columns: [...columns, 'external_identifier'],
  });
  const [row, ...others] = rows.filter(
    (each) => each.provider === provider && each.external_identifier === identifier,
  );
  return row === undefined || others.length > 0 ? null : rowToAccount(row);
};

type Secrets = Partial<Pick<SystemRow<'svc_users'>, 'password' | 'tfa_secret' | 'tfa_step'>>;

export interface AccountUpdate {
  readonly changes: Secrets;
  /** What the record has to hold still; absent: whatever it holds. */
  readonly held?: Secrets;
  readonly record: RecordChange;
}

/** Whether the record was there and held what it had to. Every process sees the change with its next request. */
export const updateAccount = (
  database: Database,
  id: string,
  { changes, held = {}, record }: AccountUpdate,
): Promise<boolean> =>
  database.transaction(async (executor) => {
    const affected = await updateRows(executor, 'svc_users', { set: changes, where: { id, ...held } });
    if (affected === 0) return false;
    await bumpAccessVersion(executor);
    await record({ action: 'update', user: id, fields: Object.keys(changes) }, executor);
    return true;
  });

const rowToAccount = (row: Pick<SystemRow<'svc_users'>, (typeof columns)[number]>): Account => ({
  id: row.id,
  email: row.email,
  status: row.status,
  provider: row.provider,
  password: row.password,
  tfaSecret: row.tfa_secret,
  tfaStep: row.tfa_step ?? 0,
  addresses: readAddressList(row.ip_access),
});
