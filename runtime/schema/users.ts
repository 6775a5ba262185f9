/** Manages users and administrators outside of requests, for bootstrap and the command line. */
import { randomBytes, randomUUID } from 'node:crypto';
import { findAdministrators } from '../execute/administrators.js';
import { databaseTime } from '../execute/database-time.js';
import {
  findRow,
  findRows,
  insertRow,
  updateRows,
  type NewRow,
  type Statements,
} from '../execute/system-rows.js';
import type { Database } from '../databases/contract.js';
import { bumpAccessVersion } from '../execute/access-version.js';

/** Name of the role and policy that bootstrap creates if there is no administrator. */
const administrator = 'Administrator';

interface NewUser {
  readonly email: string;
  readonly role: string | null;
  readonly token?: string;
  /** Password hash; absent: no password. */
  readonly password?: string;
  readonly tfa_secret?: null;
}

/** Returns 32 random bytes as base64url, which is safe in headers and URLs. */
export const createToken = (): string => randomBytes(32).toString('base64url');

/** Returns 96 random bits as base64url, which are easy to type. */
export const createPassword = (): string => randomBytes(12).toString('base64url');

/** Returns whether the API would accept a text as e-mail address; others could not log in. */
export const isEmail = (text: string): boolean => [...text].length <= 128 && /^[^@\s]+@[^@\s]+$/u.test(text);

/**
 * Changes the access tables in one transaction. Every process applies the change from its next request on. Each
 * written row is recorded in the activity log.
 */
export const changeAccess = <Result>(
  database: Database,
  body: (store: AccessStore) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (executor) => {
    let writes = 0;
    const countingStatements: Statements = {
      quote: executor.quote,
      query: (sql, values) => executor.query(sql, values),
      write: (statement) => {
        writes += 1;
        return executor.write(statement);
      },
    };
    const result = await body(createAccessStore(countingStatements));
    if (writes > 0) await bumpAccessVersion(executor);
    return result;
  });

/** Returns the static token of a user, or null without user or token. */
export const tokenOf = async (database: Database, email: string): Promise<string | null> => {
  const found = await findRow(database, 'svc_users', {
    where: { email: [email, email.toLowerCase()] },
    columns: ['token'],
  });
  return found?.token ?? null;
};

export interface FoundUser {
  readonly id: string;
  readonly token: string | null;
  /** Password hash. */
  readonly password: string | null;
}

export interface AccessStore {
  findUser(email: string): Promise<FoundUser | null>;
  /** Returns the key of a role, or null if there is none; the lowest key where names repeat. */
  findRole(name: string): Promise<string | null>;
  /** Returns role names, sorted; at most twenty. */
  roleNames(): Promise<readonly string[]>;
  insertUser(user: NewUser): Promise<string>;
  updateUser(id: string, changes: Partial<NewUser>): Promise<void>;
  /** Returns e-mail addresses of users with full access, at most ten. */
  administrators(): Promise<readonly string[]>;
  /** Returns the role "Administrator" with an `admin_access` policy, creating it if missing. */
  administratorRole(): Promise<string>;
}

const createAccessStore = (statements: Statements): AccessStore => {
  /** Records activity without user and address. */
  const record = (
    action: 'create' | 'update',
    {
      table,
      id,
      fields,
    }: { readonly table: string; readonly id: string; readonly fields: readonly string[] },
  ): Promise<void> =>
    insertRow(statements, 'svc_activity', {
      action,
      collection: table,
      item: id,
      fields: fields.join(),
      timestamp: databaseTime(new Date()),
    });

  const insert = async <Table extends 'svc_users' | 'svc_roles' | 'svc_policies' | 'svc_access'>(
    table: Table,
    row: Omit<NewRow<Table>, 'id'>,
  ): Promise<string> => {
    const id = randomUUID();
    await insertRow(statements, table, { id, ...row } as unknown as NewRow<Table>);
    await record('create', { table, id, fields: Object.keys(row) });
    return id;
  };

  const findRole = async (name: string): Promise<string | null> => {
    const found = await findRow(statements, 'svc_roles', {
      where: { name },
      columns: ['id'],
      order: ['id'],
      limit: 1,
    });
    return found?.id ?? null;
  };

  const findUser = async (email: string): Promise<FoundUser | null> =>
    (await findRow(statements, 'svc_users', { where: { email }, columns: ['id', 'token', 'password'] })) ??
    null;

  return {
    // addresses are stored in lower case, unless SQL wrote them otherwise
    findUser: async (email) => (await findUser(email)) ?? findUser(email.toLowerCase()),
    findRole,
    async roleNames() {
      const rows = await findRows(statements, 'svc_roles', { columns: ['name'], order: ['name'] });
      return [...new Set(rows.map(({ name }) => name))].slice(0, 20);
    },
    insertUser: (user) =>
      insert('svc_users', {
        ...user,
        email: user.email.toLowerCase(),
        status: 'active',
        date_created: databaseTime(new Date()),
      }),
    async updateUser(id, changes) {
      await updateRows(statements, 'svc_users', { set: changes, where: { id } });
      await record('update', { table: 'svc_users', id, fields: Object.keys(changes) });
    },
    administrators: () => findAdministrators(statements),
    async administratorRole() {
      const role = (await findRole(administrator)) ?? (await insert('svc_roles', { name: administrator }));
      const known = await findRow(statements, 'svc_policies', {
        where: { admin_access: 1 },
        columns: ['id'],
        order: ['id'],
        limit: 1,
      });
      const policy = known?.id ?? (await insert('svc_policies', { name: administrator, admin_access: 1 }));
      const held = await findRow(statements, 'svc_access', { where: { role, policy }, columns: ['id'] });
      if (held === undefined) await insert('svc_access', { role, policy });
      return role;
    },
  };
};
