/** Validation of permissions: held against the row as it is stored, whatever the payload leaves out. */
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../until.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess, type TestPermission } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const sql = `
create table team (id int primary key, name varchar(20));
create table task (id int primary key, team int, state varchar(20) default 'draft', points int, note varchar(20), foreign key (team) references team (id));
insert into team values (1, 'one'), (2, 'two');
`;

const restore = `
delete from task;
insert into task values (1, 1, 'draft', 5, null), (2, 2, 'draft', 5, null), (3, null, 'draft', null, null);
`;

const everyField = { collection: 'task', fields: ['*'] };
const create = { ...everyField, action: 'create' } as const;
const update = { ...everyField, action: 'update' } as const;
const read = { ...everyField, action: 'read' } as const;
const both = (validation: Readonly<Record<string, unknown>>): readonly TestPermission[] => [
  { ...create, validation },
  { ...update, validation },
  read,
  { ...read, collection: 'team' },
  { collection: 'team', action: 'update', fields: ['tasks'] },
];

const access: TestAccess = {
  policies: {
    Team: both({ team: { _eq: 1 } }),
    Draft: both({ state: { _eq: 'draft' } }),
    Not: both({ points: { _neq: 7 } }),
    Open: both({ _or: [{ points: { _null: true } }, { points: { _lt: 7 } }] }),
    Gone: both({ colour: { _eq: 'red' } }),
    GoneOr: both({ _or: [{ colour: { _neq: 'red' } }, { team: { _eq: 1 } }] }),
    Related: both({ team: { name: { _eq: 'one' } } }),
    Notes: [{ ...update, fields: ['note'], permissions: { team: { _eq: 2 } } }, read],
    Hidden: [
      { ...update, fields: ['note'], validation: { state: { _regex: '^[a-c]' } } },
      { ...read, fields: ['id'] },
    ],
    Secretive: [
      {
        ...update,
        fields: ['note'],
        validation: { note: { _neq: 'long' }, state: { _eq: 'none' }, points: { _gt: 1234 } },
      },
      { ...read, fields: ['id'] },
    ],
    Preset: [
      { ...create, validation: { state: { _eq: 'draft' } }, presets: { points: 1 } },
      { ...create, fields: ['id', 'state'] },
    ],
  },
  users: {
    team: { policies: ['Team'] },
    draft: { policies: ['Draft'] },
    not: { policies: ['Not'] },
    open: { policies: ['Open'] },
    gone: { policies: ['Gone'] },
    goneOr: { policies: ['GoneOr'] },
    related: { policies: ['Related'] },
    several: { policies: ['Team', 'Notes'] },
    preset: { policies: ['Preset'] },
    hidden: { policies: ['Hidden'] },
    secretive: { policies: ['Secretive'] },
  },
};

const meta = {
  relations: [{ many_collection: 'task', many_field: 'team', one_collection: 'team', one_field: 'tasks' }],
};

