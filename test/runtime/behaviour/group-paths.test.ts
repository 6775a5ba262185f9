/** Groups by fields of related items, of items of any collection, and by times in a zone; in REST and GraphQL. */
import { describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestMeta } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const schema = `
create table "land" ("id" {counter}, "name" varchar(20), "area" integer);
create table "maker" ("id" {counter}, "name" varchar(20), "land" integer, "born" {instant} null,
  constraint "maker_land" foreign key ("land") references "land" ("id"));
create table "tag" ("code" varchar(20) not null primary key, "weight" integer);
create table "note" ("id" {counter}, "heading" varchar(20));
create table "thing" ("id" {counter}, "maker" integer, "made" {instant} null, "kind" varchar(20), "item" varchar(20), "size" integer,
  constraint "thing_maker" foreign key ("maker") references "maker" ("id"));
insert into "land" ("id", "name", "area") values (1, 'Poland', 3), (2, 'Peru', 5), (3, 'Hidden', 7);
insert into "maker" ("id", "name", "land", "born") values (1, 'Ada', 1, '2000-12-31 20:00:00'), (2, 'Bob', 2, '2001-01-01 03:00:00'),
  (3, 'Cora', 3, null), (4, 'Dan', null, '2001-06-01 00:00:00');
insert into "tag" values ('red', 5), ('blue', 5), ('grey', 9);
insert into "note" ("id", "heading") values (1, 'One'), (2, 'Two');
insert into "thing" ("id", "maker", "made", "kind", "item", "size") values
  (1, 1, '2024-03-30 23:30:00', 'tag', 'red', 1), (2, 1, '2024-03-31 01:30:00', 'tag', 'blue', 2),
  (3, 2, '2024-03-31 15:00:00', 'note', '1', 4), (4, 2, null, 'tag', 'grey', 8), (5, 3, '2024-03-31 16:00:00', 'note', '2', 16),
  (6, 4, '2024-04-01 00:00:00', 'tag', 'gone', 32), (7, null, '2024-04-01 00:00:00', null, null, 64);
`;

const meta: TestMeta = {
  relations: [
    { many_collection: 'thing', many_field: 'maker', one_collection: 'maker', one_field: 'things' },
    {
      many_collection: 'thing',
      many_field: 'item',
      one_collection: null,
      one_collection_field: 'kind',
      one_allowed_collections: ['tag', 'note'],
    },
  ],
};

const read = (collection: string, fields: readonly string[], permissions = {}) => ({
  collection,
  action: 'read' as const,
  fields,
  permissions,
});

type Row = Readonly<Record<string, unknown>>;

const follow = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Row | null)?.[key] ?? null, value);

