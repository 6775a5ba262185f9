/** Steps of the same program on users, roles, policies, permissions and dashboards. */
import * as sdk from '@directus/sdk';
import { TOTP } from 'otpauth';
import { expect } from 'vitest';
import {
  asAdmin,
  connect,
  withLogin,
  noted,
  note,
  account,
  type Step,
  type Untyped,
} from './surroundings.js';

const {
  acceptUserInvite,
  createDashboard,
  createPanel,
  createPanels,
  createPermission,
  createPermissions,
  createPolicy,
  createRole,
  createUser,
  createUsers,
  deleteDashboard,
  deletePanels,
  deletePermission,
  deletePolicy,
  deleteRole,
  deleteUser,
  deleteUsers,
  disableTwoFactor,
  enableTwoFactor,
  generateTwoFactorSecret,
  inviteUser,
  readDashboards,
  readItemPermissions,
  readItems,
  readMe,
  readPanels,
  readPermissions,
  readPolicies,
  readPolicy,
  readPolicyGlobals,
  readRole,
  readRoles,
  readRolesMe,
  readUser,
  readUserPermissions,
  readUsers,
  updateDashboard,
  updateMe,
  updatePanel,
  updatePermission,
  updatePolicy,
  updateRole,
  updateUser,
  updateUsers,
}: Untyped = sdk;

