/** Writes of more rows than a statement takes: in chunks, in one transaction. `LONG=1`: hundreds of thousands of rows. */
import { describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

const isLong = process.env.LONG !== undefined;
/** Beyond the arguments that a function call takes, where it takes long; else several chunks and a rest. */
const [many, posted] = isLong ? [300_000, 130_000] : [2_345, 2_345];
const timeout = 600_000;

/** Bytes that a write may take at its peak, with the garbage that a process of tests lets lie: a server takes a third of it. */
const maxMemory = 512 * 1024 * 1024;

/** Runs a write and checks the memory that it takes, where it is of many rows. */
const inBoundedMemory = async <Result>(write: () => Promise<Result>): Promise<Result> => {
  if (!isLong) return write();
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  try {
    return await write();
  } finally {
    clearInterval(timer);
    process.stdout.write(`${Math.round((most - before) / 2 ** 20)} MB at the peak of a write\n`);
    expect(most - before).toBeLessThan(maxMemory);
  }
};

const numbersSql = {
  sqlite: `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many}) select i from n`,
  mariadb: `select seq from seq_1_to_${many}`,
  mysql: `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many}) select /*+ set_var(cte_max_recursion_depth=${many}) */ i from n`,
  postgres: `select i from generate_series(1, ${many}) as t(i)`,
} as const;

const schema = (dialect: TestDialect): string => `
create table "note" ("id" {counter}, "state" varchar(20), "rank" integer, "owner" varchar(20));
create table "logged" ("id" {counter}, "state" varchar(20));
create table "pair" ("left" integer not null, "right" varchar(20) not null, primary key ("left", "right"));
insert into "pair" values (1, 'a'), (9999, 'a'), (9999, 'b');
insert into "note" ("rank") ${numbersSql[dialect]};
create table "half" ("id" {counter}, "number" integer, "state" varchar(20));
insert into "half" ("number") select "rank" from "note" where "rank" <= 600 order by "rank";
insert into "logged" ("state") select 'a' from "note" where "rank" <= 2345;
`;

describe.each(dialects)('writes of many rows on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema(dialect)),
    meta: { collections: { logged: { accountability: 'all' } } },
    access: {
      policies: {
        Half: [
          { collection: 'half', action: 'read', fields: ['*'], permissions: { number: { _lte: 500 } } },
          { collection: 'half', action: 'update', fields: ['*'] },
        ],
        Clerk: [
          { collection: 'note', action: 'read', fields: ['*'] },
          { collection: 'note', action: 'update', fields: ['*'], validation: { owner: { _nnull: true } } },
          { collection: 'note', action: 'delete', permissions: { rank: { _neq: many } } },
          {
            collection: 'note',
            action: 'create',
            fields: ['*'],
            validation: { _or: [{ state: { _null: true } }, { state: { _neq: 'x' } }] },
          },
        ],
      },
      users: { ann: { policies: ['Clerk'] }, bea: { policies: ['Half'] } },
    },
    environment: { MAX_PAYLOAD_SIZE: '64mb' },
  });
  const send = async (method: string, path: string, body: unknown, as = 'admin') => {
    const { status, codes, headers } = await server().request(method, `/items/${path}`, { as, body });
    return { status, codes, rows: headers.get('x-svc-rows') };
  };
  const activity = (action: string) =>
    server().request(
      'GET',
      `/activity?limit=0&meta=filter_count&filter[collection][_eq]=logged&filter[action][_eq]=${action}`,
      { as: 'admin' },
    );
  const countOf = async (path: string): Promise<number> => {
    const { body } = await server().request('GET', `/items/${path}`, { as: 'admin' });
    return (body as { readonly meta: { readonly filter_count: number } }).meta.filter_count;
  };
  /** Every note again, as it was. */
  const refill = () =>
    server().execute(
      sqlFor(dialect, `delete from "note"; insert into "note" ("rank") ${numbersSql[dialect]}`),
    );
  const written = { status: isLong ? 204 : 200, codes: [], rows: isLong ? String(many) : null };
  const all = { query: { limit: -1 } };

  it('SEARCH takes 10 000 keys, of one field or of two', { timeout }, async () => {
    await refill();
    const search = (collection: string, keys: readonly unknown[]) =>
      server().request('SEARCH', `/items/${collection}`, {
        as: 'admin',
        body: { keys, query: { limit: -1 } },
      });
    const first = await server().request('GET', '/items/note?fields=id&sort=id&limit=1', { as: 'admin' });
    const [{ id: start = 0 } = {}] = first.data as readonly { readonly id?: number }[];
    const keys = Array.from({ length: 10_000 }, (_, index) => start + many - 5 + index);
    const found = (await search('note', keys)).data as readonly { readonly id: number }[];
    expect(found.map(({ id }) => id)).toEqual(keys.slice(0, 5));
    const pairs = keys.map((_, index) => `${index},a`);
    expect((await search('pair', pairs)).data).toEqual([
      { left: 1, right: 'a' },
      { left: 9999, right: 'a' },
    ]);
  });

  it('an update by query changes every row', { timeout }, async () => {
    await refill();
    const update = { ...all, data: { state: 'b' } };
    expect(await inBoundedMemory(() => send('PATCH', 'note?fields=id', update))).toEqual(written);
    expect(await countOf('note?limit=0&meta=filter_count&filter[state][_eq]=b')).toBe(many);
  });

  it('an update that a rule refuses for the last row changes none', { timeout }, async () => {
    await refill();
    await server().execute(sqlFor(dialect, `update "note" set "owner" = 'o' where "rank" < ${many}`));
    const update = { ...all, data: { state: 'c' } };
    expect(await send('PATCH', 'note', update, 'ann')).toMatchObject({
      status: 400,
      codes: ['FAILED_VALIDATION'],
    });
    expect(await countOf('note?limit=0&meta=filter_count&filter[state][_eq]=c')).toBe(0);
  });

  it(
    'a delete that a rule refuses for the last row removes none, and others remove every row',
    { timeout },
    async () => {
      await refill();
      expect(await send('DELETE', 'note', all, 'ann')).toMatchObject({ status: 403, codes: ['FORBIDDEN'] });
      expect(await countOf('note?limit=0&meta=filter_count')).toBe(many);
      expect((await inBoundedMemory(() => send('DELETE', 'note', all))).status).toBe(204);
      expect(await countOf('note?limit=0&meta=filter_count')).toBe(0);
    },
  );

  it('a create stores every row under the rules of each', { timeout }, async () => {
    await server().execute(sqlFor(dialect, 'delete from "note"'));
    const rows = Array.from({ length: posted }, (_, rank) => ({ rank }));
    const last = { rank: posted, state: 'x' };
    expect(await send('POST', 'note', [...rows.slice(1), last], 'ann')).toMatchObject({
      status: 400,
      codes: ['FAILED_VALIDATION'],
    });
    expect(await countOf('note?limit=0&meta=filter_count')).toBe(0);
    const answer = await inBoundedMemory(() => send('POST', 'note?fields=id', rows, 'ann'));
    expect(answer).toMatchObject({ status: isLong ? 204 : 200, rows: isLong ? String(posted) : null });
    expect(await countOf('note?limit=0&meta=filter_count')).toBe(posted);
  });

  it('an answer has the rows that the caller may read, whatever chunk they are of', async () => {
    const ids = await server().request('GET', '/items/half?fields=id&sort=id&limit=-1', { as: 'admin' });
    const keys = (ids.data as { readonly id: number }[]).map(({ id }) => id);
    const body = { keys, data: { state: 'changed' } };
    const { status, data } = await server().request('PATCH', '/items/half', { as: 'bea', body });
    expect([status, keys.length, (data as readonly unknown[]).length]).toEqual([200, 600, 500]);
  });

  it('a response contains at most 10 000 rows', { timeout }, async () => {
    await server().execute(sqlFor(dialect, 'delete from "note"'));
    const notes = Array.from({ length: 10_001 }, (_, index) => ({ id: index + 1, state: 'new' }));
    const counted = { status: 204, codes: [], rows: '10001' };
    expect(await send('POST', 'note?fields=id', notes)).toEqual(counted);
    expect(await send('PATCH', 'note?fields=id', { ...all, data: { state: 'old' } })).toEqual(counted);
    expect(await countOf('note?limit=0&meta=filter_count&filter[state][_eq]=old')).toBe(10_001);
    const again = '/items/note?on_conflict=ignore&fields=id';
    const { status, body } = await server().request('POST', again, { as: 'admin', body: notes });
    expect({ status, body }).toEqual({
      status: 200,
      body: { meta: { outcomes: notes.map(() => 'ignored') }, data: null },
    });
  });

  it('activity has a row for each', { timeout }, async () => {
    expect((await send('PATCH', 'logged?fields=id', { ...all, data: { state: 'b' } })).status).toBe(200);
    expect((await send('DELETE', 'logged', all)).status).toBe(204);
    for (const action of ['update', 'delete'])
      expect((await activity(action)).body).toMatchObject({ meta: { filter_count: 2_345 } });
  });
});
