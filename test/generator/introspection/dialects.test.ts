import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { GeometryType } from '../../../contract/geometry.js';
import type { Catalog, Column, ColumnDefault, ColumnType } from '../../../generator/introspection/catalog.js';
import { introspect } from '../../../generator/introspection/index.js';
import { catalogReader, createTestDatabase, type TestDialect } from '../../databases.js';

type Want = [dbType: string, type: ColumnType, value?: ColumnDefault];

const readCatalog = async (name: string, dialect: TestDialect): Promise<Catalog> => {
  const file = fileURLToPath(new URL(`${name}.${dialect}.sql`, import.meta.url));
  const test = await createTestDatabase(dialect, { file });
  try {
    return await introspect(catalogReader(test.database), {});
  } finally {
    await test.drop();
  }
};

const readKinds = async (dialect: TestDialect): Promise<readonly Column[]> =>
  (await readCatalog('kinds', dialect)).tables[0]?.columns ?? [];

const summarize = (columns: readonly Column[]): Record<string, Want> =>
  Object.fromEntries(
    columns.map(({ name, dbType, type, default: value }): [string, Want] => [
      name.replace('c_', ''),
      value === null ? [dbType, type] : [dbType, type, value],
    ]),
  );

const literal = (value: string): ColumnDefault => ({ kind: 'literal', value });
const expression = (sql: string): ColumnDefault => ({ kind: 'expression', sql });
const geometry = (type: GeometryType | null, srid: number | null = null): ColumnType => ({
  kind: 'geometry',
  geometry: { type, srid },
});
const integer = (bits: 8 | 16 | 24 | 32 | 54 | 64, signed = true): ColumnType => ({
  kind: 'integer',
  bits,
  signed,
});

it('reads MariaDB types and defaults', async () => {
  const columns = await readKinds('mariadb');
  expect(summarize(columns)).toEqual({
    boolean: ['tinyint(1)', { kind: 'boolean' }, literal('1')],
    tinyint1_unsigned: ['tinyint(1) unsigned', { kind: 'boolean' }],
    tinyint: ['tinyint(4)', integer(8), literal('-5')],
    smallint_zerofill: ['smallint(5) unsigned zerofill', integer(16, false)],
    mediumint: ['mediumint(9)', integer(24)],
    int: ['int(11)', integer(32), expression('(1 + 2)')],
    int_unsigned: ['int(10) unsigned', integer(32, false)],
    bigint: ['bigint(20)', integer(64), literal('9007199254740993')],
    bigint_unsigned: ['bigint(20) unsigned', integer(64, false)],
    year: ['year(4)', integer(16, false), literal('2020')],
    bit1: ['bit(1)', { kind: 'boolean' }, literal('1')],
    bit10: ['bit(10)', { kind: 'binary', length: 2 }, expression("b'101'")],
    decimal: ['decimal(10,2) unsigned', { kind: 'decimal', precision: 10, scale: 2 }, literal('1.50')],
    float: ['float', { kind: 'float', bits: 32 }],
    double: ['double', { kind: 'float', bits: 64 }, literal('0.0000000001')],
    char: ['char(3)', { kind: 'string', length: 3 }, literal('')],
    varchar: ['varchar(50)', { kind: 'string', length: 50 }, literal('a\'b"c\\d\n\t%_')],
    binary_collation: ['varchar(10)', { kind: 'string', length: 10 }],
    tinytext: ['tinytext', { kind: 'text', length: 255 }],
    text: ['text', { kind: 'text', length: 65535 }, literal('größe')],
    mediumtext: ['mediumtext', { kind: 'text', length: 16777215 }],
    longtext: ['longtext', { kind: 'text', length: null }],
    binary: ['binary(4)', { kind: 'binary', length: 4 }, expression(String.raw`'ab\0\0'`)],
    varbinary: ['varbinary(5)', { kind: 'binary', length: 5 }],
    blob: ['blob', { kind: 'binary', length: 65535 }],
    longblob: ['longblob', { kind: 'binary', length: null }],
    date: ['date', { kind: 'date' }, literal('2020-02-03')],
    date_now: ['date', { kind: 'date' }, expression('curdate()')],
    time: ['time(2)', { kind: 'time', fraction: 2 }],
    datetime: ['datetime', { kind: 'dateTime', fraction: 0 }],
    datetime3: ['datetime(3)', { kind: 'dateTime', fraction: 3 }, expression('current_timestamp(3)')],
    timestamp: ['timestamp(6)', { kind: 'timestamp', fraction: 6 }],
    uuid: ['uuid', { kind: 'uuid' }, expression('uuid()')],
    inet4: ['inet4', { kind: 'string', length: 15 }],
    inet6: ['inet6', { kind: 'string', length: 45 }],
    json: ['json', { kind: 'json' }, literal('{"a": [1]}')],
    json_made: ['json', { kind: 'json' }, expression("json_object('a',1)")],
    json_checked: ['text', { kind: 'json' }],
    json_limited: ['longtext', { kind: 'text', length: null }],
    enum: [
      String.raw`enum('a','it''s','b,c','back\\slash','grün')`,
      { kind: 'enum', values: ['a', "it's", 'b,c', 'back\\slash', 'grün'] },
      literal("it's"),
    ],
    set: ["set('x','y')", { kind: 'set', values: ['x', 'y'] }, literal('x,y')],
    point: ['point', geometry('Point')],
    geometry: ['geometry', geometry(null)],
    invisible: ['int(11)', integer(32), literal('3')],
  });
  expect(columns.find(({ name }) => name === 'c_enum')).toMatchObject({
    nullable: false,
    comment: 'He said "it\'s"',
  });
});

