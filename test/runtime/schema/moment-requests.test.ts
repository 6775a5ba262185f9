/** Requests that meet an error of the moment, or a table that is rewritten between two of their statements, succeed. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Executor } from '../../../runtime/databases/contract.js';
import type { TestDialect } from '../../databases.js';
import { until } from '../../until.js';
import { startTestServer, type TestServer } from '../server-harness.js';

const tables = `create table maker (id integer not null primary key, name varchar(40));
  create table product (id integer not null primary key, title varchar(40), maker integer references maker (id));
  create table shelf (id integer not null primary key);
  insert into maker values (1, 'Ada');
  insert into product values (1, 'Chair', 1), (2, 'Table', 1);`;

const servers: TestServer[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) await server.close();
});

const serve = async (dialect: TestDialect, sql = tables): Promise<TestServer> => {
  const server = await startTestServer({ dialect, sql });
  servers.push(server);
  return server;
};

const failures = ({ observations }: TestServer) =>
  observations.filter(({ kind }) => kind === 'requestFailed');

/** Errors of MySQL and MariaDB that mean a table has changed since the statement or its transaction began. */
const moments = {
  'the definition has changed since the transaction began to read': 1412,
  'the statement has to be prepared again': 1615,
  'the prepared statement is unknown': 1243,
  'the table is missing': 1146,
  'the column is missing': 1054,
} as const;

describe.each(['mysql', 'mariadb'] as const)('on %s', (dialect) => {
  it.each(Object.entries(moments))('a read is run again when %s (%i)', async (_, code) => {
    const server = await serve(dialect);
    const { database } = server;
    // sent by the server as an error of its own, since some of them depend on its caches
    await server.execute(`create procedure fail() signal sqlstate 'HY000' set mysql_errno = ${code}`);
    const rows = vi.spyOn(database, 'rows');
    rows.mockImplementationOnce(async () => (await database.query('call fail()')) as never);
    const { status, body } = await server.request('GET', '/items/product', { as: 'admin' });
    expect({ status, body }).toMatchObject({ status: 200, body: { data: [{ id: 1 }, { id: 2 }] } });
    expect(rows.mock.calls.length).toBeGreaterThan(1);
    expect(failures(server)).toEqual([]);
  });

  it('a write whose transaction meets a table that was copied meanwhile stores its row once', async () => {
    const server = await serve(dialect);
    const { database } = server;
    const { transaction } = database;
    let first = true;
    vi.spyOn(database, 'transaction').mockImplementation((body) =>
      transaction(async (executor: Executor) => {
        if (!first) return body(executor);
        first = false;
        // a transaction that kept what it has read would not know the table afterwards
        await executor.query('select count(*) from shelf');
        await server.execute('alter table maker add column born integer, algorithm = copy');
        return body(executor);
      }),
    );
    const { status, body } = await server.request('POST', '/items/product?fields=id,maker.*', {
      as: 'admin',
      body: { id: 3, title: 'Lamp', maker: { id: 1, name: 'Eve' } },
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { data: { id: 3, maker: { id: 1, name: 'Eve' } } },
    });
    expect(await database.query('select count(*) as n from product')).toEqual([{ n: 3 }]);
    expect(failures(server)).toEqual([]);
  });
});

/** Sends a request, changes `maker` while a statement of it waits for that table, and returns the response. */
const during = async (
  server: TestServer,
  statement: string,
  send: () => ReturnType<TestServer['request']>,
): Promise<Awaited<ReturnType<TestServer['request']>>> => {
  const { database } = server;
  let answer: ReturnType<typeof send> | null = null;
  await database.transaction(async (executor) => {
    await executor.query('lock table maker in access exclusive mode');
    answer = send();
    await until(async () => {
      const [row] = await executor.query(
        `select count(*)::int as n from pg_locks where relation = 'maker'::regclass and not granted`,
      );
      return Number(row?.n) > 0;
    });
    await executor.query(statement);
  });
  return answer as unknown as ReturnType<typeof send>;
};

describe('on postgres, while a table is rewritten between the statements of a request', () => {
  const rewrites = 'alter table maker alter column name type varchar(30)';
  const read = '/items/product?fields=id,maker.*&meta=*';

  it.each(['read committed', 'repeatable read'])(
    'the rows are there where transactions are %s by default',
    async (level) => {
      const server = await serve(
        'postgres',
        `do $$ begin execute format('alter database %I set default_transaction_isolation = ''${level}''', current_database()); end $$; ${tables}`,
      );
      const admin = { as: 'admin' } as const;
      const { body } = await during(server, rewrites, () => server.request('GET', read, admin));
      const maker = { id: 1, name: 'Ada' };
      expect(body).toMatchObject({
        data: [
          { id: 1, maker },
          { id: 2, maker },
        ],
      });
      const written = await during(server, 'alter table maker alter column name type varchar(50)', () =>
        server.request('PATCH', '/items/maker/1', { ...admin, body: { name: 'Eve' } }),
      );
      expect(written).toMatchObject({ status: 200, body: { data: { id: 1, name: 'Eve' } } });
      expect(failures(server)).toEqual([]);
    },
  );

  it('a value that the column does not take with its new type is refused as one of the new schema', async () => {
    const server = await serve('postgres');
    const retypes = 'alter table maker alter column name type integer using id';
    const { status, body } = await during(server, retypes, () =>
      server.request('GET', '/items/maker?filter[name][_eq]=Ada', { as: 'admin' }),
    );
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'INVALID_QUERY' } }] },
    });
    expect(failures(server)).toEqual([]);
  });

  it('a column that gets another name meanwhile is read by that, all of the request from one schema', async () => {
    const server = await serve('postgres');
    const renames = 'alter table maker rename column name to label';
    const { status, body } = await during(server, renames, () =>
      server.request('GET', read, { as: 'admin' }),
    );
    const maker = { id: 1, label: 'Ada' };
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        data: [
          { id: 1, maker },
          { id: 2, maker },
        ],
      },
    });
    expect(failures(server)).toEqual([]);
  });
});
