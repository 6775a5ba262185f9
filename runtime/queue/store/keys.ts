/** `svc_keys`: who may use the queue from outside. Only a keyed hash of each secret is kept. */
import type { User } from '../../access/policies.js';
import {
  deleteRows,
  findRows,
  insertRow,
  listOf,
  updateRows,
  type Statements,
  type SystemRow,
} from '../../execute/system-rows.js';

export interface StoredKey {
  readonly id: string;
  readonly account: string;
  readonly name: string | null;
  /** Hex. */
  readonly hash: string;
  /** Patterns of model ids; `null`: every model. */
  readonly models: readonly string[] | null;
  /** Milliseconds since 1970. */
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

/** Nobody is asked for a second factor who comes with a key. */
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

/** Those of the keys whose users are active. */
export const findActiveKeys = async (
  statements: Statements,
  ids: readonly string[],
): Promise<readonly ActiveKey[]> => {
  const { places, values } = listOf(ids);
  const rows = (await statements.query(
    'select svc_keys.id, account, name, hash, models, svc_keys.date_created, date_expires, date_used, ' +
      'role, status, ip_access ' +
      'from svc_keys join svc_users on svc_users.id = svc_keys.account ' +
      `where svc_keys.id in (${places})`,
    values,
  )) as unknown as KeyAndUser[];
  // collations overlook case and blanks at the end, access does not
  const active = rows.filter(({ status }) => status === 'active');
  return active.map(toActiveKey);
};

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

/** Oldest first. */
export const listKeys = async (statements: Statements, account: string): Promise<readonly StoredKey[]> => {
  const rows = await findRows(statements, 'svc_keys', {
    where: { account },
    order: ['date_created', 'id'],
  });
  return rows.map(toKey);
};

/** @returns whether there was such a key of this account; `null`: of any */
export const deleteKey = async (
  statements: Statements,
  id: string,
  account: string | null,
): Promise<boolean> => (await deleteRows(statements, 'svc_keys', { id, account: account ?? undefined })) > 0;

export const markUsed = async (statements: Statements, id: string, now: number): Promise<void> => {
  await updateRows(statements, 'svc_keys', { set: { date_used: now }, where: { id } });
};
