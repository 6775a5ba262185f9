/** Roles, policies and permissions as a part of snapshots: taken, compared and applied where that is asked for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeSnapshot } from '../../../runtime/schema/service.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf } from '../../databases.js';
import { createPlace, type Place } from './places.js';

const dialects = dialectsOf(import.meta.url);

const id = (digit: number): string => `${digit}`.repeat(8) + `-0000-4000-8000-${`${digit}`.repeat(12)}`;
const [head = '', writer = '', reading = '', user = ''] = [1, 2, 3, 4].map(id);

const rows = (quote: (name: string) => string): string => `
  insert into svc_roles (id, name, parent) values ('${head}', 'Head', null), ('${writer}', 'Writer', '${head}');
  insert into svc_policies (id, name, admin_access, ip_access) values ('${reading}', 'Reading', false, '10.0.0.0/8,192.168.1.1');
  insert into svc_access (id, policy, role) values ('${id(6)}', '${reading}', '${writer}');
  insert into svc_permissions (policy, collection, action, permissions, fields)
    values ('${reading}', 'boxes', 'read', '{"weight":{"_gt":1}}', 'id,code'), ('${reading}', 'boxes', 'read', null, '*');
  insert into svc_users (id, email, status, role) values ('${user}', 'a@example.com', 'active', '${head}');
  insert into svc_access (id, policy, ${quote('user')}) values ('${id(7)}', '${reading}', '${user}');`;

const take = ({ database }: Place): Promise<Snapshot> => takeSnapshot({ database, tables: {} }, ['access']);
const partOf = ({ roles, policies, access, permissions }: Snapshot) => ({
  roles,
  policies,
  access,
  permissions,
});

describe.each(dialects)('on %s', (dialect) => {
  let [source, target]: [Place, Place] = [undefined as never, undefined as never];
  beforeEach(async () => {
    [source, target] = [await createPlace(dialect), await createPlace(dialect)];
    await source.execute(rows(source.database.quote));
  });
  afterEach(async () => {
    await source.drop();
    await target.drop();
  });

  it('a snapshot contains them on request, without those of single users, and reproduces them in another instance', async () => {
    expect(await source.snapshot()).not.toHaveProperty('roles');
    const snapshot = await take(source);
    expect(snapshot.roles?.map(({ name }) => name)).toEqual(expect.arrayContaining(['Head', 'Writer']));
    expect(snapshot.access).toContainEqual({ id: id(6), role: writer, policy: reading, sort: null });
    expect(snapshot.access?.map((entry) => entry.id)).not.toContain(id(7));
    expect(snapshot.policies).toContainEqual(
      expect.objectContaining({
        name: 'Reading',
        admin_access: false,
        ip_access: ['10.0.0.0/8', '192.168.1.1'],
      }),
    );
    expect(snapshot.permissions).toHaveLength(2);
    expect(snapshot.permissions).toContainEqual(
      expect.objectContaining({ permissions: { weight: { _gt: 1 } }, fields: ['id', 'code'] }),
    );
    expect(await source.diff(snapshot)).toBeNull();
    await target.become(snapshot);
    expect(partOf(await take(target))).toEqual(partOf(snapshot));
    expect(await target.diff(snapshot)).toBeNull();
  });

  it.each([2_147_483_648, -2_147_483_649, 0.5])('%d is no place in an order', async (sort) => {
    const snapshot = await take(source);
    const access = snapshot.access?.map((entry) => ({ ...entry, sort }));
    await expect(source.diff({ ...snapshot, access })).rejects.toThrow(/sort/);
  });

  it('a snapshot without them changes no permission', async () => {
    expect(await source.diff(await target.snapshot())).toBeNull();
  });

  it('changed, new and dropped rows are reported and applied; merge drops none', async () => {
    const snapshot = await take(source);
    const edited = {
      ...snapshot,
      roles: snapshot.roles?.map((role) => (role.id === head ? { ...role, description: 'leads' } : role)),
      permissions: [
        ...(snapshot.permissions ?? []).filter(({ permissions }) => permissions === null),
        { policy: reading, collection: 'boxes', action: 'create', fields: ['code'] },
      ],
    };
    const difference = await source.diff(edited);
    expect(difference?.diff.roles).toEqual([
      { id: head, diff: [{ kind: 'E', path: ['description'], lhs: null, rhs: 'leads' }] },
    ]);
    expect(difference?.diff.permissions?.flatMap(({ diff }) => diff.map(({ kind }) => kind))).toEqual(
      expect.arrayContaining(['N', 'D']),
    );
    const merged = await source.diff(
      { ...edited, roles: [], policies: snapshot.policies, access: [] },
      { mode: 'merge' },
    );
    expect(JSON.stringify(merged?.diff)).not.toContain('"kind":"D"');
    await source.become(edited);
    expect(await source.diff(edited)).toBeNull();
    const after = await take(source);
    expect(after.permissions?.map(({ action, fields }) => [action, fields])).toEqual([
      ['create', ['code']],
      ['read', ['*']],
    ]);
    expect(await source.database.query(`select id from svc_access where id = '${id(7)}'`)).toHaveLength(1);
  });

  it('no apply removes the last administrator', async () => {
    const before = await take(target);
    await target.become({ ...(await take(source)), roles: [], policies: [], access: [], permissions: [] });
    const after = await take(target);
    expect(partOf(after)).toEqual(partOf(before));
    expect(after.policies?.map((policy) => policy.admin_access)).toEqual([true]);
    const demoted = {
      ...after,
      policies: after.policies?.map((policy) => ({ ...policy, admin_access: false })),
    };
    await expect(target.become(demoted)).rejects.toThrow('nobody would be an administrator any more');
    expect(await take(target)).toEqual(after);
  });

  it('unknown names, circular roles and rules that cannot be evaluated are rejected', async () => {
    const snapshot = await take(source);
    const faults: readonly (readonly [Partial<Snapshot>, RegExp])[] = [
      [
        { policies: snapshot.policies?.filter((policy) => policy.admin_access === true) ?? [] },
        /names a role or policy that does not exist/,
      ],
      [
        { roles: (snapshot.roles ?? []).map((role) => Object.assign({}, role, { parent: writer })) },
        /"Writer" is its own ancestor/,
      ],
      [
        {
          permissions: [
            {
              policy: reading,
              collection: 'boxes',
              action: 'read',
              validation: { code: { _regex: '(?=x)' } },
            },
          ],
        },
        /boxes/,
      ],
      ...[{ code: { _eqq: 'x' } }, { code: { _eq: '$CURRENT_USR' } }].map(
        (permissions): readonly [Partial<Snapshot>, RegExp] => [
          { permissions: [{ policy: reading, collection: 'boxes', action: 'update', permissions }] },
          /"permissions" of the permission to update "boxes" must be (?:a filter \(.*_eqq|the variables \$NOW)/,
        ],
      ),
      [{ permissions: [{ policy: reading, collection: 'boxes', action: 'burn' }] }, /permissions\.0\.action/],
      [{ roles: [{ id: "' or 1=1 --", name: 'x' }] }, /roles\.0\.id/],
      [{ roles: undefined as never }, /lacks roles/],
    ];
    for (const [part, message] of faults) {
      const given = JSON.parse(JSON.stringify({ ...snapshot, ...part })) as Snapshot;
      await expect(source.become(given)).rejects.toThrow(message);
    }
    expect(await take(source)).toEqual(snapshot);
  });

  it('a difference made before a permission changed is rejected', async () => {
    const difference = await target.diff(await take(source));
    await target.execute(`insert into svc_roles (id, name) values ('${id(8)}', 'Late')`);
    await expect(target.apply(difference ?? ({} as never))).rejects.toThrow(/has changed since/);
  });
});
