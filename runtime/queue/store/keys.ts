/** Stores API keys of the queue (`svc_keys`), each with an HMAC of its secret instead of the secret. */
import type { User } from '../../access/policies.js';
import {
  deleteRows,
  findRows,
  insertRow,
  listPlaceholders,
  updateRows,
  type Statements,
  type SystemRow,
} from '../../execute/system-rows.js';

export interface StoredKey {
  readonly id: string;
  readonly account: string;
  readonly name: string | null;
  /** HMAC of the secret, in hexadecimal. */
  readonly hash: string;
  /** Patterns of model ids; `null` for every model. */
  readonly models: readonly string[] | null;
  /** Unix time in milliseconds, as `expires` and `used`. */
  readonly created: number;
  readonly expires: number | null;
  readonly used: number | null;
}

/** A key whose user is active. */
export interface ActiveKey extends StoredKey {
  readonly user: User;
}

const toKey = (row: SystemRow<'svc_keys'>): StoredKey => ({
  id: row.id,
  account: row.account,
  name: row.name,
  hash: row.hash,
  models: row.models?.split(',') ?? null,
  created: row.date_created,
  expires: row.date_expires,
  used: row.date_used,
});

type KeyAndUser = SystemRow<'svc_keys'> & Pick<SystemRow<'svc_users'>, 'role' | 'status' | 'ip_access'>;

/** Marks the second factor as present, because API keys do not require one. */
const toActiveKey = (row: KeyAndUser): ActiveKey => ({
  ...toKey(row),
  user: {
    id: row.account,
    role: row.role,
    status: 'active',
    secondFactor: true,
    columns: { ip_access: row.ip_access },
  },
});

/** Returns the keys with the given ids whose users are active. */
export const findActiveKeys = async (
  statements: Statements,
  ids: readonly string[],
): Promise<readonly ActiveKey[]> => {
  const { placeholders, values } = listPlaceholders(ids);
  const rows = (await statements.query(
    'select svc_keys.id, account, name, hash, models, svc_keys.date_created, date_expires, date_used, ' +
      'role, status, ip_access ' +
      'from svc_keys join svc_users on svc_users.id = svc_keys.account ' +
      `where svc_keys.id in (${placeholders})`,
    values,
  )) as unknown as KeyAndUser[];
  // compared here, because collations ignore case and trailing blanks
  const active = rows.filter(({ status }) => status === 'active');
  return active.map(toActiveKey);
};

/** Inserts a key. Its models are stored as a list separated by commas; null permits all. */
export const insertKey = (statements: Statements, key: StoredKey): Promise<void> =>
  insertRow(statements, 'svc_keys', {
    id: key.id,
    account: key.account,
    name: key.name,
    hash: key.hash,
    models: key.models?.join(',') ?? null,
    date_created: key.created,
    date_expires: key.expires,
  });

/** Returns the keys of an account, oldest first. */
export const listKeys = async (statements: Statements, account: string): Promise<readonly StoredKey[]> => {
  const rows = await findRows(statements, 'svc_keys', {
    where: { account },
    order: ['date_created', 'id'],
  });
  return rows.map(toKey);
};

/** Deletes a key of an account, or of any account for null. @returns whether the key existed */
export const deleteKey = async (
  statements: Statements,
  id: string,
  account: string | null,
): Promise<boolean> => (await deleteRows(statements, 'svc_keys', { id, account: account ?? undefined })) > 0;

/** Stores the time of the last use, a Unix time in milliseconds. */
export const markUsed = async (statements: Statements, id: string, now: number): Promise<void> => {
  await updateRows(statements, 'svc_keys', { set: { date_used: now }, where: { id } });
};
