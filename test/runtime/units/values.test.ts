import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Field, FieldType } from '../../../runtime/collection.js';
import { keptValue, readValue } from '../../../runtime/plan/values.js';

type Options = Partial<Omit<Field, 'name' | 'type'>>;

/** The canonical value, or the problem. */
const read = (type: FieldType, value: unknown, options: Options = {}): unknown => {
  const result = readValue({ name: 'x', type, ...options }, value);
  return result.ok ? result.value : { problem: result.problem };
};

const wrong = { problem: 'type' };
const outside = { problem: 'range' };
const tooLong = { problem: 'length' };

type Row = readonly [value: unknown, want: unknown, options?: Options];

const tables: Readonly<Record<string, readonly [FieldType, readonly Row[]]>> = {
  'a text': [
    'string',
    [
      ['', ''],
      [' a ', ' a '],
      ['𝄞𝄞', '𝄞𝄞', { length: 2 }],
      ['𝄞𝄞𝄞', tooLong, { length: 2 }],
      ['e\u0301', tooLong, { length: 1 }],
      ['\ud834', '\ud834', { length: 1 }],
      ['a', 'a', { values: ['a', 'b'] }],
      ['A', wrong, { values: ['a', 'b'] }],
      [1, wrong],
      [true, wrong],
      [{}, wrong],
      [['a'], wrong],
    ],
  ],
  'a whole number': [
    'integer',
    [
      [0, 0],
      [-0, -0],
      ['12', 12],
      [' +12 ', 12],
      ['1e3', 1000],
      ['1.0', 1],
      [2_147_483_647, 2_147_483_647],
      [2_147_483_648, outside],
      [-2_147_483_648, -2_147_483_648],
      [-2_147_483_649, outside],
      [127, 127, { bits: 8 }],
      [128, outside, { bits: 8 }],
      [255, 255, { bits: 8, unsigned: true }],
      [-1, outside, { bits: 8, unsigned: true }],
      [8_388_607, 8_388_607, { bits: 24 }],
      [8_388_608, outside, { bits: 24 }],
      [4_294_967_295, 4_294_967_295, { unsigned: true }],
      [1.5, wrong],
      ['1.5', wrong],
      ['', wrong],
      [' ', wrong],
      ['0x10', wrong],
      ['1_000', wrong],
      ['12abc', wrong],
      ['１２', wrong],
      [Number.NaN, wrong],
      [Number.POSITIVE_INFINITY, wrong],
      ['1e400', wrong],
      [true, wrong],
      [[1], wrong],
      [{}, wrong],
    ],
  ],
  'a whole number of 64 bits': [
    'bigInteger',
    [
      [1, '1'],
      ['007', '7'],
      ['+7', '7'],
      ['-0', '0'],
      [9_007_199_254_740_991, '9007199254740991'],
      [9_007_199_254_740_992, wrong],
      ['9007199254740993', '9007199254740993'],
      ['9223372036854775807', '9223372036854775807'],
      ['9223372036854775808', outside],
      ['-9223372036854775808', '-9223372036854775808'],
      ['-9223372036854775809', outside],
      ['18446744073709551615', '18446744073709551615', { unsigned: true }],
      ['18446744073709551616', outside, { unsigned: true }],
      ['-1', outside, { unsigned: true }],
      ['1.5', wrong],
      [1.5, wrong],
      ['1'.repeat(41), wrong],
      ['', wrong],
    ],
  ],
  'a number': [
    'float',
    [
      [0.1, 0.1],
      ['-1.5e-7', -1.5e-7],
      ['.5', 0.5],
      ['5.', 5],
      [1.797_693_134_862_315_7e308, 1.797_693_134_862_315_7e308],
      [5e-324, 5e-324],
      ['1e309', wrong],
      [Number.NaN, wrong],
      ['NaN', wrong],
      ['Infinity', wrong],
      ['.', wrong],
      ['', wrong],
      [false, wrong],
    ],
  ],
  'a decimal': [
    'decimal',
    [
      ['12.30', '12.30'],
      ['0012.30', '12.30'],
      ['+1', '1'],
      ['-.5', '-0.5'],
      ['5.', '5'],
      [0.1, '0.1'],
      [1e-7, '0.0000001'],
      [1e21, '1000000000000000000000'],
      [-2.5e-10, '-0.00000000025'],
      [123_456_789.125, '123456789.125'],
      ['99999999999999999999.9999999999', '99999999999999999999.9999999999'],
      ['999.99', '999.99', { precision: 5, scale: 2 }],
      ['1000', outside, { precision: 5, scale: 2 }],
      ['000999', '999', { precision: 5, scale: 2 }],
      ['0.001', '0.001', { precision: 5, scale: 2 }],
      ['', wrong],
      ['.', wrong],
      ['-', wrong],
      ['1,5', wrong],
      ['abc', wrong],
      ['0x1', wrong],
      [Number.NaN, wrong],
      [true, wrong],
    ],
  ],
  'true or false': [
    'boolean',
    [
      [true, true],
      ['false', false],
      [1, true],
      ['0', false],
      ['TRUE', wrong],
      ['', wrong],
      [2, wrong],
      ['yes', wrong],
    ],
  ],
  'a date': [
    'date',
    [
      ['2024-02-29', '2024-02-29'],
      ['2023-02-29', wrong],
      ['2000-02-29', '2000-02-29'],
      ['1900-02-29', wrong],
      ['2024-02-30', wrong],
      ['2024-04-31', wrong],
      ['2024-13-01', wrong],
      ['2024-00-10', wrong],
      ['2024-01-00', wrong],
      ['0001-01-01', '0001-01-01'],
      ['9999-12-31', '9999-12-31'],
      ['10000-01-01', wrong],
      ['2024-1-1', wrong],
      ['20240101', wrong],
      ['2024-01-01T23:59:59', '2024-01-01'],
      ['2024-01-01T23:59:59Z', '2024-01-01'],
      ['', wrong],
      [20_240_101, wrong],
    ],
  ],
  'a time': [
    'time',
    [
      ['12:30', '12:30:00'],
      ['12:30:45', '12:30:45'],
      ['00:00:00', '00:00:00'],
      ['23:59:59.999999', '23:59:59.999999'],
      ['12:30:45.1234567', '12:30:45.123456'],
      ['24:00:00', wrong],
      ['12:60:00', wrong],
      ['12:30:60', wrong],
      ['12:30:4567', wrong],
      ['1:30', wrong],
      ['12', wrong],
      ['', wrong],
    ],
  ],
  'a date with time': [
    'dateTime',
    [
      ['2024-01-02T03:04:05', '2024-01-02 03:04:05'],
      ['2024-01-02 03:04:05', '2024-01-02 03:04:05'],
      ['2024-01-02T03:04', '2024-01-02 03:04:00'],
      ['2024-01-02', '2024-01-02 00:00:00'],
      ['2024-02-29T23:30:00-01:00', '2024-03-01 00:30:00'],
      ['2024-03-01T00:30:00+01:00', '2024-02-29 23:30:00'],
      ['2023-12-31T23:59:59-0001', '2024-01-01 00:00:59'],
      ['2024-01-02T03:04:05z', '2024-01-02 03:04:05'],
      ['2024-01-02T03:04:05.123456', '2024-01-02 03:04:05.123456', { fraction: 6 }],
      ['2024-01-02T03:04:05.5+05:30', '2024-01-01 21:34:05.500', { fraction: 3 }],
      ['2024-01-02T03:04:05.5', '2024-01-02 03:04:05.5'],
      ['2024-01-02T03:04:05.000Z', '2024-01-02 03:04:05'],
      ['2024-01-02T03:04:05', '2024-01-02 03:04:05.00', { fraction: 2 }],
      ['0001-01-01T00:00:00', '0001-01-01 00:00:00'],
      ['9999-12-31T23:59:59', '9999-12-31 23:59:59'],
      ['2024-01-02T03:04:05+99:99', wrong],
      ['2024-01-02T03:04:05+24:00', wrong],
      ['9999-12-31T23:59:59-01:00', wrong],
      ['0000-01-01T00:00:00+01:00', wrong],
      ['2023-02-29T00:00:00', wrong],
      ['2024-01-02T24:00:00', wrong],
      ['2024-01-02T03', wrong],
      ['2024-01-02Z', wrong],
      ['yesterday', wrong],
      ['', wrong],
      [1_704_164_645, wrong],
    ],
  ],
  'a timestamp': [
    'timestamp',
    [
      ['2024-01-02T03:04:05Z', '2024-01-02 03:04:05'],
      ['2024-01-02T03:04:05+02:00', '2024-01-02 01:04:05'],
      ['2024-01-02T03:04:05', '2024-01-02 03:04:05'],
      ['2024-01-02T03:04:05.000Z', '2024-01-02 03:04:05'],
    ],
  ],
  'a uuid': [
    'uuid',
    [
      ['0195F1C2-0000-7000-8000-00000000000A', '0195f1c2-0000-7000-8000-00000000000a'],
      ['0195f1c2000070008000000000000000', wrong],
      ['{0195f1c2-0000-7000-8000-000000000000}', wrong],
      ['0195f1c2-0000-7000-8000-00000000000g', wrong],
      ['', wrong],
    ],
  ],
  JSON: [
    'json',
    [
      [{ a: [1, null] }, '{"a":[1,null]}'],
      [[], '[]'],
      [1, '1'],
      [false, 'false'],
      ['{"a": 1}', '{"a": 1}'],
      ['"text"', '"text"'],
      ['text', wrong],
      ['', wrong],
      ['{', wrong],
      [`${'['.repeat(500)}${']'.repeat(500)}`, `${'['.repeat(500)}${']'.repeat(500)}`],
      [`${'['.repeat(501)}${']'.repeat(501)}`, wrong],
      [`"${'['.repeat(9000)}"`, `"${'['.repeat(9000)}"`],
    ],
  ],
  'a list for an array': [
    'json',
    [
      [[1, null, '2'], '[1,null,"2"]', { dbType: 'integer[]' }],
      ['[[1], [2]]', '[[1], [2]]', { dbType: 'integer[]' }],
      [[[['x']]], wrong, { dbType: 'integer[]' }],
      [[[[[[[1]]]]]], '[[[[[[1]]]]]]', { dbType: 'integer[]' }],
      [[[[[[[[1]]]]]]], wrong, { dbType: 'integer[]' }],
      [[[[[[[['a']]]]]]], wrong, { dbType: 'text[]' }],
      [[[[[[[[1]]]]]]], '[[[[[[[1]]]]]]]', { dbType: 'jsonb[]' }],
      [[32_768], outside, { dbType: 'smallint[]' }],
      [[9_007_199_254_740_992], wrong, { dbType: 'bigint[]' }],
      [['AAH/'], '["AAH/"]', { dbType: 'bytea[]' }],
      [[String.raw`\x00`], wrong, { dbType: 'bytea[]' }],
      [['2024-02-30'], wrong, { dbType: 'timestamp(3) with time zone[]' }],
      [['a', 1, {}], '["a",1,{}]', { dbType: 'text[]' }],
      [{}, wrong, { dbType: 'jsonb[]' }],
      [1, wrong, { dbType: 'mood[]' }],
    ],
  ],
  'a list of texts': [
    'csv',
    [
      [['a', 'b'], 'a,b'],
      [[], ''],
      ['a,b', 'a,b'],
      ['', ''],
      [['a,b'], wrong],
      [[1], wrong],
      [{}, wrong],
      [['abc', 'def'], tooLong, { length: 6 }],
    ],
  ],
  base64: [
    'binary',
    [
      ['', Buffer.alloc(0)],
      ['AA==', Buffer.from([0])],
      ['/+8=', Buffer.from([255, 239])],
      ['AAA=', Buffer.from([0, 0]), { length: 2 }],
      ['AAAA', tooLong, { length: 2 }],
      ['A', wrong],
      ['AA=', wrong],
      ['A===', wrong],
      ['_-8=', wrong],
      ['AA ==', wrong],
      [[0], wrong],
    ],
  ],
  'a value of a type nobody knows': [
    'unknown',
    [
      ['a', 'a'],
      [1, wrong],
    ],
  ],
};

