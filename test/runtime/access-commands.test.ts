/** `svc access`, `svc activity` and `svc users` on a database. */
import { afterEach, describe, expect, it } from 'vitest';
import { accessCommand } from '../../runtime/commands/access.js';
import { activityCommand } from '../../runtime/commands/activity.js';
import { usersCommand } from '../../runtime/commands/users.js';
import { loadDialect } from '../../runtime/databases/open.js';
import { createTestDatabase, dialectsOf, type TestDialect } from '../databases.js';
import { systemTemplate } from '../templates.js';
import { createWorkplace } from './commands.js';
import { runCommand } from './harness/run-command.js';

const dialects = dialectsOf(import.meta.url);

const rules = `
create table book (id integer primary key, title varchar(100), stock integer);
insert into svc_roles (id, name, parent) values ('00000000-0000-4000-8000-000000000011', 'Staff', null), ('00000000-0000-4000-8000-000000000012', 'Desk', '00000000-0000-4000-8000-000000000011');
insert into svc_policies (id, name, admin_access, app_access, ip_access) values
  ('00000000-0000-4000-8000-000000000021', 'Readers', false, false, null), ('00000000-0000-4000-8000-000000000022', 'Own', false, false, '10.0.0.0/8'), ('00000000-0000-4000-8000-000000000023', 'Everybody', false, false, null);
insert into svc_users (id, email, status, role) values
  ('00000000-0000-4000-8000-000000000031', 'lifecycle@example.com', 'active', '00000000-0000-4000-8000-000000000012'), ('00000000-0000-4000-8000-000000000032', 'gone@example.com', 'archived', null);
insert into svc_access (id, policy, role, sort) values ('00000000-0000-4000-8000-000000000041', '00000000-0000-4000-8000-000000000021', '00000000-0000-4000-8000-000000000011', 1), ('00000000-0000-4000-8000-000000000043', '00000000-0000-4000-8000-000000000023', null, 3);
update svc_access set role = null where id = '00000000-0000-4000-8000-000000000043';
insert into svc_permissions (policy, collection, action, fields, permissions) values
  ('00000000-0000-4000-8000-000000000021', 'book', 'read', 'id, title', '{"stock":{"_gt":0}}'),
  ('00000000-0000-4000-8000-000000000022', 'book', 'read', '*', null),
  ('00000000-0000-4000-8000-000000000023', 'book', 'read', '*', null);
`;

const old = `
insert into svc_activity (action, collection, item, timestamp) values
  ('create', 'book', '1', '2020-01-01 00:00:00'), ('create', 'book', '2', '2020-01-02 00:00:00'),
  ('update', 'book', '2', '2037-01-01 00:00:00');
`;

const commands = { access: accessCommand, activity: activityCommand, users: usersCommand };

