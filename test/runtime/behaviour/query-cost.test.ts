/** Limits of what one request may cost: rows of nested lists, and bytes until it is sent. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { until } from '../../until.js';
import { useServer } from '../harness/use-server.js';
import { adminToken, type TestAccess, type TestServer } from '../server-harness.js';

const dialects = dialectsOf(import.meta.url);

const longText = (dialect: TestDialect): string =>
  dialect === 'mysql' || dialect === 'mariadb' ? 'longtext' : 'text';

/** Two boxes of ten things each, and a thing with a long text in none. */
const schema = (dialect: TestDialect): string => `
  create table box (id int primary key, name varchar(20));
  create table thing (id int primary key, box_id int references box (id), body ${longText(dialect)}
    ${longText(dialect) === 'longtext' ? ', foreign key (box_id) references box (id)' : ''});
  insert into box values (1, 'one'), (2, 'two'), (3, 'empty');
  insert into thing values ${Array.from({ length: 20 }, (_, index) => `(${index + 1}, ${1 + (index % 2)}, 'x')`).join(', ')};`;

const access: TestAccess = {
  policies: {
    Public: [
      { collection: 'box', action: 'read', fields: ['*'] },
      { collection: 'thing', action: 'read', fields: ['*'] },
    ],
  },
  public: ['Public'],
};

const environment = { QUERY_ROWS_MAX: '220', QUERY_ROWS_MAX_PUBLIC: '20', ANSWER_BYTES_MAX: '64mb' };

describe.each(dialects)('the cost of a query on %s', (dialect) => {
  const server = useServer({ dialect, sql: schema(dialect), access, environment });
  const get = (path: string, as: string | null = 'admin') =>
    server().request('GET', path, as === null ? {} : { as });
  const ask = async (query: string) => {
    const { text } = await server().request('POST', '/graphql', { as: 'admin', body: { query } });
    return JSON.parse(text) as { errors?: { message: string; extensions: { code: string } }[] };
  };

  it('counts the items of all nested lists, however often one occurs', async () => {
    const within = await get('/items/box?fields=thing.box_id.thing.id');
    expect(within.status).toBe(200);
    expect(within.text.split('"id"').length - 1).toBe(200);
    const beyond = await get('/items/box?fields=thing.box_id.thing.box_id.thing.id');
    expect([beyond.status, beyond.codes]).toEqual([400, ['QUERY_TOO_COMPLEX']]);
    expect(beyond.text).toContain('more than 220 items; ask for fewer of them, with \\"limit\\" or a filter');
    const fewer = '&deep[thing][box_id][thing][box_id][thing][_limit]=1';
    expect((await get(`/items/box?fields=thing.box_id.thing.box_id.thing.id${fewer}`)).codes).toEqual([
      'QUERY_TOO_COMPLEX',
    ]);
    expect((await get(`/items/box?limit=1&fields=thing.box_id.thing.id&deep[thing][_limit]=2`)).status).toBe(
      200,
    );
  });

  it('is lower for the public, and never counts the items of the list itself', async () => {
    expect((await get('/items/box?fields=thing.id', null)).status).toBe(200);
    expect((await get('/items/box?fields=thing.box_id.thing.id', null)).codes).toEqual(['QUERY_TOO_COMPLEX']);
    expect((await get('/items/thing?limit=1000&fields=id', null)).status).toBe(200);
  });

  it('counts the lists of a GraphQL document together', async () => {
    const list = 'thing { box_id { thing { id } } }';
    expect((await ask(`{ a: box { ${list} } }`)).errors).toBeUndefined();
    const both = await ask(`{ a: box { ${list} } b: box { ${list} } }`);
    expect(both.errors?.map(({ extensions }) => extensions.code)).toContain('QUERY_TOO_COMPLEX');
  });

  it('limits each statement to the rest of the budget', async () => {
    const { database } = server();
    const counts: number[] = [];
    const { rows } = database;
    Object.assign(database, {
      rows: async (...call: Parameters<typeof rows>) => {
        const set = await rows(...call);
        if (call[1].keyColumns > 0) counts.push(set.count);
        return set;
      },
    });
    await server().execute(
      `insert into thing values ${Array.from({ length: 400 }, (_, index) => `(${index + 1000}, 3, 'x')`).join(', ')}`,
    );
    const { codes } = await get('/items/box?fields=thing.id&deep[thing][_limit]=-1');
    await server().execute('delete from thing where id >= 1000');
    Object.assign(database, { rows });
    expect(codes).toEqual(['QUERY_TOO_COMPLEX']);
    // padded by an eighth at most, for few prepared statements
    expect(counts.every((count) => count <= 221 * 1.125)).toBe(true);
  });

  it('returns 503 while the caller has not received other large responses, and 400 for one that never fits', async () => {
    await server().database.write({ text: insertLong, values: ['x'.repeat(12_000_000)] });
    const path = '/items/thing/100?fields=body';
    const idle = await openUnread(server(), path);
    const refused = await get(path);
    expect([refused.codes, refused.headers.get('retry-after')]).toEqual([['SERVICE_UNAVAILABLE'], '1']);
    expect((await get('/items/box/1')).status).toBe(200);
    const graphql = await server().request('POST', '/graphql', {
      as: 'admin',
      body: { query: '{ thing_by_id(id: 100) { body } }' },
    });
    expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '1']);
    idle.destroy();
    expect(await until(async () => ((await get(path)).status === 200 ? true : null))).toBe(true);
    const twice = await get('/items/thing?fields=body,box_id.id&filter[id][_gte]=100');
    expect(twice.status).toBe(200);
    await server().database.write({
      text: insertLong.replace('100', '101'),
      values: ['x'.repeat(12_000_000)],
    });
    const both = await get('/items/thing?fields=body&filter[id][_gte]=100');
    expect([both.codes, both.text.includes('more than 16 MB')]).toEqual([['QUERY_TOO_COMPLEX'], true]);
  });
});

const insertLong = 'insert into thing (id, body) values (100, ?)';

/** Sends a request for more than sockets buffer, and stops reading when the answer begins. */
const openUnread = async (server: TestServer, path: string): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(server.url);
  const base = pathname === '/' ? '' : pathname;
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET ${base}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`);
  const [start] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  expect(start.toString().slice(0, 12)).toBe('HTTP/1.1 200');
  return socket;
};
