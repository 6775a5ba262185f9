/** Decimals with more digits than their column: rounded half away from zero, and found as they are shown. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

describe.each(dialects)('decimals of %s', (dialect) => {
  const sql = 'create table price (id integer primary key, d decimal(10,2), n decimal(4,0))';
  const server = useServer({ dialect, sql });

  it.each([
    ['1.555', '1.56'],
    ['-1.555', '-1.56'],
    [1.005, '1.01'],
    ['1.5549', '1.55'],
    ['0.999', '1.00'],
    ['0.005', '0.01'],
    ['12345678.125', '12345678.13'],
  ])('%s is stored as %s', async (d, kept) => {
    const { data } = await server().request('POST', '/items/price', { as: 'admin', body: { id: 1, d } });
    const path = `/items/price?filter[d][_eq]=${kept}`;
    const found = (await server().request('GET', path, { as: 'admin' })).data;
    await server().request('DELETE', '/items/price/1', { as: 'admin' });
    expect(data).toMatchObject({ d: kept });
    expect(found).toMatchObject([{ d: kept }]);
  });

  it('without a scale are rounded', async () => {
    const { data } = await server().request('POST', '/items/price', {
      as: 'admin',
      body: { id: 2, n: '9.5' },
    });
    expect(data).toMatchObject({ n: '10' });
  });
});
