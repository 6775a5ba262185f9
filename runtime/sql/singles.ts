/** Single-precision floats: the columns that have them and the numbers they represent. */
import type { Field } from '../../contract/collection.js';
import type { BindValue } from '../databases/contract.js';

/** Returns whether a column holds 32-bit floats, whose values have to be compared as such. */
export const isSingle = ({ type, dbType = '' }: Field): boolean =>
  type === 'float' && /^(?:float|real)/i.test(dbType);

/**
 * Returns whether a number has a single-precision form: neither too large, nor so small that it becomes zero.
 */
export const fitsSingle = (value: BindValue): boolean => {
  const single = Math.fround(Number(value));
  return Number.isFinite(single) && (single !== 0 || Number(value) === 0);
};

/**
 * Rounds a number to single precision. It equals the stored value then even in a list with numbers that have
 * no such form.
 */
export const toSingle = (value: BindValue): BindValue =>
  fitsSingle(value) ? Math.fround(Number(value)) : value;