export const systemSteps: Readonly<Record<string, Step>> = {
  async 'roles: create, read, update'(here) {
    const client = asAdmin(here);
    const made = await client.request(createRole({ name: 'Step role' }));
    note(here, 'role', made.id);
    expect(await client.request(readRole(made.id))).toMatchObject({ name: 'Step role', users: [] });
    await client.request(updateRole(made.id, { description: 'A step' }));
    expect(await client.request(readRoles({ filter: { name: { _eq: 'Step role' } } }))).toMatchObject([
      { description: 'A step' },
    ]);
  },
  async 'policies: create with permissions'(here) {
    const client = asAdmin(here);
    const permissions = [{ collection: 'artists', action: 'read', fields: ['*'], permissions: {} }];
    const made = await client.request(createPolicy({ name: 'Step policy', permissions } as Untyped));
    note(here, 'policy', made.id);
    const read = readPolicy(made.id, { fields: ['name', { permissions: ['action'] }] } as Untyped);
    expect(await client.request(read)).toEqual({ name: 'Step policy', permissions: [{ action: 'read' }] });
  },
  async 'policies: create and give to a role'(here) {
    const client = asAdmin(here);
    const made = await client.request(createPolicy({ name: 'Step policy of a role' } as Untyped));
    note(here, 'policy of a role', made.id);
    const policies = { create: [{ policy: made.id }], update: [], delete: [] };
    await client.request(updateRole(noted(here, 'role'), { policies } as Untyped));
    const list: Untyped = await client.request(readPolicies({ fields: ['id'], limit: -1 }));
    expect(list).toContainEqual({ id: made.id });
  },
  async 'policies: create with the roles that have it'(here) {
    // one list where the public system has two, `users` and `roles`, of the same rows: a key has one list
    const access = { create: [{ role: noted(here, 'role') }], update: [], delete: [] };
    const made = await asAdmin(here).request(
      createPolicy({ name: 'Step policy with roles', access } as Untyped),
    );
    const read = readPolicy(made.id, { fields: [{ access: ['role'] }] } as Untyped);
    expect(await asAdmin(here).request(read)).toEqual({ access: [{ role: noted(here, 'role') }] });
    await asAdmin(here).request(deletePolicy(made.id));
  },
  async 'policies: update'(here) {
    const update = updatePolicy(noted(here, 'policy of a role'), { description: 'Given to a role' });
    expect(await asAdmin(here).request(update)).toMatchObject({ description: 'Given to a role' });
  },
  async 'permissions: create, read, update, delete'(here) {
    const client = asAdmin(here);
    const rule = {
      policy: noted(here, 'policy of a role'),
      collection: 'works',
      action: 'read',
      fields: ['id'],
    };
    const made = await client.request(createPermission(rule as Untyped));
    await client.request(updatePermission(made.id, { fields: ['id', 'title'] } as Untyped));
    const read = readPermissions({ filter: { id: { _eq: made.id } }, fields: ['fields'] } as Untyped);
    expect(await client.request(read)).toEqual([{ fields: ['id', 'title'] }]);
    await client.request(deletePermission(made.id));
  },
  async 'permissions: create several'(here) {
    const policy = noted(here, 'policy of a role');
    const rules = ['artists', 'themes'].map((collection) => ({
      policy,
      collection,
      action: 'read',
      fields: ['*'],
    }));
    expect(await asAdmin(here).request(createPermissions(rules as Untyped))).toHaveLength(2);
  },
  async 'users: create with a role'(here) {
    const made = await asAdmin(here).request(createUser({ ...account, role: noted(here, 'role') }));
    expect(made).toMatchObject({ email: account.email, password: '**********' });
    note(here, 'user', made.id);
  },
  async 'users: invite and accept'(here) {
    const invited = 'invited-step@example.com';
    await asAdmin(here).request(inviteUser(invited, noted(here, 'role')));
    await connect(here).request(acceptUserInvite(await here.tokenTo(invited), account.password));
    const client = withLogin(here);
    await client.login(invited, account.password);
    expect(await client.request(readRolesMe())).toEqual([noted(here, 'role')]);
  },
  async 'users: act as one'(here) {
    const client = withLogin(here);
    await client.login(account.email, account.password);
    expect(await client.request(readItems('artists', { limit: 1 }))).toHaveLength(1);
    const works = client.request(readItems('works'));
    await expect(works).rejects.toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    expect(await client.request(readUserPermissions())).toMatchObject({
      artists: { read: expect.anything() },
    });
  },
  async 'users: create with a policy'(here) {
    const policies = { create: [{ policy: noted(here, 'policy of a role') }], update: [], delete: [] };
    const user = { email: 'held@example.com', password: 'held-password-1', policies };
    const made = await asAdmin(here).request(createUser(user as Untyped));
    note(here, 'user with a policy', made.id);
  },
  async 'users: read, update'(here) {
    const client = asAdmin(here);
    const id = noted(here, 'user');
    await client.request(updateUser(id, { first_name: 'Stepped' }));
    expect(await client.request(readUser(id, { fields: ['first_name'] }))).toEqual({ first_name: 'Stepped' });
    expect(await client.request(readUsers({ filter: { id: { _eq: id } }, fields: ['email'] }))).toEqual([
      { email: account.email },
    ]);
  },
  async 'users: create several and update them'(here) {
    const client = asAdmin(here);
    const rows = [{ email: 'a@step.example' }, { email: 'b@step.example' }];
    const made: Untyped = await client.request(createUsers(rows));
    const ids = made.map(({ id }: { id: string }) => id);
    await client.request(updateUsers(ids, { last_name: 'Several' }));
    await client.request(deleteUsers(ids));
  },
  async 'users: oneself'(here) {
    const client = asAdmin(here);
    await client.request(updateMe({ first_name: 'Admin' }));
    expect(await client.request(readMe({ fields: ['first_name'] }))).toEqual({ first_name: 'Admin' });
    expect(await client.request(readRolesMe())).toHaveLength(1);
    expect(await client.request(readPolicyGlobals())).toMatchObject({ admin_access: true });
    expect(await client.request(readItemPermissions('museum' as Untyped))).toMatchObject({
      update: { access: true },
    });
  },
  async 'users: one-time passwords'(here) {
    const client = withLogin(here);
    await client.login(account.email, account.password);
    const { secret }: Untyped = await client.request(generateTwoFactorSecret(account.password));
    const otp = (timestamp: number): string => new TOTP({ secret }).generate({ timestamp });
    await client.request(enableTwoFactor(secret, otp(Date.now() - 30_000)));
    await expect(withLogin(here).login(account.email, account.password)).rejects.toMatchObject({
      errors: [{ extensions: { code: 'INVALID_OTP' } }],
    });
    await client.request(disableTwoFactor(otp(Date.now())));
  },
  async 'dashboards: create, update, panels'(here) {
    const client = asAdmin(here);
    const made = await client.request(createDashboard({ name: 'Step board' } as Untyped));
    await client.request(updateDashboard(made.id, { note: 'Made by a step' }));
    const panel = { dashboard: made.id, type: 'label', position_x: 1, position_y: 1, width: 4, height: 4 };
    const one = await client.request(createPanel(panel as Untyped));
    const more: Untyped = await client.request(createPanels([panel, panel] as Untyped));
    await client.request(updatePanel(one.id, { name: 'First' } as Untyped));
    const read = readDashboards({
      filter: { id: { _eq: made.id } },
      fields: ['note', { panels: ['name'] }],
    } as Untyped);
    expect(await client.request(read)).toMatchObject([{ note: 'Made by a step', panels: { length: 3 } }]);
    expect(
      await client.request(readPanels({ filter: { dashboard: { _eq: made.id } } } as Untyped)),
    ).toHaveLength(3);
    await client.request(deletePanels([one.id, ...more.map(({ id }: { id: string }) => id)]));
    await client.request(deleteDashboard(made.id));
  },
  async 'dashboards: with panels in one request'(here) {
    const panels = [{ type: 'label', position_x: 1, position_y: 1, width: 4, height: 4 }];
    const made = await asAdmin(here).request(createDashboard({ name: 'Whole board', panels } as Untyped));
    expect((made as Untyped).panels).toHaveLength(1);
    await asAdmin(here).request(deleteDashboard(made.id));
  },
  async 'clean up: users, policies, role'(here) {
    const client = asAdmin(here);
    await client.request(deleteUser(noted(here, 'user')));
    await client.request(deleteUser(noted(here, 'user with a policy')));
    await client.request(deletePolicy(noted(here, 'policy')));
    await client.request(deletePolicy(noted(here, 'policy of a role')));
    await client.request(deleteRole(noted(here, 'role')));
  },
};
