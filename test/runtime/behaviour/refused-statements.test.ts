/** The database refuses statements of the server: its user lacks rights, row level security forbids a row, or nothing can be written. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../../runtime/observe.js';
import { createLimitedUser } from '../../limited-user.js';
import { until } from '../../until.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestServer } from '../server-harness.js';

const tables = `
create table "jar" ("id" {counter}, "label" varchar(20));
create table "shelf" ("id" {counter}, "name" varchar(20));
insert into "jar" ("label") values ('first');
`;

const denied = [403, 'FORBIDDEN', 'the database does not permit it'];

const requestOf =
  (serverOf: () => TestServer) =>
  async (method: string, path: string, body?: unknown): Promise<readonly unknown[]> => {
    const { status, errors } = await serverOf().request(method, path, {
      as: 'admin',
      ...(body !== undefined && { body }),
    });
    return status < 300 ? [status] : [status, errors[0]?.['code'], errors[0]?.['reason']];
  };

const failuresOf = ({ observations }: TestServer): readonly string[] =>
  observations.flatMap((each) => (each.kind === 'requestFailed' ? [(each.error as Error).message] : []));

describe.each(['mariadb', 'mysql', 'postgres'] as const)('a user of %s with few rights', (dialect) => {
  const direct = useServer({ dialect, sql: sqlFor(dialect, tables) });
  let limited: Awaited<ReturnType<typeof createLimitedUser>>;
  let server: TestServer;
  /** Path of the jar that is present. */
  let first: string;
  const send = requestOf(() => server);

  beforeAll(async () => {
    const { databaseUrl: url, execute } = direct();
    limited = await createLimitedUser(dialect, { url, execute, rights: 'select' });
    const user = new URL(limited.url).username;
    const name = dialect === 'postgres' ? user : `${user}@'%'`;
    await execute(sqlFor(dialect, `grant insert, update on "jar" to ${name};`));
    server = await direct().startAnother({ DATABASE_URL: limited.url });
    const { data } = await server.request('GET', '/items/jar', { as: 'admin' });
    first = `/items/jar/${(data as readonly { readonly id: number }[])[0]?.id}`;
  });
  afterAll(async () => {
    await server?.close();
    await limited?.drop();
  });

  it('writes what it may, and answers 403 for the rest', async () => {
    const before = failuresOf(server).length;
    expect(await send('PATCH', first, { label: 'changed' })).toEqual([200]);
    expect(await send('POST', '/items/shelf', { name: 'x' })).toEqual(denied);
    expect(await send('DELETE', first)).toEqual(denied);
    expect(await send('GET', first)).toEqual([200]);
    expect(failuresOf(server).slice(before)).toEqual([
      expect.stringMatching(/denied.*shelf/),
      expect.stringMatching(/denied.*jar/),
    ]);
  });

  const forRows = dialect === 'postgres' ? ['row level security'] : [];
  it.each(forRows)('answers 403 for rows that %s forbids', async () => {
    await direct().execute(`
alter table jar enable row level security;
create policy own on jar using (true) with check (label <> 'secret');`);
    expect(await send('POST', '/items/jar', { label: 'open' })).toEqual([200]);
    expect(await send('POST', '/items/jar', { label: 'secret' })).toEqual(denied);
    expect(await send('PATCH', first, { label: 'secret' })).toEqual(denied);
  });
});

const isDenied = ({ kind, ...rest }: Observation): boolean =>
  kind === 'databaseLost' && /not permitted|denied/i.test(JSON.stringify(rest));

describe.each(['mariadb', 'mysql'] as const)('a view of %s whose definer does not exist', (dialect) => {
  const direct = useServer({
    dialect,
    sql: sqlFor(dialect, `${tables} create definer = 'gone'@'nowhere' view "old" as select "id" from "jar";`),
  });

  it.each(['super', 'limited'])('is not permitted to a %s user', async (kind) => {
    const { databaseUrl: url, execute } = direct();
    const rights = 'select, insert, update, delete';
    const limited = kind === 'super' ? null : await createLimitedUser(dialect, { url, execute, rights });
    const server = limited === null ? direct() : await direct().startAnother({ DATABASE_URL: limited.url });
    try {
      expect(await requestOf(() => server)('GET', '/items/old')).toEqual(denied);
      expect(await requestOf(() => server)('GET', '/items/jar')).toEqual([200]);
    } finally {
      if (limited !== null) await server.close();
      await limited?.drop();
    }
  });
});

