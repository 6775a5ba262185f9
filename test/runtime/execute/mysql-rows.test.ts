import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { introspect } from '../../../generator/introspection/index.js';
import { columnToFacts } from '../../../generator/model/field-types.js';
import type { Field } from '../../../contract/collection.js';
import type { Token } from '../../../runtime/sql/select.js';
import { catalogReader, createTestDatabase, type TestDatabase } from '../../databases.js';

/** Column type → values as SQL spells them, and as they look on the wire. */
const columns: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  tinyint: { '-128': -128, '0': 0, '127': 127 },
  'tinyint unsigned': { '0': 0, '128': 128, '255': 255 },
  'tinyint(1)': { '0': false, '1': true, '-1': true, '7': true },
  smallint: { '-32768': -32_768, '32767': 32_767 },
  'smallint unsigned': { '32768': 32_768, '65535': 65_535 },
  mediumint: { '-8388608': -8_388_608, '8388607': 8_388_607 },
  'mediumint unsigned': { '8388608': 8_388_608, '16777215': 16_777_215 },
  int: { '-2147483648': -2_147_483_648, '-1': -1, '0': 0, '2147483647': 2_147_483_647 },
  'int unsigned': { '2147483648': 2_147_483_648, '4294967295': 4_294_967_295 },
  'int(8) zerofill': { '42': 42 },
  bigint: {
    '-9223372036854775808': '-9223372036854775808',
    '-1': '-1',
    '9007199254740993': '9007199254740993',
    '9223372036854775807': '9223372036854775807',
  },
  'bigint unsigned': {
    '9223372036854775808': '9223372036854775808',
    '18446744073709551615': '18446744073709551615',
  },
  'bit(1)': { "b'0'": false, "b'1'": true },
  'bit(9)': { "b'0'": 'AAA=', "b'111111111'": 'Af8=' },
  'bit(64)': { "b'1'": 'AAAAAAAAAAE=', '18446744073709551615': '//////////8=' },
  year: { '1901': 1901, '2155': 2155, "'0000'": 0 },
  'decimal(10,2)': {
    '0': '0.00',
    '-0.01': '-0.01',
    '99999999.99': '99999999.99',
    '-99999999.99': '-99999999.99',
  },
  'decimal(65,0)': { [`${'9'.repeat(65)}`]: '9'.repeat(65) },
  'decimal(6,2) unsigned': { '12.3': '12.30' },
  float: {
    '0': 0,
    '0.1': 0.1,
    '-1.5': -1.5,
    '16777216': 16_777_216,
    '3.40282e38': 3.402_82e38,
    '1.17549e-38': 1.175_49e-38,
  },
  double: {
    '0.1': 0.1,
    '-0.0': 0,
    '1.7976931348623157e308': 1.797_693_134_862_315_7e308,
    '2.2250738585072014e-308': 2.225_073_858_507_201_4e-308,
    '123456789012345680': 123_456_789_012_345_680,
  },
  date: {
    "'1000-01-01'": '1000-01-01',
    "'9999-12-31'": '9999-12-31',
    "'2024-02-29'": '2024-02-29',
    "'0000-00-00'": '0000-00-00',
    "'2024-00-00'": '2024-00-00',
  },
  datetime: {
    "'1000-01-01 00:00:00'": '1000-01-01T00:00:00',
    "'9999-12-31 23:59:59'": '9999-12-31T23:59:59',
    "'2024-01-02 03:04:05.4'": '2024-01-02T03:04:05',
    "'0000-00-00 00:00:00'": '0000-00-00T00:00:00',
  },
  'datetime(3)': {
    "'2024-01-02 03:04:05'": '2024-01-02T03:04:05.000',
    "'2024-01-02 00:00:00'": '2024-01-02T00:00:00.000',
    "'2024-01-02 03:04:05.0071'": '2024-01-02T03:04:05.007',
  },
  'datetime(6)': {
    "'2024-01-02 03:04:05.000001'": '2024-01-02T03:04:05.000001',
    "'9999-12-31 23:59:59.999999'": '9999-12-31T23:59:59.999999',
  },
  'timestamp null': {
    "'1970-01-01 00:00:01'": '1970-01-01T00:00:01Z',
    "'2038-01-19 03:14:07'": '2038-01-19T03:14:07Z',
    "'0000-00-00 00:00:00'": '0000-00-00T00:00:00Z',
  },
  'timestamp(6) null': { "'2024-01-02 03:04:05.12'": '2024-01-02T03:04:05.120000Z' },
  time: {
    "'00:00:00'": '00:00:00',
    "'23:59:59'": '23:59:59',
    "'-00:00:01'": '-00:00:01',
    "'100:00:00'": '100:00:00',
    "'-838:59:59'": '-838:59:59',
    "'838:59:59'": '838:59:59',
    "'24:00:00'": '24:00:00',
  },
  'time(6)': {
    "'00:00:00'": '00:00:00.000000',
    "'-12:34:56.000789'": '-12:34:56.000789',
    "'838:59:58.999999'": '838:59:58.999999',
  },
  'char(3)': { "''": '', "'a'": 'a', "'𝄞é€'": '𝄞é€' },
  'varchar(50)': {
    "''": '',
    "'a '": 'a ',
    "'\"\\\\/\\n\\0\\t'": '"\\/\n\0\t',
    "'𝄞'": '𝄞',
    "repeat('x', 50)": 'x'.repeat(50),
  },
  'varchar(20) character set latin1': { "'Zoë'": 'Zoë' },
  'varchar(20) character set ucs2': { "'Zoë'": 'Zoë' },
  'varchar(20) collate utf8mb4_bin': { "'Zoë'": 'Zoë' },
  tinytext: { "'a'": 'a' },
  text: { [`repeat('ä', 200)`]: 'ä'.repeat(200), "repeat('x', 65535)": 'x'.repeat(65_535) },
  mediumtext: { "repeat('\"', 65536)": '"'.repeat(65_536), "repeat('x', 100000)": 'x'.repeat(100_000) },
  longtext: { "''": '', "repeat('é', 1000000)": 'é'.repeat(1_000_000) },
  json: {
    '\'{"a": [1, 2.50, null]}\'': { a: [1, 2.5, null] },
    '\'"text"\'': 'text',
    "'null'": null,
    "' 5 '": 5,
    "'{}'": {},
  },
  'binary(4)': { "'ab'": 'YWIAAA==', '0xfffefdfc': '//79/A==' },
  'varbinary(300)': {
    "''": '',
    '0x00': 'AA==',
    'repeat(0xff, 300)': Buffer.alloc(300, 255).toString('base64'),
  },
  blob: { '0x000102': 'AAEC' },
  mediumblob: { 'repeat(0xfe, 70000)': Buffer.alloc(70_000, 254).toString('base64') },
  "enum('a','b c','it''s','€')": { "'a'": 'a', "'b c'": 'b c', "'it''s'": "it's", "'€'": '€', '0': '' },
  "set('x','y','z')": { "''": [], "'x'": ['x'], "'z,x'": ['x', 'z'] },
};

