/** Values of clients and rules as they are bound: by the type of the column that they are compared with. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import type { Operand } from '../../../runtime/plan/types.js';
import {
  listParameter,
  matchParameter,
  searchParameter,
  valueParameter,
} from '../../../runtime/sql/parameters.js';
import { fitsSingle, isSingle, toSingle } from '../../../runtime/sql/singles.js';
import { dialects, inputOf } from './compiled.js';
import { codeOf } from './refusals.js';

const { sqlite, mariadb, mysql, postgres } = dialects;

const field = (type: Field['type'], options: Partial<Field> = {}): Field => ({ name: 'x', type, ...options });

const fromQuery: Operand = { from: 'query', slot: 0 };
const fromRule = (value: unknown): Operand => ({ from: 'rule', value });

type Rounding = 'up' | 'down' | 'none';

/** Returns the bound value of a query value. */
const bindQuery = (compared: Field, value: unknown, rounding: Rounding = 'none', dialect = sqlite) =>
  valueParameter(dialect, compared, { operand: fromQuery, rounding }).read(inputOf([value]));

const bindRule = (compared: Field, value: unknown) =>
  valueParameter(sqlite, compared, { operand: fromRule(value), rounding: 'none' }).read(inputOf([]));

describe('a value of a query', () => {
  it.each<[Field['type'], unknown, unknown]>([
    ['string', 'a', 'a'],
    ['integer', 5, 5n],
    ['integer', '5', 5n],
    ['bigInteger', '5', 5n],
    ['bigInteger', 5, 5n],
    ['float', '1.5', 1.5],
    ['decimal', 1.5, '1.5'],
    ['boolean', 'true', 1],
    ['date', '2020-01-02', '2020-01-02'],
    ['binary', 'AAE=', Buffer.from([0, 1])],
    ['string', null, null],
  ])('that is compared with a %s is bound as that type: %j', (type, value, want) => {
    expect(bindQuery(field(type), value)).toEqual(want);
  });

  it.each<[Field['type'], unknown, string]>([
    ['integer', 'five', '"x" expects a whole number'],
    ['boolean', 'perhaps', '"x" expects true or false'],
    ['date', 'today', '"x" expects a date, YYYY-MM-DD'],
    ['bigInteger', 2 ** 60, '"x" expects a whole number, as text where it exceeds 2^53'],
    ['string', '', '"x" cannot be compared with an empty text; use "_empty"'],
  ])('that is invalid for a %s is rejected: %j', (type, value, message) => {
    expect(() => bindQuery(field(type), value)).toThrow(message);
  });

  it('is a list for an array column', () => {
    const numbers = field('json', { element: { type: 'integer' } });
    expect(bindQuery(numbers, '[1,2]')).toBe('[1,2]');
    expect(() => bindQuery(numbers, '5')).toThrow('"x" expects a list');
  });

  it('can exceed length, range and precision of the column', () => {
    expect(bindQuery(field('string', { length: 2 }), 'abc')).toBe('abc');
    expect(bindQuery(field('decimal', { precision: 4, scale: 2 }), '1000.001')).toBe('1000.001');
    expect(bindQuery(field('string', { values: ['a'] }), 'b')).toBe('b');
  });

  it('keeps the fraction digits of its column', () => {
    expect(bindQuery(field('dateTime', { fraction: 3 }), '2020-01-02 03:04:05')).toBe(
      '2020-01-02 03:04:05.000',
    );
    expect(bindQuery(field('dateTime'), '2020-01-02 03:04:05')).toBe('2020-01-02 03:04:05');
  });
});

describe('a fraction that is compared with an integer', () => {
  it.each<[Rounding, number, number]>([
    ['up', 1.2, 2],
    ['down', 1.8, 1],
    ['up', -1.8, -1],
    ['down', -1.2, -2],
    ['none', 1.5, 2 ** 40],
  ])('is rounded %s: %d to %d', (rounding, value, want) => {
    expect(bindQuery(field('integer'), value, rounding)).toBe(want);
  });

  it('equals no value, also in a wider column', () => {
    expect(bindQuery(field('integer', { bits: 53 }), 1.5)).toBe(2 ** 64);
    expect(bindQuery(field('integer', { bits: 32 }), 1.5)).toBe(2 ** 40);
  });

  it('is compared exactly with a 64-bit integer', () => {
    expect(bindQuery(field('bigInteger'), '1.5', 'up')).toBe(1.5);
    expect(bindQuery(field('bigInteger'), 1.5, 'up')).toBe(1.5);
  });
});

