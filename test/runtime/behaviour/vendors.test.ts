/** Differences between databases that clients can see: the table "What differs" of `docs/databases.md`. */
import { describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

interface Differences {
  /** True where `_eq` finds a text of another case, of another accent, with blanks behind it. */
  readonly sameCase: boolean;
  readonly sameAccent: boolean;
  readonly sameBlanks: boolean;
  /** Which of `B`, `a`, `ä`, `b` hold a `b`; which are found by a search for `A`, and for `Ä`. */
  readonly containsB: readonly string[];
  readonly searchedA: readonly string[];
  readonly searchedAccent: readonly string[];
  /** `B`, `a`, `ä`, `b` in order. */
  readonly sorted: readonly string[];
  /** Value that `char(5)` returns for a text with a trailing space. */
  readonly char: string;
  /** Stored form of JSON text. */
  readonly json: string;
  /** Stored form of a timestamp after the year 2038. */
  readonly late: string | number;
  /** Values out of `-12:30:15`, `838:59:59` and `24:00:00`, which are no times of day, that a column can store. */
  readonly spans: readonly string[];
}

const spans = ['-12:30:15', '838:59:59', '24:00:00'];

const differences: Readonly<Record<TestDialect, Differences>> = {
  sqlite: {
    sameCase: false,
    sameAccent: false,
    sameBlanks: false,
    containsB: ['b'],
    searchedA: ['a'],
    searchedAccent: [],
    sorted: ['B', 'a', 'b', 'ä'],
    char: 'a ',
    json: '{"b": 1, "a": 2.50}',
    late: '2040-01-01T00:00:00Z',
    spans: spans,
  },
  mariadb: {
    sameCase: true,
    sameAccent: true,
    sameBlanks: true,
    containsB: ['B', 'b'],
    searchedA: ['a', 'ä'],
    searchedAccent: ['a', 'ä'],
    sorted: ['a', 'ä', 'B', 'b'],
    char: 'a',
    json: '{"b": 1, "a": 2.50}',
    late: 400,
    spans: spans,
  },
  mysql: {
    sameCase: true,
    sameAccent: true,
    sameBlanks: false,
    containsB: ['B', 'b'],
    searchedA: ['a', 'ä'],
    searchedAccent: ['a', 'ä'],
    sorted: ['a', 'ä', 'B', 'b'],
    char: 'a',
    json: '{"a": 2.5, "b": 1}',
    late: 400,
    spans: spans,
  },
  postgres: {
    sameCase: false,
    sameAccent: false,
    sameBlanks: false,
    containsB: ['b'],
    searchedA: ['a'],
    searchedAccent: ['ä'],
    sorted: ['B', 'a', 'b', 'ä'],
    char: 'a',
    json: '{"b": 1, "a": 2.50}',
    late: '2040-01-01T00:00:00Z',
    spans: ['24:00:00'],
  },
};

/** Types of columns that are true or false, with what is true in each. */
const booleans: Readonly<Record<TestDialect, readonly (readonly [type: string, value: string])[]>> = {
  sqlite: [
    ['boolean', '1'],
    ['tinyint(1)', '1'],
    ['bit', '1'],
  ],
  mariadb: [
    ['boolean', 'true'],
    ['tinyint(1)', '1'],
    ['bit', "b'1'"],
  ],
  mysql: [
    ['boolean', 'true'],
    ['tinyint(1)', '1'],
    ['bit', "b'1'"],
  ],
  postgres: [['boolean', 'true']],
};

const flagSql = (dialect: TestDialect): string => {
  const columns = booleans[dialect].map(([type], index) => `"flag${index}" ${type}`);
  const values = booleans[dialect].map(([, value]) => value);
  return `create table "flag" ("id" {counter}, ${columns.join(', ')}); insert into "flag" values (1, ${values.join(', ')});`;
};

const tables = `
create table "word" ("id" {counter}, "text" varchar(20));
insert into "word" ("text") values ('B'), ('a'), ('ä'), ('b');
create table "written" ("id" {counter}, "text" varchar(20), "fixed" char(5), "data" json, "at" {instant} null);
create table "clock" ("id" {counter}, "time" {clock});
`;

const clockSql = (held: readonly string[]): string =>
  `insert into "clock" ("time") values ${held.map((time) => `('${time}')`).join(', ')};`;

describe.each(dialects)('differences of databases on %s', (dialect) => {
  const expected = differences[dialect];
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, tables + clockSql(expected.spans) + flagSql(dialect)),
  });
  const find = async (query: unknown, table = 'word'): Promise<readonly unknown[]> => {
    const { data } = await server().request('SEARCH', `/items/${table}`, { as: 'admin', body: { query } });
    return (data as readonly { readonly text: unknown }[]).map(({ text }) => text);
  };
  const create = (row: unknown, fields: string) =>
    server().request('POST', `/items/written?fields=${fields}`, { as: 'admin', body: row });

  it('compares and sorts texts', async () => {
    const equal = async (text: string, other: string) =>
      (await find({ filter: { text: { _eq: other } } })).includes(text);
    expect({
      sameCase: await equal('B', 'b'),
      sameAccent: await equal('a', 'ä'),
      sameBlanks: await equal('a', 'a '),
    }).toEqual({
      sameCase: expected.sameCase,
      sameAccent: expected.sameAccent,
      sameBlanks: expected.sameBlanks,
    });
    expect(await find({ sort: 'text,id' })).toEqual(expected.sorted);
  });

  it('searches texts', async () => {
    expect({
      containsB: await find({ filter: { text: { _contains: 'b' } }, sort: 'id' }),
      searchedA: await find({ search: 'A', sort: 'id' }),
      searchedAccent: await find({ search: 'Ä', sort: 'id' }),
    }).toEqual({
      containsB: expected.containsB,
      searchedA: expected.searchedA,
      searchedAccent: expected.searchedAccent,
    });
  });

  it('reads boolean columns', async () => {
    const columns = booleans[dialect];
    const { data } = await server().request('GET', '/items/flag', { as: 'admin' });
    expect(data).toEqual([
      { id: 1, ...Object.fromEntries(columns.map((_, index) => [`flag${index}`, true])) },
    ]);
    expect((await server().request('GET', '/items/flag?filter[flag0]=true', { as: 'admin' })).data).toEqual(
      data,
    );
  });

  it('stores trailing spaces, JSON text and late timestamps', async () => {
    expect((await create({ fixed: 'a ' }, 'fixed')).data).toEqual({ fixed: expected.char });
    const { text } = await create({ data: '{"b": 1, "a": 2.50}' }, 'data');
    expect(text).toBe(`{"data":{"data":${expected.json}}}`);
    const late = await create({ at: '2040-01-01T00:00:00Z' }, 'at');
    expect(late.status === 200 ? (late.data as { at: string }).at : late.status).toBe(expected.late);
  });

  it('returns values that are not times of day and rejects them in writes', async () => {
    const { data } = await server().request('GET', '/items/clock?fields=time&sort=id', { as: 'admin' });
    expect(data).toEqual(expected.spans.map((time) => ({ time })));
    for (const time of spans) {
      const body = { time };
      const { status, text } = await server().request('POST', '/items/clock', { as: 'admin', body });
      expect({ time, status, text }).toMatchObject({
        status: 400,
        text: expect.stringContaining('HH:MM:SS'),
      });
    }
  });

  it('distinguishes empty texts from null', async () => {
    await create({ text: '' }, 'text');
    expect(await find({ filter: { text: { _empty: true } } }, 'written')).toContain('');
    expect(await find({ filter: { text: { _null: true } } }, 'written')).not.toContain('');
  });
});

