/** Keys that are named otherwise than they are stored, and mean the same to the database. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

/** Text that is the same in capitals. */
const words: Readonly<Record<TestDialect, string>> = {
  sqlite: 'varchar(9) collate nocase',
  mariadb: 'varchar(9) collate utf8mb4_general_ci',
  mysql: 'varchar(9) collate utf8mb4_0900_ai_ci',
  postgres: 'varchar(9) collate anycase',
};

/** Text whose blanks at the end are not looked at. */
const padded: Readonly<Record<TestDialect, string>> = {
  sqlite: 'varchar(5) collate rtrim',
  mariadb: 'char(5)',
  mysql: 'char(5) collate utf8mb4_general_ci',
  postgres: 'char(5)',
};

const tables = (dialect: TestDialect): string => `
${dialect === 'postgres' ? `create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);` : ''}
create table shop (id int primary key, note varchar(9));
create table price (amount decimal(10,2) primary key, shop int, note varchar(9), foreign key (shop) references shop (id));
create table label (word ${words[dialect]} primary key, shop int, note varchar(9), foreign key (shop) references shop (id));
create table code (code ${padded[dialect]} primary key, shop int, note varchar(9), foreign key (shop) references shop (id));
insert into shop values (1, 'first'), (2, 'second');
`;

const restore = `
delete from price; delete from label; delete from code;
insert into price values (1.50, 1, 'a'), (2.00, 1, 'b'), (9.50, 2, 'c');
insert into label values ('a', 1, 'a'), ('b', 1, 'b'), ('z', 2, 'c');
insert into code values ('x', 1, 'a'), ('y', 1, 'b'), ('z', 2, 'c');
`;

const relationOf = (name: string) => ({
  many_collection: name,
  many_field: 'shop',
  one_collection: 'shop',
  one_field: `${name}s`,
  one_deselect_action: 'delete',
});

/** Other spellings of the keys of three rows; the third belongs to somebody else. */
const cases = [
  {
    table: 'price',
    key: 'amount',
    one: '1.5',
    two: '2',
    other: '9.5',
    twice: ['1.500', '1.5'],
    missing: '7',
  },
  { table: 'label', key: 'word', one: 'A', two: 'B', other: 'Z', twice: ['A', 'a'], missing: 'q' },
  { table: 'code', key: 'code', one: 'x  ', two: 'y ', other: 'z ', twice: ['x ', 'x  '], missing: 'q' },
] as const;

describe.each(dialects)('keys in other spellings on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: tables(dialect),
    meta: { relations: cases.map(({ table }) => relationOf(table)) },
  });
  beforeEach(() => server().execute(restore));

  const send = (method: string, path: string, body: unknown) =>
    server().request(method, `/items/${path}`, { as: 'admin', body });
  /** Notes and owners of all rows, in the order of the keys. */
  const rows = async (table: string, key: string): Promise<unknown> => {
    const { data } = await server().request('GET', `/items/${table}?fields=note,shop&sort=${key}`, {
      as: 'admin',
    });
    return (data as readonly { readonly note: string; readonly shop: number }[]).map(
      ({ note, shop }) => `${note}${shop}`,
    );
  };

  describe.each(cases)('of $table', ({ table, key, one, two, other, twice, missing }) => {
    const list = `${table}s`;

    it('a list keeps the rows that it contains', async () => {
      const { status } = await send('PATCH', 'shop/1', { [list]: [one, { [key]: two, note: 'kept' }] });
      expect(status).toBe(200);
      expect(await rows(table, key)).toEqual(['a1', 'kept1', 'c2']);
    });

    it('a list with a repeated row and one of another owner replaces the others', async () => {
      const { status } = await send('PATCH', 'shop/1', { [list]: [...twice, other] });
      expect(status).toBe(200);
      expect(await rows(table, key)).toEqual(['a1', 'c1']);
    });

    it('several spellings identify one row, and a missing row is reported', async () => {
      const keys = [...twice, two];
      const data = { note: 'new' };
      expect((await send('PATCH', table, { keys: [...keys, missing], data })).codes).toEqual(['FORBIDDEN']);
      expect((await send('DELETE', table, [...keys, missing])).codes).toEqual(['FORBIDDEN']);
      expect((await send('PATCH', table, { keys, data })).status).toBe(200);
      expect(await rows(table, key)).toEqual(['new1', 'new1', 'c2']);
      expect((await send('DELETE', table, keys)).status).toBe(204);
      expect(await rows(table, key)).toEqual(['c2']);
    });

    it('a list can contain only its changes', async () => {
      const change = { update: [{ [key]: one, note: 'new' }], delete: [two, two] };
      expect((await send('PATCH', 'shop/1', { [list]: change })).status).toBe(200);
      expect(await rows(table, key)).toEqual(['new1', 'c2']);
      expect((await send('PATCH', 'shop/1', { [list]: { delete: [other] } })).codes).toEqual(['FORBIDDEN']);
    });
  });
});