it('reads MySQL types and defaults', async () => {
  const columns = await readKinds('mysql');
  expect(summarize(columns)).toEqual({
    boolean: ['tinyint(1)', { kind: 'boolean' }, literal('1')],
    tinyint1_unsigned: ['tinyint unsigned', integer(8, false)],
    tinyint: ['tinyint', integer(8), literal('-5')],
    smallint_zerofill: ['smallint(5) unsigned zerofill', integer(16, false)],
    mediumint: ['mediumint', integer(24)],
    int: ['int', integer(32), expression('(1 + 2)')],
    int_unsigned: ['int unsigned', integer(32, false)],
    bigint: ['bigint', integer(64), literal('9007199254740993')],
    bigint_unsigned: ['bigint unsigned', integer(64, false)],
    year: ['year', integer(16, false), literal('2020')],
    bit1: ['bit(1)', { kind: 'boolean' }, literal('1')],
    bit10: ['bit(10)', { kind: 'binary', length: 2 }, expression("b'101'")],
    decimal: ['decimal(10,2) unsigned', { kind: 'decimal', precision: 10, scale: 2 }, literal('1.50')],
    float: ['float', { kind: 'float', bits: 32 }],
    float_digits: ['float(7,3)', { kind: 'float', bits: 32 }],
    double: ['double', { kind: 'float', bits: 64 }, literal('0.0000000001')],
    null_word: ['varchar(9)', { kind: 'string', length: 9 }, literal('NULL')],
    char: ['char(3)', { kind: 'string', length: 3 }, literal('')],
    varchar: ['varchar(50)', { kind: 'string', length: 50 }, literal('a\'b"c\\d\n\t%_')],
    binary_collation: ['varchar(10)', { kind: 'string', length: 10 }],
    tinytext: ['tinytext', { kind: 'text', length: 255 }],
    text: ['text', { kind: 'text', length: 65535 }, literal('größe')],
    text_escaped: ['text', { kind: 'text', length: 65535 }, literal('it\'s \\ "quoted"\n€')],
    mediumtext: ['mediumtext', { kind: 'text', length: 16777215 }],
    longtext: ['longtext', { kind: 'text', length: null }],
    binary: ['binary(4)', { kind: 'binary', length: 4 }, expression('0x6162')],
    varbinary: ['varbinary(5)', { kind: 'binary', length: 5 }],
    blob: ['blob', { kind: 'binary', length: 65535 }],
    longblob: ['longblob', { kind: 'binary', length: null }],
    date: ['date', { kind: 'date' }, literal('2020-02-03')],
    date_now: ['date', { kind: 'date' }, expression('curdate()')],
    time: ['time(2)', { kind: 'time', fraction: 2 }],
    datetime: ['datetime', { kind: 'dateTime', fraction: 0 }],
    datetime3: ['datetime(3)', { kind: 'dateTime', fraction: 3 }, expression('CURRENT_TIMESTAMP(3)')],
    timestamp: ['timestamp(6)', { kind: 'timestamp', fraction: 6 }],
    uuid: ['char(36)', { kind: 'string', length: 36 }, expression('uuid()')],
    json: ['json', { kind: 'json' }, literal('{"a": [1]}')],
    json_made: ['json', { kind: 'json' }, expression("json_object(_utf8mb4'a',1)")],
    enum: [
      String.raw`enum('a','it''s','b,c','back\\slash','grün')`,
      { kind: 'enum', values: ['a', "it's", 'b,c', 'back\\slash', 'grün'] },
      literal("it's"),
    ],
    set: ["set('x','y')", { kind: 'set', values: ['x', 'y'] }, literal('x,y')],
    point: ['point', geometry('Point')],
    geometry: ['geometry', geometry(null, 4326)],
    collection: ['geomcollection', geometry('GeometryCollection')],
    vector: ['vector(3)', { kind: 'vector', length: 3 }],
    invisible: ['int', integer(32), literal('3')],
  });
  expect(columns.find(({ name }) => name === 'c_enum')).toMatchObject({
    nullable: false,
    comment: 'He said "it\'s"',
  });
});

