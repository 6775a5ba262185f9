/** Aggregations of lists inside of items in GraphQL: what REST has by `deep`, with the same rights. */
import { describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { settingsOf } from '../server-harness.js';
import { useServer } from '../harness/use-server.js';
import { ask } from './library.js';

const settings = settingsOf(import.meta.url);

const schema = `
create table "shelf" ("code" varchar(9) primary key, "room" integer);
create table "thing" (
  "id" integer primary key, "shelf" varchar(9), "kind" varchar(9) not null, "n" integer, "made" date,
  foreign key ("shelf") references "shelf" ("code")
);
create table "note" ("id" integer primary key, "thing" integer, foreign key ("thing") references "thing" ("id"));
insert into "shelf" values ('a', 1), ('b', 1), ('c', 2);
insert into "thing" values (1, 'a', 'x', 5, '2020-01-01'), (2, 'a', 'y', 7, '2021-01-01'), (3, 'a', 'x', null, null),
  (4, 'b', 'y', 1, '2020-06-01'), (5, 'b', 'y', 2, '2020-07-01'), (6, null, 'x', 9, null);
insert into "note" values (1, 1), (2, 1), (3, 2);`;

const meta = {
  relations: [
    { many_collection: 'thing', many_field: 'shelf', one_collection: 'shelf', one_field: 'things' },
    { many_collection: 'note', many_field: 'thing', one_collection: 'thing', one_field: 'notes' },
  ],
};

const access = {
  policies: {
    Some: [
      { collection: 'shelf', action: 'read', fields: ['code', 'things'] },
      { collection: 'thing', action: 'read', fields: ['id', 'kind'], permissions: { kind: { _eq: 'x' } } },
    ],
    Bare: [{ collection: 'shelf', action: 'read', fields: ['code', 'things'] }],
    Closed: [
      { collection: 'shelf', action: 'read', fields: ['code'] },
      { collection: 'thing', action: 'read', fields: ['*'] },
    ],
  },
  users: { some: { policies: ['Some'] }, bare: { policies: ['Bare'] }, closed: { policies: ['Closed'] } },
} as const;

const row = (countAll: number, n: number, sum: string | null, made: string | null) => ({
  things_aggregated: [{ countAll, count: { n }, sum: { n: sum }, min: { made } }],
});

describe.each(settings)('aggregated lists in GraphQL on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: sqlFor(setting.dialect, schema), meta, access });

  const aggregate = async (field: string, as = 'admin') => {
    const answer = await ask(server(), `{ shelf(sort: ["code"]) { ${field} } }`, { as });
    const { shelf } = (answer.data ?? {}) as { readonly shelf?: unknown };
    return shelf ?? [...answer.problems, ...answer.codes];
  };
  const rest = async (deep: object, as = 'admin') => {
    const path = `/items/shelf?fields=things&sort=code&deep=${encodeURIComponent(JSON.stringify({ things: deep }))}`;
    const { data } = await server().request('GET', path, { as });
    return data;
  };

  it('have one row for each item, those without rows too', async () => {
    const found = await aggregate('things_aggregated { countAll count { n } sum { n } min { made } }');
    expect(found).toEqual([
      row(3, 2, '12', '2020-01-01'),
      row(2, 2, '3', '2020-06-01'),
      row(0, 0, null, null),
    ]);
    const same = { _aggregate: { countAll: '*', count: 'n', sum: 'n', min: 'made' } };
    expect(await rest(same)).toEqual(
      (found as { readonly things_aggregated: unknown }[]).map(({ things_aggregated: things }) => ({
        things,
      })),
    );
  });

  it('are grouped, filtered, sorted and limited by arguments, under any name, beside the list itself', async () => {
    expect(
      await aggregate(`
        things(limit: 1, sort: ["id"]) { id }
        byKind: things_aggregated(groupBy: ["kind"], sort: ["-kind"]) { group countAll }
        large: things_aggregated(groupBy: ["year(made)"], filter: { n: { _gt: 1 } }, having: { count: { _gte: 1 } }, limit: 1, sort: ["made_year"]) { group count { made made_func { year } } }
      `),
    ).toEqual([
      {
        things: [{ id: '1' }],
        byKind: [
          { group: { kind: 'y' }, countAll: 1 },
          { group: { kind: 'x' }, countAll: 2 },
        ],
        large: [{ group: { made_year: 2020 }, count: { made: 1, made_func: { year: 1 } } }],
      },
      {
        things: [{ id: '4' }],
        byKind: [{ group: { kind: 'y' }, countAll: 2 }],
        large: [{ group: { made_year: 2020 }, count: { made: 1, made_func: { year: 1 } } }],
      },
      { things: [], byKind: [], large: [] },
    ]);
  });

  it('take variables, at every level', async () => {
    const query = `query ($low: GraphQLStringOrFloat, $kinds: [String]) { shelf(filter: { code: { _eq: "a" } }) {
      things(sort: ["id"], filter: { id: { _gte: $low } }) { id notes_aggregated(filter: { id: { _gte: $low } }) { countAll } }
      things_aggregated(groupBy: $kinds) { group }
    } }`;
    const { data } = await ask(server(), query, { variables: { low: 2, kinds: ['kind'] } });
    expect(data).toEqual({
      shelf: [
        {
          things: [
            { id: '2', notes_aggregated: [{ countAll: 1 }] },
            { id: '3', notes_aggregated: [{ countAll: 0 }] },
          ],
          things_aggregated: [{ group: { kind: 'x' } }, { group: { kind: 'y' } }],
        },
      ],
    });
  });

  it('count only rows that the caller may read, and know no field of others', async () => {
    expect(await aggregate('things_aggregated { countAll }', 'some')).toEqual(
      [2, 0, 0].map((countAll) => ({ things_aggregated: [{ countAll }] })),
    );
    expect(await aggregate('things_aggregated { sum { n } }', 'some')).toContain('GRAPHQL_VALIDATION');
    expect(await aggregate('things_aggregated(groupBy: ["n"]) { group }', 'some')).toEqual(['FORBIDDEN']);
    expect(await rest({ _groupBy: ['n'] }, 'some')).toBeUndefined();
  });

  it.each(['bare', 'closed'])('are not offered to %s, who may not read the rows or the list', async (as) => {
    const { data } = await ask(server(), '{ __type(name: "shelf") { fields { name } } }', { as });
    expect(JSON.stringify(data)).not.toContain('things_aggregated');
    expect(await aggregate('things_aggregated { countAll }', as)).toContain('GRAPHQL_VALIDATION');
  });
});
