/** `svc_keys`: who may use the queue from outside. Only a keyed hash of each secret is kept. */
import type { User } from '../../access/policies.js';
import { insertRow, listOf, number, text, type Row, type Statements } from './rows.js';

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

const columns = 'id, account, name, hash, models, date_created, date_expires, date_used';

const toKey = (row: Row): StoredKey => ({
  id: String(row.id),
  account: String(row.account),
  name: text(row.name),
  hash: String(row.hash),
  models: text(row.models)?.split(',') ?? null,
  created: Number(row.date_created),
  expires: number(row.date_expires),
  used: number(row.date_used),
});

/** Nobody is asked for a second factor who comes with a key. */
const toActiveKey = (row: Row): ActiveKey => ({
  ...toKey(row),
  user: {
    id: String(row.account),
    role: text(row.role),
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
  const rows = await statements.query(
    'select svc_keys.id, account, name, hash, models, svc_keys.date_created, date_expires, date_used, ' +
      'role, status, ip_access ' +
      'from svc_keys join svc_users on svc_users.id = svc_keys.account ' +
      `where svc_keys.id in (${places})`,
    values,
  );
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
  const rows = await statements.query(
    `select ${columns} from svc_keys where account = ? order by date_created, id`,
    [account],
  );
  return rows.map(toKey);
};

/** @returns whether there was such a key of this account; `null`: of any */
export const deleteKey = async (
  statements: Statements,
  id: string,
  account: string | null,
): Promise<boolean> => {
  const { affected } = await statements.write(
    account === null
      ? { text: 'delete from svc_keys where id = ?', values: [id] }
      : { text: 'delete from svc_keys where id = ? and account = ?', values: [id, account] },
  );
  return affected > 0;
};

export const markUsed = async (statements: Statements, id: string, now: number): Promise<void> => {
  await statements.write({ text: 'update svc_keys set date_used = ? where id = ?', values: [now, id] });
};