it('reads MySQL indexes on expressions with non-ASCII text', async () => {
  const { tables } = await readCatalog('schema', 'mysql');
  expect(tables.find((table) => table.name === 'visit')?.indexes).toEqual([
    {
      name: 'visit_day',
      columns: [{ expression: "concat(`guest`,_utf8mb4'€')" }, 'seen'],
      unique: false,
    },
    { name: 'visit_guest', columns: [{ expression: 'lower(`guest`)' }], unique: true },
  ]);
});

it.each(['mariadb', 'mysql'] as const)(
  'reads %s columns with ON UPDATE and invisible columns',
  async (dialect) => {
    const columns = await readKinds(dialect);
    const renewed = columns.filter(({ onUpdate }) => onUpdate !== undefined);
    expect(renewed.map(({ name, onUpdate }) => [name, onUpdate?.toLowerCase()])).toEqual([
      ['c_datetime3', 'current_timestamp(3)'],
    ]);
    expect(columns.filter(({ invisible }) => invisible === true).map(({ name }) => name)).toEqual([
      'c_invisible',
    ]);
  },
);

it('reads SQLite types and defaults', async () => {
  expect(summarize(await readKinds('sqlite'))).toEqual({
    none: ['', { kind: 'unknown' }],
    int: ['INT', integer(54), expression('1 + 2')],
    integer: ['INTEGER', integer(54), literal('-5')],
    unsigned: ['INTEGER UNSIGNED', integer(54, false)],
    tinyint: ['TINYINT', integer(8)],
    tinyint1: ['TINYINT(1)', { kind: 'boolean' }, literal('1')],
    smallint: ['SMALLINT', integer(16)],
    bigint: ['BIGINT', integer(64), literal('9007199254740993')],
    big_unsigned: ['UNSIGNED BIG INT', integer(64, false)],
    int8: ['INT8', integer(64)],
    boolean: ['BOOLEAN', { kind: 'boolean' }, literal('0')],
    real: ['REAL', { kind: 'float', bits: 64 }, literal('1e-10')],
    float: ['FLOAT', { kind: 'float', bits: 64 }],
    double: ['DOUBLE PRECISION', { kind: 'float', bits: 64 }],
    numeric: ['NUMERIC', { kind: 'decimal', precision: null, scale: null }],
    decimal: ['DECIMAL(10, 2)', { kind: 'decimal', precision: 10, scale: 2 }, literal('1.50')],
    decimal_whole: ['decimal(8)', { kind: 'decimal', precision: 8, scale: 0 }],
    char: ['CHAR(36)', { kind: 'string', length: 36 }, literal('')],
    varchar: ['VARCHAR(50)', { kind: 'string', length: 50 }, literal('a\'b"c\\d')],
    nvarchar: ['NVARCHAR ( 160 )', { kind: 'string', length: 160 }, literal('quoted')],
    text: ['TEXT', { kind: 'text', length: null }, literal('bare')],
    clob: ['CLOB', { kind: 'text', length: null }],
    blob: ['BLOB', { kind: 'binary', length: null }, expression("x'00ff'")],
    varbinary: ['VARBINARY(5)', { kind: 'binary', length: 5 }],
    date: ['DATE', { kind: 'date' }, expression('CURRENT_DATE')],
    time: ['TIME(2)', { kind: 'time', fraction: 2 }],
    datetime: ['DATETIME', { kind: 'dateTime', fraction: 0 }, expression("datetime('now')")],
    timestamp: ['TIMESTAMP(3)', { kind: 'timestamp', fraction: 3 }, expression('current_timestamp')],
    uuid: ['UUID', { kind: 'uuid' }],
    json: ['JSON', { kind: 'json' }, literal('{"a": [1]}')],
    point: ['POINT', { kind: 'unknown' }],
    fancy: ['FANCY(3)', { kind: 'unknown' }],
  });
});

