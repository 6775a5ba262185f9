/** Rows of the system tables, written as somebody at a database shell would. */
import { randomUUID } from 'node:crypto';
import type { BindValue, Database } from '../../../runtime/databases/contract.js';
import { loadDialect } from '../../../runtime/databases/open.js';

type Row = Readonly<Record<string, unknown>>;

/** Rows of `svc_collections`, `svc_fields` and `svc_relations`. */
export interface TestMeta {
  readonly collections?: Readonly<Record<string, Row>>;
  readonly fields?: Readonly<Record<string, Readonly<Record<string, Row>>>>;
  readonly relations?: readonly Row[];
}

export interface TestPermission {
  readonly collection: string;
  readonly action: 'create' | 'read' | 'update' | 'delete';
  readonly fields?: readonly string[];
  readonly permissions?: unknown;
  readonly validation?: unknown;
  readonly presets?: unknown;
}

/** By name; a user called `admin` is always there, with the token `adminToken`. */
export interface TestAccess {
  readonly policies?: Readonly<Record<string, readonly TestPermission[]>>;
  readonly roles?: Readonly<Record<string, TestRole>>;
  readonly users?: Readonly<Record<string, TestUser>>;
  /** Policies of everybody without a role. */
  readonly public?: readonly string[];
}

export interface TestRole {
  readonly id?: string;
  /** A role named before. */
  readonly parent?: string;
  readonly policies: readonly string[];
}

export interface TestUser {
  readonly id?: string;
  /** `<name>-token` when absent. */
  readonly token?: string;
  readonly role?: string | null;
  readonly policies?: readonly string[];
  /** Further columns of `svc_users`. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** Keys by name. */
export type AccessIds = Readonly<Record<'policies' | 'roles' | 'users', Map<string, string>>>;

export const adminToken = 'admin-token-0123456789abcdef';

export const tokensOf = ({ users = {} }: TestAccess): ReadonlyMap<string, string> =>
  new Map([
    ['admin', adminToken],
    ...Object.entries(users).map(([name, user]): [string, string] => [name, tokenOf(name, user)]),
  ]);

const tokenOf = (name: string, { token }: TestUser): string => token ?? `${name}-token`;

export const insertMeta = async (
  database: Database,
  { collections = {}, fields = {}, relations = [] }: TestMeta,
): Promise<void> => {
  for (const [collection, row] of Object.entries(collections)) {
    await insertRow(database, 'svc_collections', { collection, ...row });
  }
  for (const [collection, rows] of Object.entries(fields)) {
    for (const [field, row] of Object.entries(rows)) {
      await insertRow(database, 'svc_fields', { collection, field, ...row });
    }
  }
  for (const row of relations) await insertRow(database, 'svc_relations', row);
};

export const insertAccess = async (database: Database, access: TestAccess): Promise<AccessIds> => {
  const ids: AccessIds = { policies: new Map(), roles: new Map(), users: new Map() };
  const hold = async (policies: readonly string[], holder: Row): Promise<void> => {
    for (const name of policies) {
      await insertRow(database, 'svc_access', {
        id: randomUUID(),
        policy: ids.policies.get(name),
        ...holder,
      });
    }
  };
  for (const [name, permissions] of Object.entries(access.policies ?? {})) {
    const policy = randomUUID();
    ids.policies.set(name, policy);
    await insertRow(database, 'svc_policies', { id: policy, name });
    for (const permission of permissions) await insertPermission(database, policy, permission);
  }
  for (const [name, { id = randomUUID(), parent, policies }] of Object.entries(access.roles ?? {})) {
    ids.roles.set(name, id);
    const above = parent === undefined ? {} : { parent: ids.roles.get(parent) };
    await insertRow(database, 'svc_roles', { id, name, ...above });
    await hold(policies, { role: id });
  }
  for (const [name, user] of Object.entries(access.users ?? {})) {
    const { id = randomUUID(), role, policies = [], columns = {} } = user;
    ids.users.set(name, id);
    const row = {
      id,
      email: `${name}@example.com`,
      token: tokenOf(name, user),
      status: 'active',
      ...columns,
    };
    await insertRow(database, 'svc_users', {
      ...row,
      role: typeof role === 'string' ? ids.roles.get(role) : null,
    });
    await hold(policies, { user: id });
  }
  await hold(access.public ?? [], {});
  return ids;
};

const insertPermission = (
  database: Database,
  policy: string,
  { fields, ...permission }: TestPermission,
): Promise<void> =>
  insertRow(database, 'svc_permissions', {
    policy,
    ...permission,
    ...(fields !== undefined && { fields: fields.join() }),
  });

/** Lists of texts are stored comma-separated, objects as JSON. */
export const insertRow = async (database: Database, table: string, row: Row): Promise<void> => {
  const { quote } = await loadDialect(database.dialect);
  const names = Object.keys(row);
  const text = `insert into ${quote(table)} (${names.map(quote).join(', ')}) values (${names.map(() => '?').join(', ')})`;
  await database.write({ text, values: Object.values(row).map(toBindValue) });
};

const toBindValue = (value: unknown): BindValue => {
  if (typeof value === 'boolean') return Number(value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ((value ?? null) as BindValue);
};
