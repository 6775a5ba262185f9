/** User records, as signing in sees them. */
import { readAddressList } from '../access/addresses.js';
import { bumpAccessVersion } from '../execute/access-version.js';
import { isStorable } from '../execute/access-source.js';
import type { BindValue, Database, Executor } from '../databases/contract.js';
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

const columns = 'id, email, status, provider, password, tfa_secret, tfa_step, ip_access';

/** Spelled as given first, else in lower case; letter by letter, so that no accent opens another account. */
export const findByEmail = async (database: Database, email: string): Promise<Account | null> => {
  if (!isStorable(email)) return null;
  const rows = await database.query(`select ${columns} from svc_users where email = ? or email = ?`, [
    email,
    email.toLowerCase(),
  ]);
  const row =
    rows.find((each) => each.email === email) ?? rows.find((each) => each.email === email.toLowerCase());
  return row === undefined ? null : rowToAccount(row);
};

export const findById = async (database: Database, id: string): Promise<Account | null> => {
  const [row] = await database.query(`select ${columns} from svc_users where id = ?`, [id]);
  return row === undefined ? null : rowToAccount(row);
};

/** By what a provider of identities calls somebody, letter by letter: collations overlook case and blanks at the end. */
export const findByIdentity = async (
  database: Database,
  provider: string,
  identifier: string,
): Promise<Account | null> => {
  const rows = await database.query(
    `select ${columns}, external_identifier from svc_users where provider = ? and external_identifier = ?`,
    [provider, identifier],
  );
  const [row, ...others] = rows.filter(
    (each) => each.provider === provider && each.external_identifier === identifier,
  );
  return row === undefined || others.length > 0 ? null : rowToAccount(row);
};

type Secrets = Readonly<Partial<Record<'password' | 'tfa_secret' | 'tfa_step', BindValue>>>;

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
    const names = Object.keys(changes);
    const set = names.map((name) => `${name} = ?`).join(', ');
    const conditions = Object.entries({ id, ...held });
    const where = conditions.map(([name, value]) => `${name} ${value === null ? 'is null' : '= ?'}`);
    const { affected } = await executor.write({
      text: `update svc_users set ${set} where ${where.join(' and ')}`,
      values: [...Object.values(changes), ...conditions.flatMap(([, value]) => value ?? [])],
    });
    if (affected === 0) return false;
    await bumpAccessVersion(executor);
    await record({ action: 'update', user: id, fields: names }, executor);
    return true;
  });

const rowToAccount = (row: Readonly<Record<string, unknown>>): Account => ({
  id: String(row.id),
  email: text(row.email),
  status: String(row.status),
  provider: String(row.provider),
  password: text(row.password),
  tfaSecret: text(row.tfa_secret),
  tfaStep: Number(row.tfa_step ?? 0),
  addresses: readAddressList(row.ip_access),
});

const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);
