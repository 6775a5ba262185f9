/** Compares values with operands as a database would, by the type of the field. Pure. */
import type { Field } from '../../contract/collection.js';
import { fieldTypes } from '../../contract/field-types.js';
import { toStoredValue, readValue } from './values.js';

/**
 * Negative, zero or positive; `null` where the operand is not a value of the type and the order is unknown.
 */
export type Ordering = number | null;

/** Compares a value in its stored form with an operand as a rule spells it. */
export const compareValues = (field: Field, value: unknown, operand: unknown): Ordering => {
  if (operand === null || operand === undefined) return null;
  switch (fieldTypes[field.type].comparison) {
    case 'number':
      return compareNumbers(value, operand);
    case 'text':
      return compareTexts(textOf(value), textOf(toStoredValue(field, textOf(operand))));
    case 'value': {
      const read = readValue(field, operand);
      return read.ok ? compareTexts(textOf(value), textOf(toStoredValue(field, read.value))) : null;
    }
  }
};

/** Converts a value to text: a Buffer to base64, an object to JSON. */
export const textOf = (value: unknown): string => {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const compareTexts = (left: string, right: string): number => {
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** Compares decimal digits where neither number has an exponent, since a double has only about 17 of them. */
const compareNumbers = (left: unknown, right: unknown): Ordering => {
  const [a, b] = [readDigits(left), readDigits(right)];
  if (a !== null && b !== null) {
    const target = Math.max(a.scale, b.scale);
    const [x, y] = [toScale(a, target), toScale(b, target)];
    if (x === y) return 0;
    return x < y ? -1 : 1;
  }
  if (typeof right === 'boolean' || String(right).trim() === '') return null;
  const difference = Number(left) - Number(right);
  return Number.isNaN(difference) ? null : difference;
};

/** A decimal number: `all` divided by 10 to the power of `scale`. */
interface Digits {
  readonly all: bigint;
  readonly scale: number;
}

const readDigits = (value: unknown): Digits | null => {
  const match = /^\s*([+-]?)(\d*)(?:\.(\d*))?\s*$/.exec(String(value));
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return null;
  const all = BigInt(`${whole}${fraction}`);
  return { all: sign === '-' ? -all : all, scale: fraction.length };
};

const toScale = ({ all, scale }: Digits, target: number): bigint => all * 10n ** BigInt(target - scale);
