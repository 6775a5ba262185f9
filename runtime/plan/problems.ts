/** Errors about values of a payload, with their messages and details. */
import type { Collection, Field } from '../../contract/collection.js';
import { isMasked } from '../../contract/fields.js';
import { apiError, type ApiError } from '../../contract/errors.js';
import { operators } from '../../contract/operators.js';
import { locationDetails, type PayloadLocation } from './problem-collection.js';
import type { Failure } from './filter-evaluation.js';
import type { ParsedValue } from './parsed-value.js';

/** A payload of a collection. */
export interface PayloadPosition extends PayloadLocation {
  readonly grant: { readonly collection: Collection };
}

/** A failure with the field's own message, if it has one. */
export type ReportedFailure = Failure & { readonly message?: string };

/** Omits details that would show the value of a concealed or hashed field. */
const unlessConcealed = (field: Field | undefined, details: Readonly<Record<string, unknown>>) =>
  field !== undefined && isMasked(field) ? {} : details;

/** Returns the error for a value that is invalid for its field. */
export const invalidValueError = (
  field: Field,
  { read, value }: { readonly read: Extract<ParsedValue, { ok: false }>; readonly value: unknown },
  context: PayloadPosition,
): ApiError => {
  const details = {
    collection: context.grant.collection.name,
    field: field.name,
    ...(context.path.length === 0 ? {} : { path: context.path }),
    ...unlessConcealed(field, { value }),
    ...locationDetails(context, field.name),
  };
  const explanation = `"${field.name}" takes ${read.expected}`;
  if (read.problem === 'length') return apiError('VALUE_TOO_LONG', details, explanation);
  if (read.problem === 'range') return apiError('VALUE_OUT_OF_RANGE', details, explanation);
  return validationError(field, { type: 'type', expected: read.expected, value }, context);
};

/** Creates the FAILED_VALIDATION of a field. A concealed value is not part of it. */
export const validationError = (
  field: Field,
  { type, expected, value }: { readonly type: string; readonly expected: string; readonly value: unknown },
  context: PayloadPosition,
): ApiError =>
  apiError(
    'FAILED_VALIDATION',
    {
      collection: context.grant.collection.name,
      field: field.name,
      path: context.path,
      type,
      expected,
      ...(value === undefined || value === null ? {} : unlessConcealed(field, { invalid: value })),
      ...locationDetails(context, field.name),
    },
    `"${field.name}" takes ${expected}`,
  );

/** Returns the error for a value that fails a rule. */
export const ruleError = (
  { field, type, operand, message }: ReportedFailure,
  value: unknown,
  context: PayloadPosition,
): ApiError =>
  apiError(
    'FAILED_VALIDATION',
    {
      collection: context.grant.collection.name,
      field,
      path: context.path,
      type,
      ...(operand === null || operand === undefined || type === 'regex' ? {} : { valid: operand }),
      ...(type === 'regex'
        ? unlessConcealed(context.grant.collection.fields.get(field), { invalid: value })
        : {}),
      ...locationDetails(context, field),
    },
    message ??
      (type in operators
        ? `"${field}" does not pass "_${type}"`
        : `"${field}" is guarded by a rule that cannot be evaluated`),
  );

/**
 * Returns the error for a stored value that fails a rule and that the caller may not know: neither the name of its field nor
 * what the rule compares it with is part of it.
 */
export const hiddenRuleError = (context: PayloadPosition): ApiError =>
  apiError(
    'FAILED_VALIDATION',
    {
      collection: context.grant.collection.name,
      path: context.path,
      type: 'rule',
      ...locationDetails(context),
    },
    'the item, as it would be stored, does not pass a rule over a field that you may not read',
  );