describe.each(['mariadb', 'mysql', 'postgres'] as const)(
  'a user of %s that may not log in any more',
  (dialect) => {
    const direct = useServer({ dialect, sql: sqlFor(dialect, tables) });

    it('is a lost database, until it may', async () => {
      const { databaseUrl: url, execute, database } = direct();
      const limited = await createLimitedUser(dialect, {
        url,
        execute,
        rights: 'select, insert, update, delete',
      });
      const server = await direct().startAnother({ DATABASE_URL: limited.url });
      const { username } = new URL(limited.url);
      const send = requestOf(() => server);
      // PostgreSQL asks for no password here
      const [refused, taken] =
        dialect === 'postgres'
          ? ['nologin', 'login']
          : ["@'%' identified by 'another'", "@'%' identified by 'pw'"];
      const change = (how: string | undefined): Promise<void> =>
        execute(dialect === 'postgres' ? `alter role ${username} ${how}` : `alter user ${username}${how}`);
      const endConnections = async (): Promise<void> => {
        if (dialect === 'postgres') {
          await database.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = ?', [
            username,
          ]);
          return;
        }
        const found = await database.query('select id from information_schema.processlist where user = ?', [
          username,
        ]);
        for (const { id } of found) await execute(`kill ${String(id)}`);
      };
      try {
        expect(await send('GET', '/items/jar')).toEqual([200]);
        await change(refused);
        await endConnections();
        await until(async () => (await send('GET', '/items/jar'))[0] === 503);
        expect(await send('POST', '/items/jar', { label: 'x' })).toEqual([
          503,
          'SERVICE_UNAVAILABLE',
          undefined,
        ]);
        // the first that is reported may be of a connection that was ended
        await until(() => server.observations.some(isDenied));
        expect(failuresOf(server)).toEqual([]);
        await change(taken);
        await until(async () => (await send('GET', '/items/jar'))[0] === 200);
      } finally {
        await server.close();
        await limited.drop();
      }
    });
  },
);

const readOnly = {
  sqlite: 'pragma query_only = 1',
  mariadb: 'set session tx_read_only = 1',
  mysql: 'set session transaction_read_only = 1',
  postgres: 'set session default_transaction_read_only = on',
} as const;

describe.each(['sqlite', 'mariadb', 'mysql', 'postgres'] as const)(
  'a server of %s that only reads',
  (dialect) => {
    const direct = useServer({ dialect, sql: sqlFor(dialect, tables) });
    const send = requestOf(direct);
    // SQLite has one connection for all writes
    const connections = dialect === 'sqlite' ? 1 : 10;
    /** Runs a statement on each connection of the pool: each holds its own until all have one. */
    const setAll = async (text: string): Promise<void> => {
      const { database } = direct();
      if (dialect === 'sqlite') return void (await database.write({ text, values: [] }));
      let count = 0;
      const run = () =>
        database.transaction(async (executor) => {
          await executor.write({ text, values: [] });
          count += 1;
          await until(() => count === connections);
        });
      await Promise.all(Array.from({ length: connections }, run));
    };

    it('answers 503 for writes, each of which ends its connection, and then takes them', async () => {
      await setAll(readOnly[dialect]);
      expect(await send('GET', '/items/jar')).toEqual([200]);
      const write = () => send('POST', '/items/jar', { label: 'new' });
      expect(await write()).toEqual([503, 'SERVICE_UNAVAILABLE', undefined]);
      expect(await send('GET', '/items/jar')).toEqual([200]);
      if (dialect === 'sqlite') await setAll('pragma query_only = 0');
      let written = await write();
      for (let count = 1; count < connections && written[0] === 503; count += 1) written = await write();
      expect(written).toEqual([200]);
    });
  },
);
