/** Every filter operator on every type of field. */
import { describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestServer } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

/** Row 1 and 2 differ in everything, row 3 is empty or zero, row 4 is null. */
const sql = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    `
create table "kinds" (
  "id" integer primary key, "word" varchar(20), "body" text, "small" smallint, "whole" integer, "big" bigint,
  "ratio" double precision, "price" decimal(20,6), "flag" boolean, "day" date, "clock" {clock}, "moment" {dateTime},
  "instant" {instant} null, "code" {uuid}, "data" json, "tags" varchar(60), "bytes" {bytes}, "odd" {oddity}
);
insert into "kinds" values
  (1, 'Apple', 'Long_text', 1, 10, 9007199254740993, 0.5, 1.500000, true, '2020-01-01', '08:00:00',
   '2020-01-01 08:00:00', '2020-01-01 08:00:00', '11111111-1111-4111-8111-111111111111', '{"a":1}', 'red,green', x'0102', {oddValue}),
  (2, 'banana', '50% off', -2, 20, 9007199254740994, 1.25, 2.250000, false, '2021-06-15', '17:30:00',
   '2021-06-15 17:30:00', '2021-06-15 17:30:00', '22222222-2222-4222-8222-222222222222', '[]', 'blue', x'0304', {oddValue}),
  (3, '', '', 0, 0, 0, 0, 0, false, '1999-12-31', '00:00:00', '1999-12-31 23:59:59', '1999-12-31 23:59:59',
   '33333333-3333-4333-8333-333333333333', 'null', '', x'', {oddValue}),
  (4, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
`,
  );

type Expected = readonly [operator: string, operand: unknown, ids: readonly number[]];

const nullness: readonly Expected[] = [
  ['_null', true, [4]],
  ['_null', false, [1, 2, 3]],
  ['_nnull', true, [1, 2, 3]],
  ['_nnull', false, [4]],
];

const emptiness: readonly Expected[] = [
  ['_empty', true, [3, 4]],
  ['_empty', false, [1, 2]],
  ['_nempty', true, [1, 2]],
  ['_nempty', false, [3, 4]],
];

/** Ordered values: low < high, and something below both in row 3. */
const ordered = (low: unknown, high: unknown, [first, second] = [1, 2]): readonly Expected[] => [
  ...nullness,
  ['_eq', low, [first]],
  ['_neq', low, [second, 3].toSorted()],
  ['_lt', high, [first, 3].toSorted()],
  ['_lte', high, [1, 2, 3]],
  ['_gt', low, [second]],
  ['_gte', low, [1, 2]],
  ['_in', [low, high], [1, 2]],
  ['_nin', [low, high], [3]],
  ['_between', [low, high], [1, 2]],
  ['_nbetween', [low, high], [3]],
];

const matching: readonly Expected[] = [
  ...nullness,
  ...emptiness,
  ['_eq', 'banana', [2]],
  ['_neq', 'banana', [1, 3]],
  ['_in', ['Apple', 'banana'], [1, 2]],
  ['_in', 'Apple,banana', [1, 2]],
  ['_nin', ['Apple', 'pear'], [2, 3]],
  ['_contains', 'nan', [2]],
  ['_ncontains', 'nan', [1, 3]],
  ['_icontains', 'PP', [1]],
  ['_nicontains', 'PP', [2, 3]],
  ['_starts_with', 'ba', [2]],
  ['_nstarts_with', 'ba', [1, 3]],
  ['_istarts_with', 'aP', [1]],
  ['_nistarts_with', 'aP', [2, 3]],
  ['_ends_with', 'na', [2]],
  ['_nends_with', 'na', [1, 3]],
  ['_iends_with', 'PLE', [1]],
  ['_niends_with', 'PLE', [2, 3]],
];

/** `%` and `_` are characters like any other. */
const characters: readonly Expected[] = [
  ...nullness,
  ...emptiness,
  ['_eq', '50% off', [2]],
  ['_neq', '50% off', [1, 3]],
  ['_in', ['50% off'], [2]],
  ['_nin', ['50% off'], [1, 3]],
  ['_contains', '%', [2]],
  ['_ncontains', '%', [1, 3]],
  ['_icontains', '_', [1]],
  ['_nicontains', '_', [2, 3]],
  ['_starts_with', '50%', [2]],
  ['_nstarts_with', '_', [1, 2, 3]],
  ['_istarts_with', 'long_', [1]],
  ['_nistarts_with', 'long_', [2, 3]],
  ['_ends_with', '% off', [2]],
  ['_nends_with', '% off', [1, 3]],
  ['_iends_with', '_TEXT', [1]],
  ['_niends_with', '_TEXT', [2, 3]],
];

