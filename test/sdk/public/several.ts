/** Steps of the same program on several system items at a time, on settings and on what was done. */
import * as sdk from '@directus/sdk';
import { expect } from 'vitest';
import { admin, asAdmin, connect, type Step, type Untyped } from './surroundings.js';

const {
  createDashboard,
  createDashboards,
  createPanels,
  createPermissions,
  createPolicies,
  createRoles,
  createUsers,
  customEndpoint,
  deleteDashboards,
  deletePanel,
  deletePermissions,
  deletePolicies,
  deleteRoles,
  deleteUsers,
  passwordReset,
  readActivities,
  readActivity,
  readDashboard,
  readPanel,
  readPermission,
  readRoles,
  readSettings,
  updateDashboards,
  updatePanels,
  updatePermissions,
  updatePolicies,
  updateRoles,
  updateSettings,
  updateUsersBatch,
  withOptions,
  withToken,
}: Untyped = sdk;

const keysOf = (rows: Untyped): readonly Untyped[] => rows.map(({ id }: Untyped) => id);

export const severalSteps: Readonly<Record<string, Step>> = {
  async 'roles: several'(here) {
    const client = asAdmin(here);
    const keys = keysOf(await client.request(createRoles([{ name: 'One of two' }, { name: 'Two of two' }])));
    await client.request(updateRoles(keys, { icon: 'group' }));
    const filter = { icon: { _eq: 'group' } };
    expect(keysOf(await client.request(readRoles({ filter, sort: ['name'] })))).toEqual(keys);
    await client.request(deleteRoles(keys));
  },
  async 'policies and permissions: several'(here) {
    const client = asAdmin(here);
    const policies = keysOf(await client.request(createPolicies([{ name: 'P1' }, { name: 'P2' }])));
    expect(await client.request(updatePolicies(policies, { icon: 'key' }))).toMatchObject([
      { icon: 'key' },
      { icon: 'key' },
    ]);
    const rule = { policy: policies[0], collection: 'works', action: 'read', fields: ['id'] };
    const rules = keysOf(await client.request(createPermissions([rule, { ...rule, collection: 'artists' }])));
    await client.request(updatePermissions(rules, { fields: ['*'] }));
    expect(await client.request(readPermission(rules[1]))).toMatchObject({
      collection: 'artists',
      fields: ['*'],
    });
    await client.request(deletePermissions(rules));
    await client.request(deletePolicies(policies));
  },
  async 'users: a batch'(here) {
    const client = asAdmin(here);
    const rows = [{ email: 'c@step.example' }, { email: 'd@step.example' }];
    const keys = keysOf(await client.request(createUsers(rows)));
    const changes = keys.map((id, index) => ({ id, last_name: `Number ${index}` }));
    const updated: Untyped[] = await client.request(updateUsersBatch(changes));
    // sorted by id, as every list
    expect(updated.toSorted((one, other) => keys.indexOf(one.id) - keys.indexOf(other.id))).toMatchObject(
      changes,
    );
    await client.request(deleteUsers(keys));
  },
  async 'dashboards and panels: several'(here) {
    const client = asAdmin(here);
    const boards = keysOf(await client.request(createDashboards([{ name: 'B1' }, { name: 'B2' }])));
    await client.request(updateDashboards(boards, { icon: 'dashboard' }));
    expect(await client.request(readDashboard(boards[0]))).toMatchObject({ name: 'B1', icon: 'dashboard' });
    const panel = { dashboard: boards[0], type: 'label', position_x: 1, position_y: 1, width: 4, height: 4 };
    const panels = keysOf(await client.request(createPanels([panel, panel])));
    await client.request(updatePanels(panels, { width: 8 }));
    expect(await client.request(readPanel(panels[1]))).toMatchObject({ width: 8 });
    await client.request(deletePanel(panels[0]));
    await client.request(deleteDashboards(boards));
  },
  async 'settings: read and update'(here) {
    const client = asAdmin(here);
    await client.request(updateSettings({ activity_days: 30 }));
    expect(await client.request(readSettings())).toMatchObject({ activity_days: 30 });
    await client.request(updateSettings({ activity_days: null }));
  },
  async 'activity: read'(here) {
    const client = asAdmin(here);
    await client.request(createDashboard({ name: 'Seen' }));
    const query = { filter: { action: { _eq: 'create' } }, sort: ['-id'], limit: 1 };
    const [last]: Untyped = await client.request(readActivities(query));
    expect(await client.request(readActivity(last.id))).toEqual(last);
  },
  async 'auth: a password with a token that is not valid'(here) {
    await expect(connect(here).request(passwordReset('garbage', admin.password))).rejects.toMatchObject({
      errors: [{ extensions: { code: 'INVALID_TOKEN' } }],
    });
  },
  async 'requests: a path, a token and options of their own'(here) {
    const ping = customEndpoint({ path: '/server/ping', method: 'GET' });
    expect(await connect(here).request(ping)).toBe('pong');
    const read = withToken(here.token, readSettings());
    expect(await connect(here).request(withOptions(read, { cache: 'no-store' }))).toHaveProperty(
      'activity_days',
    );
  },
};
