/** Floats of 4 bytes beside numbers that none of them holds: these are looked for, and found nowhere. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const beyond = ['1e39', '-1e39', '1e300', '1e-300', '-1e-300', '9'.repeat(70), '9'.repeat(200)];

describe.each(dialects)('floats of 4 bytes on %s', (dialect) => {
  const type = dialect === 'postgres' ? 'real' : 'float';
  const server = useServer({
    dialect,
    sql: `create table reading (id integer primary key, f ${type}, word varchar(10));
      insert into reading values (1, 1.1, 'a'), (2, 0, '1e39'), (3, -5.5, 'b');`,
  });
  const find = async (query: unknown): Promise<unknown> => {
    const body = { query: { sort: 'id', ...(query as object) } };
    const { status, data, text } = await server().request('SEARCH', '/items/reading', { as: 'admin', body });
    return status === 200 ? (data as { readonly id: number }[]).map(({ id }) => id) : text;
  };

  it.each(beyond)('%s equals no value', async (number) => {
    expect(await find({ search: number })).toEqual(number === '1e39' ? [2] : []);
    expect(await find({ filter: { f: { _eq: number } } })).toEqual([]);
    expect(await find({ filter: { f: { _neq: number } } })).toEqual([1, 2, 3]);
  });

  it.each(beyond)('%s is found in a list', async (number) => {
    expect(await find({ filter: { f: { _in: [1.1, number] } } })).toEqual([1]);
    expect(await find({ filter: { f: { _nin: ['1.1', number] } } })).toEqual([2, 3]);
  });

  it('are found by range', async () => {
    expect(await find({ filter: { f: { _lt: 1e39 } } })).toEqual([1, 2, 3]);
    expect(await find({ filter: { f: { _gte: '1e300' } } })).toEqual([]);
    expect(await find({ filter: { f: { _gt: 1e-300 } } })).toEqual([1]);
    expect(await find({ filter: { f: { _between: [-1e39, 1e-300] } } })).toEqual([2, 3]);
    expect(await find({ filter: { f: { _eq: 1.1 } } })).toEqual([1]);
    expect(await find({ search: '1.1' })).toEqual([1]);
  });
});
