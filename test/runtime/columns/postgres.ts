/** Every column type of PostgreSQL. */
import { base64, bytes, equal, json, largeText, opaque, ordered, spelled, truth, words } from './kinds.js';
import type { ColumnKinds } from './kinds.js';

/** DDL of custom types, which runs before that of tables. */
export const postgresSetup = `
create extension citext;
create type mood as enum ('b', 'a', 'it''s', '€');
create type pair as (a integer, b text);
create type floats as range (subtype = float8);
create domain posint as integer check (value > 0);
create domain smallposint as posint check (value < 100);
create domain bigposint as bigint check (value > 0);
create domain hash as bytea;
create domain pairs as integer[];
create domain moody as mood;
`;

const uuids = equal('00000000-0000-0000-0000-000000000000', '123e4567-e89b-12d3-a456-426614174000');

export const postgresKinds: ColumnKinds = {
  boolean: truth,
  smallint: ordered(-32_768, 0, 32_767),
  integer: ordered(-2_147_483_648, -1, 0, 2_147_483_647),
  bigint: ordered('-9223372036854775808', '0', '9007199254740993', '9223372036854775807'),
  numeric: ordered('-99999999999999999999.5', '0', '0.000000000000000000001', '99999999999999999999'),
  'numeric(10,2)': ordered('-99999999.99', '-0.01', '0.00', '99999999.99'),
  'numeric(3,-2)': ordered('-1200', '0', '99900'),
  real: ordered(-1.5, 0, 0.1, 3.402_82e38),
  'double precision': ordered(-1.5, 0, 0.1, 1.797_693_134_862_315_7e308),
  '"char"': equal('a', 'b'),
  'char(30)': words,
  'varchar(50)': words,
  varchar: words,
  name: equal('a', 'b c'),
  text: largeText(70_000),
  citext: equal('a', 'B', 'c'),
  bytea: bytes,
  date: ordered('0000-12-31', '0999-01-01', '2024-02-29', '9999-12-31'),
  time: ordered('00:00:00', '12:34:56', '23:59:59.5'),
  'time(2)': ordered('00:00:00.00', '12:34:56.70'),
  timestamp: ordered('0000-01-01T00:00:00', '2024-02-29T12:34:56', '2024-02-29T12:34:56.000001'),
  'timestamp(0)': ordered('1000-01-01T00:00:00', '9999-12-31T23:59:59'),
  'timestamp(3)': ordered('2024-02-29T12:34:56.007', '2024-02-29T12:34:56.100'),
  timestamptz: ordered('1970-01-01T00:00:01Z', '2038-01-19T03:14:07Z', '2038-01-19T03:14:07.25Z'),
  'timestamptz(0)': ordered('1970-01-01T00:00:01Z', '2038-01-19T03:14:08Z'),
  interval: equal('PT0S', 'PT1H30M', 'P1DT2H', 'P1Y2M'),
  uuid: uuids,
  json,
  jsonb: json,
  mood: equal('b', 'a', "it's", '€'),
  moody: equal('b', 'a', "it's", '€'),
  smallposint: ordered(1, 50, 99),
  inet: equal('10.0.0.0/8', '10.0.0.1', '::1', '2001:db8::/32'),
  cidr: equal('10.0.0.0/8', '10.1.0.0/16', '2001:db8::/32'),
  macaddr: equal('08:00:2b:01:02:03', '08:00:2b:01:02:04'),
  macaddr8: equal('08:00:2b:ff:fe:01:02:03', '08:00:2b:ff:fe:01:02:04'),
  'bit(3)': equal('000', '101', '111'),
  'bit varying(5)': equal('', '0', '10101'),
  int4range: equal('empty', '(,0)', '[1,5)', '[1,)'),
  numrange: equal('[0.5,1.5]', '(1,2)'),
  daterange: equal('[2020-01-01,2020-02-01)', '[2021-01-01,)'),
  int8range: equal('[1,9007199254740994)', '[2,)'),
  tsrange: equal('["2020-01-01 00:00:00","2020-02-01 00:00:00")'),
  tstzrange: equal('["2020-01-01 00:00:00+00","2020-02-01 00:00:00+00")'),
  floats: equal('[0.5,1)', '[1,2)'),
  nummultirange: equal('{}', '{[0.5,1.5]}'),
  int4multirange: equal('{}', '{[1,2),[5,9)}'),
  'integer[]': opaque(
    [],
    [1, null, -2],
    [
      [1, 2],
      [3, 4],
    ],
  ),
  'bigint[]': opaque(['9007199254740993']),
  'numeric(5,1)[]': opaque(['1.5', '100.0']),
  'double precision[]': opaque([0.1, 1e300]),
  'boolean[]': opaque([true, false, null]),
  'text[]': opaque(['', 'a b', 'NULL', '{x},"y"\\', 'zoë'], ['x']),
  'mood[]': opaque(['b', "it's"]),
  'jsonb[]': opaque([{ a: 1 }, [1, 2], 'text', null]),
  'bytea[]': opaque([base64(0, 1, 255), '', null], [[base64(92, 120)], [base64(34, 123)]]),
  'hash[]': opaque([base64(0, 1, 255)]),
  'smallposint[]': opaque([5, null], [[1], [2]]),
  'bigposint[]': opaque(['9007199254740993']),
  pairs: opaque([1, 2]),
  'pairs[]': opaque(['{1,2}', null]),
  'char(5)[]': opaque(['ab', '', 'abcde']),
  'time(2)[]': opaque(['12:34:56.70', '00:00:00.00']),
  'timestamp[]': opaque(['2024-02-29T12:34:56']),
  'timestamp(0)[]': opaque(['2024-02-29T12:34:56']),
  'timestamptz[]': opaque(['2024-02-29T12:34:56Z', '2024-02-29T12:34:56.25Z', '0000-02-29T12:34:56Z']),
  'timestamptz(3)[]': opaque(['2024-02-29T12:34:56.500Z', '2024-02-29T12:34:56.000Z', null]),
  'date[]': opaque(['2024-02-29', '0000-12-31']),
  'uuid[]': opaque(['123e4567-e89b-12d3-a456-426614174000']),
  'interval[]': opaque(['P1DT2H', null]),
  'inet[]': opaque(['10.0.0.0/8', '::1']),
  'int4range[]': opaque(['[1,5)', 'empty']),
  'point[]': opaque(['(1,2)', '(0.1,1e+300)']),
  'box[]': opaque(['(1,1),(0,0)', '(2,2),(1,1)']),
  timetz: spelled('12:34:56+02', '00:00:00.5-11:30'),
  money: spelled('$12.34', '-$1,234.50'),
  xml: spelled('<a>b</a>', 'text'),
  tsvector: spelled("'a' 'cat' 'fat'", "'x':3A,5"),
  tsquery: spelled("'fat' & !'rat'"),
  pair: spelled('(1,"x y")', '(,)'),
  point: spelled('(1,2)', '(8.125,1e-300)'),
  line: spelled('{1,-1,0.5}'),
  lseg: spelled('[(0,0),(1,1)]'),
  box: spelled('(1,1),(0,0)'),
  path: spelled('((0,0),(1,1))', '[(0,0),(1,1)]'),
  polygon: spelled('((0,0),(1,1),(2,0))'),
  circle: spelled('<(1,2),0.5>'),
  oid: spelled('42', '4294967295'),
  xid8: spelled('18446744073709551615'),
  pg_lsn: spelled('16/B374D848'),
  jsonpath: spelled('$."a"[*]?(@ > 1)'),
};
