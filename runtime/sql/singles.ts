/** Floats of 4 bytes: which columns have them, which numbers they hold, and as what. */
import type { Field } from '../../contract/collection.js';
import type { BindValue } from '../databases/contract.js';

export const isSingle = ({ type, dbType = '' }: Field): boolean =>
  type === 'float' && /^(?:float|real)/i.test(dbType);

/** Whether the number becomes such a float: not one too large, nor one so small that it becomes zero. */
export const fitsSingle = (value: BindValue): boolean => {
  const single = Math.fround(Number(value));
  return Number.isFinite(single) && (single !== 0 || Number(value) === 0);
};

/** The number as the column holds it, which it also equals in a list beside numbers that fit no such float. */
export const toSingle = (value: BindValue): BindValue =>
  fitsSingle(value) ? Math.fround(Number(value)) : value;
