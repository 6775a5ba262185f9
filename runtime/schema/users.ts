/** Manages users and administrators outside of requests, for bootstrap and the command line. */
import { isHashedToken } from '../auth/static-tokens.js';
import { randomBytes, randomUUID } from 'node:crypto';
import { recordChange } from '../execute/activity.js';
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
import { changeAccess } from '../execute/access-version.js';

/** Name of the role and policy that bootstrap creates if there is no administrator. */
const administrator = 'Administrator';

export interface NewUser {
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
 * Changes the access tables in one transaction; every process applies the change when this returns. Each written row is
 * recorded in the activity log.
 */
export const changeAccessRows = <Result>(
  database: Database,
  body: (statements: Statements) => Promise<Result>,
): Promise<Result> =>
  changeAccess(database, async (executor, raise) => {
    let writes = 0;
    const countingStatements: Statements = {
      quote: executor.quote,
      query: (sql, values) => executor.query(sql, values),
      write: (statement) => {
        writes += 1;
        return executor.write(statement);
      },
    };
    const result = await body(countingStatements);
    if (writes > 0) await raise();
    return result;
  });

/** Returns the static token of a user; null without user or token, or where only its hash is stored. */
export const tokenOf = async (database: Database, email: string): Promise<string | null> => {
  const found = await findRow(database, 'svc_users', {
    where: { email: [email, email.toLowerCase()] },
    columns: ['token'],
  });
  const token = found?.token ?? null;
  return token === null || isHashedToken(token) ? null : token;
};

export interface FoundUser {
  readonly id: string;
  readonly token: string | null;
  /** Password hash. */
  readonly password: string | null;
}

/** Returns the user with an e-mail address, in any case, or null if there is none. */
export const findUser = async (statements: Statements, email: string): Promise<FoundUser | null> =>
  // addresses are stored in lower case, unless SQL wrote them otherwise
  (await findByAddress(statements, email)) ?? findByAddress(statements, email.toLowerCase());

const findByAddress = async (statements: Statements, email: string): Promise<FoundUser | null> =>
  (await findRow(statements, 'svc_users', { where: { email }, columns: ['id', 'token', 'password'] })) ??
  null;

/** Returns the key of a role, or null if there is none; the lowest key where names repeat. */
export const findRole = async (statements: Statements, name: string): Promise<string | null> => {
  const where = { name };
  const found = await findRow(statements, 'svc_roles', { where, columns: ['id'], order: ['id'], limit: 1 });
  return found?.id ?? null;
};

/** Returns role names, sorted; at most twenty. */
export const roleNames = async (statements: Statements): Promise<readonly string[]> => {
  const rows = await findRows(statements, 'svc_roles', { columns: ['name'], order: ['name'] });
  return [...new Set(rows.map(({ name }) => name))].slice(0, 20);
};

/** Inserts an active user and returns its id. */
export const insertUser = (statements: Statements, user: NewUser): Promise<string> =>
  insert(statements, 'svc_users', {
    ...user,
    email: user.email.toLowerCase(),
    status: 'active',
    date_created: databaseTime(new Date()),
  });

/** Updates a user and records it as activity without a user. The caller raises the access version. */
export const updateUser = async (
  statements: Statements,
  id: string,
  changes: Partial<NewUser>,
): Promise<void> => {
  await updateRows(statements, 'svc_users', { set: changes, where: { id } });
  await recordChange(statements, {
    action: 'update',
    collection: 'svc_users',
    item: id,
    fields: Object.keys(changes),
  });
};

/** Returns the role "Administrator" with an `admin_access` policy, creating it if missing. */
export const ensureAdministratorRole = async (statements: Statements): Promise<string> => {
  const role =
    (await findRole(statements, administrator)) ??
    (await insert(statements, 'svc_roles', { name: administrator }));
  const policy =
    (await findAdministratorPolicy(statements)) ??
    (await insert(statements, 'svc_policies', { name: administrator, admin_access: 1 }));
  const assignment = await findRow(statements, 'svc_access', { where: { role, policy }, columns: ['id'] });
  if (assignment === undefined) await insert(statements, 'svc_access', { role, policy });
  return role;
};

const findAdministratorPolicy = async (statements: Statements): Promise<string | undefined> => {
  const found = await findRow(statements, 'svc_policies', {
    where: { admin_access: 1 },
    columns: ['id'],
    order: ['id'],
    limit: 1,
  });
  return found?.id;
};

const insert = async <Table extends 'svc_users' | 'svc_roles' | 'svc_policies' | 'svc_access'>(
  statements: Statements,
  table: Table,
  row: Omit<NewRow<Table>, 'id'>,
): Promise<string> => {
  const id = randomUUID();
  await insertRow(statements, table, { id, ...row } as unknown as NewRow<Table>);
  await recordChange(statements, { action: 'create', collection: table, item: id, fields: Object.keys(row) });
  return id;
};