describe.each(Object.entries(tables))('%s', (_, [type, rows]) => {
  it.each(rows.map(([value, want, options]) => ({ value, want, options })))('$value is $want', (row) => {
    expect(read(type, row.value, row.options)).toEqual(row.want);
  });
});

const types: readonly FieldType[] = [
  'string',
  'text',
  'integer',
  'bigInteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'time',
  'dateTime',
  'timestamp',
  'uuid',
  'json',
  'csv',
  'binary',
  'unknown',
];

it.each(types)('whatever is sent for %s is read or refused, never thrown', (type) => {
  const value = fc.oneof(
    fc.jsonValue({ depthSize: 'small' }),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.stringMatching(/^[+-]?\d{0,25}\.?\d{0,25}(e[+-]?\d{1,3})?$/),
    fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d[T ][0-2]\d:[0-6]\d(:[0-6]\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/),
  );
  const isTotal = fc.property(
    value.filter((each) => each !== null),
    (each) => {
      const result = readValue({ name: 'x', type }, each);
      expect(result.ok ? ['string', 'number', 'boolean', 'object'] : ['type', 'range', 'length']).toContain(
        result.ok ? typeof result.value : result.problem,
      );
    },
  );
  fc.assert(isTotal, { seed: 21, numRuns: 300 });
});