describe.each(dialects.filter((dialect) => dialect !== 'postgres'))(
  'other numbers than 0 and 1 on %s',
  (dialect) => {
    const server = useServer({
      dialect,
      sql: 'create table odd (id integer primary key, flag tinyint(1)); insert into odd values (1, 5), (2, 1), (3, 0);',
    });
    const read = async (query: string) =>
      (await server().request('GET', `/items/odd?sort=id${query}`, { as: 'admin' })).data;

    it('are returned as true; filters match only 1', async () => {
      const [five, one, none] = [1, 2, 3].map((id) => ({ id, flag: id < 3 }));
      expect(await read('')).toEqual([five, one, none]);
      expect(await read('&filter[flag]=true')).toEqual([one]);
      expect(await read('&filter[flag]=false')).toEqual([none]);
    });
  },
);

const oddDates = {
  mariadb: ['0000-00-00', "set sql_mode = ''; insert into moment values (1, '0000-00-00')"],
  mysql: ['0000-00-00', "set sql_mode = ''; insert into moment values (1, '0000-00-00')"],
  postgres: ['infinity', "insert into moment values (1, 'infinity')"],
} as const;

describe.each(['mariadb', 'mysql', 'postgres'] as const)('invalid dates on %s', (dialect) => {
  const [odd, insert] = oddDates[dialect];
  const server = useServer({
    dialect,
    sql: `create table moment (id integer primary key, day date); ${insert};`,
  });

  it('are returned, and rejected in writes and filters', async () => {
    const asAdmin = { as: 'admin' };
    expect((await server().request('GET', '/items/moment', asAdmin)).data).toEqual([{ id: 1, day: odd }]);
    const found = await server().request('GET', `/items/moment?filter[day]=${odd}`, asAdmin);
    const written = await server().request('PATCH', '/items/moment/1', { ...asAdmin, body: { day: odd } });
    expect([found.codes, written.codes]).toEqual([['INVALID_QUERY'], ['FAILED_VALIDATION']]);
  });
});
