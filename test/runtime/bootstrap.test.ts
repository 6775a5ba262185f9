import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { introspect } from '../../generator/introspection/index.js';
import { loadSpec } from '../../generator/spec/load.js';
import { packageRoot } from '../../runtime/config/package.js';
import type { Database } from '../../runtime/databases/contract.js';
import { createKeys } from '../../runtime/auth/keys.js';
import { createStaticTokens } from '../../runtime/auth/static-tokens.js';
import { verifyPassword } from '../../runtime/auth/passwords/hash.js';
import { runDataSteps } from '../../runtime/schema/data-steps.js';
import { bootstrap, pendingSteps } from '../../runtime/schema/bootstrap.js';
import { changeAccessRows } from '../../runtime/schema/users.js';
import {
  catalogReader,
  createTestDatabase,
  dialectsOf,
  type TestDatabase,
  type TestDialect,
} from '../databases.js';
import { plainTokens } from './harness/plain-tokens.js';

const dialects = dialectsOf(import.meta.url);

const spec = await loadSpec([join(packageRoot, 'spec')]);
const open: TestDatabase[] = [];

const childRole = '11111111-1111-4111-8111-111111111111';
const directAccess = '22222222-2222-4222-8222-222222222222';
const writers = '33333333-3333-4333-8333-333333333333';

afterEach(async () => {
  for (const test of open.splice(0)) await test.drop();
});

const create = async (dialect: TestDialect): Promise<TestDatabase> => {
  const made = await createTestDatabase(dialect);
  open.push(made);
  return made;
};

const read = (database: Database) => introspect(catalogReader(database), { include: ['svc_*'] });

const run = (
  database: Database,
  admin: { email?: string; token?: string; password?: string } = {},
  log: string[] = [],
  staticTokens = plainTokens,
) =>
  bootstrap({
    database,
    spec,
    introspect: () => read(database),
    staticTokens,
    admin: {
      email: admin.email ?? 'admin@example.com',
      token: admin.token ?? null,
      password: admin.password ?? null,
    },
    log: (what) => log.push(what),
  });

const exec = (database: Database, text: string) => database.write({ text, values: [] });

const fail = (): never => {
  throw new Error('broken');
};

const users = (database: Database) =>
  database.query('select email, token, role, status from svc_users order by email');

const version = async (database: Database): Promise<number> => {
  const rows = await database.query('select id, version from svc_access_version');
  expect(rows).toHaveLength(1);
  expect(Number(rows[0]?.id)).toBe(1);
  return Number(rows[0]?.version);
};

const dropIndexOfMysql = [
  'alter table svc_users drop index svc_users_token_unique',
  'alter table svc_permissions drop index svc_permissions_collection_index',
  'alter table svc_requests drop index svc_requests_account_state_index',
];

/** SQLite does not let go of the index behind a constraint. */
const dropIndexes: Readonly<Record<TestDialect, readonly string[]>> = {
  sqlite: ['drop index svc_permissions_collection_index', 'drop index svc_requests_account_state_index'],
  mariadb: dropIndexOfMysql,
  mysql: dropIndexOfMysql,
  postgres: [
    'alter table svc_users drop constraint svc_users_token_unique',
    'drop index svc_permissions_collection_index',
    'drop index svc_requests_account_state_index',
  ],
};