describe.each(dialects)('commands on %s', (dialect) => {
  const ends: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const open = async (on: TestDialect) => {
    const database = await createTestDatabase(on, { template: await systemTemplate(on) });
    const { directory, remove } = createWorkplace();
    ends.push(remove, database.drop);
    const environment = { DATABASE_URL: database.url };
    const run = (command: keyof typeof commands, ...args: string[]) =>
      runCommand(commands[command](), { args, directory, environment });
    return { run, ...database };
  };

  it('explains which rule allows an action', async () => {
    const { run, execute } = await open(dialect);
    await execute(rules);
    const ask = (user: string, action = 'read') =>
      run('access', 'explain', '--user', user, '--collection', 'book', '--action', action);
    const { code, stdout } = await ask('lifecycle@example.com');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'lifecycle@example.com may read some fields or items of book',
        '',
        'policy "Readers", held by role Staff',
        '  fields      id, title',
        '  items       {"stock":{"_gt":0}}',
        '',
      ].join('\n'),
    );
    await execute(
      `insert into svc_access (id, policy, sort) select '00000000-0000-4000-8000-000000000042', '00000000-0000-4000-8000-000000000022', 2`,
    );
    await execute(
      `update svc_access set ${(await loadDialect(dialect)).quote('user')} = '00000000-0000-4000-8000-000000000031' where id = '00000000-0000-4000-8000-000000000042'`,
    );
    await execute(
      `update svc_permissions set validation = '{"author":{"_eq":1}}' where policy = '00000000-0000-4000-8000-000000000022'`,
    );
    const again = await ask('lifecycle@example.com');
    expect(again.stdout).toContain('  warning     in "validation": "author" does not exist');
    expect(again.stdout).toContain('policy "Own", held by user, from 10.0.0.0/8 only');
    expect(await ask('lifecycle@example.com', 'delete')).toMatchObject({ code: 1 });
    expect(await ask('gone@example.com')).toMatchObject({ code: 1, stdout: '' });
    expect(await ask('nobody@example.com')).toMatchObject({ code: 1, stdout: '' });
    expect(await ask('lifecycle@example.com', 'share')).toMatchObject({ code: 2 });
    const asAdmin = ['--user', 'admin@example.com', '--action', 'delete', '--json'];
    const { stdout: json } = await run('access', 'explain', '--collection', 'book', ...asAdmin);
    expect(JSON.parse(json)).toMatchObject({
      access: 'full',
      policies: [{ admin: true, heldBy: ['role Administrator'] }],
    });
  }, 120_000);

  it('explains forbidden actions and unknown collections', async () => {
    const { run, execute } = await open(dialect);
    await execute('create table book (id integer primary key)');
    const ask = (collection: string, action: string, ...more: string[]) => {
      const asked = ['--user', 'Admin@Example.com', '--collection', collection, '--action', action];
      return run('access', 'explain', ...asked, ...more);
    };
    expect(await ask('boook', 'read')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: there is no collection "boook"; did you mean "book"?\n',
    });
    expect(await ask('svc_sessions', 'read')).toMatchObject({ code: 0 });
    expect(await ask('svc_sessions', 'update')).toEqual({
      code: 1,
      stdout: 'Admin@Example.com may not update svc_sessions: it is read-only\n',
      stderr: '',
    });
    const { code, stdout } = await ask('svc_activity', 'delete', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      expect.objectContaining({ access: 'none', policies: [] }),
    ]);
  }, 120_000);

  it('explains the conditions of a rule', async () => {
    const { run, execute } = await open(dialect);
    await execute(rules);
    await execute(`
      update svc_policies set enforce_tfa = true where name = 'Readers';
      update svc_users set ip_access = '192.0.2.1, 10.0.0.0/8' where email = 'lifecycle@example.com';
    `);
    const ask = (...more: string[]) => {
      const asked = ['--user', 'lifecycle@example.com', '--collection', 'book', '--action', 'read'];
      return run('access', 'explain', ...asked, ...more);
    };
    const [first] = (await ask()).stdout.split('\n');
    expect(first).toBe(
      'lifecycle@example.com may read some fields or items of book, only from 192.0.2.1, 10.0.0.0/8, only after turning on one-time passwords',
    );
    const conditions = async () => {
      const { addresses, pending } = JSON.parse((await ask('--json')).stdout) as Record<string, unknown>;
      return { addresses, pending };
    };
    const addresses = ['192.0.2.1', '10.0.0.0/8'];
    expect(await conditions()).toEqual({ addresses, pending: true });
    for (const change of ["tfa_secret = 'JBSWY3DPEHPK3PXP'", "tfa_secret = null, provider = 'acme'"]) {
      await execute(`update svc_users set ${change} where email = 'lifecycle@example.com'`);
      expect(await conditions()).toEqual({ addresses, pending: false });
    }
    await execute('update svc_users set ip_access = null');
    expect((await ask()).stdout).toContain('lifecycle@example.com may read some fields or items of book\n');
  }, 120_000);

  it('record their writes to users, without a user', async () => {
    const { run, database } = await open(dialect);
    const made = await run('users', 'create', 'ann@example.com', '--role', 'Administrator', '--json');
    const { id } = JSON.parse(made.stdout) as { id: string };
    for (const command of ['token', 'password', 'tfa-reset'])
      expect(await run('users', command, 'ann@example.com')).toMatchObject({ code: 0 });
    const { quote } = database.sql;
    const found = await database.query(
      `select action, collection, item, fields, ${quote('user')}, ip, user_agent from svc_activity` +
        ` where item = '${id}' order by id`,
    );
    const common = { collection: 'svc_users', item: id, user: null, ip: null, user_agent: null };
    expect(found).toEqual([
      { ...common, action: 'create', fields: 'email,role,status,date_created' },
      { ...common, action: 'update', fields: 'token' },
      { ...common, action: 'update', fields: 'password' },
      { ...common, action: 'update', fields: 'tfa_secret' },
    ]);
    const moments = `select ${quote('timestamp')} as moment from svc_activity where item = '${id}'`;
    const [row] = await database.query(moments);
    expect(Math.abs(Date.parse(`${String(row?.moment).slice(0, 19)}Z`) - Date.now())).toBeLessThan(60_000);
  }, 120_000);

  it('deletes activity after its retention', async () => {
    const { run, execute, database } = await open(dialect);
    await execute(old);
    expect(await run('activity', 'prune')).toMatchObject({ code: 1 });
    expect(await run('activity', 'prune', '--days', '0')).toMatchObject({ code: 2 });
    await execute('insert into svc_settings (activity_days) values (30)');
    expect(JSON.parse((await run('activity', 'prune', '--json')).stdout)).toEqual({ days: 30, deleted: 2 });
    expect(await database.query("select item from svc_activity where collection = 'book'")).toEqual([
      { item: '2' },
    ]);
  }, 120_000);
});
