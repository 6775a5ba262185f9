/** A server whose database is changed by hand follows it: its clients see the schema as it is now, and no error. */
import { EventEmitter, once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readSchemaVersion } from '../../../runtime/schema/version.js';
import { createTestDatabase, dialectsOf, type TestDatabase } from '../../databases.js';
import { systemTemplate } from '../../templates.js';
import { until } from '../../until.js';
import { settingsOf, startTestServer, type TestServer, type TestServerOptions } from '../server-harness.js';

const dialects = dialectsOf(import.meta.url);

const settings = settingsOf(import.meta.url);

const tables = `create table product (id integer not null primary key, title varchar(40), price integer);
  insert into product values (1, 'Chair', 40), (2, 'Table', 90);
  create table shelf (id integer not null primary key, room varchar(40));`;

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

const serve = async (options: Omit<TestServerOptions, 'sql'>): Promise<TestServer> => {
  const server = await startTestServer({ ...options, sql: tables });
  closing.push(server);
  return server;
};

/** Requests of the administrator. */
const asAdmin = (server: TestServer) => {
  const request = (method: string) => (path: string, body?: unknown) =>
    server.request(method, path, { as: 'admin', ...(body !== undefined && { body }) });
  return { get: request('GET'), post: request('POST'), patch: request('PATCH') };
};

const failed = ({ observations }: TestServer) => observations.filter(({ kind }) => kind === 'requestFailed');

