/** The connection to the database is lost while something is written: the answer says what is known of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../until.js';
import { startCuttingProxy, type CuttingProxy } from '../harness/cutting-proxy.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestServer } from '../server-harness.js';

const tables = `
create table "shelf" ("id" {counter}, "name" varchar(20));
create table "jar" ("id" {counter}, "label" varchar(20), "shelf" integer,
  foreign key ("shelf") references "shelf" ("id"));
`;
const meta = {
  relations: [{ many_collection: 'jar', many_field: 'shelf', one_collection: 'shelf', one_field: 'jars' }],
};

const unknown = {
  service: 'database',
  outcome: 'unknown',
  code: 'SERVICE_UNAVAILABLE',
};

describe.each(['mariadb', 'mysql', 'postgres'] as const)('a lost connection on %s', (dialect) => {
  const direct = useServer({ dialect, sql: sqlFor(dialect, tables), meta });
  let proxy: CuttingProxy;
  let server: TestServer;
  const send = (method: string, path: string, body?: unknown) =>
    server.request(method, path, { as: 'admin', ...(body !== undefined && { body }) });
  const labels = async (): Promise<unknown> =>
    (await direct().request('GET', '/items/jar?fields=label&sort=label', { as: 'admin' })).data;

  beforeAll(async () => {
    proxy = await startCuttingProxy(direct().databaseUrl);
    server = await direct().startAnother({ DATABASE_URL: proxy.url });
  });
  afterAll(async () => {
    await server.close();
    await proxy.close();
  });
  beforeEach(async () => {
    await direct().execute(sqlFor(dialect, 'delete from "jar"; delete from "shelf";'));
    await until(async () => (await send('GET', '/items/jar')).status === 200, {
      what: 'the database is back',
    });
  });

  it('after sending the commit of several items is an unknown outcome; they are stored', async () => {
    proxy.cutAfter('commit', 'created');
    const { status, errors } = await send('POST', '/items/jar', [{ label: 'created' }, { label: 'too' }]);
    expect({ status, error: errors[0] }).toEqual({ status: 503, error: unknown });
    expect(await labels()).toEqual([{ label: 'created' }, { label: 'too' }]);
  });

  it.each([
    ['create', 'POST', '/items/jar', { label: 'marked' }],
    ['update', 'PATCH', '/items/jar/7', { label: 'marked' }],
  ])('after sending a single %s is an unknown outcome; it is stored', async (_, method, path, body) => {
    await direct().execute(sqlFor(dialect, `insert into "jar" ("id", "label") values (7, 'present')`));
    await send(method, path, { label: 'prepared' });
    proxy.cutAfter('marked');
    const { status, errors } = await send(method, path, body);
    expect({ status, error: errors[0] }).toEqual({ status: 503, error: unknown });
    expect(await labels()).toContainEqual({ label: 'marked' });
  });

  it('before the commit stores nothing and has no unknown outcome', async () => {
    await send('POST', '/items/jar', [{ label: 'prepared' }, { label: 'too' }]);
    proxy.cutAfter('marked');
    const { status, errors } = await send('POST', '/items/jar', [{ label: 'marked' }, { label: 'b' }]);
    expect({ status, error: errors[0] }).toEqual({
      status: 503,
      error: { service: 'database', code: 'SERVICE_UNAVAILABLE' },
    });
    expect(await labels()).not.toContainEqual({ label: 'marked' });
  });

  it('in a mutation is an unknown outcome', async () => {
    proxy.cutAfter('commit', 'mutated');
    const query = 'mutation { create_jar_items(data: [{ label: "mutated" }, { label: "b" }]) { label } }';
    const { body } = await send('POST', '/graphql', { query });
    expect(body).toMatchObject({ errors: [{ extensions: unknown }] });
  });
});