describe.each(settings)('groups on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema),
    meta,
    access: {
      policies: {
        Some: [
          read('thing', ['*']),
          read('maker', ['id', 'name', 'land']),
          read('land', ['id', 'name'], { name: { _neq: 'Hidden' } }),
          read('tag', ['code', 'weight'], { weight: { _lt: 9 } }),
        ],
      },
      users: { some: { policies: ['Some'] } },
    },
  });
  const get = (query: string, as = 'admin', collection = 'thing') =>
    server().request('GET', `/items/${collection}?${query}`, { as });
  const graphql = async (query: string, as = 'admin') =>
    (await server().request('POST', '/graphql', { as, body: { query } })).body as {
      readonly data?: Readonly<Record<string, unknown>>;
      readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
    };
  const namesInOrder = async (query: string) =>
    ((await get(`groupBy=maker.name&aggregate[sum]=size&${query}`)).data as readonly Row[]).map(
      (row) => row['maker.name'],
    );
  const namesInGraphql = async (args: string) => {
    const { data } = await graphql(
      `{ rows: thing_aggregated(groupBy: ["maker.name"], ${args}) { group sum { size } } }`,
    );
    return (data?.rows as readonly { group: Row }[] | undefined)?.map(({ group }) => group['maker.name']);
  };

  /** Sums by what the caller reads in a list. */
  const expectedSums = async (field: string, as: string) => {
    const { data } = await get(`fields=size,${field}&limit=-1`, as);
    const path = field.replace(/:\w+/, '').split('.');
    const sums = new Map<unknown, number>();
    for (const row of data as readonly Row[]) {
      const value = follow(row, path);
      sums.set(value, (sums.get(value) ?? 0) + (row['size'] as number));
    }
    return sums;
  };

  it.each([
    ['maker.name', 'admin'],
    ['maker.land.name', 'admin'],
    ['maker.land.area', 'admin'],
    ['maker.land.name', 'some'],
    ['item:tag.weight', 'admin'],
    ['item:note.heading', 'admin'],
    ['item:tag.weight', 'some'],
  ])('by %s are those of what %s reads', async (field, as) => {
    const { data, codes } = await get(`groupBy=${field}&aggregate[sum]=size&limit=-1`, as);
    expect(codes).toEqual([]);
    const rows = (data as readonly Row[]).map(
      (row) => [row[field], Number((row['sum'] as Readonly<Record<string, string>>)['size'])] as const,
    );
    expect(new Map(rows)).toEqual(await expectedSums(field, as));
    expect(rows).toHaveLength(new Map(rows).size);
    const query = `{ rows: thing_aggregated(groupBy: ["${field}"], limit: -1) { group sum { size } } }`;
    const found = (await graphql(query, as)).data?.rows as readonly { group: Row; sum: { size: string } }[];
    expect(found.map(({ group, sum }) => [group[field], Number(sum.size)])).toEqual(rows);
  });

  it.each([
    ['maker.land.area', 'FORBIDDEN'],
    ['maker.born', 'FORBIDDEN'],
    ['item:note.heading', 'FORBIDDEN'],
    ['maker.land.nothing', 'FORBIDDEN'],
  ])('by %s are %s to a caller who may not read it', async (field, code) => {
    expect((await get(`groupBy=${field}&aggregate[count]=*`, 'some')).codes).toEqual([code]);
    const { errors } = await graphql(
      `{ thing_aggregated(groupBy: ["${field}"]) { group countAll } }`,
      'some',
    );
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code]);
  });

  it('sort, limit, offset and page apply to groups in GraphQL as in REST', async () => {
    const cases = [
      ['sort=-sum.size', 'sort: ["-sum.size"]', [null, 'Dan', 'Cora', 'Bob', 'Ada']],
      ['sort=-sum.size&limit=2', 'sort: ["-sum.size"], limit: 2', [null, 'Dan']],
      ['sort=-sum.size&limit=2&offset=1', 'sort: ["-sum.size"], limit: 2, offset: 1', ['Dan', 'Cora']],
      ['sort=-sum.size&limit=2&page=2', 'sort: ["-sum.size"], limit: 2, page: 2', ['Cora', 'Bob']],
      ['sort=-maker.name&limit=2', 'sort: ["-maker.name"], limit: 2', ['Dan', 'Cora']],
      ['sort=count,-maker.name&limit=2', 'sort: ["count", "-maker.name"], limit: 2', ['Dan', 'Cora']],
      ['sort=maker.name&page=3&limit=2', 'sort: ["maker.name"], page: 3, limit: 2', ['Dan']],
    ] as const;
    for (const [query, args, expected] of cases) {
      expect([query, await namesInOrder(query)]).toEqual([query, expected]);
      expect([args, await namesInGraphql(args)]).toEqual([args, expected]);
    }
  });

  it('search restricts the items that are counted', async () => {
    const { data } = await get('aggregate[count]=*&search=tag');
    expect(data).toEqual([{ count: 4 }]);
    expect((await get('groupBy=kind&aggregate[sum]=size&search=note')).data).toEqual([
      { kind: 'note', sum: { size: '20' } },
    ]);
    const { data: rows } = await graphql('{ thing_aggregated(search: "tag") { countAll sum { size } } }');
    expect(rows).toEqual({ thing_aggregated: [{ countAll: 4, sum: { size: '43' } }] });
  });

  describe('by times', () => {
    const zone = 'Asia/Tokyo';
    it('are those of the zone of the call', async () => {
      const { data: utc } = await get('groupBy=day(made)&aggregate[count]=*');
      expect(utc).toEqual([
        { made_day: null, count: 1 },
        { made_day: 1, count: 2 },
        { made_day: 30, count: 1 },
        { made_day: 31, count: 3 },
      ]);
      const query = `groupBy=day(made)&aggregate[count]=*&timezone=${zone}`;
      expect((await get(query)).data).toEqual([
        { made_day: null, count: 1 },
        { made_day: 1, count: 4 },
        { made_day: 31, count: 2 },
      ]);
      const { data } = await graphql(
        `{ rows: thing_aggregated(groupBy: ["day(made)"], timezone: "${zone}") { group countAll } }`,
      );
      expect(data?.rows).toEqual([
        { group: { made_day: null }, countAll: 1 },
        { group: { made_day: 1 }, countAll: 4 },
        { group: { made_day: 31 }, countAll: 2 },
      ]);
    });

    it('of related items are those of the zone', async () => {
      const { data } = await get(`groupBy=maker.year(born)&aggregate[count]=*&timezone=${zone}`);
      const { data: list } = await get(`fields=maker.year(born)&limit=-1&timezone=${zone}`);
      const counts = new Map<unknown, number>();
      for (const row of list as readonly Row[]) {
        const year = follow(row, ['maker', 'born_year']);
        counts.set(year, (counts.get(year) ?? 0) + 1);
      }
      const found = (data as readonly Row[]).map((row): [unknown, number] => [
        row[Object.keys(row).find((name) => name !== 'count') ?? ''],
        Number(row['count']),
      ]);
      expect(new Map(found)).toEqual(counts);
      expect(counts.get(2001)).toBe(5);
    });

    it('in nested lists, their filters, order and groups are those of the zone', async () => {
      const nested = async (deep: object, fields: string) => {
        const query = `fields=${fields}&sort=id&limit=2&timezone=${zone}&deep=${encodeURIComponent(JSON.stringify({ things: deep }))}`;
        return (await get(query, 'admin', 'maker')).data;
      };
      expect(await nested({ _sort: 'id' }, 'things.day(made)')).toEqual([
        { things: [{ made_day: 31 }, { made_day: 31 }] },
        { things: [{ made_day: 1 }, { made_day: null }] },
      ]);
      expect(await nested({ _filter: { 'day(made)': { _eq: 1 } } }, 'things.id')).toEqual([
        { things: [] },
        { things: [{ id: 3 }] },
      ]);
      expect(await nested({ _sort: ['hour(made)'], _limit: 1 }, 'things.hour(made)')).toEqual([
        { things: [{ made_hour: 8 }] },
        { things: [{ made_hour: null }] },
      ]);
      const grouped = { _groupBy: ['day(made)'], _aggregate: { count: ['*'] } };
      const rows = await nested(grouped, 'things');
      expect(rows).toEqual([
        { things: [{ made_day: 31, count: 2 }] },
        {
          things: [
            { made_day: null, count: 1 },
            { made_day: 1, count: 1 },
          ],
        },
      ]);
      const { data } = await graphql(`{ maker(sort: ["id"], limit: 2, timezone: "${zone}") {
        things(filter: { made_func: { day: { _eq: 1 } } }) { id }
        things_aggregated(groupBy: ["day(made)"]) { group countAll }
      } }`);
      expect(data?.maker).toEqual([
        { things: [], things_aggregated: [{ group: { made_day: 31 }, countAll: 2 }] },
        {
          things: [{ id: '3' }],
          things_aggregated: [
            { group: { made_day: null }, countAll: 1 },
            { group: { made_day: 1 }, countAll: 1 },
          ],
        },
      ]);
    });
  });
});
