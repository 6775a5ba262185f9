/** Updates and deletions that a trigger or rule replaces: the item was found, so the answer does not deny it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const table = 'create table kept (id int primary key, v varchar(9), gone int not null default 0);';
const rows = "delete from log; insert into kept (id, v) values (1, 'a'), (2, 'b');";

/** Deletions mark the row instead, and are logged; updates to `skip` are discarded. */
const replacing = {
  sqlite: `${table} create table log (id int);
create trigger mark before delete on kept when old.gone < 2 begin
  update kept set gone = 1 where id = old.id; insert into log values (old.id); select raise(ignore); end;
create trigger skip before update on kept when new.v = 'skip' begin select raise(ignore); end;`,
  postgres: `${table} create table log (id int);
create function mark() returns trigger language plpgsql as $$ begin
  update kept set gone = 1 where id = old.id; insert into log values (old.id); return null; end $$;
create trigger mark before delete on kept for each row when (old.gone < 2) execute function mark();
create function skip() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger skip before update on kept for each row when (new.v = 'skip') execute function skip();`,
} as const;

describe.each(['sqlite', 'postgres'] as const)('writes that triggers of %s replace', (dialect) => {
  const server = useServer({ dialect, sql: replacing[dialect] });
  const send = (method: string, path: string, body?: unknown) =>
    server().request(method, path, { as: 'admin', ...(body !== undefined && { body }) });
  const stored = async (): Promise<unknown> => (await send('GET', '/items/kept?fields=id,v,gone')).data;
  const logged = async (): Promise<unknown> => (await send('GET', '/items/log?fields=id&sort=id')).data;

  beforeEach(() => server().execute(`update kept set gone = 2; delete from kept; ${rows}`));

  it.each([
    ['its path', '/items/kept/1', undefined],
    ['its key', '/items/kept', [1]],
    ['a query', '/items/kept', { query: { filter: { id: { _eq: 1 } } } }],
  ])('a deletion by %s does what the trigger does, once', async (_, path, body) => {
    expect((await send('DELETE', path, body)).status).toBe(204);
    expect(await stored()).toEqual([
      { id: 1, v: 'a', gone: 1 },
      { id: 2, v: 'b', gone: 0 },
    ]);
    expect(await logged()).toEqual([{ id: 1 }]);
  });

  it('a deletion of several items, and one in GraphQL, do the same', async () => {
    expect((await send('DELETE', '/items/kept', [1, 2])).status).toBe(204);
    const query = 'mutation { delete_kept_item(id: 1) { id } }';
    expect((await send('POST', '/graphql', { query })).errors).toEqual([]);
    expect(await logged()).toEqual([{ id: 1 }, { id: 1 }, { id: 2 }]);
  });

  it.each([
    ['/items/kept/1', { v: 'skip' }],
    ['/items/kept', { keys: [1], data: { v: 'skip' } }],
    ['/items/kept', [{ id: 1, v: 'skip' }]],
  ])('an update that is discarded answers with the item as it is stored: %s %j', async (path, body) => {
    const { status, data } = await send('PATCH', path, body);
    expect({ status, item: [data].flat()[0] }).toEqual({ status: 200, item: { id: 1, v: 'a', gone: 0 } });
  });

  it('other items are missing as ever', async () => {
    expect((await send('DELETE', '/items/kept/9')).codes).toEqual(['FORBIDDEN']);
    expect((await send('PATCH', '/items/kept/9', { v: 'c' })).codes).toEqual(['FORBIDDEN']);
    expect((await send('PATCH', '/items/kept/1', { v: 'c' })).data).toEqual({ id: 1, v: 'c', gone: 0 });
  });
});

describe('writes that rules of postgres replace', () => {
  const server = useServer({
    dialect: 'postgres',
    sql: `create table soft (id int primary key, gone boolean not null default false); insert into soft values (1), (2);
create rule mark as on delete to soft do instead update soft set gone = true where id = old.id;`,
  });

  it('do what the rule does', async () => {
    expect((await server().request('DELETE', '/items/soft/1', { as: 'admin' })).status).toBe(204);
    const { data } = await server().request('GET', '/items/soft', { as: 'admin' });
    expect(data).toEqual([
      { id: 1, gone: true },
      { id: 2, gone: false },
    ]);
  });
});
