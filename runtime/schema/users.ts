/** Users and what makes one an administrator, written from outside a request: bootstrap and the shell. */
import { randomBytes, randomUUID } from 'node:crypto';
import { findAdministrators } from '../execute/administrators.js';
import { databaseTime } from '../execute/database-time.js';
import type { BindValue, Database, Executor } from '../databases/contract.js';
import { bumpAccessVersion } from '../execute/access-version.js';

/** A role or policy of this name is made by bootstrap where nobody administers yet. */
const administrator = 'Administrator';

interface NewUser {
  readonly email: string;
  readonly role: string | null;
  readonly token?: string;
  /** As a hash; absent: none. */
  readonly password?: string;
  readonly tfa_secret?: null;
}

/** 32 random bytes, in letters that fit into a header and a URL. */
export const createToken = (): string => randomBytes(32).toString('base64url');

/** 96 random bits, easy to type. */
export const createPassword = (): string => randomBytes(12).toString('base64url');

/** As the API has it: what is none could not log in. */
export const isEmail = (text: string): boolean => [...text].length <= 128 && /^[^@\s]+@[^@\s]+$/u.test(text);

/**
 * Runs a change of the access tables; where it wrote, every process sees it with its next request. Each row that is
 * written leaves its row of activity.
 */
export const changeAccess = <Result>(
  database: Database,
  body: (store: AccessStore) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (executor) => {
    let writes = 0;
    const counted: Pick<Executor, 'query' | 'write'> = {
      query: (sql, values) => executor.query(sql, values),
      write: (statement) => {
        writes += 1;
        return executor.write(statement);
      },
    };
    const result = await body(createAccessStore(counted, database.sql.quote));
    if (writes > 0) await bumpAccessVersion(executor);
    return result;
  });

/** Static token of a user; `null` without user or token. */
export const tokenOf = async (database: Database, email: string): Promise<string | null> => {
  const [found] = await database.query('select token from svc_users where email = ? or email = ?', [
    email,
    email.toLowerCase(),
  ]);
  return typeof found?.token === 'string' ? found.token : null;
};

export interface FoundUser {
  readonly id: string;
  readonly token: string | null;
  /** As a hash. */
  readonly password: string | null;
}

export interface AccessStore {
  findUser(email: string): Promise<FoundUser | null>;
  /** @returns its key, or `null` where there is none; the first by key where names repeat */
  findRole(name: string): Promise<string | null>;
  /** Sorted; at most twenty. */
  roleNames(): Promise<readonly string[]>;
  insertUser(user: NewUser): Promise<string>;
  updateUser(id: string, changes: Partial<NewUser>): Promise<void>;
  /** E-mail addresses of users who may do everything, at most ten. */
  administrators(): Promise<readonly string[]>;
  /** Role "Administrator" holding a policy with `admin_access`; made where missing. */
  administratorRole(): Promise<string>;
}

const createAccessStore = (
  executor: Pick<Executor, 'query' | 'write'>,
  quote: (name: string) => string,
): AccessStore => {
  const insertRow = async (table: string, row: Readonly<Record<string, BindValue>>): Promise<void> => {
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    await executor.write({
      text: `insert into ${quote(table)} (${names.map(quote).join(', ')}) values (${places})`,
      values: Object.values(row),
    });
  };

  /** By nobody who signed in, and from no address. */
  const record = (
    action: 'create' | 'update',
    {
      table,
      id,
      fields,
    }: { readonly table: string; readonly id: string; readonly fields: readonly string[] },
  ): Promise<void> =>
    insertRow('svc_activity', {
      action,
      collection: table,
      item: id,
      fields: fields.join(),
      timestamp: databaseTime(new Date()),
    });

  const insert = async (table: string, row: Readonly<Record<string, BindValue>>): Promise<string> => {
    const id = randomUUID();
    await insertRow(table, { id, ...row });
    await record('create', { table, id, fields: Object.keys(row) });
    return id;
  };

  const first = async (sql: string, values: readonly BindValue[]): Promise<Record<string, unknown> | null> =>
    (await executor.query(sql, values))[0] ?? null;

  const findRole = async (name: string): Promise<string | null> => {
    const found = await first('select id from svc_roles where name = ? order by id limit 1', [name]);
    return found === null ? null : String(found.id);
  };

  return {
    async findUser(email) {
      // in lower case, unless somebody wrote it otherwise by SQL
      const sql = 'select id, token, password from svc_users where email = ?';
      const found = (await first(sql, [email])) ?? (await first(sql, [email.toLowerCase()]));
      if (found === null) return null;
      return { id: String(found.id), token: textOf(found.token), password: textOf(found.password) };
    },
    findRole,
    async roleNames() {
      const rows = await executor.query('select distinct name from svc_roles order by name limit 20');
      return rows.map((row) => String(row.name));
    },
    insertUser: (user) =>
      insert('svc_users', {
        ...user,
        email: user.email.toLowerCase(),
        status: 'active',
        date_created: databaseTime(new Date()),
      }),
    async updateUser(id, changes) {
      const names = Object.keys(changes);
      const set = names.map((name) => `${quote(name)} = ?`).join(', ');
      const values = [...Object.values(changes), id];
      await executor.write({ text: `update svc_users set ${set} where id = ?`, values });
      await record('update', { table: 'svc_users', id, fields: names });
    },
    administrators: () => findAdministrators(executor, quote),
    async administratorRole() {
      const role = (await findRole(administrator)) ?? (await insert('svc_roles', { name: administrator }));
      const policy =
        (await first('select id from svc_policies where admin_access = ? order by id limit 1', [1]))?.id ??
        (await insert('svc_policies', { name: administrator, admin_access: 1 }));
      const held = await first('select id from svc_access where role = ? and policy = ?', [
        role,
        String(policy),
      ]);
      if (held === null) await insert('svc_access', { role, policy: String(policy) });
      return role;
    },
  };
};

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);
