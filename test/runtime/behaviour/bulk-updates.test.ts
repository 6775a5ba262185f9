/** Updates of many rows with values of their own: batches, lists and `on_conflict`, with few statements and as if one by one. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { recordStatements } from '../harness/statements.js';
import { useServer } from '../harness/use-server.js';

const schema = `
create table "board" ("id" integer primary key, "name" varchar(20));
create table "job" ("id" integer primary key, "board" integer, "code" varchar(9) unique, "name" varchar(20) not null,
  "state" varchar(9), "sort" integer, foreign key ("board") references "board" ("id"));
`;

const reset = `
delete from "job"; delete from "board";
insert into "board" ("id", "name") values (1, 'one'), (2, 'two');
insert into "job" ("id", "board", "code", "name", "state", "sort") values (1, 1, 'a', 'first', 'open', 1),
  (2, 1, 'b', 'second', 'open', 2), (3, 1, 'c', 'third', 'open', 3), (4, 2, 'd', 'fourth', 'done', 1);
`;

/** Returns those of many rows that are not among the others, in time that does not grow with the product of both. */
const findMissing = (rows: readonly object[], others: unknown): readonly object[] => {
  const present = new Set((others as readonly object[]).map((row) => JSON.stringify(row)));
  return rows.filter((row) => !present.has(JSON.stringify(row)));
};

const isLock = (text: string): boolean => /^select .* as found from/.test(text);

