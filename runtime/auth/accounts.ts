/** Reads and updates the user records that authentication uses. */
import { isUuid } from '../../contract/uuid.js';
import { readAddressList, type AddressList } from '../access/addresses.js';
import { changeAccess } from '../execute/access-version.js';
import { isStorable } from '../execute/access-source.js';
import { deleteRows, findRow, findRows, updateRows, type SystemRow } from '../execute/system-rows.js';
import type { Database, Executor } from '../databases/contract.js';

/** The part of a user record that authentication needs. */
export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly status: string;
  readonly provider: string;
  readonly password: string | null;
  readonly tfaSecret: string | null;
  readonly tfaStep: number;
  /** Networks from which the user may sign in; `null`: any. */
  readonly addresses: AddressList;
}

/** A change of a user record, for the activity log. */
export interface AccountChange {
  readonly action: 'create' | 'update';
  readonly user: string;
  /** Names of the changed columns, without their values. */
  readonly fields: readonly string[];
}

/** Records a change in the transaction that makes it. */
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

/**
 * Finds a user by e-mail address: an exact match first, else one in lower case. Addresses are compared by code unit,
 * because a collation that ignores accents would match another account.
 */
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

/** Returns the account of an id, whatever its status; null where there is none. */
export const findById = async (database: Database, id: string): Promise<Account | null> => {
  const row = await findRow(database, 'svc_users', { where: { id }, columns });
  return row === undefined ? null : rowToAccount(row);
};

/** Returns the account of an id or e-mail address, whatever its status; null where there is none. */
export const findAccount = (database: Database, name: string): Promise<Account | null> =>
  isUuid(name) ? findById(database, name) : findByEmail(database, name);

/**
 * Finds the user that an identity provider identifies by `identifier`. Values are compared by code unit, because
 * collations ignore case and trailing spaces; returns null if several records match.
 */
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

type Secrets = Partial<Pick<SystemRow<'svc_users'>, 'password' | 'tfa_secret' | 'tfa_step' | 'status'>>;

export interface AccountUpdate {
  readonly changes: Secrets;
  /** Values that the record must still have; if it does not, nothing is changed. */
  readonly expected?: Secrets;
  /** True where all sessions of the user end. */
  readonly endsSessions?: boolean;
  readonly record: RecordChange;
}

/**
 * Updates what a user authenticates with; every process applies the change when this returns. Returns false if there is no
 * such record, or it does not have the expected values.
 */
export const updateAccount = (
  database: Database,
  id: string,
  { changes, expected = {}, endsSessions = false, record }: AccountUpdate,
): Promise<boolean> =>
  changeAccess(database, async (executor, raise) => {
    const affected = await updateRows(executor, 'svc_users', { set: changes, where: { id, ...expected } });
    if (affected === 0) return false;
    if (endsSessions) await deleteRows(executor, 'svc_sessions', { user: id });
    await raise();
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
