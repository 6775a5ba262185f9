/** Values as their columns store them, and values at the edges of their types. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { readValue, toStoredValue } from '../../../runtime/plan/values.js';

const field = (type: Field['type'], options: Partial<Field> = {}): Field => ({ name: 'x', type, ...options });

describe('a decimal', () => {
  it.each<[string, number, string]>([
    ['1.005', 2, '1.01'],
    ['1.004', 2, '1.00'],
    ['1.0049', 2, '1.00'],
    ['-1.005', 2, '-1.01'],
    ['9.995', 2, '10.00'],
    ['0.005', 2, '0.01'],
    ['0.05', 1, '0.1'],
    ['0.004', 2, '0.00'],
    ['-0.5', 0, '-1'],
    ['1.5', 0, '2'],
    ['2.4', 0, '2'],
    ['1.5', 2, '1.5'],
    ['1.50', 2, '1.50'],
    ['12', 2, '12'],
    ['12345', 2, '12345'],
    ['99999999999999999999.995', 2, '100000000000000000000.00'],
    ['15.5', -1, '15.5'],
  ])('%s is rounded to %i digits: %s', (value, scale, want) => {
    expect(toStoredValue(field('decimal', { scale }), value)).toBe(want);
  });

  it('without a scale keeps its digits, as does any other number', () => {
    expect(toStoredValue(field('decimal'), '1.23456')).toBe('1.23456');
    expect(toStoredValue(field('string', { scale: 2 }), '1.23456')).toBe('1.23456');
    expect(toStoredValue(field('float', { scale: 2 }), 1.234_56)).toBe(1.234_56);
  });
});

describe('a time', () => {
  it.each<[Field['type'], number, string, string]>([
    ['time', 0, '10:00:00', '10:00:00'],
    ['time', 0, '10:00:00.5', '10:00:00'],
    ['time', 2, '10:00:00', '10:00:00.00'],
    ['time', 2, '10:00:00.5', '10:00:00.50'],
    ['timestamp', 3, '2024-01-02 10:00:00.123456', '2024-01-02 10:00:00.123'],
    ['date', 3, '2024-01-02', '2024-01-02'],
    ['string', 0, 'a.b', 'a.b'],
  ])('%s of %i digits is stored as it is shown: %s', (type, fraction, value, want) => {
    expect(toStoredValue(field(type, { fraction }), value)).toBe(want);
  });
});

it('a text in a column for lower case is stored in lower case', () => {
  expect(toStoredValue(field('string', { lowerCase: true }), 'Ann@Example.com')).toBe('ann@example.com');
  expect(toStoredValue(field('string'), 'Ann@Example.com')).toBe('Ann@Example.com');
  expect(toStoredValue(field('integer', { lowerCase: true }), 5)).toBe(5);
});

/** Expected value in the problem; `null` for a valid value. */
const expectedOf = (type: Field['type'], value: unknown, options?: Partial<Field>): string | null => {
  const read = readValue(field(type, options), value);
  return read.ok ? null : read.expected;
};

describe('the expected value', () => {
  it.each<[Field['type'], unknown, Partial<Field>, string]>([
    ['string', 5, {}, 'a text'],
    ['string', 'a\0b', {}, 'a text without NUL characters'],
    ['string', 'c', { values: ['a', 'b'] }, 'one of "a", "b"'],
    ['string', 'abc', { length: 2 }, 'at most 2 characters'],
    ['integer', 300, { bits: 8, unsigned: true }, 'a whole number from 0 to 255'],
    ['integer', 1900, { dbType: 'year' }, '0, or a whole number from 1901 to 2155'],
    [
      'bigInteger',
      '9223372036854775808',
      {},
      'a whole number from -9223372036854775808 to 9223372036854775807',
    ],
    ['float', 'x', {}, 'a number'],
    ['decimal', 'x', {}, 'a decimal number, as text or number'],
    ['decimal', '12345', { precision: 5, scale: 2 }, 'at most 3 digits before the point'],
    ['time', '25:00:00', {}, 'a time, HH:MM:SS'],
    ['dateTime', 'x', {}, 'a date and time, YYYY-MM-DDTHH:MM:SS'],
    ['timestamp', 'x', {}, 'a timestamp, YYYY-MM-DDTHH:MM:SSZ'],
    ['uuid', 'x', {}, 'a uuid'],
    ['json', '{', {}, 'JSON: an object, a list, or JSON text'],
    ['json', `${'['.repeat(501)}${']'.repeat(501)}`, {}, 'JSON that is nested no deeper than 500 levels'],
    ['csv', [1], {}, 'a list of texts without commas'],
    ['binary', '!', {}, 'base64'],
    ['binary', 'AAAA', { length: 2 }, 'at most 2 bytes'],
  ])('for a %s is reported: %j', (type, value, options, want) => {
    expect(expectedOf(type, value, options)).toBe(want);
  });

  it.each<[Field['type'], unknown, Partial<Field>]>([
    ['string', 'ab', { length: 2 }],
    ['string', '\u{1f600}\u{1f600}', { length: 2 }],
    ['integer', 2155, { dbType: 'year' }],
    ['integer', 1901, { dbType: 'year' }],
    ['integer', 255, { bits: 8, unsigned: true }],
    ['decimal', '123.45', { precision: 5, scale: 2 }],
    ['binary', Buffer.from('a'), {}],
    ['timestamp', ' 2024-01-02T10:00:00Z ', {}],
  ])('at the limit of a %s is reported: %j', (type, value, options) => {
    expect(expectedOf(type, value, options)).toBeNull();
  });
});

it('a year that its column cannot store is out of range', () => {
  for (const year of [1900, 2156])
    expect(readValue(field('integer', { dbType: 'year' }), year)).toMatchObject({ problem: 'range' });
});

describe('a day', () => {
  it.each([
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2024-04-31', false],
    ['2024-06-31', false],
    ['2024-09-31', false],
    ['2024-11-31', false],
    ['2024-12-31', true],
    ['2024-01-32', false],
    ['2024-00-10', false],
    ['2024-13-10', false],
    ['2024-01-00', false],
  ])('%s exists: %s', (day, want) => {
    expect(expectedOf('date', day) === null).toBe(want);
  });
});
