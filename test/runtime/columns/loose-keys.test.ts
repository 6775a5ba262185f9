/** Keys of SQLite whose columns hold, or are named by columns of, another type than they declare. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const sql = `
create table loose (id int primary key, n int);
create table loose_kid (id integer primary key, up int references loose (id));
insert into loose values (1, 1), ('x', 2), (1.5, 3), ('', 4), (9007199254740993, 5);
insert into loose_kid values (1, 1), (2, 'x'), (3, 1.5), (4, 9007199254740993), (5, 9007199254740993);
create table wide (id bigint primary key);
create table wide_kid (id integer primary key, up bigint references wide (id));
insert into wide values (1), ('x'), (1.5), (1e30);
insert into wide_kid values (1, 1), (2, 'x'), (3, 1.5), (4, 1e30);
create table word (id text primary key);
create table word_kid (id integer primary key, up int references word (id));
insert into word values ('1'), ('x'), ('99999999999999999999');
insert into word_kid values (1, 1), (2, 'x');
create table ratio (id real primary key);
create table ratio_kid (id integer primary key, up int references ratio (id));
insert into ratio values (1), (2.5);
insert into ratio_kid values (1, 1), (2, 2.5);
create table whole (id integer primary key);
create table text_kid (id integer primary key, up text references whole (id));
create table real_kid (id integer primary key, up real references whole (id));
insert into whole values (1);
create table untyped_kid (id integer primary key, up references whole);
create table untyped_word_kid (id integer primary key, up references word);
create table link (id primary key references whole);
create table untyped_chain_kid (id integer primary key, up references link);
insert into link values (1);
`;

describe('keys of other types on sqlite', () => {
  const server = useServer({ dialect: 'sqlite', sql });
  const kidsOf = async (table: string): Promise<unknown> => {
    const path = `/items/${table}?fields=${table}_kid.id&sort=${table === 'loose' ? 'n' : 'id'}`;
    const { data, text } = await server().request('GET', path, { as: 'admin' });
    if (!Array.isArray(data)) return text;
    return data.map((row: Record<string, { id: number }[]>) => row[`${table}_kid`]?.map(({ id }) => id));
  };

  it.each([
    ['loose', [[1], [2], [3], [], [4, 5]]],
    ['wide', [[1], [3], [4], [2]]],
    ['word', [[1], [], [2]]],
    ['ratio', [[1], [2]]],
  ])('have their rows: %s', async (table, kids) => {
    expect(await kidsOf(table)).toEqual(kids);
  });

  it('have only the rows of their item', async () => {
    const path = '/items/loose?fields=loose_kid.id&filter[n]=';
    for (const [n, kids] of [
      [2, [{ id: 2 }]],
      [3, [{ id: 3 }]],
      [4, []],
    ] as const) {
      const { data } = await server().request('GET', `${path}${n}`, { as: 'admin' });
      expect(data).toEqual([{ loose_kid: kids }]);
    }
  });

  it.each([
    ['untyped_kid', 1, 'integer'],
    ['untyped_chain_kid', 1, 'integer'],
    ['untyped_word_kid', '1', 'text'],
  ])('are stored in the type of their target if %s declares no type', async (table, up, type) => {
    const made = await server().request('POST', `/items/${table}`, { as: 'admin', body: { up } });
    expect(made).toMatchObject({ status: 200, data: { up } });
    const stored = await server().database.query(`select typeof(up) as type from ${table}`);
    expect(stored).toEqual([{ type }]);
    expect(await server().request('GET', `/items/${table}?filter[up]=${up}`, { as: 'admin' })).toMatchObject({
      data: [{ up }],
    });
    await server().execute(`delete from ${table}`);
  });

  it('are returned unchanged if no type is declared', async () => {
    const values = "(1, 1), (2, '1'), (3, 'x'), (4, 1.5)";
    await server().execute(`pragma foreign_keys = off; insert into untyped_kid values ${values}`);
    const read = async (path: string) => (await server().request('GET', path, { as: 'admin' })).data;
    expect(await read('/items/untyped_kid?fields=up&sort=id')).toEqual([
      { up: 1 },
      { up: '1' },
      { up: 'x' },
      { up: 1.5 },
    ]);
    const one = { id: 1 };
    expect(await read('/items/untyped_kid?fields=up.id&sort=id')).toEqual([
      { up: one },
      { up: one },
      { up: null },
      { up: null },
    ]);
    expect(await read('/items/untyped_kid?fields=id&filter[up][id]=1')).toEqual([one, { id: 2 }]);
    expect(await read('/items/whole/1?fields=untyped_kid')).toEqual({ untyped_kid: [1, 2] });
    await server().execute('delete from untyped_kid');
  });

  it.each([
    ['text_kid', 'abc'],
    ['text_kid', '7'],
    ['text_kid', '99999999999999999999'],
    ['real_kid', 1.5],
  ])('without a target are invalid: %s of %s', async (table, up) => {
    expect(await server().request('POST', `/items/${table}`, { as: 'admin', body: { up } })).toMatchObject({
      status: 400,
      codes: ['INVALID_FOREIGN_KEY'],
    });
  });
});
