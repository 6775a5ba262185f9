/** Aggregations, compared with what a program computes from the rows that the caller may read. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

interface Row {
  readonly id: number;
  readonly kind: string | null;
  readonly owner: number | null;
  readonly n: number | null;
  readonly big: bigint | null;
  readonly cents: number | null;
  readonly born: string | null;
}

/** Rows of a fixed pseudo-random sequence. */
const rows: readonly Row[] = Array.from({ length: 60 }, (_, index) => {
  const at = (salt: number, size: number): number => {
    const mixed = Math.imul((index + 1) * 2_654_435_761 + salt * 40_503, 2_246_822_519) >>> 0;
    return ((mixed ^ (mixed >>> 15)) >>> 0) % size;
  };
  const orNull = <Value>(salt: number, value: Value): Value | null => (at(salt, 7) === 0 ? null : value);
  return {
    id: index + 1,
    kind: orNull(3, ['a', 'b', 'c'][at(5, 3)] ?? null),
    owner: orNull(11, at(13, 3) + 1),
    n: orNull(17, at(19, 9) - 4),
    big: orNull(23, 9_007_199_254_740_993n * BigInt(at(29, 17) - 8)),
    cents: orNull(31, at(37, 20_001) - 10_000),
    born: orNull(41, `20${10 + at(43, 4)}-0${1 + at(47, 9)}-15`),
  };
});

const owners = [
  { id: 1, name: 'One', secret: 0 },
  { id: 2, name: 'Two', secret: 1 },
  { id: 3, name: 'Three', secret: 0 },
];

const decimals = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;

const text = (value: string | null): string => (value === null ? 'null' : `'${value}'`);

const sqlOf = (dialect: TestDialect): string => `
create table owner (id int primary key, name varchar(20), secret int not null);
create table thing (id int primary key, kind varchar(9), owner int, n int, big bigint, price decimal(12,2), ratio ${dialect === 'mariadb' || dialect === 'mysql' ? 'double' : 'double precision'}, born date, data ${dialect === 'postgres' ? 'jsonb' : 'json'}, lent boolean, foreign key (owner) references owner (id));
create table part (id int primary key, thing int, foreign key (thing) references thing (id));
insert into owner values ${owners.map(({ id, name, secret }) => `(${id}, '${name}', ${secret})`).join(', ')};
insert into thing values ${rows
  .map(
    ({ id, kind, owner, n, big, cents, born }) =>
      `(${id}, ${text(kind)}, ${owner}, ${n}, ${big}, ${cents === null ? 'null' : decimals(cents)}, ${n === null ? 'null' : n / 4}, ${text(born)}, null, null)`,
  )
  .join(', ')};
insert into part values (1, 1), (2, 1), (3, 2);`;

const meta = {
  relations: [{ many_collection: 'part', many_field: 'thing', one_collection: 'thing', one_field: 'parts' }],
  fields: { owner: { name: { special: ['conceal'] } } },
};

const everyThing = { collection: 'thing', action: 'read', fields: ['*'] } as const;

const access: TestAccess = {
  policies: {
    Kinds: [{ ...everyThing, permissions: { kind: { _eq: 'a' } } }],
    // the number is visible on some of the rows only
    Numbers: [
      { ...everyThing, fields: ['id', 'kind', 'owner'], permissions: {} },
      { ...everyThing, fields: ['id', 'n'], permissions: { kind: { _eq: 'b' } } },
    ],
    Owners: [
      { ...everyThing, fields: ['id', 'owner'] },
      { collection: 'owner', action: 'read', fields: ['id', 'secret'], permissions: { secret: { _eq: 0 } } },
    ],
  },
  users: {
    kinds: { policies: ['Kinds'] },
    numbers: { policies: ['Numbers'] },
    owners: { policies: ['Owners'] },
  },
};

const isPresent = <Value>(value: Value | null): value is Value => value !== null;

