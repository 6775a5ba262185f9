/** Reads the values of a payload as their columns store them. */
import type { Field, ToAny } from '../../contract/collection.js';
import { isMasked, mask } from '../../contract/fields.js';
import { invalidPayload, type ApiError } from '../../contract/errors.js';
import { findTarget, toStoredKey } from './many-to-any-payload.js';
import { invalidValueError, validationError } from './problems.js';
import type { Payload, RowContext } from './row-context.js';
import { refuse, type ParsedValue, type Scalar } from './parsed-value.js';
import { readValue, toStoredValue } from './values.js';

/** Reads the value of a column, or returns its problem. */
export const readField = (field: Field, value: unknown, context: RowContext): Scalar | null | ApiError => {
  if (value === undefined) return null;
  if (value === null) {
    return field.nullable === true
      ? null
      : validationError(field, { type: 'nnull', expected: 'a value', value }, context);
  }
  const relation = context.grant.collection.relations.get(field.name);
  if (relation?.kind === 'manyToOne' && typeof value === 'object') {
    return invalidPayload(`"${field.name}" takes the key of an item of "${relation.target}"`);
  }
  return parseColumn(field, value, context);
};

/** Reads a value that is neither null nor an object where a column takes a key; returns its problem. */
export const parseColumn = (field: Field, value: unknown, context: RowContext): Scalar | ApiError => {
  const read = readStoredValue(field, value);
  return read.ok ? read.value : invalidValueError(field, { read, value }, context);
};

/** Returns whether a value is a text, number or boolean. */
export const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== 'object';

interface AnyKeyContext {
  readonly toAny: ToAny;
  readonly given: Payload;
  readonly context: RowContext;
}

/** Reads the key of an item of any collection; null where the row names none, which is reported already. */
export const readAnyKey = (
  field: Field,
  value: unknown,
  { toAny, given, context }: AnyKeyContext,
): Scalar | null | ApiError => {
  const target = findTarget(toAny, given);
  const [key] = target?.collection.key ?? [];
  if (target === null || key === undefined) return null;
  const read = readValue(key, value);
  if (!read.ok) return invalidValueError(field, { read, value }, context);
  return readField(field, toStoredKey(target, read.value), context);
};

/** Parses a value as its column stores it: 9.99 rounded to one decimal may have a digit too many. */
const readStoredValue = (field: Field, value: unknown): ParsedValue => {
  // a client that sends back what it has read would make the asterisks a password that everyone knows
  if (value === mask && isMasked(field)) return refuse('a new value, not the asterisks that it is read as');
  const read = readValue(field, value);
  if (!read.ok) return read;
  const stored = toStoredValue(field, read.value);
  return stored === read.value ? read : readValue(field, stored);
};
