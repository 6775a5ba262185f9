/** Lists the column types of new fields. */
import type { FieldType } from '../../contract/field-types.js';
import type { NewColumnType } from './contract.js';

/**
 * Returns the column types of new fields by field type, and of a `hash`.
 * @param types null for fields that are not made by their type; the compiler names a field type that is missing
 */
export const newColumnTypes = (
  types: Readonly<Record<FieldType | 'hash', NewColumnType | null>>,
): Readonly<Record<string, NewColumnType>> => {
  const made = Object.entries(types).flatMap(([name, type]) =>
    type === null ? [] : [[name, type] as const],
  );
  return Object.fromEntries(made);
};
