/** `svc access` and `svc activity`. */
import { afterEach, describe, expect, it } from 'vitest';
import { printerOf } from '../../runtime/schema/ddl.js';
import { createTestDatabase, dialects, type TestDialect } from '../databases.js';
import { createWorkplace } from './commands.js';

const rules = `
insert into svc_roles (id, name, parent) values ('00000000-0000-4000-8000-000000000011', 'Staff', null), ('00000000-0000-4000-8000-000000000012', 'Desk', '00000000-0000-4000-8000-000000000011');
insert into svc_policies (id, name, admin_access, app_access, ip_access) values
  ('00000000-0000-4000-8000-000000000021', 'Readers', false, false, null), ('00000000-0000-4000-8000-000000000022', 'Own', false, false, '10.0.0.0/8'), ('00000000-0000-4000-8000-000000000023', 'Everybody', false, false, null);
insert into svc_users (id, email, status, role) values
  ('00000000-0000-4000-8000-000000000031', 'desk@example.com', 'active', '00000000-0000-4000-8000-000000000012'), ('00000000-0000-4000-8000-000000000032', 'gone@example.com', 'archived', null);
insert into svc_access (id, policy, role, sort) values ('00000000-0000-4000-8000-000000000041', '00000000-0000-4000-8000-000000000021', '00000000-0000-4000-8000-000000000011', 1), ('00000000-0000-4000-8000-000000000043', '00000000-0000-4000-8000-000000000023', null, 3);
update svc_access set role = null where id = '00000000-0000-4000-8000-000000000043';
insert into svc_permissions (policy, collection, action, fields, permissions) values
  ('00000000-0000-4000-8000-000000000021', 'book', 'read', 'id,title', '{"stock":{"_gt":0}}'),
  ('00000000-0000-4000-8000-000000000022', 'book', 'read', '*', null),
  ('00000000-0000-4000-8000-000000000023', 'book', 'read', '*', null);
`;

const old = `
insert into svc_activity (action, collection, item, timestamp) values
  ('create', 'book', '1', '2020-01-01 00:00:00'), ('create', 'book', '2', '2020-01-02 00:00:00'),
  ('update', 'book', '2', '2037-01-01 00:00:00');
`;

describe.each(dialects)('commands on %s', (dialect) => {
  const ends: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const open = async (on: TestDialect) => {
    const database = await createTestDatabase(on);
    const place = createWorkplace();
    ends.push(place.remove, database.drop);
    const run = (...args: string[]) => place.run(args, { DATABASE_URL: database.url });
    await run('bootstrap');
    return { run, ...database };
  };

  it('explains which rule allows what', async () => {
    const { run, execute } = await open(dialect);
    await execute(rules);
    const ask = (user: string, action = 'read') =>
      run('access', 'explain', '--user', user, '--collection', 'book', '--action', action);
    const { code, stdout } = await ask('desk@example.com');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'desk@example.com may read some of book',
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
      `update svc_access set ${printerOf(dialect).quote('user')} = '00000000-0000-4000-8000-000000000031' where id = '00000000-0000-4000-8000-000000000042'`,
    );
    const again = await ask('desk@example.com');
    expect(again.stdout).toContain('policy "Own", held by user, from 10.0.0.0/8 only');
    expect(await ask('desk@example.com', 'delete')).toMatchObject({ code: 1 });
    expect(await ask('gone@example.com')).toMatchObject({ code: 1, stdout: '' });
    expect(await ask('nobody@example.com')).toMatchObject({ code: 1, stdout: '' });
    expect(await ask('desk@example.com', 'share')).toMatchObject({ code: 2 });
    const asAdmin = ['--user', 'admin@example.com', '--action', 'delete', '--json'];
    const { stdout: json } = await run('access', 'explain', '--collection', 'book', ...asAdmin);
    expect(JSON.parse(json)).toMatchObject({
      access: 'full',
      policies: [{ admin: true, heldBy: ['role Administrator'] }],
    });
  }, 120_000);

  it('deletes activity that is older than it is kept', async () => {
    const { run, execute, database } = await open(dialect);
    await execute(old);
    expect(await run('activity', 'prune')).toMatchObject({ code: 1 });
    expect(await run('activity', 'prune', '--days', '0')).toMatchObject({ code: 2 });
    await execute('insert into svc_settings (activity_days) values (30)');
    expect(JSON.parse((await run('activity', 'prune', '--json')).stdout)).toEqual({ days: 30, deleted: 2 });
    expect(await database.query('select item from svc_activity')).toEqual([{ item: '2' }]);
  }, 120_000);
});