describe('a number beyond the range of an integer', () => {
  it.each([
    [2 ** 32, 2 ** 32],
    [-(2 ** 32), -(2 ** 32)],
    [2 ** 40, 2 ** 40],
    [2 ** 41, 2 ** 40],
    [-(2 ** 41), -(2 ** 40)],
    [1e300, 2 ** 40],
    [-1e300, -(2 ** 40)],
  ])('is clamped: %d is %d', (value, want) => {
    expect(bindQuery(field('integer'), value, 'up')).toBe(want);
    expect(bindQuery(field('integer'), value, 'none')).toBe(want);
  });
});

describe('a number that is compared with a year', () => {
  const year = field('integer', { dbType: 'year' });

  it.each<[number, Rounding, unknown]>([
    [1901, 'up', 1901n],
    [0, 'up', 0n],
    [70, 'up', 1901],
    [70, 'down', 0],
    [70, 'none', 2 ** 40],
    [1900, 'up', 1901],
    [-5, 'up', -5],
    [2200, 'up', 2200],
  ])('is never interpreted as a two-digit year: %d, rounded %s', (value, rounding, want) => {
    expect(bindQuery(year, value, rounding)).toBe(want);
  });
});

describe('a single-precision float', () => {
  it('is recognized by its column', () => {
    expect(
      ['float', 'FLOAT(7,3)', 'real', 'double', undefined].map((dbType) =>
        isSingle(field('float', dbType === undefined ? {} : { dbType })),
      ),
    ).toEqual([true, true, true, false, false]);
    expect(isSingle(field('decimal', { dbType: 'float' }))).toBe(false);
    expect(isSingle(field('float', { dbType: 'a float' }))).toBe(false);
  });

  it('is compared with its stored number', () => {
    expect(bindQuery(field('float', { dbType: 'float' }), 0.1)).toBe(0.100_000_001_490_116_12);
    expect(bindQuery(field('float', { dbType: 'double' }), 0.1)).toBe(0.1);
  });

  it.each([
    [0.5, true],
    [0, true],
    [3e38, true],
    [4e38, false],
    [-4e38, false],
    [1e-50, false],
  ])('can represent %d: %s', (value, want) => {
    expect(fitsSingle(value)).toBe(want);
    expect(toSingle(value) === value).toBe(!want || Math.fround(value) === value);
  });

  it('has another placeholder for a number out of range on every database', () => {
    const single = field('float', { dbType: 'float' });
    const { placeholder, outOfRange } = valueParameter(mariadb, single, {
      operand: fromQuery,
      rounding: 'none',
    });
    expect([placeholder, outOfRange?.placeholder]).toEqual(['cast(? as float)', 'cast(? as double)']);
    const other = valueParameter(mariadb, field('float'), { operand: fromQuery, rounding: 'none' });
    expect('outOfRange' in other).toBe(false);
    expect(listParameter(mariadb, single, fromQuery).outOfRange?.placeholder).toBe('cast(? as double)');
  });
});

describe('a value of a rule', () => {
  it.each<[Field['type'], unknown]>([
    ['integer', 'five'],
    ['date', 'today'],
    ['bigInteger', {}],
    ['string', undefined],
    ['string', null],
  ])('that is invalid for a %s matches no row: %j', (type, value) => {
    expect(bindRule(field(type), value)).toBeNull();
  });

  it('can be an empty text or a number that JSON has rounded', () => {
    expect(bindRule(field('string'), '')).toBe('');
    expect(bindRule(field('bigInteger'), 2 ** 60)).toBe(2 ** 60);
  });
});

/** Variables that stand for other values, in rules and in queries. */
const withVariables = (values: readonly unknown[]) => ({
  ...inputOf(values, ['k0', 'k1']),
  resolve: (value: unknown) => (value === '$ROLES' ? ['r1', 'r2'] : value === '$ME' ? 'rule me' : value),
  resolveQueryValue: (value: unknown) => (value === '$ME' ? 'query me' : value),
});

const text = field('string');

const read = (operand: Operand, values: readonly unknown[] = []): unknown =>
  valueParameter(sqlite, text, { operand, rounding: 'none' }).read(withVariables(values));

const list = (operand: Operand, values: readonly unknown[] = []) =>
  listParameter(sqlite, text, operand).read(withVariables(values));

describe('a variable', () => {
  it('is resolved by its origin', () => {
    expect(read(fromRule('$ME'))).toBe('rule me');
    expect(read(fromQuery, ['$ME'])).toBe('query me');
  });

  it('is text in a search and in keys', () => {
    expect(read({ from: 'text', slot: 0 }, ['$ME'])).toBe('$ME');
    expect(read({ from: 'key', index: 1 })).toBe('k1');
  });

  it('can expand to several values in a list', () => {
    expect(list(fromRule(['a', '$ROLES', '$ME']))).toEqual(['a', 'r1', 'r2', 'rule me']);
    expect(list(fromRule('$ROLES'))).toEqual(['r1', 'r2']);
    expect(list(fromQuery, [['a', '$ME']])).toEqual(['a', 'query me']);
    expect(list({ from: 'keys' })).toEqual(['k0', 'k1']);
  });
});