const pad = (number: number): string => String(number).padStart(2, '0');

it.each(['dateTime', 'timestamp'] as const)('a %s names the instant that Date knows', (type) => {
  const moment = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });
  const zone = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const isSame = fc.property(moment, zone, (date, minutes) => {
    const whole = new Date(Math.floor(date.getTime() / 1000) * 1000);
    const local = new Date(whole.getTime() + minutes * 60_000).toISOString().slice(0, 19);
    const size = Math.abs(minutes);
    const text = `${local}${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
    expect(read(type, text)).toBe(whole.toISOString().slice(0, 19).replace('T', ' '));
  });
  fc.assert(isSame, { seed: 22, numRuns: 300 });
});

it('a decimal keeps every digit that was sent', () => {
  const digits = fc.stringMatching(/^[1-9]\d{0,29}\.\d{1,30}$/);
  const isKept = fc.property(digits, (text) => {
    expect(read('decimal', text)).toBe(text);
  });
  fc.assert(isKept, { seed: 23, numRuns: 200 });
});

it('a decimal sent as a number is the number it prints, without an exponent', () => {
  const isSame = fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (each) => {
    expect(read('decimal', each)).toMatch(/^-?\d+(\.\d+)?$/);
    expect(Number(read('decimal', each)) + 0).toBe(each + 0);
  });
  fc.assert(isSame, { seed: 24, numRuns: 300 });
});

it.each([
  ['dateTime', 0, '2024-01-02 03:04:05.999999', '2024-01-02 03:04:05'],
  ['dateTime', 3, '2024-01-02 03:04:05.999999', '2024-01-02 03:04:05.999'],
  ['time', 1, '03:04:05.99', '03:04:05.9'],
  ['timestamp', 6, '2024-01-02 03:04:05.100000', '2024-01-02 03:04:05.100000'],
  ['decimal', 0, '1.5', '1.5'],
] as const)('a %s with %j digits after the second keeps of %s %s', (type, fraction, value, want) => {
  expect(keptValue({ name: 'x', type, fraction }, value)).toBe(want);
});
