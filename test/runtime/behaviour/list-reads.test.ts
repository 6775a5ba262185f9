/** Nested lists read no more rows than they return, also from a parent with very many; only the first read tries. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

const children = 50_000;

/** Most rows that the first read of a list may read before it learns that the list is not short: nine a parent. */
const inVain = 20 * 9;

const values = (rows: readonly (readonly number[])[]): string =>
  rows.map((row) => `(${row.join(', ')})`).join(', ');

/** Parents 1 to 20; parent 7 has 50 000 children, the others three each. */
const schema = `
  create table parent (id int primary key);
  create table child (id int primary key, parent_id int not null, made int not null, weight int,
    foreign key (parent_id) references parent (id));
  create index child_made on child (parent_id, made);
  insert into parent values ${values(Array.from({ length: 20 }, (_, index) => [index + 1]))};
  insert into child (id, parent_id, made, weight) values
    ${values(Array.from({ length: 60 }, (_, index) => [index + 1, 1 + (index % 20), 1000 - index, index % 4]))};
  insert into child (id, parent_id, made, weight) values
    ${values(Array.from({ length: children }, (_, index) => [index + 100, 7, (index * 7919) % children, index % 4]))};`;

const nothing = (): void => undefined;

const returned = (rows: readonly { child: unknown[] }[]): number =>
  rows.reduce((sum, { child }) => sum + child.length, 0);

describe.each(dialects)('nested lists on %s', (dialect) => {
  const server = useServer({ dialect, sql: schema });
  const counts: number[] = [];
  let restore = nothing;

  beforeEach(() => {
    counts.length = 0;
    const { database } = server();
    const { rows } = database;
    restore = () => void Object.assign(database, { rows });
    Object.assign(database, {
      rows: async (...call: Parameters<typeof rows>) => {
        const set = await rows(...call);
        if (call[1].keyColumns > 0) counts.push(set.count);
        return set;
      },
    });
  });
  afterEach(() => restore());

  const read = async (query: string): Promise<readonly { id: number; child: { id: number }[] }[]> => {
    const { data, status, text } = await server().request('GET', `/items/parent?${query}`, { as: 'admin' });
    expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
    return data as { id: number; child: { id: number }[] }[];
  };
  const fetched = (): number => counts.reduce((sum, count) => sum + count, 0);

  it.each([
    ['without parameters', '', 20 * 3 + 97],
    ['with a limit', '&deep[child][_limit]=5', 20 * 3 + 2],
    ['with an order', '&deep[child][_limit]=5&deep[child][_sort]=-made', 20 * 3 + 2],
    ['with an order alone', '&deep[child][_sort]=-made', 20 * 3 + 97],
    ['with a filter', '&deep[child][_filter][weight][_eq]=1&deep[child][_limit]=2', 5 * 2 + 2],
    ['with an offset', '&deep[child][_offset]=2&deep[child][_limit]=4', 19 + 4],
    ['with a page', '&deep[child][_page]=2&deep[child][_limit]=2', 19 + 2],
    ['with a search', '&deep[child][_search]=1001&deep[child][_limit]=2', 2],
  ])('%s read the rows that are returned', async (_, parameters, want) => {
    await read(`fields=id,child.id&sort=id${parameters}`);
    expect(fetched()).toBeLessThanOrEqual(want + inVain);
    counts.length = 0;
    const rows = await read(`fields=id,child.id&sort=id${parameters}`);
    expect(returned(rows)).toBe(want);
    expect(fetched()).toBe(returned(rows));
  });

  it('return the newest of each parent', async () => {
    const rows = await read(
      'fields=id,child.id,child.made&sort=id&deep[child][_sort]=-made&deep[child][_limit]=2',
    );
    const expected = await server().database.query('select id, parent_id as parent, made from child');
    for (const { id, child } of rows) {
      const newest = expected
        .filter(({ parent }) => parent === id)
        .toSorted((one, other) => Number(other.made) - Number(one.made) || Number(one.id) - Number(other.id))
        .slice(0, 2);
      expect(child).toEqual(newest.map(({ id: key, made }) => ({ id: key, made })));
    }
  });

  it('of a parent alone read the rows that are returned', async () => {
    const { data } = await server().request('GET', '/items/parent/7?fields=id,child.id', { as: 'admin' });
    expect((data as { child: unknown[] }).child).toHaveLength(100);
    expect(fetched()).toBe(100);
  });
});