describe.each(dialectsOf(import.meta.url))('updates of many rows on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema),
    meta: {
      collections: { job: { accountability: 'all' } },
      relations: [
        {
          many_collection: 'job',
          many_field: 'board',
          one_collection: 'board',
          one_field: 'jobs',
          sort_field: 'sort',
        },
      ],
    },
    access: {
      policies: {
        Editor: [
          ...['board', 'job'].flatMap((collection) => [
            { collection, action: 'read' as const, fields: ['*'] },
            { collection, action: 'create' as const, fields: ['*'] },
          ]),
          { collection: 'board', action: 'update', fields: ['*'] },
          { collection: 'job', action: 'update', fields: ['*'], permissions: { state: { _neq: 'done' } } },
        ],
      },
      users: { editor: { policies: ['Editor'] } },
    },
  });
  beforeEach(() => server().execute(sqlFor(dialect, reset)));

  const send = async (method: string, path: string, body: unknown) => {
    const { status, codes, errors } = await server().request(method, `/items/${path}`, {
      as: 'editor',
      body,
    });
    return { status, codes, fields: errors.map(({ field }) => field) };
  };
  const stored = async (fields: string) =>
    (await server().request('GET', `/items/job?fields=${fields}&sort=id&limit=-1`, { as: 'admin' })).data;
  const recorded = async (): Promise<unknown> => {
    const path = '/activity?filter[collection]=job&sort=-id&limit=3&fields=item,fields';
    return (await server().request('GET', path, { as: 'admin' })).data;
  };
  const insert = async (count: number) => {
    const jobs = Array.from({ length: count }, (_, index) => ({
      id: 100 + index,
      board: 2,
      code: `c${index}`,
      name: `n${index}`,
      state: 'open',
      sort: 2 + index,
    }));
    expect(await send('POST', 'job?fields=id', jobs)).toMatchObject({ status: 200 });
    return jobs;
  };

  describe.each([
    ['a batch', (jobs: object[]) => ['PATCH', 'job?fields=id', jobs] as const, 1_000, 1],
    [
      'on_conflict',
      (jobs: object[]) => ['POST', 'job?on_conflict=update&conflict=code&fields=id', jobs] as const,
      300,
      2,
    ],
    ['a list', (jobs: object[]) => ['PATCH', 'board/2?fields=id', { jobs: [4, ...jobs] }] as const, 100, 2],
  ])('%s', (_, request, count, locks) => {
    it('checks and locks rows with the same condition at once', async () => {
      const jobs = await insert(count);
      const changed = jobs.map((job, index) => Object.assign(job, { name: `changed ${index}` }));
      const statements = await recordStatements(server().database, async () => {
        const [method, path, body] = request(changed);
        expect(await send(method, path, body)).toMatchObject({ status: 200 });
      });
      expect(statements.filter(isLock).length).toBeLessThanOrEqual(locks);
      const names = changed.map(({ name }) => ({ name }));
      expect(findMissing(names, await stored('name'))).toEqual([]);
    });
  });

  it.each([
    ['a batch', (jobs: object[]) => ['PATCH', 'job?fields=id', jobs] as const, 1_000],
    ['on_conflict', (jobs: object[]) => ['POST', 'job?on_conflict=update&fields=id', jobs] as const, 1_000],
    ['a list', (jobs: object[]) => ['PATCH', 'board/2?fields=id', { jobs: { update: jobs } }] as const, 200],
  ])('%s writes a hundred rows of the same columns at once', async (_, request, count) => {
    const jobs = await insert(count);
    const changed = jobs.map(({ id }, index) => ({ id, name: `changed ${index}`, state: null }));
    const [method, path, body] = request(changed);
    const statements = await recordStatements(server().database, async () => {
      expect(await send(method, path, body)).toMatchObject({ status: 200 });
    });
    expect(statements.filter((text) => /^update .job. /.test(text))).toHaveLength(count / 100);
    expect(findMissing(changed, await stored('id,name,state'))).toEqual([]);
  });

  it('writes row by row where a statement for several fails, and names the row that cannot be stored', async () => {
    const changes = [
      { id: 1, name: 'x', sort: 5 },
      { id: 2, name: 'y', sort: 6 },
      { id: 3, name: 'z', board: 99 },
      { id: 2, name: 'again', sort: 7 },
    ];
    expect(await send('PATCH', 'job', changes)).toMatchObject({
      codes: ['INVALID_FOREIGN_KEY'],
      fields: ['board'],
    });
    expect(await stored('name')).toEqual(['first', 'second', 'third', 'fourth'].map((name) => ({ name })));
    const valid = changes.filter(({ board }) => board === undefined);
    expect(await send('PATCH', 'job?fields=id', valid)).toMatchObject({ status: 200 });
    expect(await stored('id,name,sort')).toEqual(
      expect.arrayContaining([
        { id: 1, name: 'x', sort: 5 },
        { id: 2, name: 'again', sort: 7 },
      ]),
    );
  });

  it('is refused for the first row that cannot be stored, before those that may not be changed', async () => {
    const changes = [
      { id: 1, name: 'x' },
      { id: 2, code: 'c' },
      { id: 4, name: 'y' },
    ];
    const named = changes.map((change) => ({ name: 'n', ...change }));
    const duplicate = { status: 400, codes: ['RECORD_NOT_UNIQUE'], fields: ['code'] };
    expect(await send('POST', 'job?on_conflict=update', named)).toEqual(duplicate);
    expect(await send('PATCH', 'board/1', { jobs: { update: changes } })).toEqual(duplicate);
    expect(await send('PATCH', 'job', changes)).toMatchObject({ status: 403 });
    expect(await stored('name')).toEqual(['first', 'second', 'third', 'fourth'].map((name) => ({ name })));
  });

  it('checks a row that is changed twice as it is then', async () => {
    const twice = [
      { id: 1, state: 'done', name: 'x' },
      { id: 1, name: 'y' },
    ];
    const refused = { status: 403, codes: ['FORBIDDEN'] };
    expect(await send('POST', 'job?on_conflict=update', twice)).toMatchObject(refused);
    expect(await send('PATCH', 'board/1', { jobs: { update: twice } })).toMatchObject(refused);
    // a batch is checked before it is written
    expect(await send('PATCH', 'job?fields=id', twice)).toMatchObject({ status: 200 });
    expect(await stored('id,name,state')).toContainEqual({ id: 1, name: 'y', state: 'done' });
  });

  it('records each row in the order of the payload', async () => {
    const changes = [
      { id: 3, name: 'x' },
      { id: 1, name: 'y', state: 'open' },
      { id: 2, name: 'z' },
    ];
    const expected = [
      { item: '2', fields: ['name'] },
      { item: '1', fields: ['name', 'state'] },
      { item: '3', fields: ['name'] },
    ];
    for (const [method, path, body] of [
      ['PATCH', 'job?fields=id', changes],
      ['POST', 'job?on_conflict=update&fields=id', changes],
      ['PATCH', 'board/1?fields=id', { jobs: { update: changes } }],
    ] as const) {
      expect(await send(method, path, body)).toMatchObject({ status: 200 });
      expect(await recorded()).toEqual(expected);
    }
  });
});
