/** Values in JSON: `json(field, path)` and `_json`, with the same results on every database. */
import { describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { ask } from '../graphql/library.js';
import { settings, type TestAccess } from '../server-harness.js';

const jsonTypes: Readonly<Record<TestDialect, string>> = {
  sqlite: 'json',
  mariadb: 'json',
  mysql: 'json',
  postgres: 'jsonb',
};

const documents: readonly (string | null)[] = [
  '{"color":"red","size":5,"tags":["a","b"],"theme":{"dark":true,"title":"Ünï"},"list":[{"n":1},{"n":2}]}',
  '{"color":"Red","size":12,"tags":[],"theme":{"dark":false,"title":""}}',
  '{"color":"5","size":5.5,"tags":"a","theme":null}',
  '{"size":"big","theme":{"title":"100% [x] _"}}',
  '[{"color":"blue"}]',
  '"red"',
  null,
];

const sqlOf = (dialect: TestDialect): string => `
  create table owner (id int primary key, data ${jsonTypes[dialect]});
  create table thing (id int primary key, owner int, hidden int not null, data ${jsonTypes[dialect]}, foreign key (owner) references owner (id));
  insert into owner values (1, '{"level":2}'), (2, '{"level":10}');
  insert into thing values ${documents
    .map(
      (text, index) =>
        `(${index + 1}, ${(index % 2) + 1}, ${index % 2}, ${text === null ? 'null' : `'${text}'`})`,
    )
    .join(', ')};`;

const access: TestAccess = {
  policies: {
    Ids: [{ collection: 'thing', action: 'read', fields: ['id'] }],
    Open: [
      { collection: 'thing', action: 'read', fields: ['id'] },
      { collection: 'thing', action: 'read', fields: ['data'], permissions: { hidden: { _eq: 0 } } },
    ],
    Ruled: [
      {
        collection: 'thing',
        action: 'read',
        fields: ['id'],
        permissions: { 'json(data, size)': { _gte: 5 } },
      },
    ],
  },
  users: { ids: { policies: ['Ids'] }, open: { policies: ['Open'] }, ruled: { policies: ['Ruled'] } },
};

const filtered = (filter: unknown): string => `filter=${encodeURIComponent(JSON.stringify(filter))}`;

const row = (color: unknown, size: unknown, dark: unknown, tags: unknown, n: unknown) => ({
  data_color_json: color,
  data_size_json: size,
  data_theme_dark_json: dark,
  data_tags_json: tags,
  data_list_1_n_json: n,
});

describe.each(settings)('values in JSON on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: sqlOf(setting.dialect), access });
  const read = async (query: string, as = 'admin'): Promise<unknown> => {
    const { status, data, codes } = await server().request('GET', `/items/thing?${query}`, { as });
    return status === 200 ? data : [status, ...codes];
  };
  const ids = async (filter: unknown, as?: string): Promise<unknown> => {
    const rows = await read(`fields=id&sort=id&${filtered(filter)}`, as);
    return Array.isArray(rows) ? rows.map((row: unknown) => (row as { id?: number }).id ?? row) : rows;
  };

  it('returns values as the JSON that they are, and null where there are none', async () => {
    const fields =
      'json(data, color),json(data, size),json(data,theme.dark),json(data, tags),json(data, list[1].n)';
    expect(await read(`fields=${fields}&sort=id`)).toEqual([
      row('red', 5, true, ['a', 'b'], 2),
      row('Red', 12, false, [], null),
      row('5', 5.5, null, 'a', null),
      row(null, 'big', null, null, null),
      row(null, null, null, null, null),
      row(null, null, null, null, null),
      row(null, null, null, null, null),
    ]);
    expect(
      await read('fields=json(data, [0].color),json(data, tags[0])&filter[id][_in]=1,3,5&sort=id'),
    ).toEqual([
      { data_0_color_json: null, data_tags_0_json: 'a' },
      { data_0_color_json: null, data_tags_0_json: null },
      { data_0_color_json: 'blue', data_tags_0_json: null },
    ]);
  });

  it.each<[unknown, number[]]>([
    [{ color: { _eq: 'red' } }, [1]],
    [{ color: { _neq: 'red' } }, [2, 3]],
    [{ color: { _in: ['red', 5] } }, [1, 3]],
    [{ color: { _nin: ['red', 5] } }, [2]],
    [{ color: { _icontains: 'ED' } }, [1, 2]],
    [{ color: 'red' }, [1]],
    [{ color: { _null: true } }, [4, 5, 6, 7]],
    [{ color: { _nnull: true } }, [1, 2, 3]],
    [{ size: { _eq: 5 } }, [1]],
    [{ size: { _eq: '5' } }, [1]],
    [{ size: { _neq: 5 } }, [2, 3, 4]],
    [{ size: { _gt: 5 } }, [2, 3]],
    [{ size: { _gt: '5' } }, [2, 3]],
    [{ size: { _lt: 'c' } }, [4]],
    [{ size: { _between: [5, 6] } }, [1, 3]],
    [{ size: { _nbetween: [5, 6] } }, [2]],
    [{ size: { _in: '5,12,big' } }, [1, 2, 4]],
    [{ size: { _nin: ['x', 12] } }, [1, 3, 4]],
    [{ 'theme.dark': { _eq: true } }, [1]],
    [{ 'theme.dark': { _eq: 'false' } }, [2]],
    [{ 'theme.title': { _empty: true } }, [2, 3, 5, 6, 7]],
    [{ 'theme.title': { _nempty: true } }, [1, 4]],
    [{ theme: { _nempty: true } }, [1, 2, 4]],
    [{ 'theme.title': { _contains: '% [x] _' } }, [4]],
    [{ 'theme.title': { _starts_with: 'Ü' } }, [1]],
    [{ theme: { _null: true } }, [3, 5, 6, 7]],
    [{ 'tags[1]': { _eq: 'b' } }, [1]],
    [{ 'list[1].n': { _gte: 2 } }, [1]],
    [{ color: { _eq: 'red' }, size: { _gt: 5 } }, []],
    [{ _or: [{ color: 'Red' }, { size: 'big' }] }, [2, 4]],
    [{ color: { _or: [{ _eq: 'red' }, { _eq: '5' }] } }, [1, 3]],
  ])('finds by %j', async (paths, expected) => {
    expect(await ids({ data: { _json: paths } })).toEqual(expected);
  });

  it('takes a call in the place of a field, in brackets too', async () => {
    expect(await ids({ 'json(data, size)': { _gt: 5 } })).toEqual([2, 3]);
    expect(await read('fields=id&filter[json(data, theme.dark)][_eq]=true')).toEqual([{ id: 1 }]);
    expect(await read('fields=id&filter[data][_json][size][_gt]=5&sort=id')).toEqual([{ id: 2 }, { id: 3 }]);
    expect(await ids({ owner: { data: { _json: { level: { _gt: 9 } } } } })).toEqual([2, 4, 6]);
    expect(await ids({ _or: [{ data: { _null: true } }, { data: { _json: { size: 5 } } }] })).toEqual([1, 7]);
  });

  it('sorts by texts and then by numbers, and pages by cursor', async () => {
    expect(await read('fields=id,json(data,size)&sort=json(data, size),id')).toEqual(
      [
        [5, null],
        [6, null],
        [7, null],
        [4, 'big'],
        [1, 5],
        [3, 5.5],
        [2, 12],
      ].map(([id, size]) => ({
        id,
        data_size_json: size,
      })),
    );
    expect(await read('fields=id&sort=-owner.json(data, level),id&limit=2')).toEqual([{ id: 2 }, { id: 4 }]);
    const seen: number[] = [];
    for (let after: string | null = ''; after !== null && seen.length < 20;) {
      const { body } = await server().request(
        'GET',
        `/items/thing?fields=id&sort=-json(data, size)&limit=2&meta=cursor&after=${after}`,
        { as: 'admin' },
      );
      const { data, meta } = body as unknown as { data: { id: number }[]; meta: { cursor: string | null } };
      seen.push(...data.map(({ id }) => id));
      after = meta.cursor;
    }
    expect(seen).toEqual([2, 3, 1, 4, 5, 6, 7]);
  });

  it('groups by values and gives them other names', async () => {
    const groups = (await read('groupBy=json(data, theme.dark)&aggregate[count]=*')) as {
      count: number;
      data_theme_dark_json: unknown;
    }[];
    expect(
      groups
        .toSorted((one, other) => one.count - other.count)
        .map((each) => [each.data_theme_dark_json, each.count]),
    ).toEqual(
      expect.arrayContaining([
        [true, 1],
        [false, 1],
        [null, 5],
      ]),
    );
    expect(await read('fields=id,color&alias[color]=json(data, color)&filter[id]=1')).toEqual([
      { id: 1, color: 'red' },
    ]);
    expect(await read('fields=id,owner.json(data, level)&filter[id]=1')).toEqual([
      { id: 1, owner: { data_level_json: 2 } },
    ]);
  });

  it('offers the same in GraphQL, where a path is an argument', async () => {
    const graphql = async (query: string, variables: Record<string, unknown> = {}) => {
      const { data, errors } = await ask(server(), query, { as: 'admin', variables });
      return errors.length === 0 ? data : errors;
    };
    expect(
      await graphql(
        `
          query ($path: String!) {
            thing(filter: { data: { _json: { size: { _gte: 5 } } } }, sort: ["-json(data, size)"]) {
              id
              data_func {
                count
                color: json(path: "color")
                dark: json(path: $path)
              }
            }
          }
        `,
        { path: 'theme.dark' },
      ),
    ).toEqual({
      thing: [
        { id: '2', data_func: { count: 4, color: 'Red', dark: false } },
        { id: '3', data_func: { count: 4, color: '5', dark: null } },
        { id: '1', data_func: { count: 5, color: 'red', dark: true } },
      ],
    });
    expect(
      await graphql(
        '{ thing_aggregated(groupBy: ["json(data, theme.dark)"], sort: ["-count"], limit: 1) { group countAll } }',
      ),
    ).toEqual({ thing_aggregated: [{ group: { data_theme_dark_json: null }, countAll: 5 }] });
    expect(
      (await ask(server(), '{ thing { data_func { json(path: "a..b") } } }', { as: 'admin' })).codes,
    ).toEqual(['INVALID_QUERY']);
  });

  it.each([
    ['fields=json(data)', 400],
    ['fields=json(data, )', 400],
    ['fields=json(data, a..b)', 400],
    ['fields=json(data, a[x])', 400],
    ["fields=json(data, a'b)", 400],
    ['fields=json(data, a*)', 400],
    ['fields=json(data, a%00)', 400],
    [`fields=json(data, ${Array.from({ length: 11 }, () => 'a').join('.')})`, 400],
    ['fields=json(hidden, a)', 400],
    ['fields=json(missing, a)', 403],
    [filtered({ data: { _json: { 'a b': 1 } } }), 400],
    [filtered({ data: { _json: { _eq: 1 } } }), 400],
    [filtered({ data: { _json: { theme: { dark: { _eq: true } } } } }), 400],
    [filtered({ data: { _json: 1 } }), 400],
    [filtered({ hidden: { _json: { a: 1 } } }), 400],
    [filtered({ _json: { a: 1 } }), 400],
    [filtered({ data: { _contains: 'red' } }), 400],
  ])('refuses %s', async (query, status) => {
    expect(await read(query)).toEqual([status, status === 400 ? 'INVALID_QUERY' : 'FORBIDDEN']);
  });

  it('explains in the error what a path is, and which operators JSON has', async () => {
    const path = await server().request('GET', '/items/thing?fields=json(data, a..b)', { as: 'admin' });
    expect(JSON.stringify(path.errors)).toContain('json(settings, theme.colors[0])');
    const operator = filtered({ data: { _contains: 'red' } });
    const { errors } = await server().request('GET', `/items/thing?${operator}`, { as: 'admin' });
    expect(JSON.stringify(errors)).toContain('it supports _null, _nnull, _json');
  });

  it('needs the grant of the field, on each row', async () => {
    expect(await read('fields=json(data, color)', 'ids')).toEqual([403, 'FORBIDDEN']);
    expect(await ids({ data: { _json: { color: 'red' } } }, 'ids')).toEqual([403, 'FORBIDDEN']);
    expect(await read('fields=id&sort=json(data, color)', 'ids')).toEqual([403, 'FORBIDDEN']);
    expect(await read('fields=json(data, size)&sort=id&limit=3', 'open')).toEqual([
      { data_size_json: 5 },
      { data_size_json: null },
      { data_size_json: 5.5 },
    ]);
    expect(await ids({ data: { _json: { size: { _gt: 5 } } } }, 'open')).toEqual([3]);
    expect(await read('fields=id&sort=-json(data, size),id&limit=1', 'open')).toEqual([{ id: 3 }]);
    expect(await ids({}, 'ruled')).toEqual([1, 2, 3]);
  });
});
