/** Positions of rows in lists that have a `sort_field`. */
import type { Field, ToMany } from '../../contract/collection.js';
import { isKeyPart } from './list-relation.js';
import type { Payload, RowPosition } from './row-context.js';
import type { PlanContext } from './scope.js';
import { readValue } from './values.js';
import type { Scalar } from './parsed-value.js';

/** Returns the field that stores the order of a list, or null where there is none that can be written. */
const positionField = (relation: ToMany): Field | null => {
  const { collection, sortField, fields } = relation;
  const field = sortField === undefined ? undefined : collection.fields.get(sortField);
  if (field === undefined || field.generated === true) return null;
  return isKeyPart(relation, field.name) || fields.includes(field.name) ? null : field;
};

/** Returns a position as a value of its field; null where the field cannot store it. */
export const toPosition = (field: Field, position: number): Scalar | null => {
  const read = readValue(field, position);
  return read.ok ? read.value : null;
};

/**
 * Returns the positions of the new rows of a list: those in the complete list, or after its last row.
 * @param ordinals of the rows in the complete list, from 1; `null` for rows that are added
 */
export const newPositions = (
  relation: ToMany,
  ordinals: readonly (number | null)[],
): readonly (RowPosition | null)[] | null => {
  const field = positionField(relation);
  if (field === null) return null;
  return ordinals.map((ordinal, index): RowPosition | null => {
    const value =
      ordinal === null ? ({ from: 'end', field, offset: index + 1 } as const) : toPosition(field, ordinal);
    return value === null ? null : { name: field.name, value };
  });
};

/**
 * Returns the position of a row that the complete list names; null where the payload has one, or the caller may not
 * change it.
 */
export const namedPosition = (
  relation: ToMany,
  { payload, ordinal }: { readonly payload: Payload; readonly ordinal: number | null },
  { policies }: PlanContext,
): { readonly name: string; readonly value: Scalar } | null => {
  const field = positionField(relation);
  if (field === null || ordinal === null || Object.hasOwn(payload, field.name)) return null;
  const grant = policies.grant(relation.collection, 'update');
  if (grant?.fields.has(field.name) !== true || (field.readonly === true && !grant.admin)) return null;
  const value = toPosition(field, ordinal);
  return value === null ? null : { name: field.name, value };
};