/** Types that one of the two has alone. */
const ownColumns: Readonly<Record<'mariadb' | 'mysql', typeof columns>> = {
  mariadb: {
    'decimal(38,38)': { [`0.${'1'.repeat(38)}`]: `0.${'1'.repeat(38)}` },
    uuid: {
      "'123E4567-E89B-12D3-A456-426614174000'": '123e4567-e89b-12d3-a456-426614174000',
      "'00000000-0000-0000-0000-000000000000'": '00000000-0000-0000-0000-000000000000',
    },
    inet4: { "'255.1.0.10'": '255.1.0.10' },
    inet6: {
      "'::'": '::',
      "'2001:db8::ff00:42:8329'": '2001:db8::ff00:42:8329',
      "'::ffff:1.2.3.4'": '::ffff:1.2.3.4',
    },
  },
  mysql: {
    'vector(2)': { "to_vector('[1,2]')": [1, 2] },
    point: {
      'point(1, 2)': { type: 'Point', coordinates: [1, 2], crs: null },
      "st_geomfromtext('POINT(50 8)', 4326)": { type: 'Point', coordinates: [8, 50] },
    },
  },
};

const entriesOf = (dialect: 'mariadb' | 'mysql') =>
  Object.entries({ ...columns, ...ownColumns[dialect] }).map(([type, values], index) => ({
    type,
    name: `t${index}`,
    values,
  }));

/** In sessions that let strange dates and enum values pass. */
const scriptOf = (entries: ReturnType<typeof entriesOf>): string =>
  [
    "set names utf8mb4, sql_mode = ''",
    ...entries.flatMap(({ type, name, values }) => [
      `create table ${name} (id int primary key, v ${type})`,
      ...['null', ...Object.keys(values)].map(
        (literal, id) => `insert into ${name} values (${id}, ${literal})`,
      ),
    ]),
  ].join(';\n');

const text = (literal: string): Token => ({ kind: 'literal', bytes: Buffer.from(literal) });

