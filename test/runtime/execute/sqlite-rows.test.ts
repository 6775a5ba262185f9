import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { introspect } from '../../../generator/introspection/index.js';
import { columnToFacts } from '../../../generator/model/field-types.js';
import type { Field } from '../../../contract/collection.js';
import type { Token } from '../../../runtime/sql/select.js';
import { catalogReader, createTestDatabase, type TestDatabase } from '../../databases.js';

/** Declared type → values as SQL spells them, and as they look on the wire. A column may hold what it does not promise. */
const columns: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  integer: {
    '0': 0,
    '-1': -1,
    '2147483647': 2_147_483_647,
    '9007199254740991': 9_007_199_254_740_991,
    '1.5': 1.5,
    "'text'": 'text',
  },
  smallint: { '-32768': -32_768, "'12'": 12 },
  bigint: {
    '9007199254740993': '9007199254740993',
    '-9223372036854775808': '-9223372036854775808',
    '9223372036854775807': '9223372036854775807',
  },
  boolean: { '0': false, '1': true, "'1'": true },
  real: { '0.1': 0.1, '-0.0': 0, '1e308': 1e308, '5': 5, '9e999': 'Infinity', "'text'": 'text' },
  'decimal(10,2)': {
    '0': '0.00',
    '12.3': '12.30',
    '-0.01': '-0.01',
    '99999999.99': '99999999.99',
    "'7'": '7.00',
  },
  numeric: { '12.5': '12.5', '7': '7', '9007199254740993': '9007199254740993' },
  'varchar(50)': {
    "''": '',
    "'a '": 'a ',
    "'\"\\/' || char(10, 9, 1)": '"\\/\n\t\u0001',
    "'𝄞é€'": '𝄞é€',
    '5': '5',
  },
  text: { "replace(hex(zeroblob(50000)), '00', 'é')": 'é'.repeat(50_000) },
  date: { "'2024-02-29'": '2024-02-29' },
  time: { "'23:59:59'": '23:59:59' },
  datetime: {
    "'2024-01-02 03:04:05'": '2024-01-02T03:04:05',
    "'2024-01-02T03:04:05'": '2024-01-02T03:04:05',
    '0': '1970-01-01T00:00:00',
    '1704164645': '2024-01-02T03:04:05',
  },
  timestamp: {
    "'2024-01-02 03:04:05'": '2024-01-02T03:04:05Z',
    "'2024-01-02T03:04:05Z'": '2024-01-02T03:04:05Z',
    "'2024-01-02 03:04:05.123'": '2024-01-02T03:04:05.123Z',
  },
  uuid: { "'123e4567-e89b-12d3-a456-426614174000'": '123e4567-e89b-12d3-a456-426614174000' },
  json: {
    '\'{"a": [1, 2.50, null]}\'': { a: [1, 2.5, null] },
    "'null'": null,
    "'not json'": 'not json',
    '5': 5,
  },
  blob: { "x''": '', "x'00ff'": 'AP8=', "'text'": 'dGV4dA==' },
};

const entries = Object.entries(columns).map(([type, values], index) => ({ type, name: `t${index}`, values }));

const script = entries
  .flatMap(({ type, name, values }) => [
    `create table ${name} (id integer primary key, v ${type})`,
    ...['null', ...Object.keys(values)].map(
      (literal, id) => `insert into ${name} values (${id}, ${literal})`,
    ),
  ])
  .join(';\n');

describe('rows of SQLite', () => {
  let place: TestDatabase;
  let fields: ReadonlyMap<string, Field>;

  beforeAll(async () => {
    place = await createTestDatabase('sqlite', { sql: script });
    const catalog = await introspect(catalogReader(place.database), {});
    fields = new Map(
      catalog.tables.map(({ name, columns: [, column] }) => {
        if (column === undefined) throw new Error(`${name} has no second column`);
        const { type, scale } = columnToFacts(column.type);
        return [name, { name: 'v', type, ...(scale === null ? {} : { scale }) }];
      }),
    );
  });

  afterAll(() => place.drop());

  const read = async (statement: string, tokens: readonly Token[]): Promise<unknown> => {
    const layout = { tokens, keyColumns: 0, limit: Number.POSITIVE_INFINITY };
    const { rows } = await place.database.rows({ text: statement, values: [] }, layout);
    return JSON.parse(`[${rows.bytes.toString()}]`);
  };

  it.each(entries)('are written as JSON: $type', async ({ name, values }) => {
    const field = fields.get(name) as Field;
    expect(await read(`select v from ${name} order by id`, [{ kind: 'value', field }])).toEqual([
      null,
      ...Object.values(values),
    ]);
  });

  it.each(entries)('are masked if concealed: $type', async ({ name, values }) => {
    const field: Field = { ...(fields.get(name) as Field), conceal: true };
    expect(await read(`select v from ${name} order by id`, [{ kind: 'value', field }])).toEqual([
      null,
      ...Object.keys(values).map(() => '**********'),
    ]);
  });

  it('have lists for comma-separated texts', async () => {
    const field: Field = { name: 'v', type: 'csv' };
    expect(await read("select 'a,b' union all select ''", [{ kind: 'value', field }])).toEqual([
      ['a', 'b'],
      [],
    ]);
  });

  it('join the parts of a key, and skip a missing related row', async () => {
    const number: Field = { name: 'v', type: 'integer' };
    const part: Field = { name: 'v', type: 'string' };
    expect(await read("select 1, 'a', '2024-02-29'", [{ kind: 'key', fields: [part, part, part] }])).toEqual([
      '1,a,2024-02-29',
    ]);
    const tokens: Token[] = [
      { kind: 'one', isShared: false, skipTokens: 1, skipColumns: 1 },
      { kind: 'value', field: number },
    ];
    expect(await read('select null, 5 union all select 1, 6', tokens)).toEqual([null, 6]);
    const shared: Token[] = [
      { kind: 'one', isShared: true, skipTokens: 1, skipColumns: 1 },
      { kind: 'value', field: number },
    ];
    expect(await read('select null union all select 6', shared)).toEqual([null, 6]);
  });
});