describe.each(settings)('validation of permissions on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql, meta, access });
  beforeEach(() => server().execute(restore));

  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, body });
  const faulty = () => server().observations.filter(({ kind }) => kind === 'ruleFaulty');
  const ask = (query: string) => server().request('POST', '/graphql', { as: 'team', body: { query } });
  const rows = async (): Promise<unknown> => (await send('admin', 'GET', '/items/task?sort=id')).data;

  it.each([
    ['team', 'POST', '/items/task', { id: 9 }, 'team'],
    ['team', 'POST', '/items/task', [{ id: 8, team: 1 }, { id: 9 }], 'team'],
    ['team', 'PATCH', '/items/task/2', { note: 'x' }, 'team'],
    ['team', 'PATCH', '/items/task/3', { note: 'x' }, 'team'],
    ['team', 'PATCH', '/items/task', { keys: [1, 2], data: { note: 'x' } }, 'team'],
    [
      'team',
      'PATCH',
      '/items/task',
      [
        { id: 1, note: 'x' },
        { id: 2, note: 'x' },
      ],
      'team',
    ],
    [
      'team',
      'PATCH',
      '/items/team/2',
      { tasks: { create: [], update: [{ id: 2, note: 'x' }], delete: [] } },
      'team',
    ],
    ['draft', 'POST', '/items/task', { id: 9, state: 'done' }, 'state'],
    ['not', 'POST', '/items/task', { id: 9 }, 'points'],
    ['not', 'POST', '/items/task', { id: 9, points: null }, 'points'],
    ['not', 'PATCH', '/items/task/3', { note: 'x' }, 'points'],
    ['gone', 'POST', '/items/task', { id: 9, team: 1 }, 'colour'],
    ['gone', 'PATCH', '/items/task/1', { note: 'x' }, 'colour'],
    ['related', 'POST', '/items/task', { id: 9, team: 1 }, 'team'],
    ['related', 'PATCH', '/items/task/1', { note: 'x' }, 'team'],
  ])('%s, %s %s %j fails by the stored row and stores nothing', async (as, method, path, body, field) => {
    const before = await rows();
    const { status, errors } = await send(as, method, path, body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ code: 'FAILED_VALIDATION', field }] });
    expect(await rows()).toEqual(before);
  });

  it('says of a rule that cannot be evaluated that it is at fault, and not the value', async () => {
    const { text } = await send('related', 'POST', '/items/task', { id: 9, team: 1 });
    expect(text).toContain(String.raw`\"team\" is guarded by a rule that cannot be evaluated.`);
  });

  it.each([
    ['team', 'POST', '/items/task?fields=id', { id: 9, team: 1 }, { id: 9 }],
    ['team', 'PATCH', '/items/task/1?fields=note', { note: 'x' }, { note: 'x' }],
    ['team', 'PATCH', '/items/task/2?fields=team', { team: 1 }, { team: 1 }],
    ['draft', 'POST', '/items/task?fields=state', { id: 9 }, { state: 'draft' }],
    [
      'draft',
      'POST',
      '/items/task?fields=id,state',
      [{ id: 8 }, { id: 9 }],
      [
        { id: 8, state: 'draft' },
        { id: 9, state: 'draft' },
      ],
    ],
    ['open', 'POST', '/items/task?fields=points', { id: 9 }, { points: null }],
    ['open', 'PATCH', '/items/task/3?fields=note', { note: 'x' }, { note: 'x' }],
    ['goneOr', 'PATCH', '/items/task/1?fields=note', { note: 'x' }, { note: 'x' }],
    [
      'team',
      'PATCH',
      '/items/team/1?fields=tasks.id',
      { tasks: { create: [{ id: 9 }], update: [], delete: [] } },
      { tasks: [{ id: 1 }, { id: 9 }] },
    ],
    ['team', 'PATCH', '/items/team/1?fields=tasks.id', { tasks: [1, 3] }, { tasks: [{ id: 1 }, { id: 3 }] }],
  ])('%s, %s %s %j passes by the stored row', async (as, method, path, body, data) => {
    expect((await send(as, method, path, body)).body).toEqual({ data });
  });

  it('a row that passes another permission must match its row condition', async () => {
    expect((await send('several', 'PATCH', '/items/task/2?fields=note', { note: 'x' })).data).toEqual({
      note: 'x',
    });
    expect((await send('several', 'PATCH', '/items/task/3', { note: 'x' })).status).toBe(403);
    expect((await send('several', 'PATCH', '/items/task/2', { points: 1 })).codes).toEqual([
      'FAILED_VALIDATION',
    ]);
  });

  it('does not repeat a value that is only stored, which the caller may not read', async () => {
    const { status, text } = await send('hidden', 'PATCH', '/items/task/1', { note: 'x' });
    expect([status, text.includes('draft')]).toEqual([400, false]);
  });

  it('names no field that the caller may neither read nor write, nor what it is compared with', async () => {
    const { errors, text } = await send('secretive', 'PATCH', '/items/task/1', { note: 'x' });
    expect(errors).toEqual([{ code: 'FAILED_VALIDATION', collection: 'task', path: [], type: 'rule' }]);
    expect(/state|points|1234/.test(text)).toBe(false);
    const several = await send('secretive', 'PATCH', '/items/task/1', { note: 'long' });
    expect(several.errors.map(({ field, type }) => [field, type])).toEqual([['note', 'neq']]);
  });

  it('a permission whose presets are in the row must pass', async () => {
    expect((await send('preset', 'POST', '/items/task', { id: 9 })).status).toBe(204);
    expect((await send('preset', 'POST', '/items/task', { id: 10, state: 'done' })).status).toBe(204);
    expect((await send('admin', 'GET', '/items/task?fields=id,points&filter[id][_gt]=8')).data).toEqual([
      { id: 9, points: 1 },
      { id: 10, points: null },
    ]);
  });

  it('is held against the row that another writer leaves', async () => {
    let beside: ReturnType<typeof send> | null = null;
    await server().database.transaction(async (executor) => {
      await executor.write({ text: 'update task set team = 2 where id = 1', values: [] });
      beside = send('team', 'PATCH', '/items/task/1', { note: 'x' });
      // long enough for the request to arrive at the row, where it has to wait
      await Promise.race([beside, setTimeout(300)]);
    });
    expect((await (beside as unknown as ReturnType<typeof send>)).codes).toEqual(['FAILED_VALIDATION']);
    expect(await rows()).toMatchObject([{ id: 1, team: 2, note: null }, { id: 2 }, { id: 3 }]);
  });

  it('reports rules that cannot be evaluated at start', async () => {
    await until(() => faulty().length > 0);
    const missing = '"colour" does not exist';
    const related = '"team.name" cannot be compared: a validation compares only fields of the item itself';
    const rules = [
      ['Gone', missing],
      ['GoneOr', missing],
      ['Related', related],
    ] as const;
    expect(faulty()).toEqual(
      rules.flatMap(([policy, problem]) =>
        ['create', 'update'].map((action) => ({
          kind: 'ruleFaulty',
          part: 'validation',
          rule: `policy "${policy}", ${action} of task`,
          problem,
        })),
      ),
    );
  });

  it('validates mutations', async () => {
    const { codes } = await ask('mutation { create_task_item(data: { id: 9 }) { id } }');
    expect(codes).toEqual(['FAILED_VALIDATION']);
    expect((await ask('mutation { update_task_item(id: 2, data: { note: "x" }) { id } }')).codes).toEqual([
      'FAILED_VALIDATION',
    ]);
    expect((await ask('mutation { update_task_item(id: 1, data: { note: "x" }) { id } }')).data).toEqual({
      update_task_item: { id: '1' },
    });
  });
});
