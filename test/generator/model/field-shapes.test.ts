/** JSON Schemas of numbers with limits. */
import { expect, it } from 'vitest';
import {
  decimalExample,
  decimalSchema,
  integerSchema,
  type FieldShape,
} from '../../../contract/field-shapes.js';
import { field } from '../models.js';

const shape = (given: Partial<FieldShape>): FieldShape => field('number', 'decimal', given);

it.each([
  [8, false, -128, 127],
  [8, true, 0, 255],
  [32, true, 0, 4_294_967_295],
  [null, false, -2_147_483_648, 2_147_483_647],
  [53, true, 0, Number.MAX_SAFE_INTEGER],
  [54, true, 0, Number.MAX_SAFE_INTEGER],
  [54, false, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
])('an integer of %j bits, unsigned: %j, is between %d and %d', (bits, unsigned, minimum, maximum) => {
  expect(integerSchema(shape({ bits, unsigned }))).toEqual({ type: 'integer', minimum, maximum });
});

it.each([
  [5, 2, '^-?[0-9]{1,3}(\\.[0-9]+)?$', '1.00'],
  [2, 2, '^-?0(\\.[0-9]+)?$', '0.00'],
  [3, null, '^-?[0-9]{1,3}(\\.[0-9]+)?$', '1'],
  [null, null, '^-?[0-9]+(\\.[0-9]+)?$', '1'],
])('a decimal of %j digits, %j after the point, is written as %s', (precision, scale, pattern, example) => {
  const decimal = shape({ precision, scale });
  expect(decimalSchema(decimal, 'write')).toEqual({ type: ['string', 'number'], pattern });
  expect(decimalExample(decimal)).toBe(example);
  expect(example).toMatch(new RegExp(pattern));
});
