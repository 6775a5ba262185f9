/** `YEAR` of MySQL and MariaDB: 0, and 1901 to 2155. Numbers of two digits are no years of this century. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const sql = `create table vintage (id int primary key, y year, index (y));
  insert into vintage values (1, 2024), (2, 1999), (3, 2001), (4, 0), (5, null);`;

describe.each(['mariadb', 'mysql'] as const)('years of %s', (dialect) => {
  const server = useServer({ dialect, sql });
  const change = (body: unknown) => server().request('PATCH', '/items/vintage/5', { as: 'admin', body });

  it.each([
    ['filter[y][_eq]=24', []],
    ['filter[y][_eq]=2024', [1]],
    ['filter[y][_eq]=0', [4]],
    ['filter[y][_eq]=99.5', []],
    ['filter[y][_neq]=24', [1, 2, 3, 4]],
    ['filter[y][_in]=24,99,2001', [3]],
    ['filter[y][_nin]=24,99,2001', [1, 2, 4]],
    ['filter[y][_lt]=30', [4]],
    ['filter[y][_lte]=70', [4]],
    ['filter[y][_gt]=1', [1, 2, 3]],
    ['filter[y][_gte]=-1', [1, 2, 3, 4]],
    ['filter[y][_lt]=3000', [1, 2, 3, 4]],
    ['filter[y][_gt]=70000', []],
    ['filter[y][_between]=1,25', []],
    ['filter[y][_between]=-5,2000', [2, 4]],
    ['search=24', []],
    ['search=70', []],
    ['search=1999', [2]],
  ])('are found by number, not by two digits: %s', async (query, ids) => {
    const { data } = await server().request('GET', `/items/vintage?sort=id&${query}`, { as: 'admin' });
    expect((data as { readonly id: number }[]).map(({ id }) => id)).toEqual(ids);
  });

  it.each([1, 24, 99, 1900, 2156])('%i is invalid', async (y) => {
    expect(await change({ y })).toMatchObject({ status: 400, codes: ['VALUE_OUT_OF_RANGE'] });
  });

  it.each([0, 1901, 2155])('%i is valid', async (y) => {
    expect((await change({ y })).data).toEqual({ id: 5, y });
    expect((await change({ y: null })).data).toEqual({ id: 5, y: null });
  });
});