describe.each(dialects)('bootstrap on %s', (dialect) => {
  it('creates every table of the spec, and nothing is missing afterwards', async () => {
    const { database } = await create(dialect);
    const log: string[] = [];
    const report = await run(database, {}, log);
    expect(log).toEqual([...report.steps, 'create the administrator admin@example.com']);
    const catalog = await read(database);
    expect(catalog.tables.map((table) => table.name)).toEqual([...spec.collections.keys()].sort());
    expect(await pendingSteps(spec, catalog)).toEqual([]);
  });

  it('hashes the static tokens that it finds in plain text, once', async () => {
    const { database } = await create(dialect);
    await run(database, { token: 'a token in plain text' });
    const hashed = createStaticTokens(createKeys(['a secret of thirty-two bytes or more']), 'hashed');
    expect((await run(database, {}, [], hashed)).steps).toEqual(['hash 1 static tokens']);
    expect(await users(database)).toMatchObject([{ token: expect.stringMatching(/^hmac:/) as string }]);
    expect((await run(database, {}, [], hashed)).steps).toEqual([]);
  });

  it('creates the columns, keys, uniques and foreign keys of the spec', async () => {
    const { database } = await create(dialect);
    await run(database);
    const catalog = await read(database);
    for (const table of catalog.tables) {
      const columns = spec.collections.get(table.name)?.columns ?? new Map();
      expect(table.columns.map((column) => [column.name, column.nullable])).toEqual(
        [...columns].map(([name, column]) => [name, column.nullable]),
      );
      expect(table.foreignKeys.map((key) => [key.columns, key.table, key.onDelete]).sort()).toEqual(
        [...columns]
          .filter(([, column]) => column.references !== undefined)
          .map(([name, { references }]) => [[name], references.table, references.onDelete])
          .sort(),
      );
    }
    const types = new Map(
      catalog.tables
        .find((table) => table.name === 'svc_permissions')
        ?.columns.map((column) => [column.name, column.type.kind]),
    );
    expect(Object.fromEntries(types)).toMatchObject({
      collection: 'string',
      permissions: 'json',
      fields: 'text',
    });
  });

  it('creates the first administrator and prints the token once', async () => {
    const { database } = await create(dialect);
    const first = await run(database);
    expect(first.admin).toMatchObject({ email: 'admin@example.com', state: 'created' });
    expect(first.admin.token).toMatch(/^[\w-]{43}$/);
    expect(await users(database)).toMatchObject([
      { email: 'admin@example.com', token: first.admin.token, status: 'active' },
    ]);
    const [holds] = await database.query(
      'select svc_policies.admin_access as admin from svc_users join svc_access on svc_access.role = svc_users.role ' +
        'join svc_policies on svc_policies.id = svc_access.policy',
    );
    expect(Number(holds?.admin)).toBe(1);
  });

  it('changes nothing when it is repeated, not even the access version', async () => {
    const { database } = await create(dialect);
    await run(database);
    const before = await version(database);
    expect(await run(database)).toEqual({
      steps: [],
      admin: { email: 'admin@example.com', token: null, password: null, state: 'kept' },
    });
    expect(await version(database)).toBe(before);
    expect(await users(database)).toHaveLength(1);
  });

  it('uses the given e-mail address and token, and a new token later', async () => {
    const { database } = await create(dialect);
    await run(database, { email: 'Root@Example.com', token: 'first-token' });
    expect(await users(database)).toMatchObject([{ email: 'root@example.com', token: 'first-token' }]);
    const before = await version(database);
    const again = await run(database, { email: 'root@example.com', token: 'second-token' });
    expect(again.admin).toEqual({
      email: 'root@example.com',
      token: 'second-token',
      password: null,
      state: 'renewed',
    });
    expect(await users(database)).toMatchObject([{ token: 'second-token' }]);
    expect(await version(database)).toBe(before + 1);
  });

  it('a change of access rows raises the version, and one that writes nothing does not', async () => {
    const { database } = await create(dialect);
    await run(database);
    const before = await version(database);
    await changeAccessRows(database, (statements) => statements.query('select id from svc_users'));
    expect(await version(database)).toBe(before);
    await changeAccessRows(database, (statements) =>
      statements.write({ text: "update svc_users set status = 'suspended'", values: [] }),
    );
    expect(await version(database)).toBe(before + 1);
  });

  it('stores the hash of a password, which is configured, or generated and printed once', async () => {
    const { database } = await create(dialect);
    const stored = async () => String((await database.query('select password from svc_users'))[0]?.password);
    const { password } = (await run(database)).admin;
    expect(await stored()).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword(await stored(), password ?? '')).toBe(true);
    expect((await run(database)).admin).toMatchObject({ password: null, state: 'kept' });
    expect((await run(database, { password: 'given' })).admin).toMatchObject({
      password: 'given',
      state: 'renewed',
    });
    expect(await verifyPassword(await stored(), 'given')).toBe(true);
    expect((await run(database, { password: 'given' })).admin.state).toBe('kept');
  });

  it('creates no administrator if one exists', async () => {
    const { database } = await create(dialect);
    await run(database);
    const report = await run(database, { email: 'second@example.com', token: 'second-token' });
    expect(report.admin.state).toBe('absent');
    expect(await users(database)).toHaveLength(1);
  });

  it('promotes the given user if there is no administrator', async () => {
    const { database } = await create(dialect);
    await run(database);
    await exec(database, 'update svc_users set role = null');
    const report = await run(database, { token: 'third-token' });
    expect(report.admin.state).toBe('promoted');
    expect(await users(database)).toMatchObject([{ email: 'admin@example.com', token: 'third-token' }]);
    expect((await run(database)).admin.state).toBe('kept');
  });

  it('counts administrators through ancestors of their role and through access of their own', async () => {
    const { database } = await create(dialect);
    await run(database);
    await exec(
      database,
      `insert into svc_roles (id, name, parent) select '${childRole}', 'Child', id from svc_roles`,
    );
    await exec(database, `update svc_users set role = '${childRole}'`);
    expect((await run(database)).admin.state).toBe('kept');
    await exec(
      database,
      `insert into svc_access (id, ${database.sql.quote('user')}, policy) ` +
        `select '${directAccess}', svc_users.id, svc_policies.id from svc_users cross join svc_policies`,
    );
    await exec(database, 'update svc_users set role = null');
    expect((await run(database)).admin.state).toBe('kept');
  });

  it('adds missing columns of an older version and keeps the rows', async () => {
    const { database } = await create(dialect);
    await run(database);
    await exec(database, `insert into svc_roles (id, name) values ('${writers}', 'Writers')`);
    await exec(database, 'alter table svc_roles drop column icon');
    await exec(database, 'drop table svc_permissions');
    const { steps } = await run(database);
    expect(steps).toEqual(expect.arrayContaining(['add svc_roles.icon', 'create svc_permissions']));
    expect(steps).not.toContain('create svc_roles');
    expect(await database.query(`select id, name, icon from svc_roles where id = '${writers}'`)).toEqual([
      { id: writers, name: 'Writers', icon: null },
    ]);
    expect(await pendingSteps(spec, await read(database))).toEqual([]);
  });

  it('adds unique constraints and indexes that are missing', async () => {
    const { database } = await create(dialect);
    await run(database);
    for (const statement of dropIndexes[dialect]) await exec(database, statement);
    const { steps } = await run(database);
    expect(steps).toContain('add svc_permissions_collection_index');
    // others begin with the same column
    expect(steps).toContain('add svc_requests_account_state_index');
    expect(steps.includes('add svc_users_token_unique')).toBe(dialect !== 'sqlite');
  });

  it('creates columns of tokens and e-mail addresses that compare exactly', async () => {
    const { database } = await create(dialect);
    await run(database, { token: 'Token-abc' });
    const found = (column: string, value: string) =>
      database.query(`select id from svc_users where ${column} = ?`, [value]);
    expect(await found('token', 'Token-abc')).toHaveLength(1);
    expect(await found('token', 'token-abc')).toHaveLength(0);
    expect(await found('token', 'Tökén-abc')).toHaveLength(0);
    expect(await found('email', 'Admin@example.com')).toHaveLength(0);
  });

  it('moves the rows of svc_lanes to svc_model_locks once', async () => {
    const { database } = await create(dialect);
    await run(database);
    await exec(database, 'create table svc_lanes (model varchar(255) not null primary key, turns bigint)');
    await exec(database, "insert into svc_lanes (model, turns) values ('a/b', 7), ('c/d', 0)");
    // as a run left it that broke off between its two statements
    await exec(database, "insert into svc_model_locks (model, turns) values ('c/d', 3)");
    await exec(database, 'delete from svc_data_steps');
    expect((await run(database)).steps).toEqual(['move svc_lanes to svc_model_locks']);
    expect(await database.query('select model, turns from svc_model_locks order by model')).toEqual([
      { model: 'a/b', turns: 7 },
      { model: 'c/d', turns: 3 },
    ]);
    expect((await read(database)).tables.map(({ name }) => name)).not.toContain('svc_lanes');
    expect((await run(database)).steps).toEqual([]);
  });

  it('runs each data step once in order and continues after a failed one in the next run', async () => {
    const { database } = await create(dialect);
    await run(database);
    const ran: string[] = [];
    const step = (number: number, body: () => void = () => undefined) => ({
      number,
      name: `step ${number}`,
      applies: (tables: ReadonlySet<string>) => tables.has('svc_users') && number !== 1_001,
      run: async () => {
        body();
        ran.push(`step ${number}`);
      },
    });
    const tables = new Set(['svc_users']);
    const log = (what: string) => ran.push(`log ${what}`);
    const steps = [step(1_000), step(1_001), step(1_002, fail), step(1_003)];
    await expect(runDataSteps(database, { steps, tables, log })).rejects.toThrow('broken');
    expect(ran).toEqual(['log step 1000', 'step 1000', 'log step 1002']);
    const mended = steps.with(2, step(1_002));
    expect(await runDataSteps(database, { steps: mended, tables, log })).toEqual(['step 1002', 'step 1003']);
    expect(await runDataSteps(database, { steps: mended, tables, log })).toEqual([]);
  });

  it('deletes access rows with their role, so that none becomes public', async () => {
    const { database } = await create(dialect);
    await run(database);
    await exec(database, 'update svc_users set role = null');
    await exec(database, 'delete from svc_roles');
    expect(await database.query('select id from svc_access')).toEqual([]);
  });
});