describe.each(settings)('on $dialect through $listener', (setting) => {
  it('a column renamed by hand is read and written by its new name immediately', async () => {
    const server = await serve(setting);
    const { execute } = server;
    const admin = asAdmin(server);
    expect((await admin.get('/items/product')).body).toMatchObject({ data: [{ id: 1, title: 'Chair' }, {}] });
    await execute('alter table product rename column title to name');

    const reads = await Promise.all(Array.from({ length: 5 }, () => admin.get('/items/product')));
    for (const { status, body } of reads)
      expect({ status, body }).toMatchObject({ status: 200, body: { data: [{ id: 1, name: 'Chair' }, {}] } });
    expect(await admin.post('/items/product', { id: 3, name: 'Lamp' })).toMatchObject({ status: 200 });
    expect(failed(server)).toEqual([]);
  });

  it('a write to a renamed column is rejected by name, and a write of others succeeds', async () => {
    const server = await serve(setting);
    const { execute } = server;
    const admin = asAdmin(server);
    await admin.get('/items/product');
    await execute('alter table product rename column title to name');
    expect(await admin.post('/items/product', { id: 3, title: 'Lamp' })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'INVALID_PAYLOAD' } }] },
    });
    await execute('alter table product rename column price to cost');
    // 204 where the write is a transaction of its own and the answer is read after it
    expect([200, 204]).toContain((await admin.patch('/items/product/1', { name: 'Stool' })).status);
    expect((await admin.get('/items/product/1')).body).toEqual({
      data: { id: 1, name: 'Stool', cost: 40 },
    });
    expect(failed(server)).toEqual([]);
  });

  it('a GraphQL document is run again as a whole, unless one of its mutations was executed', async () => {
    const server = await serve(setting);
    const { execute } = server;
    const admin = asAdmin(server);
    const query = '{ product { id title } shelf { id } }';
    await admin.post('/graphql', { query });
    await execute('alter table product rename column title to name');
    expect(await admin.post('/graphql', { query })).toMatchObject({
      status: 400,
      body: { errors: [{ message: expect.stringContaining('title') as string }] },
    });
    await execute('alter table product rename column name to label');
    const writes = `mutation {
      shelf: create_shelf_item(data: { id: 1, room: "A" }) { id }
      product: update_product_item(id: 1, data: { price: 50 }) { id name }
    }`;
    const { status, body } = await admin.post('/graphql', { query: writes });
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { shelf: { id: expect.anything() as unknown }, product: null } });
    expect((await admin.get('/items/shelf')).body).toMatchObject({ data: [{ id: 1 }] });
  });

  it('a statement that fails on the new build too returns its error', async () => {
    const server = await serve(setting);
    const admin = asAdmin(server);
    await admin.get('/items/product');
    const { database } = server;
    const rows = vi.spyOn(database, 'rows').mockImplementation(async () => {
      // of a kind that every database takes for a changed schema
      return (await database.query('select missing from product')) as never;
    });
    expect((await admin.get('/items/product')).status).toBe(500);
    expect(rows.mock.calls).toHaveLength(2);
    rows.mockRestore();
    expect(failed(server)).toHaveLength(1);
  });

  it('a request whose build does not come in time is answered with 503, and later with the new schema', async () => {
    const stages = new EventEmitter();
    const built = once(stages, 'built');
    const server = await serve({ ...setting, beforeBuild: async () => void (await built), buildLimit: 200 });
    const admin = asAdmin(server);
    await admin.get('/items/product');
    await server.execute('alter table product rename column title to name');
    const late = await admin.get('/items/product');
    expect(late).toMatchObject({
      status: 503,
      codes: ['SERVICE_UNAVAILABLE'],
      text: expect.stringContaining('its API is not ready yet') as string,
    });
    expect(late.headers.get('retry-after')).toBe('1');
    expect(await admin.post('/graphql', { query: '{ product { title } }' })).toMatchObject({ status: 503 });
    stages.emit('built');
    // on a busy machine, the rest of the build takes longer than the limit as well
    await until(async () => (await admin.get('/items/product')).status === 200);
    expect((await admin.get('/items/product')).body).toMatchObject({ data: [{ name: 'Chair' }, {}] });
    expect(failed(server)).toEqual([]);
  });

  it('rules that name what is gone are reported by name, match no row, and hold up nobody else', async () => {
    const read = { collection: 'product', action: 'read' } as const;
    const server = await serve({
      ...setting,
      access: {
        users: { reader: { policies: ['reader'] }, other: { policies: ['other'] } },
        policies: {
          reader: [{ ...read, permissions: { title: { _neq: 'Table' } } }],
          other: [{ collection: 'shelf', action: 'read' }],
        },
      },
    });
    const admin = asAdmin(server);
    expect(await server.request('GET', '/items/product', { as: 'reader' })).toMatchObject({ status: 200 });
    await server.execute('alter table product rename column title to name');
    await admin.post('/schema/reload');
    const faults = () => server.observations.filter(({ kind }) => kind === 'ruleFaulty');
    await until(() => faults().length > 0);
    expect(JSON.stringify(faults())).toMatch(/product.*title/);
    const hidden = await server.request('GET', '/items/product', { as: 'reader' });
    expect(hidden).toMatchObject({ status: 200, body: { data: [] } });
    expect((await server.request('GET', '/items/shelf', { as: 'other' })).status).toBe(200);
    expect((await admin.get('/items/product')).body).toMatchObject({ data: [{ name: 'Chair' }, {}] });
    expect(failed(server)).toEqual([]);
  });

  it('only administrators can reload the schema', async () => {
    const server = await serve(setting);
    const { execute } = server;
    const admin = asAdmin(server);
    await execute('create table lamp (id integer not null primary key)');
    expect((await admin.get('/items/lamp')).status).toBe(403);
    expect((await server.request('POST', '/schema/reload')).status).toBe(403);
    expect((await admin.get('/items/lamp')).status).toBe(403);
    expect((await admin.post('/schema/reload')).status).toBe(204);
    expect(await admin.get('/items/lamp')).toMatchObject({ status: 200, body: { data: [] } });
  });
});

const changes: readonly string[] = [
  'create table lamp (id integer not null primary key)',
  'alter table product add column weight integer',
  'alter table product rename column weight to mass',
  'alter table product drop column mass',
  'create index product_title on product (title)',
  'create unique index product_price on product (price)',
  'create view offers as select id from product',
  'drop view offers',
  'create view offers as select price from product',
  'alter table lamp rename to torch',
  'drop table torch',
];

describe.each(dialects)('the first check on %s', (dialect) => {
  it('sees every change of a table or view, and nothing else', async () => {
    const test: TestDatabase = await createTestDatabase(dialect, {
      sql: tables,
      template: await systemTemplate(dialect),
    });
    closing.push({ close: test.drop });
    const unseen: string[] = [];
    let last = (await readSchemaVersion(test.database)).text;
    for (const change of changes) {
      await test.execute(change);
      const next = (await readSchemaVersion(test.database)).text;
      if (next === last) unseen.push(change);
      last = next;
    }
    expect(unseen).toEqual([]);
    // where the clock of the catalog is coarse, every look at a table just made sees a change
    last = await until(async () => {
      const { text } = await readSchemaVersion(test.database);
      return text === (await readSchemaVersion(test.database)).text && text;
    });
    await test.execute("insert into product values (9, 'Sofa', 400)");
    expect((await readSchemaVersion(test.database)).text).toBe(last);
  });
});