it('reads PostgreSQL types and defaults', async () => {
  const columns = await readKinds('postgres');
  expect(summarize(columns)).toEqual({
    boolean: ['boolean', { kind: 'boolean' }, literal('1')],
    smallint: ['smallint', integer(16), literal('-5')],
    int: ['integer', integer(32), expression('(1 + 2)')],
    bigint: ['bigint', integer(64), literal('9007199254740993')],
    numeric: ['numeric', { kind: 'decimal', precision: null, scale: null }],
    decimal: ['numeric(10,2)', { kind: 'decimal', precision: 10, scale: 2 }, literal('1.50')],
    rounded: ['numeric(3,-2)', { kind: 'decimal', precision: 5, scale: 0 }],
    real: ['real', { kind: 'float', bits: 32 }],
    double: ['double precision', { kind: 'float', bits: 64 }, literal('0.0000000001')],
    char: ['character(3)', { kind: 'string', length: 3 }, literal('')],
    varchar: ['character varying(50)', { kind: 'string', length: 50 }, literal('a\'b"c\\d\n')],
    endless: ['character varying', { kind: 'string', length: null }],
    text: ['text', { kind: 'text', length: null }, literal('größe')],
    citext: ['citext', { kind: 'text', length: null }],
    name: ['name', { kind: 'string', length: 63 }],
    bytea: ['bytea', { kind: 'binary', length: null }, expression(String.raw`'\x00ff'::bytea`)],
    date: ['date', { kind: 'date' }, literal('2020-02-03')],
    date_now: ['date', { kind: 'date' }, expression('CURRENT_DATE')],
    time: ['time(2) without time zone', { kind: 'time', fraction: 2 }],
    timetz: ['time with time zone', { kind: 'unknown' }],
    timestamp: ['timestamp without time zone', { kind: 'dateTime', fraction: 6 }],
    timestamp3: ['timestamp(3) without time zone', { kind: 'dateTime', fraction: 3 }, expression('now()')],
    timestamptz: [
      'timestamp(0) with time zone',
      { kind: 'timestamp', fraction: 0 },
      literal('2020-02-03 03:05:06'),
    ],
    interval: ['interval', { kind: 'string', length: null }, literal('P1D')],
    uuid: ['uuid', { kind: 'uuid' }, expression('gen_random_uuid()')],
    json: ['json', { kind: 'json' }, literal('{"a": [1]}')],
    jsonb: ['jsonb', { kind: 'json' }, literal('{}')],
    mood: [
      'mood',
      { kind: 'enum', values: ['sad', "it's", 'b,c', String.raw`back\slash`, 'grün'] },
      literal("it's"),
    ],
    posint: ['integer', integer(32), literal('7')],
    code: ['character varying(12)', { kind: 'string', length: 12 }, literal('x')],
    integers: ['integer[]', { kind: 'json', element: integer(32) }, expression("'{1,2}'::integer[]")],
    moods: ['mood[]', { kind: 'json', element: { kind: 'unknown' } }, expression("ARRAY['sad'::mood]")],
    matrix: ['numeric(4,1)[]', { kind: 'json', element: { kind: 'decimal', precision: null, scale: null } }],
    posints: ['integer[]', { kind: 'json', element: integer(32) }, expression("'{1,2}'::smallposint[]")],
    codes: ['character varying(12)[]', { kind: 'json', element: { kind: 'unknown' } }],
    lists: ['list[]', { kind: 'json', element: { kind: 'unknown' } }],
    inet: ['inet', { kind: 'string', length: 43 }, literal('127.0.0.1')],
    cidr: ['cidr', { kind: 'string', length: 43 }],
    macaddr: ['macaddr', { kind: 'string', length: 17 }],
    range: ['int4range', { kind: 'string', length: null }, literal('[1,5)')],
    ranges: ['tstzmultirange', { kind: 'string', length: null }],
    bit: ['bit(3)', { kind: 'string', length: 3 }, literal('101')],
    varbit: ['bit varying', { kind: 'string', length: null }],
    null: ['text', { kind: 'text', length: null }],
    pair: ['pair', { kind: 'unknown' }],
    point: ['point', { kind: 'unknown' }],
    money: ['money', { kind: 'unknown' }],
    xml: ['xml', { kind: 'unknown' }],
    tsvector: ['tsvector', { kind: 'unknown' }],
    always: ['bigint', integer(64)],
    serial: ['bigint', integer(64)],
  });
  const find = (name: string) => columns.find((column) => column.name === name);
  expect(find('c_mood')).toMatchObject({ nullable: false, comment: 'He said "it\'s"' });
  expect(find('c_posint')).toMatchObject({ nullable: false });
  const computed = { expression: '', stored: true };
  expect(find('c_always')).toMatchObject({ autoIncrement: true, default: null, generated: computed });
  expect(find('c_serial')).toMatchObject({ autoIncrement: true, default: null, generated: null });
});

