/** Refuses literal defaults that are no value of their column, before a database stores them or refuses them without a name. Pure. */
import { invalidPayload, type ApiError } from '../../../contract/errors.js';
import type { ColumnShape, DataType } from '../shapes.js';

/** @param old the column as it is, whose default may stay */
export const findDefaultProblems = (
  column: ColumnShape,
  {
    old,
    type,
    place,
  }: { readonly old: ColumnShape | undefined; readonly type: DataType | null; readonly place: string },
): readonly ApiError[] => {
  const { default: value } = column;
  if (value?.kind !== 'literal' || type === null || isUnchanged(column, old)) return [];
  const expected = expectedOf(column, type, value.value);
  return expected === null
    ? []
    : [invalidPayload(`the default_value ${JSON.stringify(value.value)} of ${place} is not ${expected}`)];
};

const isUnchanged = (column: ColumnShape, old: ColumnShape | undefined): boolean =>
  old?.dataType === column.dataType &&
  JSON.stringify([old.default, old.values]) === JSON.stringify([column.default, column.values]);

/** Returns what the default should be, or null where it is that. */
const expectedOf = (
  { dataType, values }: ColumnShape,
  { kind, size }: DataType,
  value: string | number | boolean,
): string | null => {
  // lists of labels have their own syntax
  if (size === 'values')
    return values === null || values.includes(String(value)) || /^set$|\[\]$/.test(dataType)
      ? null
      : `one of ${values.join(', ')}`;
  if (kind === 'boolean') return typeof value === 'boolean' ? null : 'true or false';
  if (kind === 'number' || kind === 'smallint') return isNumeric(value) ? null : 'a number';
  return null;
};

const isNumeric = (value: string | number | boolean): boolean =>
  typeof value === 'number' ||
  (typeof value === 'string' &&
    /^\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|infinity)\s*$/i.test(value));