describe.each(['mariadb', 'mysql'] as const)('rows of %s', (dialect) => {
  const entries = entriesOf(dialect);
  let place: TestDatabase;
  let fields: ReadonlyMap<string, Field>;

  beforeAll(async () => {
    place = await createTestDatabase(dialect, { sql: scriptOf(entries) });
    const catalog = await introspect(catalogReader(place.database), {});
    fields = new Map(
      catalog.tables.map(({ name, columns: [, column] }) => {
        if (column === undefined) throw new Error(`${name} has no second column`);
        return [name, { name: 'v', type: columnToFacts(column.type).type }];
      }),
    );
  });

  afterAll(() => place.drop());

  const read = async (statement: string, tokens: readonly Token[]): Promise<unknown> => {
    const { rows } = await place.database.rows(
      { text: statement, values: [] },
      { tokens, keyColumns: 0, limit: Number.POSITIVE_INFINITY },
    );
    return JSON.parse(`[${rows.bytes.toString()}]`);
  };

  it.each(entries)('are written as JSON: $type', async ({ name, values }) => {
    const field = fields.get(name) as Field;
    expect(await read(`select v from ${name} order by id`, [{ kind: 'value', field }])).toEqual([
      null,
      ...Object.values(values),
    ]);
  });

  it.each(entries)(
    'keep their neighbours when a value is shown, concealed or skipped: $type',
    async ({ name, values }) => {
      const field = fields.get(name) as Field;
      const id: Field = { name: 'id', type: 'integer' };
      const rows = await read(`select id, v, id, v, v, id from ${name} order by id`, [
        text('['),
        { kind: 'value', field: id },
        text(','),
        { kind: 'value', field },
        text(','),
        { kind: 'value', field: id },
        text(','),
        { kind: 'value', field: { ...field, conceal: true } },
        text(','),
        { kind: 'one', isShared: false, skipTokens: 3, skipColumns: 1 },
        text('"'),
        { kind: 'value', field: id },
        text('"'),
        text(']'),
      ]);
      const all = [null, ...Object.values(values)];
      const isNull = ['null', ...Object.keys(values)].map((literal) => literal === 'null');
      expect(rows).toEqual(
        all.map((value, index) => [
          index,
          value,
          index,
          isNull[index] ? null : '**********',
          isNull[index] ? null : String(index),
        ]),
      );
    },
  );

  it.each(entries)('can begin with a value that marks a related row: $type', async ({ name, values }) => {
    const field = fields.get(name) as Field;
    const id: Field = { name: 'id', type: 'integer' };
    const rows = await read(`select v, id, id from ${name} order by id`, [
      text('['),
      { kind: 'one', isShared: true, skipTokens: 5, skipColumns: 2 },
      text('['),
      { kind: 'value', field },
      text(','),
      { kind: 'value', field: id },
      text(']'),
      text(','),
      { kind: 'value', field: id },
      text(']'),
    ]);
    const isNull = ['null', ...Object.keys(values)].map((literal) => literal === 'null');
    expect(rows).toEqual(
      [null, ...Object.values(values)].map((value, index) => [isNull[index] ? null : [value, index], index]),
    );
  });

  it.each([
    ['date', "'2024-02-29'", '2024-02-29'],
    ['datetime', "'2024-02-29 01:02:03'", '2024-02-29 01:02:03'],
    ['datetime(3)', "'2024-02-29 01:02:03.004'", '2024-02-29 01:02:03.004000'],
    ['time', "'-01:02:03'", '-01:02:03'],
    ['time(2)', "'100:00:00.5'", '100:00:00.50'],
    ['decimal(5,2)', '1.5', '1.50'],
    ['bigint unsigned', '18446744073709551615', '18446744073709551615'],
    ['tinyint(1)', '1', '1'],
    ['year', '2024', '2024'],
    ['double', '0.1', '0.1'],
    ['varchar(9)', "'a,b'", 'a,b'],
  ])('have keys with parts of type %s: %s', async (type, literal, want) => {
    const value = `cast_${type.replaceAll(/\W/g, '_')}`;
    const part: Field = { name: 'v', type: 'string' };
    await place.execute(`create table ${value} (v ${type}); insert into ${value} values (${literal})`);
    expect(await read(`select v, 7, v from ${value}`, [{ kind: 'key', fields: [part, part, part] }])).toEqual(
      [[want, '7', want].map(encodeURIComponent).join()],
    );
  });

  it('can have any length around the limits of the protocol', async () => {
    const lengths = [0, 1, 250, 251, 252, 65_535, 65_536, 16_777_215 - 20];
    const field: Field = { name: 'v', type: 'text' };
    for (const length of lengths) {
      const found = await read(`select repeat('x', ${length}) as v`, [{ kind: 'value', field }]);
      expect((found as string[])[0]?.length).toBe(length);
    }
  });

  it('can take more than one packet', async () => {
    const field: Field = { name: 'v', type: 'text' };
    const found = await read("select repeat('x', 9000000) as a, repeat('é', 4500000) as b, 7 as c", [
      { kind: 'value', field },
      text(','),
      { kind: 'value', field },
      text(','),
      { kind: 'value', field: { name: 'c', type: 'integer' } },
    ]);
    const [first, second, third] = found as [string, string, number];
    expect([first === 'x'.repeat(9_000_000), second === 'é'.repeat(4_500_000), third]).toEqual([
      true,
      true,
      7,
    ]);
  });

  it('can have many columns with nulls', async () => {
    const width = 40;
    const field: Field = { name: 'v', type: 'integer' };
    const tokens = Array.from({ length: width }, (_, index): Token[] => [
      text(index === 0 ? '[' : ','),
      { kind: 'value', field },
    ]).flat();
    for (let hole = 0; hole < width; hole += 1) {
      const columnsOfRow = Array.from({ length: width }, (_, index) =>
        index === hole ? 'null' : String(index),
      );
      const row = await read(`select ${columnsOfRow.join(', ')}`, [...tokens, text(']')]);
      expect(row).toEqual([columnsOfRow.map((text) => JSON.parse(text) as unknown)]);
    }
  });
});
