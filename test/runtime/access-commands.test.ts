/** `svc access` and `svc activity`. */
import { afterEach, describe, expect, it } from 'vitest';
import { printerOf } from '../../runtime/schema/ddl.js';
import { createTestDatabase, dialects, type TestDialect } from '../databases.js';
import { createWorkplace } from './commands.js';

const rules = `
insert into svc_roles (id, name, parent) values ('r1', 'Staff', null), ('r2', 'Desk', 'r1');
insert into svc_policies (id, name, admin_access, app_access, ip_access) values
  ('p1', 'Readers', 0, 0, null), ('p2', 'Own', 0, 0, '10.0.0.0/8'), ('p3', 'Everybody', 0, 0, null);
insert into svc_users (id, email, status, role) values
  ('u1', 'desk@example.com', 'active', 'r2'), ('u2', 'gone@example.com', 'archived', null);
insert into svc_access (id, policy, role, sort) values ('a1', 'p1', 'r1', 1), ('a3', 'p3', null, 3);
update svc_access set role = null where id = 'a3';
insert into svc_permissions (policy, collection, action, fields, permissions) values
  ('p1', 'book', 'read', 'id,title', '{"stock":{"_gt":0}}'),
  ('p2', 'book', 'read', '*', null),
  ('p3', 'book', 'read', '*', null);
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
    await execute(`insert into svc_access (id, policy, sort) select 'a2', 'p2', 2`);
    await execute(`update svc_access set ${printerOf(dialect).quote('user')} = 'u1' where id = 'a2'`);
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
