/** Aggregations of nested lists, by `deep`, compared with what a program computes. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

interface Thing {
  readonly id: number;
  readonly shelf: string | null;
  readonly kind: string;
  readonly n: number | null;
}

/** Shelf `d` has no things. */
const shelves = ['a', 'b', 'c', 'd'];

const things: readonly Thing[] = Array.from({ length: 40 }, (_, index) => ({
  id: index + 1,
  shelf: index % 7 === 0 ? null : (['a', 'b', 'c', 'a'][index % 4] ?? null),
  kind: ['x', 'y'][index % 2] ?? '',
  n: index % 5 === 0 ? null : (index * 3) % 11,
}));

const text = (value: string | null): string => (value === null ? 'null' : `'${value}'`);

const schema = `
create table shelf (code varchar(9) primary key, room int);
create table thing (id int primary key, shelf varchar(9), kind varchar(9) not null, n int, foreign key (shelf) references shelf (code));
create table note (id int primary key, thing int, foreign key (thing) references thing (id));
insert into shelf values ${shelves.map((code) => `('${code}', 1)`).join(', ')};
insert into thing values ${things.map(({ id, shelf, kind, n }) => `(${id}, ${text(shelf)}, '${kind}', ${n})`).join(', ')};
insert into note values (1, 1), (2, 1), (3, 2);`;

const meta = {
  relations: [
    { many_collection: 'thing', many_field: 'shelf', one_collection: 'shelf', one_field: 'things' },
    { many_collection: 'note', many_field: 'thing', one_collection: 'thing', one_field: 'notes' },
  ],
};

const shelfRead = { collection: 'shelf', action: 'read', fields: ['code', 'things'] } as const;

const access = {
  policies: {
    Some: [
      shelfRead,
      { collection: 'thing', action: 'read', fields: ['id', 'kind'], permissions: { kind: { _eq: 'x' } } },
    ],
  },
  users: { some: { policies: ['Some'] } },
} as const;

const sum = (rows: readonly Thing[]): string | null => {
  const values = rows.flatMap(({ n }) => (n === null ? [] : [n]));
  return values.length === 0 ? null : String(values.reduce((total, n) => total + n, 0));
};

const kinds = (own: readonly Thing[]) =>
  ['x', 'y'].flatMap((kind) => {
    const count = own.filter((each) => each.kind === kind).length;
    return count === 0 ? [] : [{ kind, count }];
  });

const expected = (toRows: (own: readonly Thing[]) => unknown) =>
  shelves.map((code) => ({ code, things: toRows(things.filter(({ shelf }) => shelf === code)) }));

describe.each(settings)('aggregations of lists on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: schema, meta, access });
  const read = async (
    deep: unknown,
    { as = 'admin', query = 'fields=code,things&sort=code', path = '/items/shelf' } = {},
  ): Promise<unknown> => {
    const url = `${path}?${query}&deep=${encodeURIComponent(JSON.stringify(deep))}`;
    const { status, data, codes } = await server().request('GET', url, { as });
    return status === 200 ? data : [status, ...codes];
  };

  it('every item has one row of measures, one without rows too', async () => {
    const measures = { _aggregate: { count: ['*', 'n'], sum: 'n' } };
    expect(await read({ things: measures })).toEqual(
      expected((own) => [
        {
          count: { '*': own.length, n: own.filter(({ n }) => n !== null).length },
          sum: { n: sum(own) },
        },
      ]),
    );
  });

  it('groups the rows of each item, in order and up to the limit', async () => {
    const grouped = { _groupBy: ['kind'], _aggregate: { count: '*' } };
    expect(await read({ things: grouped })).toEqual(expected(kinds));
    expect(await read({ things: { ...grouped, _sort: '-kind' } })).toEqual(
      expected((own) => kinds(own).toReversed()),
    );
    expect(await read({ things: { ...grouped, _limit: 1 } })).toEqual(
      expected((own) => kinds(own).slice(0, 1)),
    );
    expect(await read({ things: { ...grouped, _having: { count: { _gt: 8 } } } })).toEqual(
      expected((own) => kinds(own).filter(({ count }) => count > 8)),
    );
  });

  it('agrees with a program for any filter', async () => {
    const bounds = fc.record({ low: fc.integer({ min: 0, max: 11 }), last: fc.integer({ min: 0, max: 40 }) });
    const agrees = fc.asyncProperty(bounds, async ({ low, last }) => {
      const filter = { n: { _gte: low }, id: { _lte: last } };
      const isFound = ({ id, n }: Thing) => n !== null && n >= low && id <= last;
      expect(await read({ things: { _filter: filter, _aggregate: { count: '*', sum: 'n' } } })).toEqual(
        expected((own) => [{ count: own.filter(isFound).length, sum: { n: sum(own.filter(isFound)) } }]),
      );
    });
    await fc.assert(agrees, { numRuns: process.env.LONG === undefined ? 20 : 500 });
  });

  it('lists of lists are aggregated too', async () => {
    const deep = { things: { notes: { _aggregate: { count: '*' } }, _filter: { id: { _lte: 3 } } } };
    expect(
      await read(deep, { query: 'fields=code,things.id,things.notes&sort=code&filter[code]=b' }),
    ).toEqual([{ code: 'b', things: [{ id: 2, notes: [{ count: 1 }] }] }]);
  });

  it('only rows and fields that the caller may read count', async () => {
    const counted = { _aggregate: { count: '*' } };
    expect(await read({ things: counted }, { as: 'some' })).toEqual(
      expected((own) => [{ count: own.filter(({ kind }) => kind === 'x').length }]),
    );
    const refused = [403, 'FORBIDDEN'];
    expect(await read({ things: { _aggregate: { sum: 'n' } } }, { as: 'some' })).toEqual(refused);
    expect(await read({ things: { _groupBy: ['n'] } }, { as: 'some' })).toEqual(refused);
    expect(await read({ things: { notes: counted } }, { as: 'some' })).toEqual(
      expected((own) => own.filter(({ kind }) => kind === 'x').map(({ id }) => id)),
    );
  });

  it('pages of groups are refused', async () => {
    const grouped = { _groupBy: ['kind'], _page: 2 };
    expect(await read({ things: grouped })).toEqual([400, 'INVALID_QUERY']);
  });
});
