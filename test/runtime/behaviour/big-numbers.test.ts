/** Filters by whole numbers of 64 bits: a JSON number beyond 2^53 is another number by the time it is read. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const sql = `create table big (id bigint primary key);
  insert into big values (9007199254740992), (9007199254740993), (9007199254740994);`;

const headers = { 'content-type': 'application/json' };

describe.each(dialects)('filters of 64 bits on %s', (dialect) => {
  const server = useServer({ dialect, sql });
  const find = async (filter: string) => {
    const raw = `{"query":{"filter":${filter},"sort":["id"]}}`;
    return server().request('SEARCH', '/items/big', { as: 'admin', raw, headers });
  };

  it.each([
    '{"id":{"_gt":9007199254740993}}',
    '{"id":{"_eq":9007199254740993}}',
    '{"id":{"_in":["1",9007199254740993]}}',
    '{"id":{"_between":[1,-9007199254740993]}}',
    '{"id":{"_lt":1e300}}',
  ])('reject rounded numbers: %s', async (filter) => {
    const { status, codes, text } = await find(filter);
    expect([status, codes]).toEqual([400, ['INVALID_QUERY']]);
    expect(text).toMatch(/id.* expects a whole number, as text where it exceeds 2\^53/);
  });

  it('accept every text, and numbers that JSON represents exactly', async () => {
    expect((await find('{"id":{"_gt":"9007199254740993"}}')).data).toEqual([{ id: '9007199254740994' }]);
    const others = ['{"_eq":"99999999999999999999"}', '{"_lt":1.5}', '{"_lt":9007199254740991}'];
    for (const other of others) expect((await find(`{"id":${other}}`)).data).toEqual([]);
    const path = '/items/big?filter[id][_gt]=99999999999999999999';
    expect((await server().request('GET', path, { as: 'admin' })).data).toEqual([]);
  });
});

describe('lists of 64 bits on postgres', () => {
  const server = useServer({
    dialect: 'postgres',
    sql: 'create table t (id integer primary key, whole bigint[], exact numeric[])',
  });

  it('are written as texts beyond 2^53, at every depth', async () => {
    const write = (raw: string) => server().request('POST', '/items/t', { as: 'admin', raw, headers });
    for (const list of ['[1,9007199254740993]', '[[1],[-9007199254740993]]', '"[9007199254740993]"']) {
      const { status, codes, text } = await write(`{"id":1,"whole":${list}}`);
      expect([status, codes]).toEqual([400, ['FAILED_VALIDATION']]);
      expect(text).toMatch(/whole.*as text where it exceeds 2\^53/);
    }
    const { text } = await write('{"id":1,"exact":[1.5,12345678901234567890.12]}');
    expect(text).toMatch(/exact.*as text where it exceeds 2\^53/);
    const { data } = await write(
      '{"id":1,"whole":[1,null,"9007199254740993"],"exact":[1.5,"12345678901234567890.12"]}',
    );
    expect(data).toMatchObject({
      whole: ['1', null, '9007199254740993'],
      exact: ['1.5', '12345678901234567890.12'],
    });
    const [stored] = await server().database.query('select cast(whole as text) as kept from t');
    expect(stored).toEqual({ kept: '{1,NULL,9007199254740993}' });
  });
});