const lists: readonly Expected[] = [
  ...nullness,
  ...emptiness,
  ['_eq', 'blue', [2]],
  ['_neq', 'blue', [1, 3]],
  ['_in', ['blue'], [2]],
  ['_nin', ['blue'], [1, 3]],
  ['_contains', 'green', [1]],
  ['_ncontains', 'green', [2, 3]],
  ['_icontains', 'GREEN', [1]],
  ['_nicontains', 'GREEN', [2, 3]],
  ['_starts_with', 'red', [1]],
  ['_nstarts_with', 'red', [2, 3]],
  ['_istarts_with', 'RED', [1]],
  ['_nistarts_with', 'RED', [2, 3]],
  ['_ends_with', 'ue', [2]],
  ['_nends_with', 'ue', [1, 3]],
  ['_iends_with', 'UE', [2]],
  ['_niends_with', 'UE', [1, 3]],
];

const [one, two] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

const equality = (first: unknown, second: unknown): readonly Expected[] => [
  ...nullness,
  ['_eq', first, [1]],
  ['_neq', first, [2, 3]],
  ['_in', [first, second], [1, 2]],
  ['_nin', [first, second], [3]],
];

const table: Readonly<Record<string, readonly Expected[]>> = {
  word: matching,
  body: characters,
  tags: lists,
  small: [
    ...nullness,
    ['_eq', -2, [2]],
    ['_neq', '-2', [1, 3]],
    ['_lt', 0, [2]],
    ['_lte', 0, [2, 3]],
    ['_gt', 0, [1]],
    ['_gte', '0', [1, 3]],
    ['_in', '1,-2', [1, 2]],
    ['_nin', [0], [1, 2]],
    ['_between', '-2,0', [2, 3]],
    ['_nbetween', [-2, 0], [1]],
  ],
  whole: ordered(10, 20),
  big: ordered('9007199254740993', '9007199254740994'),
  ratio: ordered(0.5, 1.25),
  price: ordered('1.5', '2.25'),
  flag: [...nullness, ['_eq', true, [1]], ['_eq', 'false', [2, 3]], ['_neq', 1, [2, 3]], ['_neq', '0', [1]]],
  day: ordered('2020-01-01', '2021-06-15'),
  clock: ordered('08:00:00', '17:30:00'),
  moment: ordered('2020-01-01T08:00:00', '2021-06-15T17:30:00'),
  instant: ordered('2020-01-01T08:00:00Z', '2021-06-15T19:30:00+02:00'),
  code: equality(one, two),
  bytes: equality('AQI=', 'AwQ='),
  data: nullness,
  odd: nullness,
};

const operators = [
  ...new Set(Object.values(table).flatMap((entries) => entries.map(([operator]) => operator))),
];

const find = async (server: TestServer, filter: unknown): Promise<unknown> => {
  const path = `/items/kinds?fields=id&sort=id&filter=${encodeURIComponent(JSON.stringify(filter))}`;
  const answer = await server.request('GET', path, { as: 'admin' });
  return answer.status === 200 ? (answer.data as { id: number }[]).map(({ id }) => id) : answer.codes;
};