describe('a list', () => {
  it('of a query may hold no empty text, that of a rule may', () => {
    const read = () => listParameter(sqlite, text, fromQuery).read(inputOf([['', 'a']]));
    expect(read).toThrow('cannot be compared with an empty text; use "_empty"');
    expect(listParameter(sqlite, text, fromRule(['', 'a'])).read(inputOf([]))).toEqual(['', 'a']);
  });

  it('compares a fraction with an integer as a value without rows', () => {
    expect(listParameter(sqlite, field('integer'), fromQuery).read(inputOf([[1, 1.5]]))).toEqual([
      1n,
      2 ** 40,
    ]);
  });
});

const range = (ends: unknown, bound: 0 | 1, operand: Operand = fromQuery) =>
  valueParameter(sqlite, field('integer'), { operand, bound, rounding: bound === 0 ? 'up' : 'down' }).read(
    inputOf([ends]),
  );

const ofRule = (ends: unknown) => [0, 1].map((bound) => range(null, bound as 0 | 1, fromRule(ends)));

describe('a range', () => {
  it('binds its ends separately', () => {
    expect([range([1, 5], 0), range([1, 5], 1)]).toEqual([1n, 5n]);
    expect([range([1.5, 5.5], 0), range([1.5, 5.5], 1)]).toEqual([2, 5]);
  });

  it('with a null or missing end matches no row', () => {
    expect(ofRule([null, 5])).toEqual([null, null]);
    expect(ofRule([1, null])).toEqual([null, null]);
    expect(ofRule([1])).toEqual([1n, null]);
  });
});

const pattern = (value: unknown) =>
  matchParameter(mariadb, 'contains', { field: text, operand: fromRule(value) }).read(inputOf([]));

describe('a text operand', () => {
  it.each([
    ['a', '%a%'],
    [5, '%5%'],
    ['', '%%'],
    [null, null],
    [undefined, null],
    [['a'], null],
  ])('%j is the pattern %j', (value, want) => {
    expect(pattern(value)).toBe(want);
  });

  it('has at most 10 000 characters', () => {
    expect(codeOf(() => pattern('a'.repeat(10_000)))).toBeNull();
    expect(() => pattern('a'.repeat(10_001))).toThrow('a text to look for may have 10000 characters at most');
  });

  it('has the placeholder for its character set', () => {
    const latin = field('string', { collation: 'latin1_swedish_ci' });
    const { placeholder, outOfRange } = matchParameter(mariadb, 'contains', {
      field: latin,
      operand: fromQuery,
    });
    expect([placeholder, outOfRange?.fits('é'), outOfRange?.fits('語')]).toEqual(['?', true, false]);
  });
});

const search = (type: Field['type'], value: unknown) =>
  searchParameter(sqlite, field(type), { from: 'text', slot: 0 }).read(inputOf([value]));

describe('a search', () => {
  it('equals a column if the text is a valid value', () => {
    expect(search('integer', '5')).toBe(5n);
    expect(search('integer', 'five')).toBeNull();
    expect(search('uuid', 'five')).toBeNull();
  });
});

const sortKey = (compared: Field, value: unknown, dialect = postgres): unknown =>
  valueParameter(dialect, compared, { operand: { from: 'cursor', index: 0 }, rounding: 'none' }).read(
    inputOf([], [value]),
  );

describe('a sort key of a cursor', () => {
  it.each<[Field['type'], unknown, unknown]>([
    ['dateTime', '0000-00-00T00:00:00', '0000-00-00 00:00:00'],
    ['timestamp', '2024-00-00T10:00:00Z', '2024-00-00 10:00:00'],
    ['timestamp', '2024-01-01T10:00:00Z', '2024-01-01 10:00:00'],
    ['date', '0000-00-00', '0000-00-00'],
    ['time', '25:00:00', '25:00:00'],
    ['time', null, null],
  ])('of a %s that clients cannot send is bound as databases write it: %j', (type, value, want) => {
    expect(sortKey(field(type), value, mysql)).toBe(want);
  });

  it('is bound as what its answers do not tell apart', () => {
    expect(sortKey(field('boolean'), 5, mariadb)).toBe(5);
    expect(sortKey(field('boolean'), 2, sqlite)).toBe(2n);
    expect(sortKey(field('boolean'), true)).toBe(1);
  });

  it('can be an empty text', () => {
    expect(sortKey(text, '')).toBe('');
  });

  it('of a single-precision float equals its stored number', () => {
    expect(sortKey(field('float', { dbType: 'real' }), 0.1)).toBe(Math.fround(0.1));
    expect(sortKey(field('float', { dbType: 'double precision' }), 0.1)).toBe(0.1);
  });
});
