/** Values of every type: as they are stored, compared and sent. */
import * as fc from 'fast-check';
import type { Field } from '../../../contract/collection.js';
import type { FieldType } from '../../../contract/field-types.js';
import type { TestDialect } from '../../databases.js';
import type { Collation } from './collation.js';

/** Input of a client for a value, and its wire form. */
export interface Sent {
  readonly sent: string | number | boolean;
  readonly value: unknown;
}

const same = (value: string | number | boolean): Sent => ({ sent: value, value });
const spelled = (sent: string | number, value: unknown): Sent => ({ sent, value });

/** Short words over characters that matter to LIKE, GLOB and collations. */
export const words = [
  'a',
  'A',
  'b',
  'ab',
  'aB',
  'Abc',
  'ba',
  'bab',
  'é',
  'Eb',
  'a b',
  'a%',
  'a_b',
  '_',
  '%',
  '*',
  'a*',
  '?b',
  '[a]',
  '[',
  'b!',
  "b'a",
  'a\\b',
  '5',
  '05',
  '1.5',
  'zz',
  'a,b',
];

export const uuidOf = (number: number): string =>
  `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Stored values by type. */
export const stored: Readonly<Partial<Record<FieldType, readonly (string | number | boolean)[]>>> = {
  string: words,
  text: words,
  integer: [-3, 0, 1, 2, 3, 5, 7, 12, 100],
  bigInteger: ['-5', '0', '1', '2', '5', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
  float: [-1.5, 0, 0.1, 0.3, 1, 2.25, 5, 1e10],
  decimal: ['-3.25', '0.00', '0.10', '1.50', '5.00', '100.10', '9999.99'],
  boolean: [true, false],
  date: ['0999-12-31', '1999-12-31', '2024-02-29', '2024-03-01'],
  time: ['00:00:00', '09:30:00', '12:00:01', '23:59:59'],
  dateTime: ['1999-12-31T23:59:59', '2024-02-29T00:00:00', '2024-02-29T12:30:00', '2024-03-01T00:00:00'],
  timestamp: ['1999-12-31T23:59:59Z', '2024-02-29T00:00:00Z', '2024-02-29T12:30:00Z', '2024-03-01T00:00:00Z'],
  uuid: [0, 1, 2, 3].map(uuidOf),
  binary: ['', 'AA==', '/+8=', 'AAEC'],
};

/** Further values of filters, and other spellings. */
const extra: Readonly<Partial<Record<FieldType, readonly Sent[]>>> = {
  integer: [spelled('5', 5), spelled('1e2', 100), spelled('2147483648', 2_147_483_648), same(4)],
  bigInteger: [
    spelled(5, '5'),
    same('3'),
    same('9223372036854775806'),
    spelled('9223372036854775808', '9223372036854775808'),
    spelled('-99999999999999999999', '-99999999999999999999'),
  ],
  float: [spelled('0.1', 0.1), spelled('5e0', 5), same(0.2)],
  decimal: [
    spelled(1.5, '1.50'),
    spelled('1.5', '1.50'),
    spelled('1.505', '1.505'),
    spelled('100.1000', '100.10'),
    same('1000000.00'),
  ],
  boolean: [spelled('true', true), spelled('0', false), spelled(1, true)],
  date: [same('2024-01-15')],
  time: [spelled('09:30', '09:30:00'), same('10:00:00')],
  dateTime: [
    spelled('2024-02-29 12:30:00', '2024-02-29T12:30:00'),
    spelled('2024-02-29', '2024-02-29T00:00:00'),
    spelled('2024-02-29T12:30:00.000Z', '2024-02-29T12:30:00'),
    spelled('2024-02-29T13:30:00+01:00', '2024-02-29T12:30:00'),
  ],
  timestamp: [
    spelled('2024-02-29T12:30:00.000Z', '2024-02-29T12:30:00Z'),
    spelled('2024-02-29T01:00:00+01:00', '2024-02-29T00:00:00Z'),
    spelled('2024-03-01T00:00:00-00:01', '2024-03-01T00:01:00Z'),
  ],
  uuid: [spelled(uuidOf(10).toUpperCase(), uuidOf(10)), same(uuidOf(99))],
};

/** A value for a filter on the field. */
export const operandOf = (field: Field): fc.Arbitrary<Sent> => {
  const pool = keyPool(field) ?? stored[field.type === 'csv' ? 'text' : field.type] ?? [];
  // an empty text is no value to compare with: `_empty` asks for it
  const given = pool.filter((value) => value !== '');
  const exact =
    field.fraction === 3
      ? given.map((value) => spelled(String(value), String(value).concat('.000')))
      : given.map(same);
  const more = (extra[field.type] ?? []).map((each) => (field.fraction === 3 ? withMillis(each) : each));
  return fc.constantFrom(...exact, ...exact, ...more);
};

const withMillis = ({ sent, value }: Sent): Sent => ({ sent, value: `${String(value)}.000` });

/** Keys and what points at them. */
const keyPool = ({ name, type }: Field): readonly (string | number)[] | null => {
  if (
    name === 'place' ||
    name === 'home' ||
    name === 'folder_place' ||
    (name === 'code' && type === 'string')
  )
    return ['aa', 'bb', 'cc', 'zz'];
  if (['author', 'recipient', 'mentor'].includes(name) || (name === 'id' && type === 'integer'))
    return [1, 2, 3, 5, 8, 99];
  if (['letter', 'reply_to'].includes(name) || (name === 'id' && type === 'bigInteger'))
    return ['1', '2', '3', '10', '25', '999'];
  if (['topic', 'parent'].includes(name) || (name === 'id' && type === 'uuid'))
    return [1, 2, 5, 9].map((number) => uuidOf(100 + number));
  return null;
};

export interface Comparing {
  readonly dialect: TestDialect;
  readonly collation: Collation;
}

/** Negative, zero or positive. Neither is null. */
export const compareValues = (
  field: Field,
  left: unknown,
  right: unknown,
  { dialect, collation }: Comparing,
): number => {
  switch (field.type) {
    case 'string':
    case 'text':
      return collation.compare(String(left), String(right));
    case 'csv':
      return collation.compare(csvText(left), csvText(right));
    case 'bigInteger':
      return compareNumbers(toExact(left), toExact(right));
    case 'integer':
    case 'decimal':
    case 'boolean':
      return compareNumbers(Number(left), Number(right));
    case 'float': {
      const isSingle = dialect !== 'sqlite' && /^(?:float|real)/.test(field.dbType ?? '');
      const [a, b] = [Number(left), Number(right)];
      return isSingle ? Math.fround(a) - Math.fround(b) : a - b;
    }
    default:
      return compareTexts(String(left), String(right));
  }
};

export const csvText = (value: unknown): string => (Array.isArray(value) ? value.join() : String(value));

/** Whole numbers exactly; others as they are: between two whole ones. */
const toExact = (value: unknown): bigint | number =>
  /^-?\d+$/.test(String(value)) ? BigInt(String(value)) : Number(value);

const compareNumbers = (left: bigint | number, right: bigint | number): number => {
  // eslint-disable-next-line eqeqeq -- a bigint and a number may be equal
  if (left == right) return 0;
  return left < right ? -1 : 1;
};

const compareTexts = (left: string, right: string): number => {
  if (left === right) return 0;
  return left < right ? -1 : 1;
};