/** Rounds a quotient half away from zero. */
const divide = (sum: bigint, count: number, scale: number): string => {
  const [size, by] = [10n ** BigInt(scale), BigInt(count)];
  const scaled = ((sum < 0n ? -sum : sum) * size * 2n + by) / (2n * by);
  const digits = String(scaled).padStart(scale + 1, '0');
  return `${sum < 0n && scaled > 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
};

const sumOf = (values: readonly bigint[]): bigint | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0n);

const extreme = <Value>(
  values: readonly Value[],
  isMore: (one: Value, other: Value) => boolean,
): Value | null =>
  values.length === 0 ? null : values.reduce((best, value) => (isMore(value, best) ? value : best));

/** Computes the response of an aggregation over some rows. */
const measure = (some: readonly Row[], nOf: (row: Row) => number | null = ({ n }) => n) => {
  const numbers = some.map(nOf).filter(isPresent);
  const exact = numbers.map(BigInt);
  const distinct = [...new Set(numbers)].map(BigInt);
  const bigs = some.map(({ big }) => big).filter(isPresent);
  const cents = some.map((row) => row.cents).filter(isPresent);
  const births = some.map(({ born }) => born).filter(isPresent);
  const total = sumOf(cents.map(BigInt));
  return {
    countAll: some.length,
    count: { n: numbers.length, kind: some.filter(({ kind }) => kind !== null).length },
    countDistinct: { n: distinct.length },
    sum: {
      n: numbers.length === 0 ? null : String(sumOf(exact)),
      big: bigs.length === 0 ? null : String(sumOf(bigs)),
      price: total === null ? null : decimals(Number(total)),
    },
    sumDistinct: {
      n: numbers.length === 0 ? null : String(sumOf(distinct)),
      big: bigs.length === 0 ? null : String(sumOf([...new Set(bigs)])),
    },
    avg: {
      n: numbers.length === 0 ? null : divide(sumOf(exact) ?? 0n, numbers.length, 4),
      price: total === null ? null : divide(total, cents.length * 100, 6),
      ratio: numbers.length === 0 ? null : numbers.reduce((sum, n) => sum + n / 4, 0) / numbers.length,
    },
    avgDistinct: { n: numbers.length === 0 ? null : divide(sumOf(distinct) ?? 0n, distinct.length, 4) },
    min: {
      n: extreme(numbers, (one, other) => one < other),
      born: extreme(births, (one, other) => one < other),
    },
    max: {
      big: bigs.length === 0 ? null : String(extreme(bigs, (one, other) => one > other)),
      price: cents.length === 0 ? null : decimals(Math.max(...cents)),
    },
  };
};

const asked = Object.fromEntries(
  Object.entries(measure(rows)).map(([name, value]) => [
    name,
    typeof value === 'number' ? '*' : Object.keys(value),
  ]),
);

const params = (query: Readonly<Record<string, unknown>>): string =>
  Object.entries(query)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .join('&');

/** Averages of floats, whose last digit may differ. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === 'ratio' && typeof inner === 'number' ? Math.round(inner * 1e9) / 1e9 : inner,
  );

describe.each(settings)('aggregations on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: sqlOf(setting.dialect), meta, access });
  const read = async (query: Readonly<Record<string, unknown>>, as = 'admin'): Promise<unknown> => {
    const { status, data, codes } = await server().request('GET', `/items/thing?${params(query)}`, { as });
    return status === 200 ? rounded(data) : [status, ...codes];
  };

  /** The digits of a number that the database computes exactly. */
  const sure = (text: string): string => (setting.dialect === 'sqlite' ? Number(text).toPrecision(15) : text);

  it('computes every operation over all items and over an empty set', async () => {
    expect(await read({ aggregate: asked })).toEqual([rounded(measure(rows))]);
    expect(await read({ aggregate: asked, filter: { id: -1 } })).toEqual([rounded(measure([]))]);
    expect(await read({ aggregate: { count: '*' } })).toEqual([{ count: rows.length }]);
    expect(await read({ 'aggregate[count]': '*,n', 'aggregate[sum]': 'n' })).toEqual([
      { count: { '*': rows.length, n: measure(rows).count.n }, sum: { n: measure(rows).sum.n } },
    ]);
  });

  it('computes averages of 64-bit integers exactly, on SQLite to 15 digits', async () => {
    const all = rows.map(({ big }) => big).filter(isPresent);
    const [of] = (await read({ aggregate: { avg: 'big', avgDistinct: 'big' } })) as {
      readonly [Operation in 'avg' | 'avgDistinct']: { readonly big: string };
    }[];
    const found = [of?.avg.big ?? '', of?.avgDistinct.big ?? ''];
    const exact = [all, [...new Set(all)]].map((bigs) => divide(sumOf(bigs) ?? 0n, bigs.length, 4));
    expect(found.map(sure)).toEqual(exact.map(sure));
  });

  it('computes sums and averages beyond 64 bits, on SQLite to 15 digits', async () => {
    const largest = 2n ** 63n - 1n;
    const values = [largest, largest - 1n, largest - 1n, -largest, -largest, 1n - largest];
    const inserted = values.map((big, index) => `(${901 + index}, ${big})`);
    await server().execute(`insert into thing (id, big) values ${inserted.join(', ')}`);
    const operations = ['sum', 'sumDistinct', 'avg', 'avgDistinct'] as const;
    for (const sign of [1n, -1n]) {
      const own = values.filter((big) => big * sign > 0n).map(BigInt);
      const [sum, distinct] = [sumOf(own) ?? 0n, sumOf([...new Set(own)]) ?? 0n];
      const exact = [String(sum), String(distinct), divide(sum, 3, 4), divide(distinct, 2, 4)];
      const filter = { _and: [{ id: { _gt: 900 } }, { big: { [sign === 1n ? '_gt' : '_lt']: 0 } }] };
      const aggregate = Object.fromEntries(operations.map((operation) => [operation, 'big']));
      const [of] = (await read({ aggregate, filter })) as Record<string, { readonly big: string }>[];
      const found = operations.map((operation) => of?.[operation]?.big ?? '');
      expect(found.map(sure)).toEqual(exact.map(sure));
    }
    await server().execute('delete from thing where id > 900');
  });

  it('agrees with a program for any filter and caller', async () => {
    const visible: Readonly<Record<string, (row: Row) => boolean>> = {
      admin: () => true,
      kinds: ({ kind }) => kind === 'a',
    };
    const some = fc.record({
      as: fc.constantFrom('admin', 'kinds'),
      low: fc.integer({ min: -5, max: 5 }),
      max: fc.integer({ min: 0, max: 60 }),
    });
    const agrees = fc.asyncProperty(some, async ({ as, low, max }) => {
      const filter = { n: { _gte: low }, id: { _lte: max } };
      const found = rows.filter(
        (row) => row.n !== null && row.n >= low && row.id <= max && (visible[as]?.(row) ?? false),
      );
      expect(await read({ aggregate: asked, filter }, as)).toEqual([rounded(measure(found))]);
    });
    await fc.assert(agrees, { numRuns: process.env.LONG === undefined ? 60 : 1250 });
  });

  it('groups by fields, functions and related items', async () => {
    const kinds = [null, 'a', 'b', 'c'];
    expect(await read({ aggregate: asked, groupBy: 'kind' })).toEqual(
      kinds.map((kind) => Object.assign({ kind }, rounded(measure(rows.filter((row) => row.kind === kind))))),
    );
    const years = [null, 2010, 2011, 2012, 2013];
    expect(await read({ aggregate: { count: '*' }, groupBy: 'year(born)', sort: '-year(born)' })).toEqual(
      years.toReversed().map((year) => ({
        born_year: year,
        count: rows.filter(({ born }) => (born === null ? null : Number(born.slice(0, 4))) === year).length,
      })),
    );
    expect(new Set(rows.map(({ kind }) => kind)).size).toBe(4);
    expect(await read({ groupBy: 'owner.secret' })).toEqual(
      [null, 0, 1].map((secret) => ({ 'owner.secret': secret })),
    );
  });

  it('sorts, limits and restricts groups by measures', async () => {
    const kinds = [null, 'a', 'b', 'c'].map((kind) => {
      const own = rows.filter((row) => row.kind === kind);
      return { kind, count: own.length, sum: { n: measure(own).sum.n } };
    });
    const sorted = kinds.toSorted((one, other) => Number(other.sum.n) - Number(one.sum.n));
    const query = { aggregate: { count: '*', sum: 'n' }, groupBy: 'kind', sort: '-sum.n' };
    expect(await read(query)).toEqual(sorted);
    expect(await read({ ...query, limit: '2', offset: '1' })).toEqual(sorted.slice(1, 3));
    const counts = kinds.map(({ count }) => count).toSorted((one, other) => one - other);
    const bound = counts[2] ?? 0;
    expect(await read({ ...query, having: { count: { _gte: bound } } })).toEqual(
      sorted.filter(({ count }) => count >= bound),
    );
    const both = { groupBy: 'kind', aggregate: { count: ['*', 'n'] } };
    const all = (await read(both)) as { readonly count: Readonly<Record<string, number>> }[];
    expect(await read({ ...both, having: { count: { '*': { _gte: bound } } } })).toEqual(
      all.filter(({ count }) => (count['*'] ?? 0) >= bound),
    );
    expect(
      await read({ groupBy: 'kind', having: { _or: [{ kind: 'a' }, { sum: { n: { _lt: -1000 } } }] } }),
    ).toEqual([{ kind: 'a' }]);
    expect(await read({ groupBy: 'kind', having: { avg: { price: { _null: true } } } })).toEqual([]);
  });

  it('aggregates what a search finds, in fields that the caller can read', async () => {
    const found = rows.filter(({ kind }) => kind === 'b');
    const { countAll, sum } = measure(found);
    const query = { search: 'B', aggregate: { countAll: '*', sum: 'n' } };
    expect(await read(query)).toEqual([{ countAll, sum: { n: sum.n } }]);
    expect(await read({ search: 'b', groupBy: 'kind', aggregate: { count: '*' } })).toEqual([
      { kind: 'b', count: countAll },
    ]);
    expect(await read({ search: 'b', filter: { kind: 'a' }, aggregate: { count: '*' } })).toEqual([
      { count: 0 },
    ]);
    expect(await read({ search: 'b', aggregate: { count: '*' } }, 'owners')).toEqual([{ count: 0 }]);
    const { data } = await server().request('POST', '/graphql', {
      as: 'admin',
      body: { query: '{ thing_aggregated(search: "b") { countAll sum { n } } }' },
    });
    expect(data).toEqual({ thing_aggregated: [{ countAll, sum: { n: sum.n } }] });
  });

  it('counts an item once, however many related items match', async () => {
    expect(
      await read({ aggregate: { count: '*', sum: 'id' }, filter: { parts: { id: { _gt: 0 } } } }),
    ).toEqual([{ count: 2, sum: { id: '3' } }]);
    expect(await read({ aggregate: { sum: 'count(parts)' } })).toEqual([{ sum: { parts_count: '3' } }]);
  });

  it('includes only values that the caller can read', async () => {
    const seen = measure(rows, ({ kind, n }) => (kind === 'b' ? n : null));
    expect(await read({ aggregate: { count: 'n', sum: 'n', min: 'n' } }, 'numbers')).toEqual([
      { count: { n: seen.count.n }, sum: { n: seen.sum.n }, min: { n: seen.min.n } },
    ]);
    const groups = (await read({ groupBy: 'n', aggregate: { count: '*' } }, 'numbers')) as {
      n: number | null;
      count: number;
    }[];
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(
      rows.filter(({ kind }) => kind === 'b').length,
    );
    expect(await read({ groupBy: 'owner.secret', aggregate: { count: '*' } }, 'owners')).toEqual([
      { 'owner.secret': null, count: rows.filter(({ owner }) => owner === null || owner === 2).length },
      { 'owner.secret': 0, count: rows.filter(({ owner }) => owner === 1 || owner === 3).length },
    ]);
  });

  it.each([
    { aggregate: { sum: 'big' } },
    { groupBy: 'big' },
    { groupBy: 'kind', having: { max: { big: { _gt: 1 } } } },
    { groupBy: 'kind', sort: 'max.big' },
    { aggregate: { sum: 'missing' } },
    { groupBy: 'owner.secret' },
    { groupBy: 'year(born)' },
  ])('is forbidden with a field that the caller may not read: %j', async (query) => {
    expect(await read(query, 'numbers')).toEqual([403, 'FORBIDDEN']);
  });

  it.each([
    { aggregate: { median: 'n' } },
    { aggregate: { sum: 'kind' } },
    { aggregate: { avg: 'born' } },
    { aggregate: { min: 'data' } },
    { aggregate: { max: 'lent' } },
    { aggregate: { countDistinct: 'data' } },
    { aggregate: { sum: '*' } },
    { aggregate: { countDistinct: 'owner.name' } },
    { groupBy: 'data' },
    { groupBy: 'owner.name' },
    { groupBy: 'parts.id' },
    { groupBy: 'kind', sort: 'id' },
    { groupBy: 'kind', having: { id: 1 } },
    { groupBy: 'kind', having: { count: { _contains: 'x' } } },
    { having: { count: 1 } },
    { fields: 'owner.id', deep: { owner: { _aggregate: { count: '*' } } } },
  ])('is rejected: %j', async (query) => {
    expect(await read(query)).toEqual([400, 'INVALID_QUERY']);
  });

  it('shows of a concealed field only whether it has a value', async () => {
    expect(await read({ aggregate: { max: 'owner.name', count: 'owner.name' } })).toEqual([
      {
        max: { 'owner.name': '**********' },
        count: { 'owner.name': rows.filter(({ owner }) => owner !== null).length },
      },
    ]);
  });

  it('is rejected for one item', async () => {
    const { codes } = await server().request('GET', '/items/thing/1?aggregate[count]=*', { as: 'admin' });
    expect(codes).toEqual(['INVALID_QUERY']);
  });
});
