/** `INTEGER` of SQLite: whole numbers as far as JSON keeps them, such as milliseconds since 1970. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const most = Number.MAX_SAFE_INTEGER;

const sql = `
create table event (id integer primary key, at integer, size int, word text);
insert into event values (1, 1700000000000, 5, null), (2, 1800000000000, -5, '1700000000000'),
  (9000000000, null, 0, null), (9000000001, ${most}, 9007199254740992, null);
create table note (id integer primary key, event integer references event (id));
insert into note values (1, 9000000000), (2, 1);
`;

describe('whole numbers beyond 32 bits on sqlite', () => {
  const server = useServer({ dialect: 'sqlite', sql });
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const options = { as: 'admin', ...(body !== undefined && { body }) };
    const { status, data, codes } = await server().request(method, `/items/${path}`, options);
    return status === 200 ? data : [status, ...codes];
  };
  const find = async (filter: string): Promise<unknown> => {
    const found = await send('GET', `event?sort=id&${filter}`);
    return Array.isArray(found) ? found.map(({ id }: { id: number }) => id) : found;
  };
  const ask = async (query: string): Promise<unknown> => {
    const { body } = await server().request('POST', '/graphql', { as: 'admin', body: { query } });
    return body;
  };

  it.each([
    ['filter[at][_eq]=1700000000000', [1]],
    ['filter[at][_neq]=1700000000000', [2, 9000000001]],
    ['filter[at][_gt]=1750000000000', [2, 9000000001]],
    ['filter[at][_gt]=1749999999999.5', [2, 9000000001]],
    ['filter[at][_lt]=1750000000000', [1]],
    ['filter[at][_in]=1800000000000,5', [2]],
    ['filter[at][_between]=1700000000000,1800000000000', [1, 2]],
    ['filter[id][_gte]=9000000000', [9000000000, 9000000001]],
    [`filter[at][_eq]=${most}`, [9000000001]],
    ['search=1700000000000', [1, 2]],
  ])('are found: %s', async (filter, ids) => {
    expect(await find(filter)).toEqual(ids);
  });

  it.each([
    ['filter[size][_eq]=9007199254740992', []],
    ['filter[size][_eq]=9007199254740993', []],
    ['filter[size][_in]=1.5,9007199254740993', []],
    ['filter[size][_neq]=9007199254740993', [1, 2, 9000000000, 9000000001]],
    ['filter[size][_lt]=1e300', [1, 2, 9000000000, 9000000001]],
    ['filter[size][_gt]=1e300', []],
    ['filter[size][_gte]=-1e300', [1, 2, 9000000000, 9000000001]],
    ['search=9007199254740993', []],
  ])('do not equal a number that JSON rounds: %s', async (filter, ids) => {
    expect(await find(filter)).toEqual(ids);
  });

  it('are keys', async () => {
    expect(await send('GET', 'event/9000000000')).toMatchObject({ id: 9000000000, size: 0 });
    expect(await send('PATCH', 'event/9000000000', { size: 7 })).toMatchObject({ size: 7 });
    expect(await send('PATCH', 'event/9000000000', { size: 0 })).toMatchObject({ size: 0 });
    expect(await send('GET', 'note?fields=id,event.id&sort=id')).toEqual([
      { id: 1, event: { id: 9000000000 } },
      { id: 2, event: { id: 1 } },
    ]);
    const { data } = (await ask(
      '{ event_by_id(id: "9000000000") { id size note { id } } event(filter: { at: { _gt: 1750000000000 } }) { at } }',
    )) as { readonly data: unknown };
    expect(data).toEqual({
      event_by_id: { id: '9000000000', size: 0, note: [{ id: '1' }] },
      event: [{ at: 1800000000000 }, { at: most }],
    });
  });

  it('are written, and rejected if JSON rounds them', async () => {
    const made = (await send('POST', 'event', { at: 1700000000001, size: -most })) as { readonly id: number };
    expect(made).toMatchObject({ at: 1700000000001, size: -most });
    await server().request('DELETE', `/items/event/${made.id}`, { as: 'admin' });
    for (const at of [most + 1, -most - 1, '9007199254740993', '-9007199254740993', 1e300]) {
      expect(await send('POST', 'event', { at })).toEqual([400, 'VALUE_OUT_OF_RANGE']);
    }
  });

  it('are described in the OpenAPI document', () => {
    expect(JSON.stringify(server().openapi)).toContain(`"minimum":-${most},"maximum":${most}`);
  });
});