describe.each(settings)('filters on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sql(setting.dialect),
    // a uuid also where the database has no such type
    meta: { fields: { kinds: { tags: { special: ['cast-csv'] }, code: { special: ['uuid'] } } } },
  });

  it.each(Object.keys(table))('%s answers every operator of its type', async (field) => {
    const expected = (table[field] ?? []).map(([operator, operand, ids]) => ({ operator, operand, ids }));
    const found = await Promise.all(
      expected.map(async ({ operator, operand }) => ({
        operator,
        operand,
        ids: await find(server(), { [field]: { [operator]: operand } }),
      })),
    );
    expect(found).toEqual(expected);
  });

  it.each(Object.keys(table))('%s rejects every other operator', async (field) => {
    const known = new Set((table[field] ?? []).map(([operator]) => operator));
    const others = [...operators, '_regex'].filter((operator) => !known.has(operator));
    const found = await Promise.all(
      others.map((operator) => find(server(), { [field]: { [operator]: '1,1' } })),
    );
    expect(found).toEqual(others.map(() => ['INVALID_QUERY']));
  });

  it.each([
    ['small', 'one'],
    ['whole', '1.5.2'],
    ['big', 'many'],
    ['ratio', 'half'],
    ['price', 'dear'],
    ['flag', 'perhaps'],
    ['day', '2020-02-30'],
    ['clock', '25:00:00'],
    ['moment', 'then'],
    ['instant', 'soon'],
    ['code', 'nobody'],
  ])('%s rejects a value of another type', async (field, value) => {
    expect(await find(server(), { [field]: { _eq: value } })).toEqual(['INVALID_QUERY']);
  });

  it('a value without an operator means _eq, null means _null', async () => {
    expect(await find(server(), { whole: 10 })).toEqual([1]);
    expect(await find(server(), { whole: { _eq: null } })).toEqual([4]);
    expect(await find(server(), { whole: { _neq: null } })).toEqual([1, 2, 3]);
  });

  it('a number out of the range of the column finds nothing', async () => {
    expect(await find(server(), { small: { _eq: 100_000 } })).toEqual([]);
    expect(await find(server(), { small: { _lt: 100_000 } })).toEqual([1, 2, 3]);
    expect(await find(server(), { big: { _eq: '99999999999999999999' } })).toEqual([]);
    expect(await find(server(), { whole: { _eq: 1.5 } })).toEqual([]);
  });

  it('a geometry is GeoJSON where the database knows it, and text elsewhere, as values of unknown types are', async () => {
    const { data } = await server().request('GET', '/items/kinds?fields=odd&sort=id&limit=1', {
      as: 'admin',
    });
    const forms = (data as readonly { readonly odd: unknown }[]).map(({ odd }) => typeof odd);
    expect(forms).toEqual([['mariadb', 'mysql'].includes(setting.dialect) ? 'object' : 'string']);
  });

  it('_and and _or nest; keys side by side are joined by and', async () => {
    const either = {
      _or: [{ word: { _eq: 'Apple' } }, { _and: [{ whole: { _lt: 5 } }, { flag: { _eq: false } }] }],
    };
    expect(await find(server(), either)).toEqual([1, 3]);
    expect(await find(server(), { whole: { _gt: 5 }, flag: { _eq: true } })).toEqual([1]);
    expect(await find(server(), { whole: { _gt: 5, _lt: 15 } })).toEqual([1]);
    expect(await find(server(), { whole: { _or: [{ _eq: 10 }, { _eq: 0 }] } })).toEqual([1, 3]);
  });

  it('means the same in brackets as in JSON', async () => {
    const path =
      '/items/kinds?fields=id&sort=id&filter[_or][0][whole][_eq]=10&filter[_or][1][word][_in]=banana,x';
    const { data } = await server().request('GET', path, { as: 'admin' });
    expect(data).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('an empty list in a URL matches no rows for _in and all for _nin', async () => {
    expect(await find(server(), { whole: { _in: '' } })).toEqual([]);
    expect(await find(server(), { whole: { _nin: '' } })).toEqual(['INVALID_QUERY']);
  });

  it.each([{ _in: [''] }, { _in: ['Apple', ''] }, { _nin: ['Apple', ''] }, { _in: 'Apple,' }])(
    'a list with an empty text is refused as the empty text is: %j',
    async (word) => {
      const filter = encodeURIComponent(JSON.stringify({ word }));
      const { errors } = await server().request('GET', `/items/kinds?filter=${filter}`, { as: 'admin' });
      expect(errors).toMatchObject([
        { reason: '"word" cannot be compared with an empty text; use "_empty"' },
      ]);
    },
  );

  it.each([
    [{ _or: {} }],
    [{ _and: 'x' }],
    [{ whole: { _in: [] } }],
    [{ whole: { _nin: [] } }],
    [{ whole: { _between: [1] } }],
    [{ whole: { _between: '1,2,3' } }],
    [{ whole: { _eq: '' } }],
    [{ whole: { _eq: { a: 1 } } }],
    [{ whole: { _about: 1 } }],
    [{ whole: { _null: 'maybe' } }],
    [{ _eq: 1 }],
    ['loom'],
    [[1]],
  ])('%j is rejected', async (filter) => {
    expect(await find(server(), filter)).toEqual(['INVALID_QUERY']);
  });

  it('an unknown field is forbidden, with a suggestion', async () => {
    const path = `/items/kinds?filter=${JSON.stringify({ wrd: { _eq: 1 } })}`;
    const { status, text, codes } = await server().request('GET', path, { as: 'admin' });
    expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
    expect(text).toContain('did you mean \\"word\\"?"');
  });
});
