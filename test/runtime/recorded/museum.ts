/** The museum: the schema, meta and access that the recorded cases were made on. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { TestDialect } from '../../databases.js';
import { cheapHash } from '../harness/passwords.js';
import {
  startTestServer,
  type ListenerName,
  type TestAccess,
  type TestMeta,
  type TestPermission,
  type TestServer,
} from '../server-harness.js';

export const dataPath = (name: string): string =>
  fileURLToPath(new URL(`../../data/recorded/${name}`, import.meta.url));

const files: Readonly<Record<TestDialect, string>> = {
  sqlite: 'schema.sqlite.sql',
  mariadb: 'schema.mysql.sql',
  postgres: 'schema.postgres.sql',
  mysql: 'schema.mysql.sql',
};

/** As in `meta.yaml`. */
interface Museum {
  readonly museum: {
    readonly collections: Readonly<Record<string, Record<string, unknown>>>;
    readonly fields: Readonly<Record<string, Record<string, FieldMeta>>>;
    readonly relations: readonly RelationMeta[];
  };
  readonly access: {
    /** Signs tokens. */
    readonly secret: string;
    readonly policies: Readonly<Record<string, { readonly permissions: readonly TestPermission[] }>>;
    readonly roles: Readonly<Record<string, { readonly id: string; readonly policies: readonly string[] }>>;
    readonly users: Readonly<Record<string, UserMeta>>;
  };
}

interface FieldMeta extends Record<string, unknown> {
  readonly alias?: true;
  readonly choices?: readonly string[];
}

interface RelationMeta {
  readonly many: string;
  readonly field: string;
  readonly one: string | null;
  readonly alias?: string | null;
  readonly junction_field?: string;
  readonly sort_field?: string;
  readonly deselect?: string;
  readonly collection_field?: string;
  readonly allowed?: readonly string[];
}

interface UserMeta {
  readonly id: string;
  readonly token: string;
  readonly password: string;
  readonly role: string | null;
  readonly policies?: readonly string[];
  readonly status?: string;
  readonly first_name: string;
}

const readMeta = (): Museum => load(readFileSync(dataPath('meta.yaml'), 'utf8')) as Museum;

export const readAccess = (): Museum['access'] => readMeta().access;

export const startMuseum = async (
  dialect: TestDialect,
  listener: ListenerName = 'plain',
  environment: Readonly<Record<string, string>> = {},
): Promise<TestServer> => {
  const { museum, access } = readMeta();
  const server = await startTestServer({
    dialect,
    listener,
    file: dataPath(files[dialect]),
    meta: toMeta(museum),
    access: await toAccess(access),
    environment: { SECRET: access.secret, ...environment },
  });
  const { admin } = access.users;
  await server.execute(
    `update svc_users set id = '${admin?.id}', first_name = 'Admin', last_name = 'User'` +
      ` where email = 'admin@example.com'`,
  );
  return server;
};

/** Puts rows and key counters back. */
export const restoreMuseum = async (server: TestServer): Promise<void> => {
  const script = readFileSync(dataPath(files[server.dialect]), 'utf8');
  await server.execute(script.slice(script.indexOf('-- data')));
};

const toMeta = ({ collections, fields, relations }: Museum['museum']): TestMeta => ({
  collections,
  fields: Object.fromEntries(
    Object.entries(fields).map(([collection, rows]) => [
      collection,
      Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, toFieldRow(row)])),
    ]),
  ),
  relations: relations.map(toRelationRow),
});

const toFieldRow = ({ alias: _alias, choices, ...row }: FieldMeta): Record<string, unknown> =>
  choices === undefined
    ? row
    : { ...row, options: { choices: choices.map((value) => ({ text: value, value })) } };

const toRelationRow = (relation: RelationMeta): Record<string, unknown> => ({
  many_collection: relation.many,
  many_field: relation.field,
  one_collection: relation.one,
  one_field: relation.alias ?? null,
  one_collection_field: relation.collection_field ?? null,
  one_allowed_collections: relation.allowed ?? null,
  junction_field: relation.junction_field ?? null,
  sort_field: relation.sort_field ?? null,
  one_deselect_action: relation.deselect ?? 'nullify',
});

/** The administrator is there already. */
const toAccess = async ({ policies, roles, users }: Museum['access']): Promise<TestAccess> => {
  const { Administrator: _role, ...others } = roles;
  const { admin: _user, ...people } = users;
  return {
    policies: Object.fromEntries(
      Object.entries(policies).map(([name, { permissions }]) => [name, permissions]),
    ),
    roles: others,
    users: Object.fromEntries(
      await Promise.all(
        Object.entries(people).map(async ([name, user]) => [name, await toUser(user)] as const),
      ),
    ),
    public: ['Public'],
  };
};

const toUser = async ({ policies = [], status = 'active', first_name: name, ...user }: UserMeta) => ({
  id: user.id,
  token: user.token,
  role: user.role,
  policies,
  columns: { status, first_name: name, password: await cheapHash(user.password) },
});