it('reads PostgreSQL comments, partitioned tables, materialized views and sequence defaults', async () => {
  const { tables } = await readCatalog('schema', 'postgres');
  const find = (name: string) => tables.find((table) => table.name === name);
  expect(find('author')?.comment).toBe('People who\'write "books" größe');
  expect(find('author')?.columns[0]?.comment).toBe('counts');
  expect(find('visit')).toMatchObject({
    kind: 'table',
    columns: [
      {
        name: 'ticket',
        autoIncrement: false,
        default: { kind: 'expression', sql: "nextval('ticket'::regclass)" },
      },
      { name: 'guest', default: null },
    ],
  });
  expect(find('loan_count')).toMatchObject({
    kind: 'view',
    indexes: [{ name: 'loan_count_author', columns: ['author'], unique: false }],
  });
  expect(find('far')).toMatchObject({ foreignKeys: [] });
});

it.each(['mariadb', 'mysql'] as const)('reads the names of view columns in %s', async (dialect) => {
  const sql = 'create table t (` a` int, `b c` int); create view v as select * from t';
  const { database, drop } = await createTestDatabase(dialect, { sql });
  try {
    const { tables } = await introspect(catalogReader(database), {});
    const names = tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]);
    expect(names).toEqual([
      ['t', [' a', 'b c']],
      ['v', ['a', 'b c']],
    ]);
    await expect(database.query('select `a`, `b c` from v', [])).resolves.toEqual([]);
  } finally {
    await drop();
  }
});

it('reads MariaDB comments, system-versioned tables and sequence defaults', async () => {
  const { tables } = await readCatalog('schema', 'mariadb');
  const find = (name: string) => tables.find((table) => table.name === name);
  expect(find('author')?.comment).toBe('People who\'write "books" größe');
  expect(find('author')?.columns[0]?.comment).toBe('counts');
  expect(find('visit')?.columns).toMatchObject([
    { name: 'ticket', default: { kind: 'expression', sql: expect.stringContaining('nextval') } },
    { name: 'guest', default: null },
  ]);
});

it('reads SQLite table options, constraint keys and virtual tables', async () => {
  const { tables } = await readCatalog('schema', 'sqlite');
  const find = (name: string) => tables.find((table) => table.name === name);
  expect(find('author')?.options).toEqual({ autoincrement: true });
  expect(find('shelf')?.options).toEqual({ withoutRowid: true });
  expect(find('measure')?.options).toEqual({ strict: true });
  expect(find('measure')?.columns[0]).toMatchObject({ name: 'id', autoIncrement: false });
  expect(find('page')).toMatchObject({ primaryKey: ['book', 'number'], uniques: [], foreignKeys: [] });
  expect(find('note')?.columns).toMatchObject([{ name: 'body', type: { kind: 'unknown' } }]);
});
