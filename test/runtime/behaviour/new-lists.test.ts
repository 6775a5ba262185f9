/** Lists in the answer to a create: empty where nothing can refer to the new row, read where something may. */
import { describe, expect, it, vi } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

const addChild: Readonly<Record<TestDialect, string>> = {
  sqlite: `create trigger filled after insert on "loud" begin insert into "loud_child" ("loud") values (new."id"); end;`,
  mariadb: `create trigger filled after insert on "loud" for each row insert into "loud_child" ("loud") values (new."id");`,
  mysql: `create trigger filled after insert on "loud" for each row insert into "loud_child" ("loud") values (new."id");`,
  postgres: `create function fill() returns trigger language plpgsql as $$ begin insert into "loud_child" ("loud") values (new."id"); return null; end $$;
create trigger filled after insert on "loud" for each row execute function fill();`,
};

const schema = (dialect: TestDialect): string => `
create table "quiet" ("id" {counter}, "name" varchar(20));
create table "quiet_child" ("id" {counter}, "quiet" integer, foreign key ("quiet") references "quiet" ("id"));
create table "loud" ("id" {counter}, "name" varchar(20));
create table "loud_child" ("id" {counter}, "loud" integer, foreign key ("loud") references "loud" ("id"));
${addChild[dialect]}
create table "loose" ("id" {counter}, "name" varchar(20));
create table "loose_child" ("id" {counter}, "loose" integer);
insert into "loose_child" ("loose") values (1), (100001);
create table "named" ("code" varchar(5) primary key);
create table "named_child" ("id" {counter}, "named" varchar(5), foreign key ("named") references "named" ("code"));
`;

const relation = (collection: string) => ({
  many_collection: `${collection}_child`,
  many_field: collection,
  one_collection: collection,
  one_field: 'children',
});

describe.each(dialects)('lists of a created item on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema(dialect)),
    meta: { relations: ['quiet', 'loud', 'loose', 'named'].map(relation) },
    access: {
      policies: {
        Clerk: [
          { collection: 'quiet', action: 'create', fields: ['*'] },
          { collection: 'quiet', action: 'read', fields: ['*'], permissions: { name: { _neq: 'hidden' } } },
          { collection: 'quiet_child', action: 'read', fields: ['id'] },
        ],
      },
      users: { clerk: { policies: ['Clerk'] } },
    },
  });
  const create = async (path: string, body: unknown, as = 'admin') => {
    const { database } = server();
    const [rows, transaction] = [vi.spyOn(database, 'rows'), vi.spyOn(database, 'transaction')];
    const { status, data } = await server().request('POST', `/items/${path}`, { as, body });
    const reads = rows.mock.calls.filter(([{ text }]) => !text.includes('svc_'));
    const isOneStatement = reads.length + transaction.mock.calls.length === 0;
    for (const spy of [rows, transaction]) spy.mockRestore();
    return { status, data, isOneStatement };
  };
  const isReturning = dialect !== 'mysql';

  it.each(['quiet', 'quiet?fields=*,children.id', 'quiet?fields=name,children'])(
    'are empty, in the same statement: %s',
    async (path) => {
      const { status, data, isOneStatement } = await create(path, { name: 'a' });
      expect({ status, data }).toMatchObject({ status: 200, data: { name: 'a', children: [] } });
      expect(isOneStatement).toBe(isReturning);
    },
  );

  /** Counts the statements inside transactions that read rows after an insert. */
  const countReads = (): { readonly count: () => number; restore(): void } => {
    const { database } = server();
    const { transaction } = database;
    let count = 0;
    const spy = vi.spyOn(database, 'transaction').mockImplementation((body) =>
      transaction((executor) => {
        const rows = vi.spyOn(executor, 'rows');
        return body(executor).finally(() => (count += rows.mock.calls.length));
      }),
    );
    return { count: () => count, restore: () => spy.mockRestore() };
  };

  it.each([
    ['in the statement that inserts them', 'quiet?fields=name,children', 'zyx', isReturning],
    ['read where the query sorts', 'quiet?fields=name,children&sort=name', 'xyz', false],
    ['read where a trigger may add rows', 'loud?fields=name,children.loud', 'zyx', false],
  ])('of several items are %s', async (_, path, order, isReturned) => {
    const { count, restore } = countReads();
    const body = [...'zyx'].map((name) => ({ name }));
    const { status, data } = await server().request('POST', `/items/${path}`, { as: 'admin', body });
    restore();
    expect({ status, order: (data as typeof body).map(({ name }) => name).join('') }).toEqual({
      status: 200,
      order,
    });
    expect(count() === 0).toBe(isReturned);
  });

  it('contain the rows that a trigger inserted', async () => {
    const { data } = await create('loud', { name: 'a' });
    expect(data).toMatchObject({ name: 'a', children: [expect.anything()] });
  });

  it('have the rows that refer to the key without a foreign key', async () => {
    const { data } = await create('loose', { name: 'a' });
    expect(data).toMatchObject({ name: 'a', children: [expect.anything()] });
  });

  it('are read where the client chose the key', async () => {
    expect((await create('named', { code: 'x' })).data).toEqual({ code: 'x', children: [] });
    expect((await create('quiet', { id: 900, name: 'b' })).data).toMatchObject({ id: 900, children: [] });
  });

  it('come only with a row that the caller may read', async () => {
    expect(await create('quiet?fields=*,children.id', { name: 'shown' }, 'clerk')).toMatchObject({
      status: 200,
      data: { name: 'shown', children: [] },
    });
    expect((await create('quiet?fields=*,children.id', { name: 'hidden' }, 'clerk')).status).toBe(204);
  });

  it('are written and answered where the payload has them', async () => {
    const { data } = await create('quiet?fields=children.quiet', { name: 'c', children: [{}, {}] });
    expect(data).toMatchObject({ children: [{ quiet: expect.any(Number) as number }, {}] });
  });
});
