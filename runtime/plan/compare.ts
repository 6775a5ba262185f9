/** Values held against operands as a database would: by the type of the field. Pure. */
import type { Field } from '../../contract/collection.js';
import { fieldTypes } from '../../contract/field-types.js';
import { keptValue, readValue } from './values.js';

/** Below zero, zero, above zero; `null` where the operand is no such value: then nothing is known. */
export type Order = number | null;

/** `value`: in the form in which it is stored. `operand`: as a rule spells it. */
export const compareValues = (field: Field, value: unknown, operand: unknown): Order => {
  if (operand === null || operand === undefined) return null;
  switch (fieldTypes[field.type].comparison) {
    case 'number':
      return compareNumbers(value, operand);
    case 'text':
      return compareTexts(textOf(value), textOf(keptValue(field, textOf(operand))));
    case 'value': {
      const read = readValue(field, operand);
      return read.ok ? compareTexts(textOf(value), textOf(keptValue(field, read.value))) : null;
    }
  }
};

/** Of what is no text, how it is spelled in JSON or base64. */
export const textOf = (value: unknown): string => {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const compareTexts = (left: string, right: string): number => {
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** By their digits where both have no exponent: a double keeps some seventeen of them. */
const compareNumbers = (left: unknown, right: unknown): Order => {
  const [a, b] = [readDigits(left), readDigits(right)];
  if (a !== null && b !== null) {
    const places = Math.max(a.places, b.places);
    const [x, y] = [scale(a, places), scale(b, places)];
    if (x === y) return 0;
    return x < y ? -1 : 1;
  }
  if (typeof right === 'boolean' || String(right).trim() === '') return null;
  const difference = Number(left) - Number(right);
  return Number.isNaN(difference) ? null : difference;
};

/** A number as all its digits, and how many of them stand after the point. */
interface Digits {
  readonly all: bigint;
  readonly places: number;
}

const readDigits = (value: unknown): Digits | null => {
  const match = /^\s*([+-]?)(\d*)(?:\.(\d*))?\s*$/.exec(String(value));
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return null;
  const all = BigInt(`${whole}${fraction}`);
  return { all: sign === '-' ? -all : all, places: fraction.length };
};

const scale = ({ all, places }: Digits, wanted: number): bigint => all * 10n ** BigInt(wanted - places);
