/** Every column type of every database: what a column of it holds, and what may be asked of it. */
import type { TestDialect } from '../../databases.js';
import { epsg, geo, geometries, triangle } from './geometries.js';
import { base64, bytes, equal, json, largeText, opaque, ordered, spelled, truth, words } from './kinds.js';
import type { ColumnKinds } from './kinds.js';
import { postgresKinds, postgresSetup } from './postgres.js';

const integers: ColumnKinds = {
  smallint: ordered(-32_768, 0, 32_767),
  int: ordered(-2_147_483_648, -1, 0, 2_147_483_647),
  bigint: ordered('-9223372036854775808', '0', '9007199254740993', '9223372036854775807'),
};

const moments: ColumnKinds = {
  date: ordered('1000-01-01', '2024-02-29', '9999-12-31'),
  time: ordered('00:00:00', '12:34:56', '23:59:59'),
  'time(6)': ordered('00:00:00.000001', '12:34:56.700000'),
  datetime: ordered('1000-01-01T00:00:00', '2024-02-29T12:34:56', '9999-12-31T23:59:59'),
  'datetime(3)': ordered('2024-02-29T12:34:56.007', '2024-02-29T12:34:56.100'),
  'timestamp null': ordered('1970-01-01T00:00:01Z', '2024-02-29T12:34:56Z', '2038-01-19T03:14:07Z'),
  'timestamp(6) null': ordered('2024-02-29T12:34:56.000001Z', '2024-02-29T12:34:57.000000Z'),
};

const mysqlFamily: ColumnKinds = {
  ...integers,
  ...moments,
  boolean: truth,
  tinyint: ordered(-128, 0, 127),
  'tinyint unsigned': ordered(0, 128, 255),
  'smallint unsigned': ordered(0, 65_535),
  mediumint: ordered(-8_388_608, 8_388_607),
  'mediumint unsigned': ordered(0, 16_777_215),
  'int unsigned': ordered(0, 4_294_967_295),
  'int(8) zerofill': ordered(0, 42, 4_294_967_295),
  'bigint unsigned': ordered('0', '9223372036854775808', '18446744073709551615'),
  'bit(1)': truth,
  'bit(10)': equal(base64(0, 0), base64(0, 255), base64(3, 255)),
  'bit(64)': equal(base64(0, 0, 0, 0, 0, 0, 0, 1), base64(255, 255, 255, 255, 255, 255, 255, 255)),
  year: ordered(1901, 2024, 2155),
  'decimal(10,2)': ordered('-99999999.99', '-0.01', '0.00', '99999999.99'),
  'decimal(65,0)': ordered(`-${'9'.repeat(65)}`, '0', '9'.repeat(65)),
  'decimal(38,30)': ordered(`0.${'0'.repeat(29)}1`, `12345678.${'1'.repeat(30)}`),
  'decimal(6,2) unsigned': ordered('0.00', '1234.50'),
  float: ordered(-1.5, 0, 0.1, 3.402_82e38),
  'float(7,3)': ordered(-1.5, 0.125, 1234.567),
  double: ordered(-1.5, 0, 0.1, 1.797_693_134_862_315_7e308),
  'double(10,2)': ordered(-0.5, 12.34),
  'char(30)': words,
  'varchar(50)': words,
  'varchar(50) character set latin1': equal('a', 'zoë'),
  'varchar(50) collate utf8mb4_bin': equal('B', 'a', 'b', 'ä'),
  tinytext: words,
  text: largeText(30_000),
  mediumtext: largeText(70_000),
  longtext: largeText(70_000),
  'binary(4)': equal(base64(0, 0, 0, 1), base64(97, 98, 0, 0), base64(255, 254, 253, 252)),
  'varbinary(300)': bytes,
  tinyblob: bytes,
  blob: bytes,
  mediumblob: bytes,
  longblob: bytes,
  json,
  "enum('b','a','it''s','€')": equal('b', 'a', "it's", '€'),
  "set('x','y','z')": opaque([], ['x'], ['y'], ['x', 'y'], ['x', 'z']),
  ...geometries,
};

export const columnKinds: Readonly<Record<TestDialect, ColumnKinds>> = {
  sqlite: {
    ...integers,
    ...moments,
    boolean: truth,
    real: ordered(-1.5, 0, 0.1, 1.797_693_134_862_315_7e308),
    'decimal(10,2)': ordered('-99999999.99', '-0.01', '0.00', '99999999.99'),
    'varchar(50)': words,
    text: largeText(70_000),
    blob: bytes,
    uuid: equal('00000000-0000-0000-0000-000000000000', '123e4567-e89b-12d3-a456-426614174000'),
    json,
    oddity: spelled('odd', 'a b'),
  },
  mariadb: {
    ...mysqlFamily,
    uuid: equal('00000000-0000-0000-0000-000000000000', '123e4567-e89b-12d3-a456-426614174000'),
    inet4: equal('1.2.3.4', '255.1.0.10'),
    inet6: equal('::', '2001:db8::ff00:42:8329'),
  },
  mysql: {
    ...mysqlFamily,
    'point srid 4326': opaque(geo('Point', [8.5, 50.25]), geo('Point', [180, -90])),
    'point srid 0': opaque({ ...geo('Point', [1e300, -0.125]), crs: null }),
    'polygon srid 3857': opaque({ ...geo('Polygon', [triangle]), crs: epsg(3857) }),
    'vector(3)': opaque([1, 0.1, -3.402_82e38], [0, 1.4013e-45], [5]),
    vector: opaque(Array.from({ length: 2048 }, (_, index) => index / 4)),
  },
  postgres: postgresKinds,
};

/** DDL that runs before that of tables. */
export const setups: Readonly<Partial<Record<TestDialect, string>>> = { postgres: postgresSetup };
